//! Round trips of snapshots, and every kind of mismatch and damage.

use super::*;
use crate::block_checksums::block_checksums;
use crate::{DocFacts, IndexEntry, IndexField, OutgoingLink};
use model::{EntityId, LinkKind, MemoryId, Moment, SessionId, StoredVectors};
use proptest::prelude::*;

const DATABASE: u128 = 77;

fn model() -> VectorModel {
    VectorModel { id: "test-1".into(), dimensions: 8 }
}

fn key() -> SnapshotKey {
    SnapshotKey { database: DATABASE, newest: Seq(9), model: Some(model()) }
}

fn view() -> View {
    let mut view = View::new(Some(model()));
    let vector = StoredVectors { model: model(), data: (0..36).collect() };
    let entries = (1..=3).map(|id| IndexEntry {
        texts: vec![(IndexField::Text, ["red apple", "green pear", "zanzibar"][id as usize - 1])],
        tags: vec!["fruit", "quokka"],
        entities: vec![EntityId(5)],
        links: vec![OutgoingLink { target: MemoryId(1), kind: LinkKind::Supports, weight: 0.5 }],
        vector: Some(&vector),
        ..IndexEntry::new(DocFacts {
            session: Some(SessionId(4)),
            ..DocFacts::note(MemoryId(id), Moment(id))
        })
    });
    view.apply(entries, [], Seq(9));
    view
}

fn bytes(view: &mut View) -> Vec<u8> {
    let mut bytes = Vec::new();
    view.write_snapshot(DATABASE, &mut bytes).unwrap();
    bytes
}

fn read(bytes: &[u8], key: &SnapshotKey) -> Result<View, SnapshotError> {
    View::read_snapshot(bytes, bytes.len() as u64, key)
}

#[test]
fn a_view_read_back_writes_the_same_snapshot() {
    let first = bytes(&mut view());
    let mut back = read(&first, &key()).unwrap();
    assert_eq!(back.seq(), Seq(9));
    assert_eq!(bytes(&mut back), first);
}

#[test]
fn a_snapshot_with_another_key_is_rejected() {
    let bytes = bytes(&mut view());
    let rejection = |key: SnapshotKey| read(&bytes, &key).map(|view| view.seq()).unwrap_err();
    assert!(matches!(
        rejection(SnapshotKey { database: 1, ..key() }),
        SnapshotError::OtherDatabase
    ));
    assert!(matches!(rejection(SnapshotKey { model: None, ..key() }), SnapshotError::OtherModel));
    assert!(matches!(
        rejection(SnapshotKey { newest: Seq(8), ..key() }),
        SnapshotError::AheadOfStore
    ));
    assert!(
        read(&bytes, &SnapshotKey { newest: Seq(10), ..key() }).is_ok(),
        "the view catches up from there"
    );
    assert!(matches!(read(b"SQLite format 3\0", &key()), Err(SnapshotError::OtherFormat)));
}

#[test]
fn every_flipped_byte_and_every_truncation_is_detected() {
    let whole = bytes(&mut view());
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x41;
        assert!(read(&damaged, &key()).is_err(), "byte {at}");
        assert!(read(&whole[..at], &key()).is_err(), "truncated at {at}");
    }
    assert!(read(&[&whole[..], b"x"].concat(), &key()).is_err());
}

#[test]
fn a_length_beyond_the_end_of_the_file_is_rejected() {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(u64::MAX.to_le_bytes());
    assert!(matches!(read(&bytes, &key()), Err(SnapshotError::Damaged)));
}

#[test]
fn a_forgotten_memory_leaves_no_byte_of_its_words_behind() {
    let contains =
        |bytes: &[u8], word: &str| bytes.windows(word.len()).any(|part| part == word.as_bytes());
    let mut view = view();
    assert!(contains(&bytes(&mut view), "zanzibar"));
    let mut only = IndexEntry::new(DocFacts {
        project: Some("xylophone"),
        ..DocFacts::note(MemoryId(3), Moment(3))
    });
    only.texts = vec![(IndexField::Text, "wombat")];
    view.apply([only], [], Seq(10));
    let changed = bytes(&mut view);
    assert!(
        contains(&changed, "wombat")
            && contains(&changed, "xylophone")
            && !contains(&changed, "zanzibar")
    );
    view.apply([], [MemoryId(3)], Seq(11));
    let after = bytes(&mut view);
    assert!(!contains(&after, "wombat") && !contains(&after, "xylophone"));
    assert!(contains(&after, "quokka"), "tags of other memories stay");
}

