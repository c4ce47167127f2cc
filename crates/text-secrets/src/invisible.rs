//! Text that is invisible to people but read by models: tag characters, direction controls,
//! zero-width and blank characters, selectors used as payload, control codes. Everything that
//! Unicode calls default-ignorable is included. Joiners and selectors that emoji and scripts need
//! are preserved, and the flags that are written with tag characters.

mod unicode_tables;

use std::borrow::Cow;
use std::collections::BTreeMap;
use unicode_tables::{DEFAULT_IGNORABLE, EMOJI, PICTOGRAPHS, contains};

/// Kind of invisible character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InvisibleKind {
    /// Unicode tag characters, an invisible copy of ASCII.
    Tag,
    /// Direction marks, embeddings, overrides and isolates.
    Direction,
    /// Zero-width characters, including joiners where nothing is joined.
    ZeroWidth,
    /// Variation selectors that select nothing: the supplementary ones and runs of several.
    Selector,
    /// C0 and C1 control codes other than line feed and tab, and format controls of scripts where
    /// they format nothing.
    Control,
    /// Characters that are displayed as nothing but take space, where no such text surrounds them.
    Blank,
}

impl InvisibleKind {
    /// Returns the name of the kind in results and warnings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tag => "tag",
            Self::Direction => "direction",
            Self::ZeroWidth => "zero_width",
            Self::Selector => "selector",
            Self::Control => "control",
            Self::Blank => "blank",
        }
    }
}

/// Number of characters of one kind that were removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvisibleCount {
    pub kind: InvisibleKind,
    pub count: usize,
}

/// Returns `text` without its invisible characters, and the counts of those removed. Text that has
/// none is borrowed. A carriage return counts as a control code only when no line feed follows;
/// before a line feed it is dropped silently.
pub fn remove_invisible(text: &str) -> (Cow<'_, str>, Vec<InvisibleCount>) {
    if text.bytes().all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~')) {
        return (Cow::Borrowed(text), Vec::new());
    }
    let mut cleaned = String::with_capacity(text.len());
    let mut counts: BTreeMap<InvisibleKind, usize> = BTreeMap::new();
    let mut rest = text.chars().peekable();
    let mut before = None;
    // Number of tag characters to keep, because they spell a flag.
    let mut flag_tags = 0;
    while let Some(here) = rest.next() {
        if flag_tags > 0 {
            flag_tags -= 1;
            cleaned.push(here);
            before = Some(here);
            continue;
        }
        if here == BLACK_FLAG {
            flag_tags = tags_of_flag(rest.clone());
        }
        match classify(&CharContext { before, here, after: rest.peek().copied() }) {
            CharVerdict::Keep => {
                cleaned.push(here);
                before = Some(here);
            }
            CharVerdict::Drop => {}
            CharVerdict::Report(kind) => *counts.entry(kind).or_default() += 1,
        }
    }
    let found = counts.into_iter().map(|(kind, count)| InvisibleCount { kind, count }).collect();
    if cleaned.len() == text.len() {
        (Cow::Borrowed(text), found)
    } else {
        (Cow::Owned(cleaned), found)
    }
}

/// A character with the last one that was preserved and the next one as written. The predecessor
/// must be a preserved one: otherwise removed characters would shield their neighbours from each
/// other, and the removal itself could assemble a payload.
struct CharContext {
    before: Option<char>,
    here: char,
    after: Option<char>,
}

enum CharVerdict {
    Keep,
    Drop,
    Report(InvisibleKind),
}

fn classify(context: &CharContext) -> CharVerdict {
    use CharVerdict::{Drop, Keep, Report};
    let c = context.here;
    match c {
        '\n' | '\t' | ' '..='~' => Keep,
        '\r' if context.after == Some('\n') => Drop,
        _ if c.is_control() => Report(InvisibleKind::Control),
        '\u{e0000}'..='\u{e007f}' => Report(InvisibleKind::Tag),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Report(InvisibleKind::Direction)
        }
        '\u{200c}' | '\u{200d}' if is_needed_joiner(context) => Keep,
        _ if is_selector(c) && is_needed_selector(context) => Keep,
        _ if is_selector(c) => Report(InvisibleKind::Selector),
        '\u{13430}'..='\u{1345f}' if is_between(context, is_hieroglyph) => Keep,
        '\u{13430}'..='\u{1345f}' => Report(InvisibleKind::Control),
        '\u{2800}' if is_between(context, is_braille) => Keep,
        // The blank pattern of Braille and the empty note head of musical notation.
        '\u{2800}' | '\u{1d159}' => Report(InvisibleKind::Blank),
        // Marks of interlinear annotations, which are not default-ignorable.
        '\u{fff9}'..='\u{fffb}' => Report(InvisibleKind::ZeroWidth),
        _ if contains(DEFAULT_IGNORABLE, c) => Report(InvisibleKind::ZeroWidth),
        _ => Keep,
    }
}

