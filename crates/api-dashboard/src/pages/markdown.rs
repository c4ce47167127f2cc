//! Renders a subset of Markdown: headings, lists, code and paragraphs. Everything else is shown as
//! written; HTML and links are never rendered, because documents come from agents.

use maud::{Markup, PreEscaped, html};

/// Block of a document.
#[derive(Debug, PartialEq, Eq)]
enum MarkdownBlock {
    Heading(usize, String),
    Code(String),
    Items(bool, Vec<String>),
    Paragraph(String),
}

/// Renders a document.
pub(super) fn render(text: &str) -> Markup {
    html! {
        div.document dir="auto" {
            @for piece in parse_blocks(text) { (render_block(&piece)) }
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
        MarkdownBlock::Paragraph(text) => html! { p { (inline(text)) } },
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
                html! { (part) }
            }
            .into_string()
        })
        .collect();
    PreEscaped(whole)
}

fn parse_blocks(text: &str) -> Vec<MarkdownBlock> {
    let mut pieces = Vec::new();
    let mut lines = text.lines();
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
        } else if !trimmed.is_empty() {
            append_line(&mut pieces, trimmed, line);
        } else {
            pieces.push(MarkdownBlock::Paragraph(String::new()));
        }
    }
    // Empty paragraphs only served to separate blocks.
    pieces.retain(|piece| *piece != MarkdownBlock::Paragraph(String::new()));
    pieces
}

/// Appends a line to the paragraph or item that it continues, or starts a paragraph.
fn append_line(pieces: &mut Vec<MarkdownBlock>, trimmed: &str, line: &str) {
    match pieces.last_mut() {
        Some(MarkdownBlock::Paragraph(text)) => {
            if !text.is_empty() {
                text.push(' ');
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
        let read = parse_blocks(text);
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
    fn any_text_is_a_document() {
        for text in
            ["", "```", "``````", "#", "####### x", "1.", "99999999999. x", "`", "- ", "\u{0}é```"]
        {
            _ = render(text).into_string();
        }
    }
}
