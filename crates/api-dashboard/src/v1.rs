//! The REST API under `/v1`: thin operations over the engine's use cases. Every operation is a row
//! of the table in this file; the pages use the same operations.

mod access;
mod activity;
mod agents;
mod audit;
mod backups;
mod consent;
mod demo;
mod details;
mod entities;
mod files;
mod grants;
mod graph;
mod handoffs;
mod json;
mod keys;
mod members;
mod memories;
mod memory_choice;
mod paging;
mod password;
mod profile;
mod recall;
mod references;
mod review;
mod sessions;
mod status;
mod tables;

pub(crate) use audit::{AuditEventJson, AuditQueryParams};
pub(crate) use consent::ConsentQuery;
pub(crate) use files::JobJson;
pub(crate) use json::{RowJson, memory_tag, row_tag};
pub(crate) use members::part_name;
pub(crate) use memories::{IdPath, MemoryListQuery};
pub(crate) use status::ERASE_CONFIRMATION;
pub(crate) use tables::TablePath;

use crate::api::Api;
use crate::events;
use axum::http::Method;

/// Operations that are sent with a body and only read.
pub(crate) const READING: &[&str] = &["/v1/recall", "/v1/tables/{table}/query"];

/// Returns all operations.
pub(crate) fn api() -> Api {
    let api = data_operations(memory_operations(Api::new()));
    event_operations(administration_operations(api))
}

/// Operations on memories, recall, review and questions.
fn memory_operations(api: Api) -> Api {
    api.get("/v1/memories", "List memories, newest first", memories::list)
        .change(Method::POST, "/v1/memories", "Remember something", memories::remember)
        .get("/v1/memories/{id}", "Get a memory with its links, entities and flags", memories::one)
        .change(Method::PATCH, "/v1/memories/{id}", "Correct a memory", memories::correct)
        .change(
            Method::PATCH,
            "/v1/memories/{id}/details",
            "Edit the kind, tags, project, priority and expiry of a memory",
            details::edit,
        )
        .change(Method::POST, "/v1/memories/{id}/links", "Link two memories", details::link)
        .change(Method::DELETE, "/v1/memories/{id}/links", "Remove a link", details::unlink)
        .get(
            "/v1/memories/{id}/versions",
            "List the versions of a memory, oldest first",
            memories::versions,
        )
        .get("/v1/memories/{id}/links", "Explore the memories linked to a memory", recall::explore)
        .change(Method::POST, "/v1/memories/{id}/flag", "Flag a memory as wrong", memories::flag)
        .change(
            Method::POST,
            "/v1/memories/forget",
            "Forget memories everywhere, with a receipt",
            memories::forget,
        )
        .change(Method::POST, "/v1/memories/tag", "Add and remove tags of memories", memories::tag)
        .change(
            Method::POST,
            "/v1/memories/retire",
            "Retire memories; their history stays",
            memories::retire,
        )
        .change(
            Method::POST,
            "/v1/memories/unretire",
            "Restore retired and replaced memories",
            memories::unretire,
        )
        .change(
            Method::POST,
            "/v1/recall",
            "Recall memories that answer a question",
            recall::recall,
        )
        .get("/v1/briefing", "Get the briefing for a new session", recall::briefing)
        .get("/v1/review", "List review items", review::list)
        .get("/v1/review/{id}", "Get a review item with both sides", review::one)
        .change(Method::POST, "/v1/review/{id}", "Decide a review item", review::decide)
        .change(Method::POST, "/v1/review/{id}/undo", "Undo a decision", review::undo)
        .get(
            "/v1/memories/{id}/shown",
            "List the recent recalls of a memory",
            activity::recalls_of_memory,
        )
        .get("/v1/activity", "Get usage by day and by agent", activity::activity)
        .get("/v1/questions", "List unanswered questions, newest first", activity::questions)
        .change(Method::DELETE, "/v1/questions/{id}", "Dismiss a question", activity::dismiss)
        .change(
            Method::PUT,
            "/v1/questions/kept",
            "Turn storing of unanswered questions on or off",
            activity::store_questions,
        )
}

/// Operations on the profile, tables and entities.
fn data_operations(api: Api) -> Api {
    api.get("/v1/profile", "Get the current profile", profile::current)
        .change(
            Method::PATCH,
            "/v1/profile",
            "Merge a patch into the profile (RFC 7396)",
            profile::patch,
        )
        .change(Method::PUT, "/v1/profile", "Replace the profile", profile::replace)
        .get(
            "/v1/profile/versions",
            "List the versions of the profile, newest first",
            profile::versions,
        )
        .change(
            Method::POST,
            "/v1/profile/restore",
            "Restore an earlier version of the profile",
            profile::restore,
        )
        .get("/v1/tables", "List tables by name", tables::list)
        .change(
            Method::POST,
            "/v1/tables/{table}/query",
            "Query the rows of a table",
            tables::query,
        )
        .change(Method::POST, "/v1/tables/{table}/rows", "Add a row", tables::add)
        .change(
            Method::PATCH,
            "/v1/tables/{table}/rows/{row}",
            "Change a row (RFC 7396)",
            tables::change,
        )
        .change(Method::DELETE, "/v1/tables/{table}/rows/{row}", "Delete a row", tables::delete)
        .get("/v1/entities", "List entities, most mentioned first", entities::list)
        .get(
            "/v1/entities/{id}",
            "Get an entity with its observations and relations",
            entities::one,
        )
        .change(Method::PATCH, "/v1/entities/{id}", "Rename an entity", entities::rename)
        .change(Method::POST, "/v1/entities/{id}/merge", "Merge two entities", entities::merge)
        .change(
            Method::POST,
            "/v1/entities/{id}/merge/undo",
            "Undo the merge that removed an entity",
            entities::undo_merge,
        )
        .change(Method::DELETE, "/v1/entities/{id}", "Delete an entity", entities::delete)
        .get("/v1/graph", "Get a graph of entities, relations and mentions", graph::graph)
}

