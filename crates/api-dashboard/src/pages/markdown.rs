//! Renders a subset of Markdown: headings, lists, tables, quotations, code and paragraphs, with
//! bold text and code inside of them. Everything else is shown as written; HTML and links are never
//! rendered and images only named, because documents come from agents.

use maud::{Markup, PreEscaped, html};

/// Block of a document.
#[derive(Debug, PartialEq, Eq)]
enum MarkdownBlock {
    Heading(usize, String),
    Code(String),
    Items(bool, Vec<String>),
    /// Rows of a table, the header first.
    Table(Vec<Vec<String>>),
    Quotation(String),
    Paragraph(String),
}

/// Treatment of a line break inside of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineBreaks {
    /// A space, as in a document that was wrapped.
    Joined,
    /// A line break, as in a note.
    Kept,
}

/// Renders a document.
pub(super) fn render(text: &str) -> Markup {
    render_with(text, LineBreaks::Joined)
}

/// Renders the text of a memory, in which line breaks mean something.
pub(super) fn render_note(text: &str) -> Markup {
    render_with(text, LineBreaks::Kept)
}

fn render_with(text: &str, breaks: LineBreaks) -> Markup {
    html! {
        div.document.note-text[breaks == LineBreaks::Kept] dir="auto" {
            @for piece in parse_blocks(text, breaks) { (render_block(&piece)) }
        }
    }
}

fn render_block(piece: &MarkdownBlock) -> Markup {
    match piece {
        // The page has its own first heading, so those of a document start one level below it.
        MarkdownBlock::Heading(1, text) => html! { h2 { (inline(text)) } },
        MarkdownBlock::Heading(2, text) => html! { h3 { (inline(text)) } },
        MarkdownBlock::Heading(_, text) => html! { h4 { (inline(text)) } },
        MarkdownBlock::Code(text) => html! { pre { code { (text) } } },
        MarkdownBlock::Items(true, items) => {
            html! { ol { @for item in items { li { (inline(item)) } } } }
        }
        MarkdownBlock::Items(false, items) => {
            html! { ul { @for item in items { li { (inline(item)) } } } }
        }
        MarkdownBlock::Table(rows) => render_table(rows),
        MarkdownBlock::Quotation(text) => html! { blockquote { (inline(text)) } },
        MarkdownBlock::Paragraph(text) => html! { p { (inline(text)) } },
    }
}

fn render_table(rows: &[Vec<String>]) -> Markup {
    let (header, rest) = rows.split_first().map_or((&[][..], &[][..]), |(one, rest)| (one, rest));
    html! {
        div.scroll tabindex="0" role="region" aria-label="Table" {
            table {
                thead { tr { @for cell in header { th scope="col" { (inline(cell)) } } } }
                tbody {
                    @for row in rest { tr { @for cell in row { td { (inline(cell)) } } } }
                }
            }
        }
    }
}

/// Renders text, with the parts between backticks as code.
fn inline(text: &str) -> Markup {
    let parts = text.split('`').enumerate();
    let whole: String = parts
        .map(|(at, part)| {
            if at % 2 == 1 {
                html! { code { (part) } }
            } else {
                emphasized(part)
            }
            .into_string()
        })
        .collect();
    PreEscaped(whole)
}

/// Renders text with the parts between double asterisks in bold, and images by name.
fn emphasized(text: &str) -> Markup {
    let parts: Vec<&str> = text.split("**").collect();
    // An odd number of marks is no emphasis.
    if parts.len().is_multiple_of(2) {
        return with_images(text);
    }
    html! {
        @for (at, part) in parts.iter().enumerate() {
            @if at % 2 == 1 { strong { (with_images(part)) } } @else { (with_images(part)) }
        }
    }
}

/// Renders text with the name of each image in its place: nothing is loaded from anywhere.
fn with_images(text: &str) -> Markup {
    match image(text) {
        None => html! { (text) },
        Some((before, name, after)) => html! {
            (before) span.image-name { "image: " (name) } (with_images(after))
        },
    }
}

/// Splits a text at its first image: before it, its name, and after it.
fn image(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("![")?;
    let (label, rest) = rest.split_once("](")?;
    let (address, after) = rest.split_once(')')?;
    let file = address.rsplit('/').next().unwrap_or(address);
    Some((before, if label.trim().is_empty() { file } else { label }, after))
}

