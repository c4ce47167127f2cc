//! Directories of Markdown notes: vaults of Obsidian, projects of basic-memory, bundles of the Open
//! Knowledge Format, and what `quipu export --format vault` writes. Each note is a memory; links
//! between notes, as `[[Title]]` or as Markdown links, become links between memories.

use super::field_values::{moment, text, texts};
use crate::foreign::{ForeignItems, ForeignMemory, ForeignNote, ItemList, VaultFile};
use crate::librarian::FrontMatter;
use crate::vault_page::{TOPIC, is_made, without_links};
use model::{JsonMap, LinkKind, MemoryId, Provenance};
use std::collections::HashMap;

/// Notes of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoteVault {
    files: Vec<VaultFile>,
}

impl NoteVault {
    pub fn new(files: Vec<VaultFile>) -> Self {
        Self { files }
    }
}

impl ForeignMemory for NoteVault {
    fn program(&self) -> &'static str {
        "a vault of notes"
    }

    fn convert(&self, from: &Provenance) -> ForeignItems {
        let mut items = ItemList::new(from);
        let mut ids: HashMap<String, MemoryId> = HashMap::new();
        let mut linking: Vec<(MemoryId, Vec<String>)> = Vec::new();
        for file in self.files.iter().filter(|file| !is_listing(&file.path)) {
            let parsed = FrontMatter::read(&file.text);
            let fields = parsed.fields.as_object().cloned().unwrap_or_default();
            if text(&fields, &["quipu"]).as_deref() == Some(TOPIC) {
                items.skip(&file.path, "a page of many memories; export one file for each instead");
                continue;
            }
            let Some(id) = items.add(note(&file.path, &fields, &parsed.body)) else { continue };
            for name in names(&file.path, &fields) {
                ids.entry(name).or_insert(id);
            }
            linking.push((id, targets(&parsed.body)));
        }
        for (source, targets) in linking {
            for target in targets.iter().filter_map(|target| ids.get(target)) {
                items.link(source, *target, LinkKind::RelatedTo);
            }
        }
        items.finish()
    }
}

/// Returns true for files that list others: those of the Open Knowledge Format, and our own.
fn is_listing(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "index.md" | "log.md") || is_made(path)
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}

fn note(path: &str, fields: &JsonMap, body: &str) -> ForeignNote {
    let is_ours = fields.contains_key("quipu");
    // Our own files are named by their title; a memory without one has none.
    let named = (!is_ours).then(|| stem(path).to_owned());
    let title = text(fields, &["title", "name"]).or(named);
    let body = without_links(body);
    let heading = title.as_ref().map(|title| format!("# {title}"));
    let own = heading.and_then(|heading| body.strip_prefix(heading.as_str()));
    let body = own.filter(|rest| rest.is_empty() || rest.starts_with('\n')).unwrap_or(body).trim();
    let described = text(fields, &["description"]).filter(|_| body.is_empty());
    let mut metadata = JsonMap::new();
    if !is_ours {
        metadata.insert("path".to_owned(), path.into());
    }
    ForeignNote {
        name: path.to_owned(),
        text: described.unwrap_or_else(|| body.to_owned()),
        title,
        kind: text(fields, &["kind", "type"]).filter(|kind| kind.len() <= 40),
        tags: texts(fields, &["tags", "tag"]),
        project: text(fields, &["project"]),
        agent: text(fields, &["by", "author"]),
        at: moment(fields, &["created", "created_at", "date", "timestamp"]),
        updated: moment(fields, &["updated", "updated_at", "modified"]),
        until: moment(fields, &["until", "stale_after"]),
        metadata,
        ..ForeignNote::default()
    }
}

/// Returns the names by which other notes may link to a note, in lower case.
fn names(path: &str, fields: &JsonMap) -> Vec<String> {
    let path = path.strip_suffix(".md").unwrap_or(path);
    let given = text(fields, &["title", "name"]).into_iter().chain(text(fields, &["permalink"]));
    let aliases = texts(fields, &["aliases", "alias"]);
    let names = [path.to_owned(), stem(path).to_owned()].into_iter().chain(given).chain(aliases);
    names.map(|name| name.to_lowercase()).collect()
}

/// Returns the names of the notes that a body links to, in lower case.
fn targets(body: &str) -> Vec<String> {
    let wiki = body.split("[[").skip(1).filter_map(|part| part.split_once("]]"));
    let wiki = wiki.map(|(inner, _)| inner.split(['|', '#']).next().unwrap_or(inner));
    let marked = body.split("](").skip(1).filter_map(|part| part.split_once(')'));
    let marked = marked.map(|(target, _)| target.split('#').next().unwrap_or(target));
    let files = marked.filter_map(|target| target.strip_suffix(".md"));
    let files = files.map(|target| target.trim_start_matches(['.', '/']));
    let all = wiki.chain(files).map(|target| target.trim().replace("%20", " ").to_lowercase());
    all.filter(|target| !target.is_empty()).collect()
}
