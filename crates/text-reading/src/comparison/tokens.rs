//! Tokens of a statement as the comparison aligns them: one key for every way to write the same
//! word or value, and the class of each, so that it is known which differences matter.

use super::lexicon::{self, WordClass};
use super::token_context::{
    drop_titles, mark_determined, mark_foreign_verbs, mark_verb_by_position,
    mark_verbs_behind_pronouns, order_appositions, read_phrasal_verbs, read_to, sort_conjunctions,
};
use super::value_reader::read_value;
use super::values::{self, ValueType};
use super::verb_classes;
use crate::terms::light_stem;
use std::borrow::Cow;

/// Maximum number of tokens compared for one statement; a longer one is only compared for equality.
pub(super) const TOKENS_MAX: usize = 80;

/// Number of letters by which a verb of another language than English is recognised.
const FOREIGN_STEM_LETTERS: usize = 5;

/// One token of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// Normalised form; equal keys mean the same.
    pub key: String,
    /// Lower-cased word as written, without punctuation.
    pub word: String,
    /// Key by which words of one topic are recognised, as of [`lexicon::topic_key`].
    pub topic: String,
    /// True if the word is a form of a common verb.
    pub verb: bool,
    pub start: usize,
    pub end: usize,
    pub class: TokenClass,
    /// True for "Ana's" and "my".
    pub possessive: bool,
    /// True if written with a capital, other than by opening a sentence.
    pub capital: bool,
    /// True if an article or a possessive stands before it.
    pub determined: bool,
    /// True if it opens a sentence with a capital, as names do and other words as well.
    pub opens: bool,
}

/// Role of a token in a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenClass {
    /// A content word, a name or an identifier.
    Content,
    Value(ValueType),
    /// `is`, `are`, `=`, `:`; joins a subject and its value.
    Copula,
    /// `was`, `were`.
    PastCopula,
    /// `not`, `never`, `nicht`, `不`.
    Negation,
    /// `only`, `every`, `at least`: changes what is claimed.
    Quantifier,
    Preposition,
    /// `will`, `might`, `should`.
    Modal,
    /// `now`, `currently`: says that something has changed, or that it holds at present.
    Change,
    /// `my`, `our`: may be left out without another meaning.
    Weak,
    /// Articles, fillers and auxiliaries, which say nothing.
    Dropped,
}

impl Token {
    /// Returns true if the token takes part in the alignment.
    pub fn counts(&self) -> bool {
        !matches!(
            self.class,
            TokenClass::Dropped | TokenClass::Change | TokenClass::Copula | TokenClass::PastCopula
        )
    }

    /// Returns the type of its value, if it is one.
    pub fn value_type(&self) -> Option<ValueType> {
        if let TokenClass::Value(kind) = self.class { Some(kind) } else { None }
    }

    /// Returns true for a name or an identifier.
    pub fn is_name(&self) -> bool {
        self.class == TokenClass::Content && self.capital
    }
}

fn has_digit(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_digit())
}

/// Returns true for hosts, paths, branches, flags and blood types: written with signs or digits.
fn is_identifier(word: &str) -> bool {
    let letters = word.chars().any(char::is_alphabetic);
    let signs = word.contains(['.', '/', '_', '@', ':']);
    let dashed = word.contains('-') && (has_digit(word) || word.matches('-').count() > 1);
    let blood = word.ends_with(['+', '-']) && is_blood_group(&word[..word.len() - 1]);
    let dialled = has_digit(word) && word.contains(['-', '/']);
    (letters && (signs || dashed || has_digit(word)) || blood || dialled)
        && word.chars().count() > 1
}

