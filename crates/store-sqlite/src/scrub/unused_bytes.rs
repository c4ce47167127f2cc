//! Clears the bytes of a b-tree page that belong to no cell. When SQLite splits or joins pages, it
//! leaves copies of cells there, which `secure_delete` does not overwrite.

/// Bytes at the beginning of the first page of a file, before its b-tree header.
const FILE_HEADER_BYTES: usize = 100;

/// Header of a b-tree page.
struct PageHeader {
    start: usize,
    /// Position of the first unused block between cells; 0 for none.
    first_block: usize,
    /// The bytes between the list of cells and the first cell.
    gap: std::ops::Range<usize>,
}

impl PageHeader {
    /// Reads the header; `None` for a page of another kind, or one that is not sound.
    fn read(page: &[u8], is_first: bool) -> Option<Self> {
        let start = if is_first { FILE_HEADER_BYTES } else { 0 };
        let header_bytes = match page.get(start)? {
            // Interior pages of an index and of a table.
            0x02 | 0x05 => 12,
            // Leaf pages of an index and of a table.
            0x0a | 0x0d => 8,
            // Overflow and free pages: they begin with the high byte of a page number.
            _ => return None,
        };
        let first_block = number(page, start + 1)?;
        let cells = number(page, start + 3)?;
        // 0 stands for 65536, in a page of that size without cells.
        let content = match number(page, start + 5)? {
            0 => 65_536,
            content => content,
        };
        let gap = start + header_bytes + 2 * cells..content;
        (gap.start <= gap.end && gap.end <= page.len()).then_some(Self { start, first_block, gap })
    }
}

/// Clears the unused bytes of a page. Returns true if any of them was not zero.
pub(super) fn clear_unused(page: &mut [u8], is_first: bool) -> bool {
    let Some(header) = PageHeader::read(page, is_first) else { return false };
    let mut cleared = clear(&mut page[header.gap.clone()]);
    let mut block = header.first_block;
    // Blocks are in ascending order; anything else is damage, which is not for this code to touch.
    let mut after = header.start;
    while block > after {
        let (Some(next), Some(size)) = (number(page, block), number(page, block + 2)) else {
            break;
        };
        let Some(unused) = page.get_mut(block + 4..block + size.max(4)) else { break };
        cleared |= clear(unused);
        (after, block) = (block, next);
    }
    cleared
}

fn clear(bytes: &mut [u8]) -> bool {
    let is_dirty = bytes.iter().any(|byte| *byte != 0);
    if is_dirty {
        bytes.fill(0);
    }
    is_dirty
}

fn number(page: &[u8], at: usize) -> Option<usize> {
    let bytes = page.get(at..at + 2)?;
    Some(usize::from(u16::from_be_bytes([bytes[0], bytes[1]])))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds a leaf page of a table with one cell of four bytes at its end, and text elsewhere.
    fn leaf() -> Vec<u8> {
        let mut page = vec![b'x'; 64];
        page[..8].copy_from_slice(&[0x0d, 0, 40, 0, 1, 0, 36, 0]);
        page[8..10].copy_from_slice(&[0, 60]);
        // An unused block of ten bytes at 40.
        page[40..44].copy_from_slice(&[0, 0, 0, 10]);
        page
    }

    #[test]
    fn bytes_of_no_cell_are_cleared_and_all_others_stay() {
        let (before, mut page) = (leaf(), leaf());
        assert!(clear_unused(&mut page, false));
        let changed: Vec<usize> = (0..64).filter(|&at| page[at] != before[at]).collect();
        assert_eq!(changed, (10..36).chain(44..50).collect::<Vec<_>>());
        assert!(!clear_unused(&mut page, false), "nothing is left to clear");
    }

    #[test]
    fn a_page_that_is_no_sound_b_tree_page_stays_as_it_is() {
        let mut overflow = leaf();
        overflow[0] = 0;
        let mut beyond = leaf();
        beyond[5..7].copy_from_slice(&[1, 0]);
        for page in [overflow, beyond, Vec::new(), vec![0x0d]] {
            let mut copy = page.clone();
            assert!(!clear_unused(&mut copy, false));
            assert_eq!(copy, page);
        }
    }

    #[test]
    fn a_chain_of_blocks_that_goes_back_ends() {
        let mut page = leaf();
        page[40..42].copy_from_slice(&[0, 40]);
        clear_unused(&mut page, false);
    }
}
