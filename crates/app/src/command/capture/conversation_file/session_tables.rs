//! Conversations in the SQLite files of opencode and Cursor: the tables and the values that are
//! read from them.

use super::{BYTES_MAX, ConversationFile};
use client_hooks::StoredFormat;
use std::path::Path;
use store_sqlite::{ForeignRows, ForeignValue, read_foreign_rows};

const fn column<'a>(name: &'a str, column: &'a str) -> ForeignValue<'a> {
    ForeignValue { name, column, path: None }
}

const fn json<'a>(name: &'a str, column: &'a str, path: &'a str) -> ForeignValue<'a> {
    ForeignValue { name, column, path: Some(path) }
}

/// Tables of `opencode.db`. Parts that are no text are results of tools, often whole files.
const OPENCODE: [ForeignRows<'static>; 3] = [
    ForeignRows {
        table: "session",
        values: &[
            column("id", "id"),
            column("parent", "parent_id"),
            column("directory", "directory"),
        ],
        matching: None,
    },
    ForeignRows {
        table: "message",
        values: &[
            column("id", "id"),
            column("session", "session_id"),
            column("at", "time_created"),
            json("role", "data", "$.role"),
            json("summary", "data", "$.summary"),
        ],
        matching: None,
    },
    ForeignRows {
        table: "part",
        values: &[
            column("id", "id"),
            column("message", "message_id"),
            json("type", "data", "$.type"),
            json("text", "data", "$.text"),
            json("synthetic", "data", "$.synthetic"),
        ],
        matching: Some(("data", "*\"type\":\"text\"*")),
    },
];

/// Conversations and messages in Cursor's `state.vscdb`. A whole value holds the contents of files
/// too, so only what is needed is taken.
const CURSOR: [ForeignRows<'static>; 2] = [
    ForeignRows {
        table: "cursorDiskKV",
        values: &[
            column("key", "key"),
            json("order", "value", "$.fullConversationHeadersOnly"),
            json("messages", "value", "$.conversation"),
            json("at", "value", "$.createdAt"),
            json("directory", "value", "$.workspaceIdentifier.uri.fsPath"),
            json("branch", "value", "$.createdOnBranch"),
            json("subagent", "value", "$.subagentInfo"),
        ],
        matching: Some(("key", "composerData:*")),
    },
    ForeignRows {
        table: "cursorDiskKV",
        values: &[
            column("key", "key"),
            json("type", "value", "$.type"),
            json("text", "value", "$.text"),
            json("createdAt", "value", "$.createdAt"),
            json("workspaceUris", "value", "$.workspaceUris"),
        ],
        matching: Some(("key", "bubbleId:*")),
    },
];

/// List of conversations of newer versions of Cursor.
const CURSOR_LIST: ForeignRows<'static> = ForeignRows {
    table: "composerHeaders",
    values: &[
        column("id", "composerId"),
        json("directory", "value", "$.workspaceIdentifier.uri.fsPath"),
    ],
    matching: None,
};

/// Reads a SQLite file; `None` if it has no table of a known client.
///
/// # Errors
/// Returns the reason why the tables cannot be read.
pub(super) fn read(file: &Path) -> Result<Option<ConversationFile>, String> {
    let values = |selections: &[ForeignRows<'_>]| {
        read_foreign_rows(file, selections, BYTES_MAX as usize).map_err(|error| error.to_string())
    };
    let rows = values(&OPENCODE)?;
    if OPENCODE.iter().all(|selection| rows.contains_key(selection.table)) {
        return Ok(Some(ConversationFile::Stored(StoredFormat::OpenCode, rows)));
    }
    let mut rows = values(&CURSOR)?;
    if !rows.contains_key("cursorDiskKV") {
        return Ok(None);
    }
    // It only tells directories that the conversations of some versions lack.
    rows.extend(values(&[CURSOR_LIST]).unwrap_or_default());
    Ok(Some(ConversationFile::Stored(StoredFormat::Cursor, rows)))
}
