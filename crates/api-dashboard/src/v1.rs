//! REST under `/v1`: the resources of the vocabulary as thin operations over the engine's use
//! cases. Every operation is a row of the table here; the pages use the same ones.

mod access;
mod activity;
mod agents;
mod audit;
mod backups;
mod care;
mod consent;
mod entities;
mod files;
mod grants;
mod graph;
mod handoffs;
mod keys;
mod memories;
mod paging;
mod password;
mod profile;
mod recall;
mod references;
mod review;
mod sessions;
mod shown;
mod tables;

pub(crate) use audit::{EventShown, Events};
pub(crate) use care::ERASE;
pub(crate) use consent::ConsentAsked;
pub(crate) use files::WorkShown;
pub(crate) use memories::{ById, ListMemories};
pub(crate) use shown::{RowShown, memory_tag, row_tag};
pub(crate) use tables::Named;

use crate::api::Api;
use crate::events;
use axum::http::Method;

/// Every operation.
pub(crate) fn api() -> Api {
    let api = owned(remembered(Api::new()));
    told_live(passed_on(api))
}

/// What is remembered and found again.
fn remembered(api: Api) -> Api {
    api.get("/v1/memories", "Memories that match, newest first", memories::list)
        .change(Method::POST, "/v1/memories", "Remember something", memories::remember)
        .get("/v1/memories/{id}", "One memory with everything that hangs on it", memories::one)
        .change(
            Method::PATCH,
            "/v1/memories/{id}",
            "Put a new text in place of a wrong one",
            memories::correct,
        )
        .get(
            "/v1/memories/{id}/versions",
            "Every version of a memory, oldest first",
            memories::versions,
        )
        .get("/v1/memories/{id}/links", "What hangs together with a memory", recall::explore)
        .change(
            Method::POST,
            "/v1/memories/{id}/flag",
            "Say that a memory is wrong",
            memories::flag,
        )
        .change(
            Method::POST,
            "/v1/memories/forget",
            "Take memories out of every place, with a receipt",
            memories::forget,
        )
        .change(Method::POST, "/v1/memories/tag", "Change the labels of memories", memories::tag)
        .change(
            Method::POST,
            "/v1/memories/retire",
            "Take memories out of use; their history stays",
            memories::retire,
        )
        .change(
            Method::POST,
            "/v1/memories/unretire",
            "Take retired memories back into use",
            memories::unretire,
        )
        .change(Method::POST, "/v1/recall", "What is known about a question", recall::recall)
        .get("/v1/briefing", "What a new session should know", recall::briefing)
        .get("/v1/review", "What waits for a decision", review::list)
        .get("/v1/review/{id}", "One review item with both sides", review::one)
        .change(Method::POST, "/v1/review/{id}", "Decide a review item", review::decide)
        .change(Method::POST, "/v1/review/{id}/undo", "Undo a decision", review::undo)
        .get("/v1/memories/{id}/shown", "To whom a memory was shown lately", activity::shown)
        .get(
            "/v1/activity",
            "How much was asked and found, by day and by agent",
            activity::activity,
        )
        .get(
            "/v1/questions",
            "Questions that found nothing, the last one first",
            activity::questions,
        )
        .change(Method::DELETE, "/v1/questions/{id}", "Give up a question", activity::dismiss)
        .change(
            Method::PUT,
            "/v1/questions/kept",
            "Say whether questions that find nothing are kept",
            activity::keep,
        )
}

/// What is known of the owner's world.
fn owned(api: Api) -> Api {
    api.get("/v1/profile", "The profile as it stands", profile::standing)
        .change(Method::PATCH, "/v1/profile", "Merge into the profile by RFC 7396", profile::patch)
        .change(Method::PUT, "/v1/profile", "Make the profile say exactly this", profile::replace)
        .get("/v1/profile/versions", "Versions of the profile, newest first", profile::versions)
        .change(
            Method::POST,
            "/v1/profile/restore",
            "Make the profile say what it said before",
            profile::restore,
        )
        .get("/v1/tables", "The tables, by name", tables::list)
        .change(
            Method::POST,
            "/v1/tables/{table}/query",
            "Rows that pass every filter",
            tables::query,
        )
        .change(Method::POST, "/v1/tables/{table}/rows", "Add a row", tables::add)
        .change(
            Method::PATCH,
            "/v1/tables/{table}/rows/{row}",
            "Change a row by RFC 7396",
            tables::change,
        )
        .change(Method::DELETE, "/v1/tables/{table}/rows/{row}", "Delete a row", tables::delete)
        .get("/v1/entities", "Entities, most mentioned first", entities::list)
        .get("/v1/entities/{id}", "One entity with what is known of it", entities::one)
        .change(Method::PATCH, "/v1/entities/{id}", "Give an entity another name", entities::rename)
        .change(Method::POST, "/v1/entities/{id}/merge", "Make two entities one", entities::merge)
        .change(Method::DELETE, "/v1/entities/{id}", "Delete an entity", entities::delete)
        .get("/v1/graph", "Entities, how they relate, and who mentions them", graph::graph)
}

