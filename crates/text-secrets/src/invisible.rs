//! Text that is invisible to people but read by models: tag characters, direction controls,
//! zero-width characters, selectors used as payload, control codes. Joiners that emoji and scripts
//! need are preserved.

use std::borrow::Cow;
use std::collections::BTreeMap;

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
    /// C0 and C1 control codes other than line feed and tab.
    Control,
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
    while let Some(here) = rest.next() {
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
        '\n' | '\t' => Keep,
        '\r' if context.after == Some('\n') => Drop,
        _ if c.is_control() => Report(InvisibleKind::Control),
        '\u{e0000}'..='\u{e007f}' => Report(InvisibleKind::Tag),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Report(InvisibleKind::Direction)
        }
        '\u{200c}' | '\u{200d}' if is_needed_joiner(context) => Keep,
        '\u{fe00}'..='\u{fe0f}' if is_needed_selector(context) => Keep,
        '\u{fe00}'..='\u{fe0f}'
        | '\u{180b}'..='\u{180d}'
        | '\u{180f}'
        | '\u{e0100}'..='\u{e01ef}' => Report(InvisibleKind::Selector),
        _ if is_zero_width(c) => Report(InvisibleKind::ZeroWidth),
        _ => Keep,
    }
}

/// Returns true for a joiner between two emoji, or inside a word of a script that uses joiners.
fn is_needed_joiner(context: &CharContext) -> bool {
    let (Some(before), Some(after)) = (context.before, context.after) else { return false };
    let between_emoji =
        context.here == '\u{200d}' && (is_emoji(before) || before == '\u{fe0f}') && is_emoji(after);
    between_emoji || (uses_joiners(before) && uses_joiners(after))
}

/// Returns true for a single selector after a visible character; any other selector carries data.
fn is_needed_selector(context: &CharContext) -> bool {
    let is_selector = |c: char| matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    let on_something = context.before.is_some_and(|c| {
        !c.is_whitespace()
            && !c.is_control()
            && !is_selector(c)
            && !is_zero_width(c)
            && !c.is_ascii_alphabetic()
    });
    on_something && !context.after.is_some_and(is_selector)
}

fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0080}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}'
        | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}')
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
