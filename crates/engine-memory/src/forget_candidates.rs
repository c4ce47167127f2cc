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
use reading::{ParsedText, without_forget_request};

/// Number of memories that are compared with the text.
const COMPARED: usize = 20;

/// A memory near a text that is to be forgotten.
#[derive(Debug, Clone, PartialEq)]
pub struct ForgetCandidate {
    pub memory: Memory,
    /// True if it says the same, in whatever wording.
    pub same: bool,
    /// The difference, in words.
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
    leave_ambiguous_texts(&mut found, &parsed);
    // Stable, so that the nearest come first among each.
    found.sort_by_key(|one| !one.same);
    Ok(found)
}

/// Returns the memory that says the same and was replaced when it was said again with another
/// value. One that somebody corrected is found by its correction.
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
    let (same, difference) = compare(&memory, parsed, statement);
    ForgetCandidate { same, difference, memory }
}

/// Compares the statement with a memory, then with its text without the title, and with the
/// sentence of a row. Returns whether one says the same, and what differs.
fn compare(memory: &Memory, parsed: &ParsedText<'_>, statement: &str) -> (bool, String) {
    let titled = memory.titled_text();
    let texts = [Some(titled.as_ref()), Some(memory.text.as_str()), statement_of(memory)];
    let mut compared =
        texts.into_iter().flatten().map(|text| (parsed.compare_with_earlier(text), text));
    let found = compared.find(|(found, _)| found.is_same());
    let (found, text) = found.unwrap_or_else(|| (parsed.compare_with_earlier(&titled), &titled));
    (found.is_same(), found.describe(text, statement))
}

/// Takes back that a memory says the same where only its text does, and other memories have that
/// text under other titles: which of them is meant, the text does not say.
fn leave_ambiguous_texts(found: &mut [ForgetCandidate], parsed: &ParsedText<'_>) {
    let by_text_alone = |one: &ForgetCandidate| {
        one.same
            && one.memory.title.is_some()
            && !parsed.compare_with_earlier(&one.memory.titled_text()).is_same()
    };
    if found.iter().filter(|one| by_text_alone(one)).count() < 2 {
        return;
    }
    for one in found.iter_mut().filter(|one| by_text_alone(one)) {
        one.same = false;
        one.difference = "several memories have this text under different titles".to_owned();
    }
}

/// Returns the sentence of a row's memory without the fields that are appended in parentheses.
fn statement_of(memory: &Memory) -> Option<&str> {
    memory.table()?;
    memory.text.rsplit_once(" (").map(|(statement, _)| statement)
}
