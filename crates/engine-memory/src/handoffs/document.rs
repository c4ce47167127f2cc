//! The form of a handoff document: exactly five sections, each once. The content of a section is
//! free; nothing is changed here.

use model::Failure;
use std::collections::BTreeSet;

/// The five sections, in their usual order.
pub const SECTIONS: [&str; 5] =
    ["Start & intent", "Journey", "Current state", "What's left", "Open questions"];

/// Largest number of surplus headings named in a refusal.
const NAMED_MAX: usize = 10;

/// Refuses a document that does not have exactly the five sections.
pub(super) fn check(document: &str) -> Result<(), Failure> {
    let headings = headings(document);
    let top = headings
        .iter()
        .filter(|heading| heading.section.is_some())
        .map(|heading| heading.level)
        .min();
    let present: BTreeSet<usize> = headings.iter().filter_map(|heading| heading.section).collect();
    let missing: Vec<&str> =
        (0..SECTIONS.len()).filter(|at| !present.contains(at)).map(|at| SECTIONS[at]).collect();
    let surplus = surplus(&headings, top);
    let repeated = repeated(&headings, top);
    if missing.is_empty() && surplus.is_empty() && repeated.is_empty() {
        return check_content(document);
    }
    Err(refusal(&[
        ("missing", missing),
        ("not among the five", surplus),
        ("there more than once", repeated),
    ]))
}

/// Refuses a document of headings alone: whoever takes the work over would learn nothing.
fn check_content(document: &str) -> Result<(), Failure> {
    let has_content = reading::sections(document)
        .iter()
        .any(|section| section.level > 0 && !section.text.trim().is_empty());
    if has_content {
        return Ok(());
    }
    Err(Failure::invalid(
        "all five sections of the document are empty; say at least what the work is and what is \
         left of it",
    ))
}

struct DocumentHeading<'d> {
    words: &'d str,
    level: u8,
    section: Option<usize>,
}

fn headings(document: &str) -> Vec<DocumentHeading<'_>> {
    let sections = reading::sections(document).into_iter().filter(|section| section.level > 0);
    sections
        .map(|section| DocumentHeading {
            words: section.heading,
            level: section.level,
            section: section_named(section.heading),
        })
        .collect()
}

/// Returns the section that a heading names. Quotes, ampersands, numbers and emphasis are ignored.
fn section_named(heading: &str) -> Option<usize> {
    let wanted = normalize(heading);
    SECTIONS.iter().position(|section| normalize(section) == wanted)
}

// Agents type the headings from memory, with curly quotes, numbering and bold marks.
fn normalize(heading: &str) -> String {
    let plain: String =
        heading.to_lowercase().replace("&amp;", "&").replace(['&', '＆', '+'], " and ");
    let is_kept = |c: &char| !matches!(c, '\'' | '’' | '‘' | 'ʼ' | '＇' | '`' | '´');
    let spaced: String =
        plain.chars().filter(is_kept).map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let numbered = words.first().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit()));
    words.get(usize::from(numbered)..).unwrap_or_default().join(" ")
}

/// Returns the headings at the level of the sections or above that name none of them. One above the
/// first section is the title.
fn surplus<'d>(headings: &[DocumentHeading<'d>], top: Option<u8>) -> Vec<&'d str> {
    let top = top.or_else(|| headings.iter().map(|heading| heading.level).min()).unwrap_or(0);
    let first = headings.iter().position(|heading| heading.section.is_some()).unwrap_or(0);
    let is_title =
        |at: usize, heading: &DocumentHeading<'_>| at == 0 && first > 0 && heading.level < top;
    let strays = headings.iter().enumerate().filter(|(at, heading)| {
        heading.section.is_none() && heading.level <= top && !is_title(*at, heading)
    });
    strays.map(|(_, heading)| heading.words).take(NAMED_MAX).collect()
}

fn repeated<'d>(headings: &[DocumentHeading<'d>], top: Option<u8>) -> Vec<&'d str> {
    let mut seen = BTreeSet::new();
    let at_top = headings.iter().filter(|heading| Some(heading.level) == top);
    let again =
        at_top.filter(|heading| heading.section.is_some_and(|section| !seen.insert(section)));
    again.map(|heading| heading.words).take(NAMED_MAX).collect()
}

fn refusal(faults: &[(&str, Vec<&str>)]) -> Failure {
    let named = faults.iter().filter(|(_, headings)| !headings.is_empty());
    let faults: Vec<String> =
        named.map(|(fault, headings)| format!("{fault}: {}", headings.join(", "))).collect();
    let template: Vec<String> = SECTIONS.iter().map(|section| format!("## {section}\n…")).collect();
    Failure::invalid(format!(
        "a handoff document has exactly five sections; {}. Use this template:\n{}",
        faults.join("; "),
        template.join("\n")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "## Start & intent\na\n## Journey\nb\n## Current state\nc\n\
                        ## What's left\nd\n## Open questions\ne";

    #[test]
    fn the_five_sections_pass_in_any_spelling() {
        check(GOOD).unwrap();
        check(&GOOD.replace("## ", "### ")).unwrap();
        check(&GOOD.replace("What's", "What’s").replace("Start & intent", "START AND INTENT:"))
            .unwrap();
        check(&GOOD.replace("## Journey", "## 2. **Journey**")).unwrap();
        check(&format!("# Handoff: the parser\n\n{GOOD}")).unwrap();
        check(&GOOD.replace("b\n", "b\n### Monday\nx\n### Tuesday\ny\n")).unwrap();
    }

    #[test]
    fn missing_and_surplus_sections_are_both_named() {
        let message = check(&GOOD.replace("Journey", "Notes")).unwrap_err().message;
        assert!(message.contains("missing: Journey; not among the five: Notes."), "{message}");
        assert!(message.contains("## What's left\n…"), "{message}");
    }

    #[test]
    fn a_section_given_twice_is_named() {
        let message = check(&format!("{GOOD}\n## Journey\nagain")).unwrap_err().message;
        assert!(message.contains("there more than once: Journey"), "{message}");
    }

    #[test]
    fn a_document_without_headings_lacks_all_five() {
        let message = check("we were in the middle of it").unwrap_err().message;
        assert!(message.contains(&format!("missing: {}", SECTIONS.join(", "))), "{message}");
    }

    #[test]
    fn five_empty_sections_are_refused_and_one_with_content_is_enough() {
        let empty: String = SECTIONS.iter().map(|section| format!("## {section}\n\n")).collect();
        let message = check(&empty).unwrap_err().message;
        assert!(message.contains("all five sections of the document are empty"), "{message}");
        check(&empty.replace("## Journey\n", "## Journey\nTried two ways.\n")).unwrap();
        check(&empty.replace("## Journey\n", "## Journey\n### Monday\nTried.\n")).unwrap();
    }

    #[test]
    fn a_heading_inside_code_is_no_section() {
        let message =
            check(&GOOD.replace("## Journey\nb", "```\n## Journey\n```")).unwrap_err().message;
        assert!(message.contains("missing: Journey"), "{message}");
    }

    #[test]
    fn a_second_title_does_not_belong() {
        let message = check(&format!("# A\n{GOOD}\n# B\nx")).unwrap_err().message;
        assert!(message.contains("not among the five: B"), "{message}");
    }
}
