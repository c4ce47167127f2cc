//! Words for a person in place of names for programs: the resources and operations of the audit
//! log, and the advice after a failure.

use super::agent_preview::PREVIEW_CLIENT;
use super::shell::page_title;
use crate::v1;
use model::{AgentName, AuditEvent, AuditOutcome, Author, Dialect, ErrorCode, Status};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Summaries of the REST operations, by the name under which the audit log has them.
static SUMMARIES: LazyLock<BTreeMap<String, &'static str>> =
    LazyLock::new(|| v1::api().summaries());

/// Name under which the audit log has what Quipu does by itself, on behalf of the owner.
const UPKEEP: &str = "upkeep";

/// Returns an operation of the audit log in words.
pub(crate) fn operation(dialect: Dialect, tool: &str) -> String {
    match (dialect, SUMMARIES.get(tool)) {
        _ if tool == UPKEEP => "maintenance".to_owned(),
        (Dialect::Rest, Some(summary)) => (*summary).to_owned(),
        (Dialect::Rest, None) if tool.starts_with('/') => format!("Open {}", page_title(tool)),
        _ => tool.replace('_', " "),
    }
}

/// Returns the way by which a call came; a set of tools has the name that its makers give it.
pub(super) fn way(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Rest => "dashboard",
        Dialect::CommandLine => "command line",
        Dialect::Import => "import",
        Dialect::Quipu => "Quipu",
        Dialect::Epitome => "Epitome",
        Dialect::Librarian => "The Librarian",
        Dialect::Agentic => "AgenticMemory",
        Dialect::CodeMemory => "code-memory",
    }
}

/// Returns the heading of the number of memories in a status.
pub(super) fn memories_in(status: Status) -> &'static str {
    match status {
        Status::Active => "Memories",
        Status::Superseded => "Replaced",
        Status::Proposed => "Proposed",
        Status::Rejected => "Rejected",
        Status::Retired => "Retired",
    }
}

/// Returns a status in words.
pub(super) fn status(status: Status) -> &'static str {
    match status {
        Status::Superseded => "replaced",
        other => other.name(),
    }
}

/// Returns a resource of the audit log and of the rules in words.
pub(super) fn resource(name: &str) -> String {
    match name.split_once('/') {
        Some(("vectors", "memories")) => "memories".to_owned(),
        Some(("vectors", collection)) => format!("collection {collection}"),
        Some(("tables", table)) => format!("table {table}"),
        Some(("tools", "connect")) => "connection".to_owned(),
        Some(("tools", tool)) => format!("tool {}", tool.replace('_', " ")),
        _ => match name {
            "erase" => "deleting".to_owned(),
            other => engine::resource_in_words(other).replace('_', " "),
        },
    }
}

/// Nouns of the notes in the audit log, in the plural and in the singular.
const NOUNS: [(&str, &str); 10] = [
    ("memories", "memory"),
    ("entities", "entity"),
    ("sections", "section"),
    ("references", "reference"),
    ("sessions", "session"),
    ("handoffs", "handoff"),
    ("tables", "table"),
    ("rows", "row"),
    ("versions", "version"),
    ("items", "item"),
];

/// Returns a note of the audit log with its nouns in the right number. That of a refusal is the
/// code of the error, which is said in words.
pub(crate) fn note(text: &str) -> String {
    if ErrorCode::ALL.iter().any(|code| code.name() == text) {
        return text.replace('_', " ");
    }
    let fix = |text: String, (many, one): &(&str, &str)| {
        let text = format!(" {text} ").replace(&format!(" 1 {many} "), &format!(" 1 {one} "));
        text.trim().replace(&format!(" 1 review {many}"), &format!(" 1 review {one}"))
    };
    NOUNS.iter().fold(text.to_owned(), fix)
}

/// Returns what an agent did, to be read after its name, with the question that it asked.
pub(crate) fn happened(event: &AuditEvent, question: Option<&str>) -> String {
    match event.outcome {
        AuditOutcome::Refused => format!("was refused: {}", result(event, None)),
        AuditOutcome::Failed => format!("failed: {}", result(event, None)),
        AuditOutcome::Done => result(event, question),
    }
}

/// Returns the result of a call in words, with the question that it answers.
pub(super) fn result(event: &AuditEvent, question: Option<&str>) -> String {
    let result = result_of_call(event);
    match question {
        Some(question) => format!("{result} for “{}”", super::components::teaser(question)),
        None => result,
    }
}

fn result_of_call(event: &AuditEvent) -> String {
    let note = note(&event.note);
    let note = note.trim();
    let counted = |verb: &str| {
        let count: usize = note.strip_prefix(verb)?.trim().parse().ok()?;
        Some(format!("{verb} {}", super::components::counted(count, "memory", "memories")))
    };
    match event.outcome {
        AuditOutcome::Refused | AuditOutcome::Failed => note.to_owned(),
        AuditOutcome::Done if note.is_empty() => {
            operation(event.author.dialect, &event.author.tool)
        }
        AuditOutcome::Done if note == "remember" => "wrote a memory".to_owned(),
        AuditOutcome::Done => ["recalled", "retired", "listed", "showed"]
            .into_iter()
            .find_map(counted)
            .or_else(|| briefing(note))
            .or_else(|| forgetting(note))
            .unwrap_or_else(|| note.to_owned()),
    }
}

