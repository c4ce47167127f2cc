//! Splits a text into runs: compounds (words, numbers and identifiers with their inner joints), and
//! stretches of scripts that are written without spaces. Knows characters, not words.

use super::IndexToken;
use super::compound::TokenEmitter;
use unicode_normalization::char::is_combining_mark;

/// Scans a text and passes each run to the emitter.
pub(super) fn scan_runs<F: FnMut(IndexToken<'_>)>(text: &str, emitter: &mut TokenEmitter<'_, F>) {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        match classify(c) {
            ScanClass::Word => {
                let end = compound_end(text, at);
                emitter.emit_compound(&text[at..end]);
                let sign_end = end_with_sign(text, at, end);
                if sign_end > end {
                    emitter.emit_with_sign(&text[at..sign_end]);
                } else if follows_lone_dot(text, at) {
                    emitter.emit_with_sign(&text[at - 1..end]);
                }
                at = sign_end;
            }
            ScanClass::Unsegmented => {
                let end = run_end(text, at, |class| {
                    matches!(class, ScanClass::Unsegmented | ScanClass::Combining)
                });
                emitter.emit_unsegmented(&text[at..end]);
                at = end;
            }
            ScanClass::Combining | ScanClass::Other => at += c.len_utf8(),
        }
    }
}

/// Effect of a character on the run that contains it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScanClass {
    /// A letter or digit of a script with spaces.
    Word,
    /// A character of a script without spaces.
    Unsegmented,
    /// Belongs to the character before it.
    Combining,
    /// Ends a run, unless it is a joint inside a compound.
    Other,
}

fn classify(c: char) -> ScanClass {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() { ScanClass::Word } else { ScanClass::Other };
    }
    match c {
        // Soft hyphen, zero-width (non-)joiner: invisible parts of a word.
        '\u{ad}' | '\u{200c}' | '\u{200d}' => ScanClass::Combining,
        // A letter to Unicode, but an apostrophe in texts.
        '\u{2bc}' => ScanClass::Other,
        _ if is_combining_mark(c) => ScanClass::Combining,
        _ if !c.is_alphanumeric() => ScanClass::Other,
        _ if is_unsegmented(c) => ScanClass::Unsegmented,
        _ => ScanClass::Word,
    }
}

/// Returns true for scripts without spaces between words: Han, kana, Thai, Lao, Myanmar and Khmer;
/// and for Hangul, whose particles are attached to the words.
#[must_use]
pub fn is_unsegmented(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}'
        | '\u{1780}'..='\u{17ff}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{318f}'
        | '\u{31a0}'..='\u{31ff}'
        | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

fn run_end(text: &str, start: usize, keeps: impl Fn(ScanClass) -> bool) -> usize {
    let rest = &text[start..];
    let stop = rest.char_indices().find(|&(_, c)| !keeps(classify(c)));
    start + stop.map_or(rest.len(), |(offset, _)| offset)
}

/// Returns the end of the compound that starts here: words, and joints with a word on both sides.
fn compound_end(text: &str, start: usize) -> usize {
    let mut end = start;
    loop {
        let ascii = text.as_bytes()[end..].iter().take_while(|byte| byte.is_ascii_alphanumeric());
        end += ascii.count();
        if matches!(text.as_bytes().get(end), None | Some(b' ')) {
            return end; // As most do.
        }
        end = run_end(text, end, |class| matches!(class, ScanClass::Word | ScanClass::Combining));
        let joint = joint_len(&text[start..], end - start);
        let next = text[end + joint..].chars().next();
        if joint == 0 || next.is_none_or(|c| classify(c) != ScanClass::Word) {
            return end;
        }
        end += joint;
    }
}

/// Returns the length of the joint at `at`, zero when there is none.
fn joint_len(run: &str, at: usize) -> usize {
    let rest = &run[at..];
    match rest.as_bytes() {
        [b'_', ..] => rest.len() - rest.trim_start_matches('_').len(),
        [b':', b':', ..] => 2,
        [b':', b'/', b'/', ..] => 3,
        [b'-' | b'.' | b'/' | b'\\' | b'@' | b'\'', ..] => 1,
        [b',', after @ ..] if groups_digits(&run.as_bytes()[..at], after) => 1,
        _ if rest.starts_with(['\u{2019}', '\u{2bc}']) => {
            rest.chars().next().map_or(0, char::len_utf8)
        }
        _ => 0,
    }
}

/// Returns true if a comma between these groups thousands, as in `1,200`.
fn groups_digits(before: &[u8], after: &[u8]) -> bool {
    let digits =
        |bytes: &mut dyn Iterator<Item = &u8>| bytes.take_while(|b| b.is_ascii_digit()).count();
    (1..=3).contains(&digits(&mut before.iter().rev())) && digits(&mut after.iter()) == 3
}

/// Returns the end of the run including a sign that belongs to the name: `C#`, `F#`, `C++`.
fn end_with_sign(text: &str, start: usize, end: usize) -> usize {
    let sign = match &text.as_bytes()[end..] {
        [b'+', b'+', ..] => 2,
        [b'#', ..] if end - start == 1 && text.as_bytes()[start].is_ascii_alphabetic() => 1,
        _ => return end,
    };
    // `a++b` and `C##` are expressions or typos, not names.
    let glued = text[end + sign..]
        .starts_with(|c: char| classify(c) == ScanClass::Word || c == '+' || c == '#');
    if glued { end } else { end + sign }
}

/// Returns true if the run is a name that starts with a dot: `.NET`, `.gitignore`.
fn follows_lone_dot(text: &str, start: usize) -> bool {
    let Some(before) = text[..start].strip_suffix('.') else { return false };
    let opens =
        before.chars().next_back().is_none_or(|c| c.is_whitespace() || "([{\"'`/".contains(c));
    opens && text[start..].starts_with(char::is_alphabetic)
}
