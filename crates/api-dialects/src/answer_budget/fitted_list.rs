//! Fits a list into a number of tokens: every item gets the same maximum, which is what remains
//! when all smaller items are whole. Only when the maximum would be too small to read, items at the
//! end are left out.

use super::cost;
use super::cut_texts::cut_texts;
use serde_json::Value;

/// Smallest maximum of an item, in tokens.
const ITEM_TOKENS_MIN: usize = 120;

/// A list that fits.
#[derive(Debug)]
pub(crate) struct FittedList {
    pub items: Vec<Value>,
    /// Number of items left out at the end.
    pub left_out: usize,
    /// True if a text of an item was cut.
    pub is_cut: bool,
}

/// Fits a list, whose first items are the most important.
pub(crate) fn fit_list(items: Vec<Value>, tokens: usize) -> FittedList {
    let costs: Vec<usize> = items.iter().map(cost).collect();
    if costs.iter().sum::<usize>() <= tokens {
        return FittedList { items, left_out: 0, is_cut: false };
    }
    let most = item_maximum(&costs, tokens).max(ITEM_TOKENS_MIN);
    let (total, mut left, mut is_cut) = (items.len(), tokens, false);
    let mut shown = Vec::new();
    for (item, of_item) in items.into_iter().zip(costs) {
        let most = most.min(left);
        let (item, was_cut) = if of_item <= most { (item, false) } else { cut_item(item, most) };
        let Some(rest) = left.checked_sub(cost(&item)) else { break };
        left = rest;
        is_cut |= was_cut;
        shown.push(item);
    }
    FittedList { left_out: total - shown.len(), items: shown, is_cut }
}

/// Returns the largest maximum with which all items fit.
fn item_maximum(costs: &[usize], tokens: usize) -> usize {
    let mut sorted = costs.to_vec();
    sorted.sort_unstable();
    let mut left = tokens;
    for (at, cost) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - at);
        if *cost > share {
            return share;
        }
        left -= cost;
    }
    tokens
}

/// Cuts the texts of an item until it fits.
fn cut_item(mut item: Value, tokens: usize) -> (Value, bool) {
    let (mut limit, mut is_cut) = (tokens, false);
    while cost(&item) > tokens && limit >= 12 {
        is_cut |= cut_texts(&mut item, limit, &[]);
        limit = limit * 3 / 4;
    }
    (item, is_cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn small_items_stay_whole_and_large_ones_share_the_rest() {
        let long = "word ".repeat(4_000);
        let items = vec![json!({"t": long}), json!({"t": "short"}), json!({"t": long})];
        let fitted = fit_list(items, 2_000);
        assert_eq!((fitted.left_out, fitted.is_cut), (0, true));
        assert_eq!(fitted.items[1]["t"], "short");
        let costs: Vec<usize> = fitted.items.iter().map(cost).collect();
        assert!(
            costs.iter().sum::<usize>() <= 2_000 && costs[0] > 700 && costs[2] > 700,
            "{costs:?}"
        );
    }

    #[test]
    fn items_that_would_be_too_short_to_read_are_left_out() {
        let items = vec![json!({"t": "word ".repeat(400)}); 100];
        let fitted = fit_list(items, 1_000);
        assert!(fitted.items.len() >= 7 && fitted.left_out == 100 - fitted.items.len());
        assert!(fitted.items.iter().map(cost).sum::<usize>() <= 1_000);
    }

    #[test]
    fn nothing_fits_into_nothing() {
        let fitted = fit_list(vec![json!(1), json!(2)], 0);
        assert_eq!((fitted.items.len(), fitted.left_out), (0, 2));
    }
}
