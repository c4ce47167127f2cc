//! Edit distance of Damerau and Levenshtein: inserted, removed, replaced and swapped characters.

/// Returns the number of edits between two words, if it is at most `limit`.
pub(super) fn edits_between(one: &[char], other: &[char], limit: usize) -> Option<usize> {
    if one.len().abs_diff(other.len()) > limit {
        return None;
    }
    let (mut before, mut above): (Vec<usize>, Vec<usize>) =
        (Vec::new(), (0..=other.len()).collect());
    for (row, &wanted) in one.iter().enumerate() {
        let mut line = vec![row + 1];
        for (column, &found) in other.iter().enumerate() {
            let replaced = above[column] + usize::from(wanted != found);
            let mut edits = replaced.min(above[column + 1] + 1).min(line[column] + 1);
            if row > 0 && column > 0 && wanted == other[column - 1] && one[row - 1] == found {
                edits = edits.min(before[column - 1] + 1);
            }
            line.push(edits);
        }
        if line.iter().min().is_some_and(|&least| least > limit) {
            return None;
        }
        (before, above) = (above, line);
    }
    above.last().copied().filter(|&edits| edits <= limit)
}
