//! Components that several pages share: a memory in a list, a time, a count, a pager.

use maud::{Markup, html};
use model::{KeyInfo, Memory, Moment, Status};

/// Maximum number of characters of a text in a list.
const TEASER_CHARS: usize = 280;

/// Renders a time. The script replaces it by a relative one and shows the exact one as a tooltip.
pub(super) fn time(moment: Moment) -> Markup {
    html! { time datetime=(moment) { (moment.date()) } }
}

/// Truncates a text, at a word boundary where there is one.
pub(super) fn teaser(text: &str) -> String {
    shortened(text, TEASER_CHARS)
}

/// Returns a text, cut after a word where it has more characters.
pub(super) fn shortened(text: &str, chars: usize) -> String {
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    let cut: String = text.chars().take(chars).collect();
    let whole_words = cut.rsplit_once(char::is_whitespace).map_or(cut.as_str(), |(words, _)| words);
    format!("{whole_words}…")
}

/// Renders a memory in a list: its text, then its provenance.
pub(super) fn memory_line(memory: &Memory) -> Markup {
    html! {
        @if let Some(title) = &memory.title {
            p.title { a href={ "/memories/" (memory.id) } dir="auto" { (title) } }
        }
        p.text dir="auto" {
            @if memory.title.is_none() {
                a.quiet href={ "/memories/" (memory.id) } { (teaser(&memory.text)) }
            } @else { (teaser(&memory.text)) }
        }
        (provenance(memory))
    }
}

/// Renders the author, time, project and tags of a memory.
pub(super) fn provenance(memory: &Memory) -> Markup {
    let from = &memory.provenance;
    html! {
        p.about {
            a href={ "/memories/" (memory.id) } { "#" (memory.id) }
            span.kind data-kind=(memory.kind) { (memory.kind) }
            @if memory.status != Status::Active {
                span.status data-status=(memory.status.name()) {
                    (super::words::status(memory.status))
                }
            }
            @if memory.flags > 0 { span.status data-status="flagged" { "flagged" } }
            span { "by " b dir="auto" { (from.author.agent) } }
            (time(from.at))
            @if let Some(project) = &memory.project { span.project dir="auto" { (project) } }
            @for tag in &memory.tags { span.tag dir="auto" { (tag) } }
        }
    }
}

/// Renders a key: prefix, label, scope, usage, and the button that revokes it.
pub(super) fn key_line(key: &KeyInfo) -> Markup {
    html! {
        p.about {
            code { (key.key.prefix) "…" } span dir="auto" { (key.key.label) }
            span { (key.key.scope.name()) } span { "created " (time(key.created_at)) }
            @if let Some(last) = key.last_used_at { span { "used " (time(last)) } }
            @else {
                span { "never used" }
            }
            @if let Some(end) = key.key.expires_at { span { "expires " (time(end)) } }
        }
        @if let Some(at) = key.revoked_at { p.note { "Revoked " (time(at)) } }
        @else {
            form data-call={ "DELETE /v1/keys/" (key.id) } data-say="Revoked; it no longer works."
                data-sure="Revoke it for good?" {
                button.danger { "Revoke" } (form_error())
            }
        }
    }
}

/// Renders an empty state with advice.
pub(super) fn empty_state(title: &str, advice: Markup) -> Markup {
    html! { div.nothing { h2 { (title) } div { (advice) } } }
}

/// Renders the hidden element in which a form shows its error.
pub(super) fn form_error() -> Markup {
    html! { p.problem role="alert" hidden {} }
}

/// Renders the links to the previous and next page, with the same filters.
pub(super) fn pager(link: &str, offset: usize, shown: usize, total: usize, size: usize) -> Markup {
    let join = if link.contains('?') { '&' } else { '?' };
    html! {
        @if total > size {
            nav.pager aria-label="Pages of the list" {
                @if offset > 0 {
                    a rel="prev" href={ (link) (join) "cursor=" (offset.saturating_sub(size)) } {
                        "← Newer"
                    }
                }
                span { (offset + 1) "–" (offset + shown) " of " (total) }
                @if offset + shown < total {
                    a rel="next" href={ (link) (join) "cursor=" (offset + shown) } { "Older →" }
                }
            }
        }
    }
}

/// Formats a size in bytes with a decimal unit.
pub(crate) fn format_size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["B", "KB", "MB", "GB"];
    let mut size = bytes as f64;
    let mut unit = 0;
    while size >= 1000.0 && unit + 1 < UNITS.len() {
        size /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{size:.1} {}", UNITS[unit]) }
}

/// Formats a count with thin spaces between the thousands.
pub(super) fn format_count(count: usize) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    grouped
}

/// Formats a count with its noun in the right number.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", format_count(count), if count == 1 { one } else { many })
}

/// Percent-encodes a text for a URL.
pub(super) fn percent_encode(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Formats a CSV field (RFC 4180). A text that a spreadsheet would run as a formula gets a leading
/// apostrophe.
pub(super) fn csv_field(text: &str) -> String {
    // A negative number is data, not a formula.
    let runs = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err();
    let text = if runs { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_csv_field_cannot_break_out_or_run_as_a_formula() {
        assert_eq!(csv_field("plain"), "plain");
        assert_eq!(csv_field("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"");
        assert_eq!(csv_field("=HYPERLINK(\"x\")"), "\"'=HYPERLINK(\"\"x\"\")\"");
        assert_eq!(csv_field("-3.5"), "-3.5");
    }

    #[test]
    fn a_long_text_is_cut_at_a_word() {
        assert_eq!(teaser("short"), "short");
        let long = teaser(&"word ".repeat(100));
        assert!(long.ends_with("word…"), "{long}");
        assert!(teaser(&"x".repeat(1000)).chars().count() <= TEASER_CHARS + 1);
    }

    #[test]
    fn numbers_and_sizes_read_easily() {
        assert_eq!(format_count(0), "0");
        assert_eq!(format_count(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(format_size(999), "999 B");
        assert_eq!(format_size(1_500_000), "1.5 MB");
    }

    #[test]
    fn a_count_has_its_noun_in_the_right_number() {
        let memories = |count| counted(count, "memory", "memories");
        assert_eq!(
            [memories(0), memories(1), memories(2)],
            ["0 memories", "1 memory", "2 memories"]
        );
    }

    #[test]
    fn any_text_is_percent_encoded() {
        assert_eq!(percent_encode("a b&c=ü/"), "a%20b%26c%3D%C3%BC%2F");
    }
}