/// Splits one statement into tokens.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut raw = scan(text);
    raw.truncate(TOKENS_MAX + 1);
    let mut tokens = Vec::with_capacity(raw.len());
    let english = lexicon::is_english(text);
    let mut at = 0;
    while at < raw.len() {
        let (token, length) = read_token(&raw, at, english);
        at += length;
        tokens.push(token);
    }
    mark_determined(&mut tokens);
    drop_titles(&mut tokens);
    read_phrasal_verbs(&mut tokens);
    sort_conjunctions(&mut tokens);
    order_appositions(&mut tokens);
    read_to(&mut tokens);
    // Read once for each word: they are asked for with every statement it is compared with.
    for token in &mut tokens {
        let foreign = !english && verb_classes::is_foreign_verb(&token.word);
        token.verb = lexicon::is_verb(&token.word) || foreign;
        token.topic = match lexicon::topic_key(&token.key) {
            // "Guardan", "guardamos".
            topic if foreign => topic.chars().take(FOREIGN_STEM_LETTERS).collect(),
            topic => topic.to_owned(),
        };
    }
    mark_verbs_behind_pronouns(&mut tokens, english);
    mark_foreign_verbs(&mut tokens, english);
    mark_verb_by_position(&mut tokens, english);
    tokens
}

/// A stretch of characters between separators.
#[derive(Debug, Clone)]
pub(super) struct RawWord<'t> {
    pub text: &'t str,
    /// The text in lower case.
    pub lower: Cow<'t, str>,
    start: usize,
    /// True for the first word of a sentence.
    opens: bool,
    /// True if only white space stands before it.
    pub joined: bool,
}

impl<'t> RawWord<'t> {
    fn new(text: &'t str, start: usize) -> Self {
        Self { text, lower: lower(text), start, opens: false, joined: true }
    }
}

/// Splits a text at white space and punctuation. Dots, dashes and slashes inside of a word stay, so
/// that versions, paths and hosts are one word; characters of scripts without spaces stand alone.
fn scan(text: &str) -> Vec<RawWord<'_>> {
    let mut words = Vec::new();
    let (mut opens, mut joined) = (true, true);
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let length =
            path_length(&text[..at], &text[at..]).unwrap_or_else(|| word_length(&text[at..], c));
        if length > 0 {
            let word = RawWord { opens, joined, ..RawWord::new(&text[at..at + length], at) };
            let parts = split_rate(word).flat_map(split_hyphens);
            words.extend(parts.flat_map(|part| split_contraction(part, &text[at + length..])));
            (opens, joined) = (false, true);
            at += length;
        } else {
            let arrow = c == '>' && text[..at].ends_with('-');
            if arrow || is_copula_sign(c, &text[at + c.len_utf8()..]) {
                let sign = &text[at..at + c.len_utf8()];
                words.push(RawWord { joined: false, ..RawWord::new(sign, at) });
                opens = c == ':';
            }
            // "3. Mai" is one date.
            let ordinal = c == '.' && text[..at].ends_with(|c: char| c.is_ascii_digit());
            joined &= c.is_whitespace() || ordinal;
            opens |= matches!(c, '!' | '?' | '\n' | '"' | '“');
            at += c.len_utf8();
        }
    }
    words
}

/// Splits "lactose-intolerant" into two words; "e-mail", "wi-fi" and identifiers stay one.
fn split_hyphens(word: RawWord<'_>) -> impl Iterator<Item = RawWord<'_>> {
    let parts = || word.text.split('-');
    let plain = |part: &str| part.len() > 2 && part.chars().all(|c| c.is_alphabetic());
    let splits = parts().count() == 2
        && parts().all(plain)
        && !parts().all(|part| values::number(&lower(part)).is_some())
        && values::weekday(&word.lower).is_none();
    let cut = word.text.find('-').filter(|_| splits);
    split_at(word, cut, 1)
}

/// Splits "requests/minute" before its rate.
fn split_rate(word: RawWord<'_>) -> impl Iterator<Item = RawWord<'_>> {
    let counted = |noun: &str| noun.len() > 2 && noun.chars().all(char::is_alphabetic);
    let timed = |unit: &str| matches!(values::unit(unit), Some("min" | "h" | "day"));
    let rate = word.text.split_once('/').filter(|(noun, unit)| counted(noun) && timed(unit));
    let cut = rate.map(|(noun, _)| noun.len());
    split_at(word, cut, 0)
}

/// Splits "it's", "I'm", "isn't", "cannot" and French "l'eau" into their two words.
fn split_contraction<'t>(
    word: RawWord<'t>,
    rest: &str,
) -> impl Iterator<Item = RawWord<'t>> + use<'t> {
    let cut = match word.lower.rsplit_once('\'') {
        _ if word.lower == "cannot" => Some(3),
        Some((base, "m" | "re" | "ve" | "ll" | "d")) => Some(base.len()),
        Some((base, "s")) if is_pronoun_with_copula(base) || verb_follows(rest) => Some(base.len()),
        // "isn't" is "is" and "n't".
        Some((base, "t")) if base.ends_with('n') => Some(base.len() - 1),
        Some((base, _)) if matches!(base, "l" | "d" | "n" | "j" | "c" | "s" | "m" | "qu") => {
            Some(base.len() + word.text[base.len()..].chars().next().map_or(0, char::len_utf8))
        }
        _ => None,
    };
    let cut = cut.filter(|cut| word.text.is_char_boundary(*cut) && *cut < word.text.len());
    split_at(word, cut, 0)
}

/// Splits a word at an index, and leaves out some bytes behind it.
fn split_at(
    word: RawWord<'_>,
    cut: Option<usize>,
    left_out: usize,
) -> impl Iterator<Item = RawWord<'_>> {
    let second = cut
        .map(|cut| cut + left_out)
        .map(|from| RawWord::new(&word.text[from..], word.start + from));
    let first = match cut {
        Some(cut) => {
            let part = RawWord::new(&word.text[..cut], word.start);
            RawWord { opens: word.opens, joined: word.joined, ..part }
        }
        None => word,
    };
    std::iter::once(first).chain(second)
}