/// Operations on sessions, handoffs, references, agents and administration.
fn administration_operations(api: Api) -> Api {
    api.get("/v1/sessions", "List sessions, newest first", sessions::list)
        .get("/v1/sessions/{id}", "Get a session with its summary", sessions::one)
        .get("/v1/handoffs", "List handoffs, newest first", handoffs::list)
        .get("/v1/handoffs/{id}", "Get a handoff with its document", handoffs::one)
        .change(
            Method::POST,
            "/v1/handoffs/{id}/release",
            "Release a claimed handoff",
            handoffs::release,
        )
        .change(
            Method::POST,
            "/v1/handoffs/{id}/complete",
            "Complete a handoff",
            handoffs::complete,
        )
        .change(Method::POST, "/v1/handoffs/{id}/cancel", "Cancel a handoff", handoffs::cancel)
        .change(Method::POST, "/v1/handoffs/{id}/reopen", "Reopen a handoff", handoffs::reopen)
        .get("/v1/references", "List reference documents by path", references::list)
        .change(
            Method::PUT,
            "/v1/references",
            "Add or replace the document at a path",
            references::add,
        )
        .change(
            Method::DELETE,
            "/v1/references",
            "Remove the document at a path",
            references::remove,
        )
        .get("/v1/references/search", "Search reference documents", references::search)
        .get("/v1/references/sections", "List the sections of a document", references::sections)
        .get("/v1/agents", "List agents with the number of their memories", agents::list)
        .change(Method::POST, "/v1/agents/take-back", "Retire what an agent wrote", agents::retire)
        .change(
            Method::POST,
            "/v1/agents/give-back",
            "Undo the last retirement of an agent's memories",
            agents::restore,
        )
        .get("/v1/keys", "List the keys of agents, newest first, without secrets", keys::list)
        .change(Method::POST, "/v1/keys", "Create a key; its secret is shown once", keys::create)
        .change(Method::POST, "/v1/keys/{id}/rotate", "Rotate a key", keys::rotate)
        .change(Method::DELETE, "/v1/keys/{id}", "Revoke a key", keys::revoke)
        .get("/v1/members", "List the people in this group", members::list)
        .change(Method::PUT, "/v1/members", "Add a person, or change what they do", members::put)
        .change(Method::DELETE, "/v1/members", "Remove a person with all grants", members::remove)
        .get("/v1/grants", "List grants", grants::list)
        .change(Method::PUT, "/v1/grants", "Set grants of an agent", grants::set)
        .change(
            Method::PUT,
            "/v1/grants/enforced",
            "Turn grants for agents of your own account on or off",
            grants::enforce,
        )
        .change(
            Method::POST,
            "/v1/consent",
            "Decide an OAuth access request; returns where to redirect",
            consent::decide,
        )
        .get("/v1/connections", "List programs connected over OAuth", consent::list)
        .change(Method::DELETE, "/v1/connections/{id}", "Disconnect a program", consent::disconnect)
        .change(Method::PUT, "/v1/password", "Set the login password", password::set)
        .get("/v1/audit", "List audit events, newest first", audit::list)
        .get("/v1/audit/verify", "Verify the chain of the audit log", audit::verify)
        .get("/v1/status", "Get counts, size on disk and embedding progress", status::status)
        .change(Method::POST, "/v1/backup", "Create a backup and verify it", backups::create)
        .get("/v1/backups", "Get the last backup and the schedule", backups::status)
        .change(Method::POST, "/v1/backups", "Start a backup as a job", backups::start)
        .change(Method::PUT, "/v1/backups/plan", "Set the backup schedule", backups::plan)
        .change(Method::POST, "/v1/imports", "Start an import", files::import)
        .change(
            Method::POST,
            "/v1/imports/{id}/parts",
            "Upload a part of the file",
            files::upload_part,
        )
        .change(Method::POST, "/v1/imports/{id}/start", "Import the uploaded file", files::start)
        .change(Method::POST, "/v1/exports", "Start an export", files::export)
        .change(Method::POST, "/v1/demo", "Load the demo story into an empty memory", demo::load)
        .get("/v1/work/{id}", "Get the progress of a job", files::job)
        .get("/v1/dialects", "List served dialects", access::dialects)
        .change(Method::PUT, "/v1/dialects", "Turn a dialect on or off", access::switch)
        .get("/v1/memory", "Get the memories that you can choose", memory_choice::list)
        .change(Method::PUT, "/v1/memory", "Choose the memory of this login", memory_choice::choose)
        .change(Method::POST, "/v1/login-links", "Create a one-time login link", access::link)
        .change(Method::POST, "/v1/erase", "Erase everything of the owner", status::erase)
}

/// Streams of server-sent events.
fn event_operations(api: Api) -> Api {
    api.events(
        "/v1/events/work/{id}",
        "Progress of a job: `progress`, then `done` or `failed`",
        events::job,
    )
    .events(
        "/v1/events/embedding",
        "Embedding progress: `progress`, then `done` or `failed`",
        events::embedding,
    )
    .events("/v1/events/audit", "New audit events: `events`", events::audit)
    .events(
        "/v1/events/keys/{id}",
        "First use of a key: `waiting`, then `connected`",
        events::key,
    )
}
