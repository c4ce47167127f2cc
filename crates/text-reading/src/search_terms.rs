//! Terms by which a text is compared with a question. In scripts with spaces they are the content
//! words; in Chinese, Japanese, Korean and others without them they are the pairs of neighbouring
//! characters, by which the index finds such texts too.

use crate::terms::content_terms;
use std::collections::HashSet;
use words::{TokenForm, is_unsegmented};

/// Characters of Chinese that ask or join, and name nothing.
const CHINESE_PARTICLES: &str = "的了吗呢么什怎哪谁是嗎麼誰";
/// Syllables that Korean attaches to a noun.
const KOREAN_PARTICLES: &str = "은는이가을를의에도로";
/// Pairs of Korean endings and question words.
const KOREAN_ENDINGS: &str =
    "니다 입니 니까 합니 습니 어요 아요 나요 까요 인가 무엇 엇인 언제 어디 디에";

/// Two neighbouring characters of a run without spaces, or the only one of it.
struct CharacterPair {
    text: String,
    /// True for the last pair of a run of three or more characters.
    ends_run: bool,
}

/// Returns the terms to look for, each once: content words, and pairs of characters without those
/// that are only grammar.
#[must_use]
pub fn search_terms(text: &str) -> Vec<String> {
    if !has_spaceless_script(text) {
        return content_terms(text);
    }
    let pairs = character_pairs(text);
    let mut content: Vec<&CharacterPair> = pairs.iter().filter(|pair| !is_grammar(pair)).collect();
    let words = content_terms(&without_spaceless_script(text));
    // A question of nothing but grammar is looked for as it is.
    if content.is_empty() && words.is_empty() {
        content = pairs.iter().collect();
    }
    let mut seen = HashSet::new();
    let all = words.into_iter().chain(content.into_iter().map(|pair| pair.text.clone()));
    all.filter(|term| seen.insert(term.clone())).collect()
}

/// Returns every term of a text that [`search_terms`] of another one can be found by.
#[must_use]
pub fn contained_terms(text: &str) -> Vec<String> {
    if !has_spaceless_script(text) {
        return content_terms(text);
    }
    let mut terms = content_terms(&without_spaceless_script(text));
    words::each_token(text, |token| {
        if token.text.chars().all(is_unsegmented) {
            terms.push(token.text.to_owned());
        }
    });
    terms
}

/// Returns true if a part of the text is in a script without spaces between words.
#[must_use]
pub fn has_spaceless_script(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(is_unsegmented)
}

fn without_spaceless_script(text: &str) -> String {
    text.chars().map(|c| if is_unsegmented(c) { ' ' } else { c }).collect()
}

fn character_pairs(text: &str) -> Vec<CharacterPair> {
    let mut pairs: Vec<(u32, String)> = Vec::new();
    let mut singles: Vec<(u32, String)> = Vec::new();
    words::each_token(text, |token| {
        if token.text.chars().all(is_unsegmented) {
            let list = if token.form == TokenForm::Whole { &mut pairs } else { &mut singles };
            list.push((token.position, token.text.to_owned()));
        }
    });
    let starts: HashSet<u32> = pairs.iter().map(|(position, _)| *position).collect();
    let is_alone =
        |position: u32| !starts.contains(&position) && !starts.contains(&position.wrapping_sub(1));
    let alone = singles.into_iter().filter(|(position, _)| is_alone(*position));
    let single = alone.map(|(_, text)| CharacterPair { text, ends_run: false });
    let paired = pairs.into_iter().map(|(position, text)| {
        let follows = starts.contains(&position.wrapping_sub(1));
        CharacterPair { text, ends_run: follows && !starts.contains(&(position + 1)) }
    });
    paired.chain(single).collect()
}

/// Returns true for a pair that any text may contain: Japanese endings in hiragana, Chinese
/// particles, and the particle at the end of a Korean word.
fn is_grammar(pair: &CharacterPair) -> bool {
    let is_hiragana = |c: char| matches!(c, '\u{3040}'..='\u{309f}');
    let is_korean_particle =
        || pair.ends_run && pair.text.chars().last().is_some_and(|c| KOREAN_PARTICLES.contains(c));
    pair.text.chars().all(is_hiragana)
        || pair.text.chars().any(|c| CHINESE_PARTICLES.contains(c))
        || KOREAN_ENDINGS.split(' ').any(|ending| ending == pair.text)
        || is_korean_particle()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_spaces_has_its_content_words() {
        assert_eq!(search_terms("Where is the staging server?"), ["staging", "server"]);
        assert_eq!(contained_terms("The staging server."), ["staging", "server"]);
    }

    #[test]
    fn a_text_without_spaces_has_its_pairs_of_characters_without_grammar() {
        assert_eq!(
            search_terms("東京の天気はどうですか"),
            ["東京", "京の", "の天", "天気", "気は"]
        );
        assert_eq!(search_terms("部署是哪天"), ["部署"]);
        assert_eq!(search_terms("서울의 날씨는"), ["서울", "날씨"]);
        assert_eq!(search_terms("猫"), ["猫"]);
    }

    #[test]
    fn a_question_of_grammar_alone_keeps_it() {
        assert_eq!(search_terms("ですか"), ["です", "すか"]);
    }

    #[test]
    fn words_and_characters_of_one_text_are_both_terms() {
        assert_eq!(search_terms("Postgres 16 の設定"), ["postgres", "16", "の設", "設定"]);
        let contained = contained_terms("v2版本");
        for term in ["v2", "版", "版本"] {
            assert!(contained.contains(&term.to_owned()), "{term}: {contained:?}");
        }
    }
}
