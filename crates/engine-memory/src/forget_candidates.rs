//! Candidates for deletion by text: the memories that say exactly what a text says, and those that
//! come near, each with what differs. Only the former may be deleted by the text alone; it takes an
//! id to delete one of the latter.

use crate::Memories;
use crate::versions::forgotten_together;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::search::{SearchModes, SearchRequest};
use guard::Resource;
use index::{Filter, StatusFilter};
use model::{Failure, Memory, MemoryId, Permission, Status};
use reading::{ParsedText, TextComparison, without_forget_request};

/// Number of memories that are compared with the text.
const COMPARED: usize = 20;

/// A memory near a text that is to be forgotten.
#[derive(Debug, Clone, PartialEq)]
pub struct ForgetCandidate {
    pub memory: Memory,
    /// True if it says the same, in whatever wording.
    pub same: bool,
    /// What differs, in words.
    pub difference: String,
}

impl<'e> Memories<'e> {
    /// Returns the memories near a text or a request such as "please forget that …", those that say
    /// the same first.
    ///
    /// # Errors
    /// Fails when the text is too long or the store cannot be read.
    pub fn forget_candidates(
        self,
        caller: &'e Caller,
        text: &'e str,
    ) -> UseCaseFuture<'e, Vec<ForgetCandidate>> {
        Box::pin(async move {
            let call = Call::begin(
                self.core,
                caller,
                Resource::Memories(None),
                Permission::Read,
                &("forget candidates", text),
            )
            .await?;
            let found = find_candidates(&call, text).await?;
            call.note_shown(format!("would forget {}", found.len()), &[]).await;
            Ok(found)
        })
    }
}

/// Searches by the words of the statement, without those of the request, and compares.
pub(crate) async fn find_candidates(
    call: &Call<'_>,
    text: &str,
) -> Result<Vec<ForgetCandidate>, Failure> {
    let statement = without_forget_request(text);
    let request = SearchRequest::new(call, statement, SearchModes::default())?;
    let near = call.core.nearest_memories(call, &request, COMPARED).await?;
    let parsed = ParsedText::new(statement);
    let mut found: Vec<ForgetCandidate> =
        near.into_iter().map(|memory| candidate(memory, &parsed, statement)).collect();
    if !found.iter().any(|one| one.same) {
        found.extend(replaced_value(call, &request, &parsed, statement).await?);
    }
    // Stable, so that the nearest come first among each.
    found.sort_by_key(|one| !one.same);
    Ok(found)
}

/// Returns the memory that says the same and was replaced when it was said again with another value.
/// One that somebody corrected is found by its correction.
async fn replaced_value(
    call: &Call<'_>,
    request: &SearchRequest,
    parsed: &ParsedText<'_>,
    statement: &str,
) -> Result<Option<ForgetCandidate>, Failure> {
    let filter = Filter { status: StatusFilter::Any, ..call.filter() };
    let ranked = request.run(call, &filter).await?.ranked;
    let ids: Vec<MemoryId> = ranked.iter().take(COMPARED).map(|one| one.id).collect();
    for memory in call.memories(&ids).await? {
        let (id, replaced) = (memory.id, memory.status == Status::Superseded);
        let found = candidate(memory, parsed, statement);
        if replaced && found.same && !forgotten_together(call, id).await?.1.is_empty() {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn candidate(memory: Memory, parsed: &ParsedText<'_>, statement: &str) -> ForgetCandidate {
    let text = statement_of(&memory);
    let whole = parsed.compare_with_earlier(&memory.text);
    let found: TextComparison = match text {
        Some(text) if !whole.is_same() => parsed.compare_with_earlier(text),
        _ => whole,
    };
    let difference = found.describe(&memory.text, statement);
    ForgetCandidate { same: found.is_same(), difference, memory }
}

/// Returns the sentence of a row's memory without the fields that are appended in parentheses.
fn statement_of(memory: &Memory) -> Option<&str> {
    memory.table()?;
    memory.text.rsplit_once(" (").map(|(statement, _)| statement)
}
