//! The rows of the matrix: the permission that each tool needs, with arguments that reach its
//! policy check. A tool with several actions has a row for each kind.

/// Permission that a call needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequiredPermission {
    Read,
    Write,
    #[allow(dead_code, reason = "for tools that only report the state of the server")]
    Nothing,
}

use RequiredPermission::{Read, Write};

/// Tools that work but are not listed.
pub const UNLISTED_TOOLS: &[&str] = &[
    "get_user_context",
    "update_profile",
    "list_tables",
    "query_table",
    "add_record",
    "search_memory",
    "save_memory",
    "query_graph",
    "review_memories",
];

/// Routes that belong to no dialect and are not in the OpenAPI description.
pub const OTHER_ROUTES: &[&str] = &[
    "/healthz",
    "/readyz",
    "/",
    "/mcp/none",
    "/v1/events/audit",
    "/v1/events/keys/1",
    "/v1/events/work/1",
    "/exported/1",
    "/memories",
    "/graph",
    "/agents",
    "/review",
    "/settings",
    "/oauth/consent",
    "/oauth",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/v1",
];

/// Operations that are sent with a body and change nothing.
pub const READ_ONLY_OPERATIONS: &[&str] = &["/v1/recall"];

/// Routes that need no credential. The tests of OAuth and of browser sessions cover their
/// responses; none of them shows anything of a memory.
pub const OPEN_ROUTES: &[&str] = &[
    "/login",
    "/login/forward",
    "/assets/app.js",
    "/oauth/authorize",
    "/oauth/register",
    "/oauth/token",
    "/oauth/revoke",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-protected-resource/mcp/agentic",
    "/.well-known/oauth-protected-resource/mcp/codememory",
    "/.well-known/oauth-protected-resource/mcp/epitome",
    "/.well-known/oauth-protected-resource/mcp/librarian",
];

