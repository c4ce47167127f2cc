//! A markdown document cut at its headings, for handoffs and references. Fenced code and front
//! matter are respected; no other markdown construct is interpreted.

use std::ops::Range;

use crate::lines::{LineRole, MarkdownLine, lines};

/// One heading with the text under it, up to the next heading of any level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkdownSection<'t> {
    /// Title of the heading; empty for the text before the first heading.
    pub heading: &'t str,
    /// Heading level, 1 to 6; 0 for the text before the first heading.
    pub level: u8,
    /// Titles of the enclosing headings, outermost first, this one last.
    pub path: Vec<&'t str>,
    /// Text under the heading, without surrounding blank lines.
    pub text: &'t str,
    /// Range of heading and text in the document; consecutive ranges have no gap.
    pub range: Range<usize>,
}

/// Cuts `markdown` at its headings. Text before the first heading becomes a section of level 0,
/// unless it is blank.
pub fn sections(markdown: &str) -> Vec<MarkdownSection<'_>> {
    let headings = headings(markdown);
    let first = headings.first().map_or(markdown.len(), |heading| heading.start);
    let mut found = Vec::with_capacity(headings.len() + 1);
    if !markdown[..first].trim().is_empty() {
        let text = markdown[..first].trim_matches(['\n', '\r']);
        found.push(MarkdownSection {
            heading: "",
            level: 0,
            path: Vec::new(),
            text,
            range: 0..first,
        });
    }
    let mut path: Vec<(u8, &str)> = Vec::new();
    for (at, heading) in headings.iter().enumerate() {
        let end = headings.get(at + 1).map_or(markdown.len(), |next| next.start);
        path.retain(|&(level, _)| level < heading.level);
        path.push((heading.level, heading.title));
        found.push(MarkdownSection {
            heading: heading.title,
            level: heading.level,
            path: path.iter().map(|&(_, title)| title).collect(),
            text: markdown[heading.body..end].trim_matches(['\n', '\r']),
            range: heading.start..end,
        });
    }
    found
}

struct MarkdownHeading<'t> {
    title: &'t str,
    level: u8,
    start: usize,
    body: usize,
}

fn headings(markdown: &str) -> Vec<MarkdownHeading<'_>> {
    let mut found = Vec::new();
    // The line above, when it is a paragraph of its own and so may turn out to be an underlined
    // heading.
    let mut paragraph: Option<MarkdownLine<'_>> = None;
    let mut blank_above = true;
    for line in lines(markdown).skip(front_matter_lines(markdown)) {
        let candidate = paragraph.take();
        if line.role != LineRole::Prose {
            blank_above = true;
        } else if let Some((level, title)) = atx_heading(line.text) {
            found.push(MarkdownHeading { title, level, start: line.start, body: line.next });
            blank_above = true;
        } else if let (Some(above), Some(level)) = (candidate, setext_level(line.text)) {
            found.push(MarkdownHeading {
                title: above.text.trim(),
                level,
                start: above.start,
                body: line.next,
            });
            blank_above = true;
        } else {
            let blank = line.text.trim().is_empty();
            paragraph = (blank_above && !blank && is_paragraph(line.text)).then_some(line);
            blank_above = blank;
        }
    }
    found
}

/// Parses an ATX heading, `## Title ##`: up to three spaces, one to six hashes, a space.
fn atx_heading(line: &str) -> Option<(u8, &str)> {
    let bare = line.trim_start_matches(' ');
    let rest = bare.trim_start_matches('#');
    let level = bare.len() - rest.len();
    let indent = line.len() - bare.len();
    if indent > 3
        || !(1..=6).contains(&level)
        || !(rest.is_empty() || rest.starts_with([' ', '\t']))
    {
        return None;
    }
    let title = rest.trim();
    let open = title.trim_end_matches('#');
    let title =
        if open.is_empty() || open.ends_with([' ', '\t']) { open.trim_end() } else { title };
    Some((level as u8, title))
}

/// Returns the level of a setext underline: a line of `=` or `-`.
fn setext_level(line: &str) -> Option<u8> {
    let bare = line.trim_end();
    let all = |mark: char| bare.len() >= 2 && bare.chars().all(|c| c == mark);
    if all('=') {
        Some(1)
    } else if all('-') {
        Some(2)
    } else {
        None
    }
}

/// Returns false for list items, quotes, tables and rules, which cannot become setext headings.
fn is_paragraph(line: &str) -> bool {
    !line.trim_start().starts_with(['-', '*', '+', '>', '|', '=']) && !line.starts_with("    ")
}

/// Returns the number of lines of front matter: `---` on the first line up to the next `---`.
fn front_matter_lines(markdown: &str) -> usize {
    let mut all = markdown.lines();
    if all.next().map(str::trim_end) != Some("---") {
        return 0;
    }
    all.position(|line| line.trim_end() == "---").map_or(0, |at| at + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(markdown: &str) -> Vec<(u8, String, &str)> {
        sections(markdown).into_iter().map(|s| (s.level, s.path.join(" / "), s.text)).collect()
    }

    #[test]
    fn headings_cut_the_document_and_keep_their_path() {
        let text = "intro\n# A\none\n## B ##\n\ntwo\n\n### C\n## D\nfour\n# E";
        assert_eq!(
            outline(text),
            [
                (0, "".into(), "intro"),
                (1, "A".into(), "one"),
                (2, "A / B".into(), "two"),
                (3, "A / B / C".into(), ""),
                (2, "A / D".into(), "four"),
                (1, "E".into(), ""),
            ]
        );
    }

    #[test]
    fn hashes_in_code_and_words_are_no_headings() {
        let text = "# A\n```sh\n# comment\n```\n#tag\n####### seven\n    # indented";
        assert_eq!(sections(text).len(), 1);
    }

    #[test]
    fn underlined_headings_count_but_rules_lists_and_front_matter_do_not() {
        let text =
            "---\ntitle: x\n---\nTop\n===\nbody\n\nNext\n---\n- item\n---\nwrapped\nline\n---\n";
        let found = outline(text);
        assert_eq!(
            found.iter().map(|s| s.1.as_str()).collect::<Vec<_>>(),
            ["", "Top", "Top / Next"]
        );
    }

    #[test]
    fn ranges_follow_each_other_to_the_end() {
        let text = "x\n# Ä\nö\n## B\n";
        let mut at = 0;
        for section in sections(text) {
            assert_eq!(section.range.start, at);
            at = section.range.end;
        }
        assert_eq!(at, text.len());
    }
}