/// Returns true if a participle, an article or a number follows, so that "'s" means "is".
fn verb_follows(rest: &str) -> bool {
    let next = rest.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let next = next.to_lowercase();
    matches!(
        &*next,
        "a" | "an" | "the" | "not" | "now" | "set" | "on" | "in" | "at" | "been" | "up" | "down"
    ) || next.starts_with(|c: char| c.is_ascii_digit())
        || lexicon::is_past_form(&next)
        || values::number(&next).is_some()
}

fn is_pronoun_with_copula(base: &str) -> bool {
    matches!(base, "it" | "that" | "there" | "he" | "she" | "who" | "what" | "here" | "how")
}

fn is_copula_sign(c: char, after: &str) -> bool {
    matches!(c, '=' | ':' | '：' | '→') && !after.starts_with(['/', ':', '='])
}

/// Returns the length of a path or a hidden file at the beginning of a text: "/healthz", ".env".
fn path_length(before: &str, text: &str) -> Option<usize> {
    let opens = before.is_empty() || before.ends_with(|c: char| c.is_whitespace() || c == '`');
    let rest = text.strip_prefix(['/', '.']).filter(|_| opens)?;
    let letters = rest.chars().take_while(char::is_ascii_alphabetic).count();
    // "100 /min" has a unit.
    (letters > 1 && values::unit(&rest[..letters]).is_none())
        .then(|| 1 + word_length(rest, rest.chars().next().unwrap_or(' ')))
}

/// Returns the length of the word at the beginning of a text; 0 when there is none.
fn word_length(text: &str, first: char) -> usize {
    if is_unsegmented(first) {
        return first.len_utf8();
    }
    let signed = first == '-' && text[1..].starts_with(|c: char| c == '-' || c.is_alphanumeric());
    let opens =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '€' | '£' | '¥' | '@' | '%');
    if !(signed || opens(first)) {
        return 0;
    }
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |&(_, next)| next);
        let inside = next.is_alphanumeric() || next == '_';
        let joins = match c {
            '\'' | '\u{2019}' | '/' | '@' => inside,
            '.' | ':' | '-' | '+' if inside => !is_unsegmented(next),
            ',' => next.is_ascii_digit() && text[..at].ends_with(|b: char| b.is_ascii_digit()),
            // Blood types and "C++" keep their signs.
            '+' | '-' if is_blood_group(&text[..at]) && !next.is_alphanumeric() => true,
            '-' if at == 0 || text[..at].ends_with('-') => true,
            '#' | '%' | '€' | '$' | '£' | '°' => true,
            _ => (c.is_alphanumeric() || c == '_') && !is_unsegmented(c),
        };
        if !joins {
            break;
        }
        end = at + c.len_utf8();
    }
    end
}

fn is_blood_group(text: &str) -> bool {
    matches!(text, "A" | "B" | "AB" | "O" | "0")
}