/// Returns a briefing at the start of a session in words.
fn briefing(note: &str) -> Option<String> {
    let rest = note.strip_prefix("briefed a session with").or(note.strip_prefix("briefed with"))?;
    let count: usize = rest.trim().parse().ok()?;
    Some(format!(
        "started a session with {}",
        super::components::counted(count, "memory", "memories")
    ))
}

/// Returns what was forgotten, and what only the owner may forget, in words.
fn forgetting(note: &str) -> Option<String> {
    let (forgotten, proposed) = note.strip_prefix("forgot ")?.split_once(", proposed ")?;
    let (forgotten, proposed): (usize, usize) = (forgotten.parse().ok()?, proposed.parse().ok()?);
    let memories = |count| super::components::counted(count, "memory", "memories");
    Some(match (forgotten, proposed) {
        (_, 0) => format!("forgot {}", memories(forgotten)),
        (0, _) => format!("proposed to forget {}", memories(proposed)),
        _ => format!("forgot {}, proposed to forget {}", memories(forgotten), memories(proposed)),
    })
}

/// Returns the name of whoever acted, to be read before [`happened`]; the owner is addressed.
pub(crate) fn actor<'a>(author: &'a Author, owner: &AgentName) -> &'a str {
    match &author.agent {
        _ if author.tool == UPKEEP => "Quipu",
        agent if agent == owner => "You",
        agent => agent.as_str(),
    }
}

/// Returns whether an event is only the owner looking: at the dashboard, or at a preview.
pub(crate) fn is_looking(event: &AuditEvent, owner: &AgentName) -> bool {
    let author = &event.author;
    let reads = author.tool.starts_with('/')
        || author.tool.starts_with("get_")
        || matches!(author.tool.as_str(), "post_recall" | "post_tables_table_query");
    let is_preview = author.client.as_deref() == Some(PREVIEW_CLIENT);
    author.dialect == Dialect::Rest
        && event.outcome == AuditOutcome::Done
        && (is_preview || (reads && author.agent == *owner))
}

/// Returns a message as a sentence.
pub(crate) fn sentence(message: &str) -> String {
    let mut chars = message.trim_end_matches('.').chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

/// Returns what a person can do after a failure; the hint of the code is for programs.
pub(super) fn advice(code: ErrorCode) -> Option<&'static str> {
    match code {
        ErrorCode::NotFound => Some("It may have been forgotten, merged or renamed."),
        ErrorCode::Conflict => Some("It changed in the meantime; open it again."),
        ErrorCode::RateLimited | ErrorCode::StoreBusy => Some("Try again in a moment."),
        ErrorCode::StorageFull => Some("Free disk space, then try again."),
        ErrorCode::StorageFailed | ErrorCode::EmbedderFailed | ErrorCode::Internal => {
            Some("Run “quipu doctor” in a terminal to see the cause.")
        }
        ErrorCode::VersionTooNew => Some("Update Quipu."),
        ErrorCode::Unauthenticated => Some("Log in again."),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_an_operation_or_resource_is_left() {
        let correct = operation(Dialect::Rest, "patch_memories_id");
        assert_eq!(correct, "Correct a memory");
        assert_eq!(operation(Dialect::Rest, "/memories/{id}"), "Open Memories");
        assert_eq!(operation(Dialect::Quipu, "recall"), "recall");
        assert_eq!(resource("vectors/memories"), "memories");
        assert_eq!(resource("tables/meals"), "table meals");
        assert_eq!(resource("tools/memory_add"), "tool memory add");
        assert_eq!(resource("vectors/diary"), "collection diary");
        assert_eq!(way(Dialect::CommandLine), "command line");
        assert_eq!(way(Dialect::Quipu), "Quipu");
        assert_eq!(briefing("briefed with 1").as_deref(), Some("started a session with 1 memory"));
        assert_eq!(briefing("briefed the press"), None);
        let author = |agent: &str, tool: &str| Author {
            agent: AgentName::new(agent),
            client: None,
            dialect: Dialect::CommandLine,
            tool: tool.to_owned(),
        };
        for (agent, tool, name) in
            [("me", "list", "You"), ("codex", "recall", "codex"), ("me", "upkeep", "Quipu")]
        {
            assert_eq!(actor(&author(agent, tool), &AgentName::new("me")), name);
        }
        for (note, words) in [
            ("forgot 1, proposed 0", "forgot 1 memory"),
            ("forgot 0, proposed 2", "proposed to forget 2 memories"),
            ("forgot 3, proposed 1", "forgot 3 memories, proposed to forget 1 memory"),
        ] {
            assert_eq!(forgetting(note).as_deref(), Some(words));
        }
        assert_eq!(forgetting("forgot the rows of 1"), None);
        assert_eq!(note("showed 1 sections"), "showed 1 section");
        assert_eq!(note("listed 21 tables"), "listed 21 tables");
        assert_eq!(note("consent_required"), "consent required");
        assert_eq!(sentence("nothing was found"), "Nothing was found.");
    }
}
