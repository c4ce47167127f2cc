//! Texts generated from templates: `{h:32}` is replaced by 32 random hexadecimal digits, and the
//! parts between `⟦` and `⟧` are the secrets.

use crate::corpus::Lcg;
use std::ops::Range;

/// A generated text with the ranges of its secrets.
pub(super) struct SampleText {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) secrets: Vec<Range<usize>>,
}

impl SampleText {
    /// Generates the text of one line of a sample file, `name|template`.
    pub(super) fn generate(line: &str, lcg: &mut Lcg) -> Self {
        let (name, template) = line.split_once('|').unwrap_or((line, line));
        let mut sample = Self { name: name.to_owned(), text: String::new(), secrets: Vec::new() };
        let mut rest = template;
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            match c {
                '⟦' => sample.secrets.push(sample.text.len()..usize::MAX),
                '⟧' => {
                    let end = sample.text.len();
                    sample.secrets.iter_mut().for_each(|one| one.end = one.end.min(end));
                }
                '\\' => {
                    let escaped = rest.chars().next().unwrap_or('\\');
                    rest = &rest[escaped.len_utf8().min(rest.len())..];
                    sample.text.push(if escaped == 'n' { '\n' } else { escaped });
                }
                '{' => match generator(rest, lcg) {
                    Some((value, after)) => {
                        sample.text.push_str(&value);
                        rest = after;
                    }
                    None => sample.text.push('{'),
                },
                _ => sample.text.push(c),
            }
        }
        sample
    }

    /// Returns the lines that contain no part of a secret.
    pub(super) fn lines_without_secrets(&self) -> impl Iterator<Item = &str> {
        let mut at = 0;
        self.text.split_inclusive('\n').filter_map(move |line| {
            let range = at..at + line.len();
            at = range.end;
            let touched =
                self.secrets.iter().any(|one| one.start < range.end && range.start < one.end);
            (!touched).then_some(line.trim_end_matches('\n'))
        })
    }
}

/// Returns the value of the generator at the beginning of `rest`, and the text after it.
fn generator<'t>(rest: &'t str, lcg: &mut Lcg) -> Option<(String, &'t str)> {
    let (inner, after) = rest.split_once('}')?;
    let (kind, length) = inner.split_once(':').unwrap_or((inner, "0"));
    Some((generate_value(kind, length.parse().ok()?, lcg)?, after))
}

fn generate_value(kind: &str, length: usize, lcg: &mut Lcg) -> Option<String> {
    let alphabet = match kind {
        "h" => "0123456789abcdef",
        "d" => "0123456789",
        "l" => "abcdefghijklmnopqrstuvwxyz0123456789",
        "a" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "u" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
        "b" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "C" | "T" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "B" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        "B2" => "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
        "U" => return Some(uuid(lcg)),
        "A" => return Some(crate::corpus::base64(&format!("ana:{}", password(lcg, 11)))),
        "D" => {
            return Some(crate::corpus::base64(&format!("1{}", lcg.random_text("0123456789", 17))));
        }
        "p" => return Some(password(lcg, length)),
        "w" => return Some(words(lcg, length).join(" ")),
        "w-" => return Some(words(lcg, length).join("-")),
        "W" => {
            return Some(
                words(lcg, length)
                    .iter()
                    .map(|word| capitalize(word))
                    .collect::<Vec<_>>()
                    .join(" "),
            );
        }
        _ => return None,
    };
    Some(lcg.random_text(alphabet, length))
}

fn uuid(lcg: &mut Lcg) -> String {
    [8, 4, 4, 4, 12].map(|length| lcg.random_text("0123456789abcdef", length)).join("-")
}

/// Returns a password as people choose them: a word, digits and a symbol.
fn password(lcg: &mut Lcg, length: usize) -> String {
    let word = capitalize(&words(lcg, 1).concat());
    let word = &word[..word.len().min(length - 4)];
    let symbol = lcg.random_text("!@#%&*", 1);
    format!("{word}{}{symbol}", lcg.random_text("23456789", length - word.len() - 1))
}

fn words(lcg: &mut Lcg, count: usize) -> Vec<&'static str> {
    (0..count).map(|_| WORDS[lcg.below(WORDS.len())]).collect()
}

fn capitalize(word: &str) -> String {
    format!("{}{}", word[..1].to_ascii_uppercase(), &word[1..])
}

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "anchor", "basket", "candle", "donkey", "engine", "falcon", "garlic", "hammer", "island",
    "jacket", "kettle", "lantern", "magnet", "needle", "orange", "pepper", "quartz", "rocket",
    "saddle", "timber", "umbrella", "velvet", "walnut", "yellow", "zipper", "brick", "cloud",
    "drift", "ember", "frost", "grape", "hotel", "ivory", "juice", "koala", "lemon", "mango",
    "north", "ocean", "piano", "quilt", "river", "stone", "tiger", "urban", "violin", "whale",
    "copper", "banjo", "cactus", "dragon", "pencil", "ribbon", "spoon", "turtle", "vacuum",
];
