//! LIKE and GLOB with the semantics of SQLite, but with backtracking only to the last wildcard: the
//! first match after a wildcard is as good as any later one, so that no pattern takes longer than
//! its length times that of the text.

/// Returns true if `text` matches the LIKE pattern: `%` matches anything, `_` one character, ASCII
/// letters match in either case; a character after `escape` matches itself.
pub(crate) fn like(pattern: &[u8], text: &[u8], escape: Option<char>) -> bool {
    let Some(escape) = escape else { return like_plain(pattern, text) };
    let mut buffer = [0; 4];
    let escape = escape.encode_utf8(&mut buffer).as_bytes();
    let mut pieces = Vec::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some((first, after)) = rest.split_first() {
        if rest.starts_with(escape) {
            rest = &rest[escape.len()..];
            // A pattern that ends with the escape character matches nothing, as in SQLite.
            let Some(length) = char_length(rest) else { return false };
            pieces.extend(
                rest[..length].iter().map(|byte| PatternPart::Byte(byte.to_ascii_lowercase())),
            );
            rest = &rest[length..];
            continue;
        }
        pieces.push(match first {
            b'%' => PatternPart::Anything,
            b'_' => PatternPart::Character,
            byte => PatternPart::Byte(byte.to_ascii_lowercase()),
        });
        rest = after;
    }
    matches(&pieces, text, |byte| byte.to_ascii_lowercase())
}

/// The usual case, without parsing the pattern first: this runs once for every row of a table.
fn like_plain(pattern: &[u8], text: &[u8]) -> bool {
    let (mut piece, mut at) = (0, 0);
    let mut wildcard: Option<(usize, usize)> = None;
    loop {
        let step = match (pattern.get(piece), text.get(at)) {
            (Some(b'%'), _) => {
                piece += 1;
                wildcard = Some((piece, at));
                continue;
            }
            (Some(b'_'), Some(_)) => char_length(&text[at..]),
            (Some(wanted), Some(found)) if wanted.eq_ignore_ascii_case(found) => Some(1),
            (None, None) => return true,
            _ => None,
        };
        match (step, &mut wildcard) {
            (Some(length), _) => (piece, at) = (piece + 1, at + length),
            (None, Some((after, from))) if *from < text.len() => {
                *from += char_length(&text[*from..]).unwrap_or(1);
                (piece, at) = (*after, *from);
            }
            _ => return false,
        }
    }
}

/// Returns true if `text` matches the GLOB pattern: `*` matches anything, `?` one character,
/// `[abc]`, `[a-z]` and `[^a]` one of a set; case matters.
pub(crate) fn glob(pattern: &str, text: &[u8]) -> bool {
    let mut pieces = Vec::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        match first {
            '*' => pieces.push(PatternPart::Anything),
            '?' => pieces.push(PatternPart::Character),
            '[' => {
                let Some((set, after)) = CharSet::parse(rest) else { return false };
                pieces.push(PatternPart::OneOf(set));
                rest = after;
            }
            other => pieces.extend(other.encode_utf8(&mut [0; 4]).bytes().map(PatternPart::Byte)),
        }
    }
    matches(&pieces, text, |byte| byte)
}

/// A part of a pattern.
enum PatternPart<'p> {
    Byte(u8),
    Character,
    OneOf(CharSet<'p>),
    Anything,
}

fn matches(pieces: &[PatternPart<'_>], text: &[u8], fold: fn(u8) -> u8) -> bool {
    let (mut piece, mut at) = (0, 0);
    // Positions in pattern and text to resume at when a part after the last wildcard does not
    // match.
    let mut wildcard: Option<(usize, usize)> = None;
    loop {
        let step = match pieces.get(piece) {
            Some(PatternPart::Anything) => {
                piece += 1;
                wildcard = Some((piece, at));
                continue;
            }
            Some(fixed) => fixed.match_length(&text[at..], fold),
            None if at == text.len() => return true,
            None => None,
        };
        match (step, &mut wildcard) {
            (Some(length), _) => (piece, at) = (piece + 1, at + length),
            (None, Some((after, from))) if *from < text.len() => {
                *from += char_length(&text[*from..]).unwrap_or(1);
                (piece, at) = (*after, *from);
            }
            _ => return false,
        }
    }
}

impl PatternPart<'_> {
    /// Returns the number of bytes matched at the beginning of the text.
    fn match_length(&self, text: &[u8], fold: fn(u8) -> u8) -> Option<usize> {
        match self {
            Self::Byte(byte) => (fold(*text.first()?) == *byte).then_some(1),
            Self::Character | Self::Anything => char_length(text),
            Self::OneOf(set) => {
                let length = char_length(text)?;
                let character = std::str::from_utf8(&text[..length]).ok()?.chars().next()?;
                set.contains(character).then_some(length)
            }
        }
    }
}

