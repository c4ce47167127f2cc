//! Memories that contain the text of a forgotten one word for word: a summary that an agent wrote,
//! or a longer note. Nobody asked to forget these, so they are only named.

use crate::versions::readable;
use engine_core::call::Call;
use index::{QueryTerms, View};
use model::{Failure, Memory, MemoryId, limits};
use std::collections::BTreeSet;

/// Number of memories that are named.
const NAMED_MAX: usize = 20;

/// Returns the memories in any status that contain the text of one of these, without these
/// themselves and without the given extracts.
pub(super) async fn find(
    call: &Call<'_>,
    forgotten: &[Memory],
    extracts: &[MemoryId],
) -> Result<Vec<Memory>, Failure> {
    let texts: Vec<String> = forgotten
        .iter()
        .map(|memory| folded(&memory.text))
        .filter(|text| !text.is_empty())
        .collect();
    let known =
        |id: &MemoryId| extracts.contains(id) || forgotten.iter().any(|memory| memory.id == *id);
    let view = call.view().await?;
    let mut candidates = view.read(|view| sharing_every_word(view, call, &texts));
    candidates.retain(|id| !known(id));
    let candidates: Vec<MemoryId> = candidates.into_iter().collect();
    let mut found = Vec::new();
    for some in candidates.chunks(limits::IDS_PER_CALL) {
        let memories = call.memories(some).await?;
        found.extend(memories.into_iter().filter(|memory| says_any(memory, &texts)));
        if found.len() >= NAMED_MAX {
            break;
        }
    }
    found.truncate(NAMED_MAX);
    Ok(found)
}

/// Returns the memories that have every word of one of the texts.
fn sharing_every_word(view: &View, call: &Call<'_>, texts: &[String]) -> BTreeSet<MemoryId> {
    let readable = readable(view, call);
    let mut found = BTreeSet::new();
    for text in texts {
        let docs = view.docs_with_all_terms(&QueryTerms::parse(text));
        found.extend(docs.iter().filter(|doc| readable.contains(*doc)).map(|doc| view.id(doc)));
    }
    found
}

fn says_any(memory: &Memory, texts: &[String]) -> bool {
    let parts = [memory.title.as_deref(), memory.summary.as_deref(), Some(memory.text.as_str())];
    let said: Vec<String> = parts.into_iter().flatten().map(folded).collect();
    texts.iter().any(|text| said.iter().any(|said| said.contains(text.as_str())))
}

/// Returns a text in lower case, without punctuation around it and with single spaces.
fn folded(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase().trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}