/// What passes between agents, what is filed, and what keeps it all.
fn passed_on(api: Api) -> Api {
    api.get("/v1/sessions", "Sessions, the one begun last first", sessions::list)
        .get("/v1/sessions/{id}", "One session with what sums it up", sessions::one)
        .get("/v1/handoffs", "Handoffs, newest first", handoffs::list)
        .get("/v1/handoffs/{id}", "One handoff with its document", handoffs::one)
        .change(
            Method::POST,
            "/v1/handoffs/{id}/release",
            "Take a handoff from whoever holds it",
            handoffs::release,
        )
        .change(
            Method::POST,
            "/v1/handoffs/{id}/complete",
            "Say that the work is done",
            handoffs::complete,
        )
        .change(
            Method::POST,
            "/v1/handoffs/{id}/cancel",
            "Say that nobody needs it any more",
            handoffs::cancel,
        )
        .change(Method::POST, "/v1/handoffs/{id}/reopen", "Open a handoff again", handoffs::reopen)
        .get("/v1/references", "Reference documents, by path", references::list)
        .change(
            Method::PUT,
            "/v1/references",
            "File a document in place of the one at its path",
            references::file,
        )
        .change(
            Method::DELETE,
            "/v1/references",
            "Remove the document at a path",
            references::remove,
        )
        .get("/v1/references/search", "The documents that answer a question", references::search)
        .get("/v1/references/sections", "The sections of a document", references::sections)
        .get("/v1/agents", "Who wrote how much", agents::list)
        .change(
            Method::POST,
            "/v1/agents/take-back",
            "Retire everything that an agent wrote",
            agents::take_back,
        )
        .change(
            Method::POST,
            "/v1/agents/give-back",
            "Undo the last taking back",
            agents::give_back,
        )
        .get("/v1/keys", "The keys of agents, newest first, without their secrets", keys::list)
        .change(Method::POST, "/v1/keys", "Make a key; its secret is shown once", keys::create)
        .change(
            Method::POST,
            "/v1/keys/{id}/rotate",
            "Put a new key in the place of an old one",
            keys::rotate,
        )
        .change(Method::DELETE, "/v1/keys/{id}", "Take a key back", keys::revoke)
        .get("/v1/grants", "What each agent may read and write", grants::list)
        .change(Method::PUT, "/v1/grants", "Give grants to one agent", grants::set)
        .change(
            Method::PUT,
            "/v1/grants/enforced",
            "Say whether agents of your own account need grants",
            grants::enforce,
        )
        .change(
            Method::POST,
            "/v1/consent",
            "Answer a program that asks over OAuth; says where to go",
            consent::decide,
        )
        .get("/v1/connections", "The programs that were let in over OAuth", consent::list)
        .change(Method::DELETE, "/v1/connections/{id}", "Shut a program out", consent::end)
        .change(Method::PUT, "/v1/password", "Set the password for coming in", password::set)
        .get("/v1/audit", "What was done, newest first", audit::list)
        .get("/v1/audit/verify", "Whether the audit log is whole", audit::verify)
        .get("/v1/status", "How the memory stands", care::status)
        .change(
            Method::POST,
            "/v1/backup",
            "Copy the memory to a new file and check the copy",
            backups::now,
        )
        .get("/v1/backups", "How backups stand", backups::stand)
        .change(Method::POST, "/v1/backups", "Begin a backup, to be watched", backups::begin)
        .change(Method::PUT, "/v1/backups/plan", "Say how often backups are made", backups::plan)
        .change(Method::POST, "/v1/imports", "Begin to read a file in", files::import)
        .change(Method::POST, "/v1/imports/{id}/parts", "Send a part of the file", files::part)
        .change(Method::POST, "/v1/imports/{id}/start", "Read in the file that came", files::start)
        .change(Method::POST, "/v1/exports", "Begin to write the memory into a file", files::export)
        .get("/v1/work/{id}", "How far a piece of work is", files::work)
        .get("/v1/dialects", "The dialects that are served", access::dialects)
        .change(Method::PUT, "/v1/dialects", "Turn a dialect on or off", access::switch)
        .change(Method::POST, "/v1/login-links", "A link that opens the window once", access::link)
        .change(Method::POST, "/v1/erase", "Erase everything that is the owner's", care::erase)
}

/// What the server tells by itself.
fn told_live(api: Api) -> Api {
    api.events(
        "/v1/events/work/{id}",
        "A piece of work: `progress`, then `done` or `failed`",
        events::work,
    )
    .events(
        "/v1/events/embedding",
        "The vectors: `progress`, then `done` or `failed`",
        events::embedding,
    )
    .events("/v1/events/audit", "What is done from now on, as it happens: `events`", events::audit)
    .events(
        "/v1/events/keys/{id}",
        "The first use of a key: `waiting`, then `connected`",
        events::key,
    )
}
