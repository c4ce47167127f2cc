//! Conversion of the handoffs of a vault. A claim there never ends by itself, and does not here.

use super::{LibrarianVault, moment, text, texts};
use crate::transfer::TransferItem;
use engine::ImportedItem;
use model::{AgentName, Claim, Handoff, HandoffId, HandoffState, Moment, Provenance};
use serde_json::Value;

/// Fields of a claim in the vault that are kept as notes.
const CLAIM_NOTES: [&str; 4] = ["agent_id", "harness", "source_ref", "cwd"];

/// Converts all handoffs.
pub(super) fn items(vault: &LibrarianVault, from: &Provenance) -> Vec<TransferItem> {
    let notes = vault.notes("handoffs").enumerate();
    let handoffs = notes
        .map(|(at, (_, file))| handoff(HandoffId(at as i64 + 1), &file.fields, file.body, from));
    handoffs.map(|handoff| ImportedItem::Handoff(handoff).into()).collect()
}

fn handoff(id: HandoffId, fields: &Value, document: String, from: &Provenance) -> Handoff {
    let owned = |name: &str| text(fields, name).map(str::to_owned);
    let created_at = moment(fields, "created_at").unwrap_or(from.at);
    let claim = moment(fields, "claimed_at").map(|since| claim(&fields["claimed_by"], since));
    let cwd = owned("cwd").map(|path| match path.trim_end_matches('/') {
        "" => path.clone(),
        shorter => shorter.to_owned(),
    });
    Handoff {
        id,
        title: owned("title").unwrap_or_else(|| "Handoff".to_owned()),
        document,
        project: owned("project_key"),
        cwd,
        harness: owned("created_in_harness"),
        source_ref: owned("source_ref"),
        tags: texts(fields, "tags"),
        state: if claim.is_some() { HandoffState::Claimed } else { HandoffState::Open },
        updated_at: claim.as_ref().map_or(created_at, |claim| claim.since),
        claim,
        created_by: AgentName::new(text(fields, "created_by_agent_id").unwrap_or("unknown-agent")),
        created_at,
    }
}

fn claim(claimed_by: &Value, since: Moment) -> Claim {
    let note = |name: &&str| Some(((*name).to_owned(), text(claimed_by, name)?.to_owned()));
    Claim {
        by: AgentName::new(text(claimed_by, "agent_id").unwrap_or("unknown-agent")),
        since,
        until: Claim::NO_END,
        notes: CLAIM_NOTES.iter().filter_map(note).collect(),
    }
}