/// Returns the length of the first character; an invalid byte counts as one character.
fn char_length(text: &[u8]) -> Option<usize> {
    let first = *text.first()?;
    let length = match first {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xff => 4,
        _ => 1,
    };
    Some(length.min(text.len()))
}

/// A set of characters in brackets.
struct CharSet<'p> {
    inverted: bool,
    members: &'p str,
}

impl<'p> CharSet<'p> {
    /// Parses a set up to its closing bracket; returns it and the text after it.
    fn parse(text: &'p str) -> Option<(Self, &'p str)> {
        let (inverted, text) = text.strip_prefix('^').map_or((false, text), |rest| (true, rest));
        // A closing bracket in the first position is a member.
        let first = usize::from(text.starts_with(']'));
        let end = first + text[first..].find(']')?;
        Some((Self { inverted, members: &text[..end] }, &text[end + 1..]))
    }

    fn contains(&self, character: char) -> bool {
        let mut members = self.members.chars().peekable();
        let mut found = false;
        while let Some(from) = members.next() {
            let mut ahead = members.clone();
            let is_range = ahead.next() == Some('-');
            match ahead.next().filter(|_| is_range) {
                Some(to) => {
                    found |= (from..=to).contains(&character);
                    members = ahead;
                }
                None => found |= from == character,
            }
        }
        found != self.inverted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    /// Compares every pattern of a few parts on every text of a few letters with SQLite itself.
    #[test]
    fn every_small_pattern_means_what_it_means_in_sqlite() {
        let conn = Connection::open_in_memory().unwrap();
        let texts = combined(&["a", "B", "é", "-", "]"], 3);
        let mut like_ours = conn.prepare("SELECT ?2 LIKE ?1").unwrap();
        for pattern in combined(&["%", "_", "A", "b", "é"], 4) {
            for text in &texts {
                let theirs: bool = like_ours.query_row([&pattern, text], |row| row.get(0)).unwrap();
                assert_eq!(
                    like(pattern.as_bytes(), text.as_bytes(), None),
                    theirs,
                    "{text} LIKE {pattern}"
                );
            }
        }
        let mut glob_ours = conn.prepare("SELECT ?2 GLOB ?1").unwrap();
        for pattern in combined(&["*", "?", "a", "[a-c]", "[^é]", "[]-]", "B"], 3) {
            for text in &texts {
                let theirs: bool = glob_ours.query_row([&pattern, text], |row| row.get(0)).unwrap();
                assert_eq!(glob(&pattern, text.as_bytes()), theirs, "{text} GLOB {pattern}");
            }
        }
    }

    #[test]
    fn an_escaped_wildcard_stands_for_itself() {
        for (pattern, text, expected) in [
            ("50!%", "50%", true),
            ("50!%", "500", false),
            ("a!_b%", "a_bc", true),
            ("a!!", "a!", true),
            ("a!", "a!", false),
        ] {
            assert_eq!(
                like(pattern.as_bytes(), text.as_bytes(), Some('!')),
                expected,
                "{text} LIKE {pattern}"
            );
        }
    }

    fn combined(pieces: &[&str], most: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut last = all.clone();
        for _ in 0..most {
            last = last
                .iter()
                .flat_map(|head| pieces.iter().map(move |piece| format!("{head}{piece}")))
                .collect();
            all.extend(last.iter().cloned());
        }
        all
    }
}