/// Returns true for scripts that put no spaces between words.
pub(super) fn is_unsegmented(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// Returns true for initials in the plural.
fn is_plural_of_initials(written: &str) -> bool {
    let initials = written.strip_suffix('s').unwrap_or("");
    initials.len() > 1 && initials.bytes().all(|b| b.is_ascii_uppercase())
}

/// Reads the token at an index, which may take several words: "5 May 2026", "at least", "20 mg".
fn read_token(raw: &[RawWord<'_>], at: usize, english: bool) -> (Token, usize) {
    let first = raw[at].text;
    if let Some((key, kind, length)) =
        read_value(&raw[at..], at.checked_sub(1).map_or("", |last| raw[last].text))
    {
        return (value_token(raw, at, key, kind, length), length);
    }
    let lower = &*raw[at].lower;
    let (term, possessive) = match lower.strip_suffix("'s") {
        Some(owner) if !owner.is_empty() => (owner, true),
        // "JWTs".
        _ if is_plural_of_initials(first) => (&lower[..lower.len() - 1], false),
        _ => (lower, lower.ends_with('\'')),
    };
    if is_identifier(first) && !possessive {
        let mut token = value_token(raw, at, lower.to_owned(), ValueType::Identifier, 1);
        // "Buck2" is a name, "db-2" is none.
        token.capital = first.chars().all(char::is_alphanumeric)
            && first.starts_with(char::is_uppercase)
            && first.chars().any(char::is_lowercase);
        return (token, 1);
    }
    let next = raw.get(at + 1).map_or("", |next| &*next.lower);
    // "Sixth floor" is written "6th floor" as well; "first" and "second" have other meanings.
    let place = lexicon::key_of(term);
    if values::ordinal(&place).is_some_and(|place| !matches!(place, "1" | "2")) {
        return (value_token(raw, at, place, ValueType::Identifier, 1), 1);
    }
    let (class, length) = lexicon::class_of(term, next, first, english);
    let own_case = first.starts_with(char::is_uppercase) && !first.eq("I");
    let is_letter = first.chars().count() == 1 && first.starts_with(char::is_uppercase);
    let class = match class {
        // "batch A": a letter is a name, unless it opens a sentence.
        _ if is_letter && first != "I" && !raw[at].opens => WordClass::Content,
        class => class,
    };
    let ends = length == 2 && matches!(class, WordClass::Class(TokenClass::Negation));
    let token = Token {
        key: if ends { lexicon::NO_LONGER.to_owned() } else { lexicon::key_of(term) },
        possessive: possessive || lexicon::is_possessive(term),
        capital: own_case
            && (!raw[at].opens
                || possessive
                || first.chars().filter(|c| c.is_uppercase()).count() > 1),
        word: term.to_owned(),
        topic: String::new(),
        verb: false,
        start: raw[at].start,
        end: raw[at + length - 1].start + raw[at + length - 1].text.len(),
        class: match class {
            WordClass::Content => TokenClass::Content,
            WordClass::Class(class) => class,
        },
        determined: false,
        opens: own_case && raw[at].opens,
    };
    (token, length)
}

/// Returns a word in lower case, with straight apostrophes.
pub(super) fn lower(word: &str) -> Cow<'_, str> {
    // Nearly every word is in lower case already.
    if word.is_ascii() && !word.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(word.to_lowercase().replace('\u{2019}', "'"))
}

fn value_token(
    raw: &[RawWord<'_>],
    at: usize,
    key: String,
    kind: ValueType,
    length: usize,
) -> Token {
    let last = &raw[(at + length - 1).min(raw.len() - 1)];
    Token {
        word: key.clone(),
        key,
        topic: String::new(),
        verb: false,
        start: raw[at].start,
        end: last.start + last.text.len(),
        class: TokenClass::Value(kind),
        possessive: false,
        capital: false,
        determined: false,
        opens: false,
    }
}

/// Returns the key of a word: its stem, with one spelling for several.
pub(super) fn stem_key(term: &str) -> String {
    let plain = match term.contains(['-', 'ß']) {
        true => Cow::Owned(term.replace('-', "").replace('ß', "ss")),
        false => Cow::Borrowed(term),
    };
    light_stem(&lexicon::american_spelling(&plain)).to_owned()
}