/// A snapshot in a file, of which every array is mapped that has any items.
struct FileSource(tempfile::NamedTempFile);

impl FileSource {
    fn new(bytes: &[u8]) -> Self {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        io::Seek::rewind(&mut file).unwrap();
        Self(file)
    }
}

impl Read for FileSource {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl SnapshotSource for FileSource {
    fn map(&mut self, bytes: usize, _: MappedUse) -> io::Result<Option<memmap2::MmapMut>> {
        if bytes == 0 {
            return Ok(None);
        }
        let at = io::Seek::stream_position(&mut self.0)?;
        let mut options = memmap2::MmapOptions::new();
        #[expect(unsafe_code, reason = "a mapping has no safe constructor")]
        // SAFETY: nobody else knows the file.
        let mapping = unsafe { options.offset(at).len(bytes).map_copy(self.0.as_file())? };
        io::Seek::seek(&mut self.0, io::SeekFrom::Current(bytes as i64))?;
        Ok(Some(mapping))
    }
}

fn open_mapped(bytes: &[u8]) -> Result<View, SnapshotError> {
    View::open_snapshot(FileSource::new(bytes), bytes.len() as u64, &key())
}

#[test]
fn a_mapped_view_changes_like_one_in_memory_and_leaves_its_file_alone() {
    let whole = bytes(&mut view());
    let source = FileSource::new(&whole);
    let mut file = source.0.reopen().unwrap();
    let mut mapped = View::open_snapshot(source, whole.len() as u64, &key()).unwrap();
    let mut in_memory = read(&whole, &key()).unwrap();
    let other = StoredVectors { model: model(), data: (100..136).collect() };
    for view in [&mut mapped, &mut in_memory] {
        let changed = |id: i64| IndexEntry {
            texts: vec![(IndexField::Text, "blue plum")],
            tags: vec!["x", "y", "z"],
            vector: Some(&other),
            ..IndexEntry::new(DocFacts::note(MemoryId(id), Moment(id)))
        };
        // One is changed in the mapped part, one added after it, one removed.
        view.apply([changed(2), changed(7)], [MemoryId(3)], Seq(10));
        let query = crate::QueryVector::new(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        let all = view.filter(&crate::Filter::default(), Moment(0));
        assert_eq!(view.nearest(&query, &all, 10).len(), 3);
    }
    let clone = bytes(&mut mapped.clone());
    assert_eq!(bytes(&mut mapped), bytes(&mut in_memory));
    assert_eq!(clone, bytes(&mut in_memory));
    let mut left = Vec::new();
    file.read_to_end(&mut left).unwrap();
    assert_eq!(left, whole);
}

/// Opens a mapped snapshot and returns whether it is refused, at the latest when everything of it
/// is read.
fn opens_damaged(bytes: &[u8]) -> bool {
    let Ok(mut view) = open_mapped(bytes) else { return true };
    assert!(!view.is_damaged(), "a search has not read it yet");
    let copy = view.clone();
    copy.is_damaged() && view.write_snapshot(DATABASE, io::sink()).is_err()
}

#[test]
fn a_search_over_a_damaged_vector_is_noticed() {
    let mut whole = bytes(&mut view());
    let vector: Vec<u8> = (4..12).collect();
    let at = whole.windows(8).position(|part| part == vector).unwrap();
    whole[at] ^= 1;
    let damaged = open_mapped(&whole).unwrap();
    let all = damaged.filter(&crate::Filter::default(), Moment(0));
    assert!(!damaged.is_damaged());
    let _ = damaged.nearest(&crate::QueryVector::new(&[1.0; 8]), &all, 10);
    assert!(damaged.is_damaged());
}

#[test]
fn every_flipped_byte_of_a_mapped_snapshot_is_detected() {
    let whole = bytes(&mut view());
    assert_eq!(bytes(&mut open_mapped(&whole).unwrap()), whole);
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x41;
        assert!(opens_damaged(&damaged), "byte {at}");
    }
    for end in 0..whole.len() {
        assert!(open_mapped(&whole[..end]).is_err(), "truncated at {end}");
    }
}

proptest! {
    #[test]
    fn sections_with_right_checksums_but_wrong_numbers_never_panic(
        section in 0_usize..40,
        at in any::<prop::sample::Index>(),
        value in any::<u8>(),
    ) {
        let mut bytes = bytes(&mut view());
        let Some(SectionBytes { range, is_in_blocks }) = sections(&bytes).into_iter().nth(section)
        else {
            return Ok(());
        };
        if range.is_empty() {
            return Ok(());
        }
        bytes[range.start + at.index(range.len())] = value;
        if is_in_blocks {
            let checksums = block_checksums([&bytes[range.clone()], &[]]);
            let start = range.end.next_multiple_of(8) + 8;
            let end = start + 4 * checksums.len();
            bytes[start..end].copy_from_slice(bytemuck::cast_slice(&checksums));
            replace_checksum(&mut bytes, &(start..end));
        } else {
            replace_checksum(&mut bytes, &range);
        }
        for mut view in [read(&bytes, &key()), open_mapped(&bytes)].into_iter().flatten() {
            exercise(&mut view);
        }
    }
}

/// The bytes of a section without its length and checksum.
struct SectionBytes {
    range: std::ops::Range<usize>,
    /// True if its checksums are the next section.
    is_in_blocks: bool,
}

fn sections(bytes: &[u8]) -> Vec<SectionBytes> {
    let mut sections = Vec::new();
    let mut at = MAGIC.len();
    while let Some(length) = length_at(bytes, at) {
        let range = at + 8..at + 8 + length;
        let end = range.end.next_multiple_of(8);
        let is_in_blocks = checksum(bytes, &range)[..] != bytes[end..end + 8];
        at = if is_in_blocks { end } else { end + 8 };
        sections.push(SectionBytes { range, is_in_blocks });
    }
    assert_eq!(sections.iter().filter(|section| section.is_in_blocks).count(), 5);
    sections
}

fn checksum(bytes: &[u8], range: &std::ops::Range<usize>) -> [u8; 8] {
    let end = range.end.next_multiple_of(8);
    xxhash_rust::xxh3::xxh3_64(&bytes[range.start..end]).to_le_bytes()
}

fn replace_checksum(bytes: &mut [u8], range: &std::ops::Range<usize>) {
    let end = range.end.next_multiple_of(8);
    let sum = checksum(bytes, range);
    bytes[end..end + 8].copy_from_slice(&sum);
}

fn length_at(bytes: &[u8], at: usize) -> Option<usize> {
    let length = bytes.get(at..at + 8)?.try_into().ok()?;
    Some(u64::from_le_bytes(length) as usize)
}

/// Runs every kind of query and change; only panics matter.
fn exercise(view: &mut View) {
    use crate::{Bm25, Direction, Filter, LinkKinds, QueryTerms, QueryVector, StatusFilter};
    let all = view.filter(&Filter { status: StatusFilter::Any, ..Filter::default() }, Moment(0));
    let query = QueryTerms::parse("red green apple zanzibar");
    let hits = view.lexical(&query, &Bm25::PRODUCTION, &all, 10).hits;
    let _ = view.nearest(&QueryVector::new(&[1.0; 8]), &all, 10);
    let _ = view.facet_counts(&all);
    for doc in all.iter().chain(hits.iter().map(|hit| hit.doc)) {
        let _ = (view.facts(doc), view.tags(doc).count(), view.session_before(doc).count());
        let _ = view.links(view.id(doc), Direction::Both, LinkKinds::ALL);
    }
    let _ = view.docs_mentioning(EntityId(5));
    view.apply([IndexEntry::new(DocFacts::note(MemoryId(2), Moment(1)))], [MemoryId(1)], Seq(12));
    view.compact();
}
