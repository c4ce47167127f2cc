//! Estimate of the tokens that a text costs a language model: good enough for a budget, and
//! independent of any particular tokeniser.

/// Estimates the number of tokens: four characters per token in Latin script, two in other
/// alphabets, one in scripts such as Chinese.
#[must_use]
pub fn estimate_tokens(text: &str) -> usize {
    let (mut quarter, mut whole) = (0_usize, 0_usize);
    for character in text.chars() {
        match u32::from(character) {
            0..=0x024F => quarter += 1,
            0x0250..=0x1FFF => quarter += 2,
            _ => whole += 1,
        }
    }
    quarter.div_ceil(4) + whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_costs_about_a_token_per_four_letters() {
        assert_eq!(estimate_tokens("the quick brown fox jumps over the lazy dog!"), 11);
        assert_eq!(estimate_tokens(""), 0);
    }

    #[test]
    fn chinese_and_japanese_cost_a_token_per_character() {
        assert_eq!(estimate_tokens("東京の天気"), 5);
    }
}