/// Dialect, tool, arguments, and the permission that the call needs.
pub const ROWS: &[(&str, &str, &str, RequiredPermission)] = &[
    ("quipu", "recall", "{}", Read),
    ("quipu", "recall", r#"{"query": "lunch"}"#, Read),
    ("quipu", "recall", r#"{"ids": [1]}"#, Read),
    ("quipu", "remember", r#"{"text": "the matrix was here"}"#, Write),
    ("quipu", "remember", r#"{"table": "books", "data": {"title": "x"}}"#, Write),
    ("quipu", "remember", r#"{"profile": {"name": "Ada"}}"#, Write),
    ("quipu", "correct", r#"{"id": 987654, "text": "x"}"#, Write),
    ("quipu", "forget", r#"{"ids": [987654]}"#, Write),
    ("quipu", "review", r#"{"action": "list"}"#, Read),
    ("quipu", "review", r#"{"action": "resolve", "id": 987654, "resolution": "confirm"}"#, Write),
    ("quipu", "review", r#"{"action": "flag", "memory": 987654, "reason": "x"}"#, Write),
    ("quipu", "verify", r#"{"claim": "lunch was in Paris"}"#, Read),
    ("quipu", "explore", r#"{"id": 1}"#, Read),
    ("quipu", "explore", r#"{"entity": "Paris"}"#, Read),
    ("quipu", "tables", "{}", Read),
    ("quipu", "tables", r#"{"table": "meals"}"#, Read),
    ("quipu", "tables", r#"{"sql": "SELECT 1"}"#, Read),
    ("quipu", "handoff", r#"{"action": "list"}"#, Read),
    ("quipu", "handoff", r#"{"action": "claim", "id": 987654}"#, Write),
    ("quipu", "references", r#"{"query": "lunch"}"#, Read),
    ("quipu", "session", r#"{"action": "resume"}"#, Read),
    ("quipu", "session", r#"{"action": "start"}"#, Write),
    ("agentic", "conversation_log", r#"{"user_message": "hello"}"#, Write),
    (
        "agentic",
        "memory_add",
        r#"{"event_type": "fact", "content": "the matrix was here too"}"#,
        Write,
    ),
    ("agentic", "memory_query", "{}", Read),
    ("agentic", "memory_traverse", r#"{"start_id": 1}"#, Read),
    ("agentic", "memory_context", r#"{"node_id": 1}"#, Read),
    ("agentic", "memory_similar", r#"{"query_text": "lunch"}"#, Read),
    ("agentic", "memory_correct", r#"{"old_node_id": 987654, "new_content": "x"}"#, Write),
    ("agentic", "memory_resolve", r#"{"node_id": 1}"#, Read),
    ("agentic", "memory_causal", r#"{"node_id": 1}"#, Read),
    (
        "agentic",
        "memory_temporal",
        r#"{"range_a": {"type": "time_window", "start": 0, "end": 1},
            "range_b": {"type": "time_window", "start": 0, "end": 1}}"#,
        Read,
    ),
    ("agentic", "memory_quality", "{}", Read),
    ("agentic", "memory_stats", "{}", Read),
    ("agentic", "memory_ground", r#"{"claim": "lunch was in Paris"}"#, Read),
    ("agentic", "memory_evidence", r#"{"query": "lunch"}"#, Read),
    ("agentic", "memory_suggest", r#"{"query": "lunch"}"#, Read),
    ("agentic", "session_start", "{}", Write),
    ("agentic", "session_end", r#"{"session_id": 987654, "create_episode": false}"#, Write),
    // It starts a new session unless the agent is in one, which is a write.
    ("agentic", "memory_session_resume", "{}", Write),
    ("agentic", "memory_workspace_create", r#"{"name": "matrix"}"#, Write),
    ("agentic", "memory_workspace_add", r#"{"workspace_id": "ws_1", "path": "quipu:me"}"#, Write),
    ("agentic", "memory_workspace_list", r#"{"workspace_id": "ws_1"}"#, Read),
    ("agentic", "memory_workspace_query", r#"{"workspace_id": "ws_1", "query": "lunch"}"#, Read),
    ("agentic", "memory_workspace_compare", r#"{"workspace_id": "ws_1", "item": "lunch"}"#, Read),
    ("agentic", "memory_workspace_xref", r#"{"workspace_id": "ws_1", "item": "lunch"}"#, Read),
    ("librarian", "recall", r#"{"query": "lunch"}"#, Read),
    (
        "librarian",
        "remember",
        r#"{"title": "Matrix", "body": "the matrix was here as well"}"#,
        Write,
    ),
    ("librarian", "flag_memory", r#"{"memory_id": "987654", "reason": "x"}"#, Write),
    (
        "librarian",
        "store_handoff",
        concat!(
            r###"{"title": "x", "document_md": "## Start & intent\nx\n## Journey\nx\n"###,
            r###"## Current state\nx\n## What's left\nx\n## Open questions\nx\n"}"###
        ),
        Write,
    ),
    ("librarian", "list_handoffs", "{}", Read),
    ("librarian", "claim_handoff", r#"{"handoff_id": "987654"}"#, Write),
    ("librarian", "search_references", r#"{"query": "lunch"}"#, Read),
    ("epitome", "recall", r#"{"topic": "lunch"}"#, Read),
    ("epitome", "memorize", r#"{"text": "the matrix was here again"}"#, Write),
    ("epitome", "review", r#"{"action": "list"}"#, Read),
    ("epitome", "get_user_context", "{}", Read),
    ("epitome", "update_profile", r#"{"data": {"name": "Ada"}}"#, Write),
    ("epitome", "list_tables", "{}", Read),
    ("epitome", "query_table", r#"{"tableName": "meals"}"#, Read),
    ("epitome", "add_record", r#"{"tableName": "books", "data": {"title": "y"}}"#, Write),
    ("epitome", "search_memory", r#"{"collection": "notes", "query": "lunch"}"#, Read),
    (
        "epitome",
        "save_memory",
        r#"{"collection": "notes", "text": "the matrix was here at last"}"#,
        Write,
    ),
    (
        "epitome",
        "query_graph",
        r#"{"queryType": "pattern", "pattern": {"entityType": "person"}}"#,
        Read,
    ),
    ("epitome", "review_memories", r#"{"action": "list"}"#, Read),
    (
        "codememory",
        "remember",
        r#"{"content": "the matrix was here for code", "session_id": "m"}"#,
        Write,
    ),
    ("codememory", "search_memory", r#"{"query": "lunch", "session_id": "m"}"#, Read),
    ("codememory", "list_recent", "{}", Read),
    ("codememory", "list_entities", r#"{"memory_id": 1}"#, Read),
    ("codememory", "upsert_entity", r#"{"name": "Matrix", "entity_type": "place"}"#, Write),
    (
        "codememory",
        "add_relation",
        r#"{"source": "Matrix", "target": "Ada", "relation_type": "knows"}"#,
        Write,
    ),
    ("codememory", "get_entity", r#"{"name": "Paris"}"#, Read),
    ("codememory", "get_context_graph", "{}", Read),
    (
        "codememory",
        "maintenance",
        r#"{"action": "prune_older_than", "older_than_days": 36500, "confirm": true}"#,
        Write,
    ),
    ("codememory", "diagnostics", "{}", Read),
    ("codememory", "health", "{}", Read),
];