fn parse_blocks(text: &str, breaks: LineBreaks) -> Vec<MarkdownBlock> {
    let mut pieces = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if let Some(fence) = trimmed.strip_prefix("```") {
            let code: Vec<&str> =
                lines.by_ref().take_while(|line| !line.trim().starts_with("```")).collect();
            let inside = if fence.ends_with("```") { String::new() } else { code.join("\n") };
            pieces.push(MarkdownBlock::Code(inside));
        } else if let Some((depth, title)) = heading(trimmed) {
            pieces.push(MarkdownBlock::Heading(depth, title.to_owned()));
        } else if let Some((ordered, first)) = item(trimmed) {
            match pieces.last_mut() {
                Some(MarkdownBlock::Items(same, items)) if *same == ordered => {
                    items.push(first.to_owned())
                }
                _ => pieces.push(MarkdownBlock::Items(ordered, vec![first.to_owned()])),
            }
        } else if trimmed.starts_with('|') && lines.peek().is_some_and(|next| is_rule(next)) {
            lines.next();
            let mut rows = vec![cells(trimmed)];
            while let Some(row) = lines.next_if(|next| next.trim().starts_with('|')) {
                rows.push(cells(row.trim()));
            }
            pieces.push(MarkdownBlock::Table(rows));
        } else if let Some(quoted) = trimmed.strip_prefix("> ") {
            match pieces.last_mut() {
                Some(MarkdownBlock::Quotation(text)) => text.push_str(&format!("\n{quoted}")),
                _ => pieces.push(MarkdownBlock::Quotation(quoted.to_owned())),
            }
        } else if !trimmed.is_empty() {
            append_line(&mut pieces, trimmed, line, breaks);
        } else {
            pieces.push(MarkdownBlock::Paragraph(String::new()));
        }
    }
    // Empty paragraphs only served to separate blocks.
    pieces.retain(|piece| *piece != MarkdownBlock::Paragraph(String::new()));
    pieces
}

/// Returns whether a line is the rule below the header of a table.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('|') && line.contains('-') && line.chars().all(|c| "|-: ".contains(c))
}

fn cells(line: &str) -> Vec<String> {
    let inner = line.trim_start_matches('|').trim_end_matches('|');
    inner.split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// Appends a line to the paragraph or item that it continues, or starts a paragraph.
fn append_line(pieces: &mut Vec<MarkdownBlock>, trimmed: &str, line: &str, breaks: LineBreaks) {
    match pieces.last_mut() {
        Some(MarkdownBlock::Paragraph(text)) => {
            if !text.is_empty() {
                text.push(if breaks == LineBreaks::Kept { '\n' } else { ' ' });
            }
            text.push_str(trimmed);
        }
        Some(MarkdownBlock::Items(_, items)) if line.starts_with(' ') => {
            if let Some(last) = items.last_mut() {
                last.push(' ');
                last.push_str(trimmed);
            }
        }
        _ => pieces.push(MarkdownBlock::Paragraph(trimmed.to_owned())),
    }
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let depth = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line.get(depth..)?.strip_prefix(' ')?;
    (1..=6).contains(&depth).then(|| (depth, title.trim().trim_end_matches('#').trim()))
}

fn item(line: &str) -> Option<(bool, &str)> {
    if let Some(rest) = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark)) {
        return Some((false, rest));
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..)?.strip_prefix(". ")?;
    (1..=9).contains(&digits).then_some((true, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_parsed_into_blocks() {
        let text = "# Goal\nShip the\nkiln.\n\n- one\n  more\n- `two`\n\n1. first\n2. second\n\
            ```sh\n# not a heading\n```\nend";
        let read = parse_blocks(text, LineBreaks::Joined);
        assert_eq!(read[0], MarkdownBlock::Heading(1, "Goal".into()));
        assert_eq!(read[1], MarkdownBlock::Paragraph("Ship the kiln.".into()));
        assert_eq!(read[2], MarkdownBlock::Items(false, vec!["one more".into(), "`two`".into()]));
        assert_eq!(read[3], MarkdownBlock::Items(true, vec!["first".into(), "second".into()]));
        assert_eq!(read[4], MarkdownBlock::Code("# not a heading".into()));
        assert_eq!(read[5], MarkdownBlock::Paragraph("end".into()));
    }

    #[test]
    fn nothing_in_a_document_becomes_markup() {
        let text = "# <script>x</script>\n`<b>`\n- <img src=x onerror=y>\n\
            ```\n</code><script>\n```\n[a](javascript:b)";
        let shown = render(text).into_string();
        assert!(
            !shown.contains("<script") && !shown.contains("<img") && !shown.contains("<a "),
            "{shown}"
        );
    }

    #[test]
    fn tables_bold_text_and_images_by_name_are_shown() {
        let shown =
            render_note("| a | b |\n|---|:-:|\n| **1** | `2` |\n\none\ntwo ![Kiln](x/k.png)");
        let shown = shown.into_string();
        assert!(shown.contains("<th scope=\"col\">a</th>"), "{shown}");
        assert!(shown.contains("<td><strong>1</strong></td><td><code>2</code></td>"), "{shown}");
        assert!(shown.contains("one\ntwo") && shown.contains("image: Kiln"), "{shown}");
        assert!(!shown.contains("k.png") && !shown.contains("<img"), "{shown}");
    }

    #[test]
    fn any_text_is_a_document() {
        for text in [
            "",
            "```",
            "``````",
            "#",
            "####### x",
            "1.",
            "99999999999. x",
            "`",
            "- ",
            "\u{0}é```",
            "|",
            "|\n|-|",
            "![",
            "**",
        ] {
            _ = render(text).into_string();
        }
    }
}
