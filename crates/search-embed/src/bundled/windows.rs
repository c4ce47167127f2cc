//! Windows of a long text. The model sees at most [`WINDOW`] tokens in one context, so a longer
//! text gets several vectors.

use super::MAX_WINDOWS;
use super::layout::WINDOW;
use super::vocabulary::UNKNOWN;

/// Tokens of a text without words.
static NO_WORDS: [u32; 1] = [UNKNOWN];

/// Splits the ids of a text into at least one and at most [`MAX_WINDOWS`] windows.
///
/// All windows of a long text are full: the first starts with the text, the last ends with it, and
/// the others are evenly spaced. As few windows as cover the text are used; beyond the maximum,
/// parts between windows are skipped.
pub(super) fn windows(ids: &[u32]) -> impl Iterator<Item = &[u32]> {
    let ids = if ids.is_empty() { &NO_WORDS } else { ids };
    let count = ids.len().div_ceil(WINDOW).min(MAX_WINDOWS);
    let last = ids.len().saturating_sub(WINDOW);
    (0..count).map(move |at| {
        let start = last * at / (count - 1).max(1);
        &ids[start..ids.len().min(start + WINDOW)]
    })
}

/// Groups items into batches of at most `limit` rows; an item alone may have more.
pub(super) fn batches<T>(
    mut items: &[T],
    rows: impl Fn(&T) -> usize,
    limit: usize,
) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let mut sum = 0;
        let fit = items.iter().take_while(|item| {
            sum += rows(item);
            sum <= limit
        });
        let (batch, rest) = items.split_at(fit.count().max(1).min(items.len()));
        items = rest;
        (!batch.is_empty()).then_some(batch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(length: usize) -> Vec<(u32, usize)> {
        let ids: Vec<u32> = (0..length).map(|id| id as u32).collect();
        windows(&ids).map(|window| (window[0], window.len())).collect()
    }

    #[test]
    fn a_text_without_words_is_one_unknown_token() {
        assert_eq!(windows(&[]).collect::<Vec<_>>(), [&[UNKNOWN]]);
    }

    #[test]
    fn a_short_text_is_one_window() {
        assert_eq!(spans(1), [(0, 1)]);
        assert_eq!(spans(WINDOW), [(0, WINDOW)]);
    }

    #[test]
    fn full_windows_cover_a_longer_text_from_its_first_to_its_last_token() {
        assert_eq!(spans(WINDOW + 1), [(0, WINDOW), (1, WINDOW)]);
        assert_eq!(spans(3 * WINDOW - 8), [(0, WINDOW), (124, WINDOW), (248, WINDOW)]);
    }

    #[test]
    fn a_huge_text_keeps_its_edges_and_an_even_sample_between() {
        let spans = spans(60_000);
        assert_eq!(spans.len(), MAX_WINDOWS);
        assert_eq!((spans[0].0, spans[MAX_WINDOWS - 1].0), (0, (60_000 - WINDOW) as u32));
        let steps: Vec<u32> = spans.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
        assert!(steps.iter().all(|step| step.abs_diff(steps[0]) <= 1), "{steps:?}");
    }

    #[test]
    fn batches_keep_all_items_in_order_and_never_exceed_their_rows() {
        let lengths = [100, 28, 1, 128, 128, 5, 5, 120, 300];
        let batches: Vec<&[usize]> = batches(&lengths, |length| *length, 128).collect();
        let expected: [&[usize]; 7] = [&[100, 28], &[1], &[128], &[128], &[5, 5], &[120], &[300]];
        assert_eq!(batches, expected);
    }
}