const BLACK_FLAG: char = '\u{1f3f4}';
/// Subdivisions whose flags Unicode recommends for interchange. Any other text in tag characters
/// after a flag is a message.
const FLAG_SUBDIVISIONS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];
const CANCEL_TAG: char = '\u{e007f}';

/// Returns the number of tag characters that follow a black flag and make it another one.
fn tags_of_flag(rest: impl Iterator<Item = char>) -> usize {
    let tags: Vec<char> = rest.take(6).collect();
    let is_spelt = |name: &&str| {
        let spelt = name.bytes().filter_map(|byte| char::from_u32(0xe0000 + u32::from(byte)));
        spelt.chain([CANCEL_TAG]).eq(tags.iter().copied())
    };
    if FLAG_SUBDIVISIONS.iter().any(is_spelt) { tags.len() } else { 0 }
}

fn is_between(context: &CharContext, is_part: fn(char) -> bool) -> bool {
    context.before.is_some_and(is_part) && context.after.is_some_and(is_part)
}

/// Returns true for a joiner between two emoji, or inside a word of a script that uses joiners.
fn is_needed_joiner(context: &CharContext) -> bool {
    let (Some(before), Some(after)) = (context.before, context.after) else { return false };
    let ends_emoji = is_pictograph(before) || matches!(before, '\u{fe0f}' | CANCEL_TAG);
    let between_emoji = context.here == '\u{200d}' && ends_emoji && is_pictograph(after);
    between_emoji || (uses_joiners(before) && uses_joiners(after))
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{180b}'..='\u{180d}' | '\u{180f}'
        | '\u{e0100}'..='\u{e01ef}')
}

/// Returns true for a single selector after a character that has such a variant; any other selector
/// carries data.
fn is_needed_selector(context: &CharContext) -> bool {
    let Some(before) = context.before else { return false };
    let has_variant = match context.here {
        '\u{fe0e}' | '\u{fe0f}' => contains(EMOJI, before),
        '\u{fe00}'..='\u{fe02}' => has_standard_variant(before),
        _ => false,
    };
    has_variant && !context.after.is_some_and(is_selector)
}

/// Returns true for the blocks with standardized variants: mathematical operators, ideographs and
/// their punctuation, Myanmar and Phags-pa.
fn has_standard_variant(c: char) -> bool {
    matches!(c, '\u{2200}'..='\u{22ff}' | '\u{2a00}'..='\u{2aff}' | '\u{3001}'..='\u{3002}'
        | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}' | '\u{1000}'..='\u{109f}'
        | '\u{aa60}'..='\u{aa7f}' | '\u{a840}'..='\u{a877}' | '\u{ff01}'..='\u{ff1f}'
        | '\u{2018}'..='\u{201d}')
}

fn is_pictograph(c: char) -> bool {
    // Arrows and skin tones join, too, and are no pictographs by themselves.
    matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2b00}'..='\u{2bff}' | '\u{1f3fb}'..='\u{1f3ff}')
        || contains(PICTOGRAPHS, c)
}

fn is_hieroglyph(c: char) -> bool {
    matches!(c, '\u{13000}'..='\u{1342f}' | '\u{13460}'..='\u{143ff}')
}

fn is_braille(c: char) -> bool {
    matches!(c, '\u{2801}'..='\u{28ff}')
}

/// Returns true for Arabic and related scripts, those of India and Southeast Asia, and Mongolian.
fn uses_joiners(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{6ff}' | '\u{700}'..='\u{7ff}' | '\u{840}'..='\u{8ff}'
        | '\u{900}'..='\u{dff}' | '\u{e00}'..='\u{fff}' | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17b3}' | '\u{17b6}'..='\u{180a}' | '\u{1810}'..='\u{18af}'
        | '\u{1900}'..='\u{1b7f}' | '\u{a840}'..='\u{a8ff}' | '\u{fb50}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}' | '\u{11000}'..='\u{11fff}')
}

#[cfg(test)]
mod tests;
