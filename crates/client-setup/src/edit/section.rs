//! A section of a text file between two marks, such as the instructions in CLAUDE.md.

use super::{EditError, EditReversal, line_end};

/// First line of the section. The marks are comments in Markdown.
const START: &str = "<!-- quipu:start (written by `quipu setup`) -->";
/// Last line of the section.
const END: &str = "<!-- quipu:end -->";

/// Sets the section, at the end of the text if there is none yet.
pub(super) fn set(text: &str, content: &str) -> Result<(String, Option<EditReversal>), EditError> {
    let end = line_end(text);
    let section = format!("{START}\n{content}\n{END}").replace('\n', end);
    if let Some((start, stop)) = find(text)? {
        let edited = format!("{}{section}{}", &text[..start], &text[stop..]);
        return Ok((edited, None));
    }
    let separator = match text {
        "" => String::new(),
        _ if text.ends_with('\n') => end.to_owned(),
        _ => end.repeat(2),
    };
    let edited = format!("{text}{separator}{section}{end}");
    Ok((edited, Some(EditReversal::Section { separator })))
}

/// Removes the section with the separator before it, if they are there.
pub(super) fn remove(text: &str, separator: &str) -> Result<String, EditError> {
    let Some((start, stop)) = find(text)? else { return Ok(text.to_owned()) };
    let before = &text[..start];
    let before = before.strip_suffix(separator).unwrap_or(before);
    let after = &text[stop..];
    let after = after.strip_prefix(line_end(text)).unwrap_or(after);
    Ok(format!("{before}{after}"))
}

/// Returns the span of the section.
fn find(text: &str) -> Result<Option<(usize, usize)>, EditError> {
    match (text.find(START), text.find(END)) {
        (None, None) => Ok(None),
        (Some(start), Some(end)) if start < end => Ok(Some((start, end + END.len()))),
        _ => Err(EditError::BrokenSection),
    }
}
