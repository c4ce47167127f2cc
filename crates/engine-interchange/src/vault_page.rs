//! Pages of a vault of Markdown notes that Obsidian opens: a memory with its metadata at the top
//! and its links below its text, and an entity that they link to.

use model::{Entity, LinkKind, Memory, Status};

/// Directory of the pages of entities.
const ENTITIES: &str = "entities/";
/// Line below which a page has links that were made by an export. Obsidian does not show it.
const LINKS_BELOW: &str = "%% Links made by quipu export %%";
/// Value of the field `quipu` on a page of many memories.
pub(crate) const TOPIC: &str = "topic";
/// Maximum length of the words of a file name.
const NAME_CHARS: usize = 60;

/// Returns true for a page that an export made of other pages.
pub(crate) fn is_made(path: &str) -> bool {
    path.starts_with(ENTITIES)
}

/// Returns the text of a page without the links that were made for it.
pub(crate) fn without_links(body: &str) -> &str {
    body.split_once(LINKS_BELOW).map_or(body, |(text, _)| text).trim()
}

/// Returns the path of the page of a memory, without its ending. The id keeps it unique.
pub(crate) fn memory_path(memory: &Memory) -> String {
    let words = memory.title.as_deref().unwrap_or(&memory.text);
    format!("{}/{} m{}", directory(memory), file_name(words), memory.id)
}

/// Returns the directory of the project of a memory.
pub(crate) fn directory(memory: &Memory) -> String {
    memory.project.as_deref().map_or_else(|| "memories".to_owned(), file_name)
}

/// Returns the path of the page of an entity, without its ending.
pub(crate) fn entity_path(entity: &Entity) -> String {
    format!("{ENTITIES}{}", file_name(&entity.name))
}

/// Returns words as a file name: one line, without characters that a system or a link treats
/// specially.
pub(crate) fn file_name(words: &str) -> String {
    let safe = |c: char| if c.is_control() || r#"\/:*?"<>|#^[]%"#.contains(c) { ' ' } else { c };
    let line: String = words.chars().map(safe).take(4 * NAME_CHARS).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let name: String = line.chars().take(NAME_CHARS).collect();
    let name = name.trim_matches(['.', ' ']).to_owned();
    if name.is_empty() { "untitled".to_owned() } else { name }
}

/// A link from the page of a memory.
pub(crate) struct PageLink {
    /// Word before the link.
    pub kind: &'static str,
    /// Path of the page, without its ending.
    pub target: String,
    /// Text that is shown for it.
    pub shown: String,
}

impl PageLink {
    /// Makes a link to the page of another memory.
    pub fn to_memory(kind: LinkKind, memory: &Memory) -> Self {
        let shown = file_name(memory.title.as_deref().unwrap_or(&memory.text));
        Self { kind: kind.name(), target: memory_path(memory), shown }
    }

    /// Makes a link to the page of an entity.
    pub fn to_entity(entity: &Entity) -> Self {
        let target = entity_path(entity);
        Self { kind: "mentions", shown: file_name(&entity.name), target }
    }

    fn render(&self) -> String {
        format!("- {} [[{}|{}]]\n", self.kind.replace('_', " "), self.target, self.shown)
    }
}

/// Renders the page of a memory.
pub(crate) fn memory_page(memory: &Memory, links: &[PageLink]) -> String {
    let from = &memory.provenance;
    let mut page = String::from("---\n");
    let mut field = |name: &str, value: &str| page.push_str(&format!("{name}: {value}\n"));
    field("quipu", "memory");
    field("id", &memory.id.to_string());
    if let Some(title) = &memory.title {
        field("title", &quoted(title));
    }
    field("kind", &quoted(memory.kind.as_str()));
    if let Some(project) = &memory.project {
        field("project", &quoted(project));
    }
    if !memory.tags.is_empty() {
        let tags: Vec<String> = memory.tags.iter().map(|tag| quoted(tag)).collect();
        field("tags", &format!("[{}]", tags.join(", ")));
    }
    field("created", &quoted(&from.at.to_rfc3339()));
    if memory.updated_at != from.at {
        field("updated", &quoted(&memory.updated_at.to_rfc3339()));
    }
    if let Some(until) = memory.valid_to {
        field("until", &quoted(&until.to_rfc3339()));
    }
    field("by", &quoted(from.author.agent.as_str()));
    field("source", from.origin.name());
    if memory.status != Status::Active {
        field("status", memory.status.name());
    }
    page.push_str(&format!("---\n{}\n", memory.text.trim()));
    page + &link_section(links)
}

fn link_section(links: &[PageLink]) -> String {
    if links.is_empty() {
        return String::new();
    }
    let lines: String = links.iter().map(PageLink::render).collect();
    format!("\n{LINKS_BELOW}\n{lines}")
}

/// Renders the page of an entity. Obsidian lists the pages that link to it by itself.
pub(crate) fn entity_page(entity: &Entity) -> String {
    let aliases: Vec<String> = entity.aliases.iter().map(|alias| quoted(alias)).collect();
    let aliases = match aliases.is_empty() {
        true => String::new(),
        false => format!("aliases: [{}]\n", aliases.join(", ")),
    };
    let (name, kind) = (quoted(&entity.name), quoted(&entity.kind));
    format!("---\nquipu: entity\ntitle: {name}\nkind: {kind}\n{aliases}---\n# {}\n", entity.name)
}

/// Renders the page of a topic: all memories of a kind in a project.
pub(crate) fn topic_page(title: &str, memories: &[(&Memory, Vec<PageLink>)]) -> String {
    let mut page = format!("---\nquipu: {TOPIC}\ntitle: {}\n---\n# {title}\n\n", quoted(title));
    for (memory, links) in memories {
        let text = memory.text.trim().replace('\n', "\n  ");
        let titled = memory.title.as_ref().map(|title| format!("**{title}** "));
        let links = links.iter().map(|link| format!(" [[{}|{}]]", link.target, link.shown));
        let links: String = links.collect();
        page.push_str(&format!("- {}{text}{links} ^m{}\n", titled.unwrap_or_default(), memory.id));
    }
    page
}

/// Returns a value of the metadata in double quotes, which keep every character.
fn quoted(value: &str) -> String {
    serde_json::Value::from(value).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_have_no_character_that_a_system_or_a_link_treats_specially() {
        assert_eq!(file_name("a/b: \"c\"\n[[d]] #e ^f"), "a b c d e f");
        assert_eq!((file_name("..."), file_name("../../x")), ("untitled".into(), "x".into()));
        assert_eq!(file_name(&"ü".repeat(500)).chars().count(), NAME_CHARS);
    }

    #[test]
    fn the_links_of_a_page_are_not_part_of_its_text() {
        let page = format!("Ship it.\n\n{LINKS_BELOW}\n- mentions [[x]]\n");
        assert_eq!((without_links(&page), without_links("Ship it.\n")), ("Ship it.", "Ship it."));
    }
}
