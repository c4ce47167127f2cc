//! Wiki links, written as `[[Title]]` or `[[17]]`. The engine resolves their targets.

/// Maximum number of links of a text, the same as a memory may have.
const LINKS_MAX: usize = 4_096;
const TARGET_BYTES_MAX: usize = 1_200;

/// Returns the targets of the wiki links in `text`, in order, each once. `[[Title|label]]` and
/// `[[Title#part]]` link to `Title`; a link never spans lines.
pub fn wiki_links(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut rest = text;
    while let Some(open) = rest.find("[[") {
        rest = &rest[open + 2..];
        let Some(target) = link_target(rest) else { continue };
        if seen.insert(target) && found.len() < LINKS_MAX {
            found.push(target);
        }
    }
    found
}

/// Returns the text between the brackets if they close on the same line and contain no others.
fn link_target(rest: &str) -> Option<&str> {
    let end = rest.find(['[', ']', '\n'])?;
    if !rest[end..].starts_with("]]") {
        return None;
    }
    let inner = &rest[..end];
    let inner = inner.split(['|', '#']).next().unwrap_or(inner).trim();
    (!inner.is_empty() && inner.len() <= TARGET_BYTES_MAX).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_come_once_and_without_decoration() {
        let text = "See [[Why WAL|the reason]], [[17]], [[Why WAL#Cost]] and [[ Größe ]].";
        assert_eq!(wiki_links(text), ["Why WAL", "17", "Größe"]);
    }

    #[test]
    fn unfinished_and_empty_links_are_text() {
        assert!(wiki_links("[[]] [[ ]] [[open [[a\nb]] x[[1] array[[").is_empty());
        assert_eq!(wiki_links("[[[inner]]"), Vec::<&str>::new());
        assert_eq!(wiki_links("[[broken [[kept]]"), ["kept"]);
    }
}
