//! Import of vaults of The Librarian.

use crate::fixture::{InterchangeFixture, me};
use engine::handoffs::ListHandoffsRequest;
use engine::recall::RecallRequest;
use interchange::transfer::ImportOutcome;
use interchange::{ForeignOptions, LibrarianVault, VaultFile, import_foreign};
use model::{Claim, HandoffState, LinkKind, Memory, MemoryId, Moment, Status};

const HOST: &str = "---
id: mem_1a
title: 'Staging: the host'
agent_id: codex
status: active
confidence: tentative
tags:
  - ops
applies_to:
  - shop
supersedes: []
conflicts_with: []
flags:
  - agent_id: pi
    reason: >-
      it moved
      in May
    created_at: '2026-02-02T08:00:00.000Z'
is_global: false
requires_approval: false
created_at: '2026-01-02T08:00:00.000Z'
updated_at: '2026-02-02T08:00:00.000Z'
curator_note: null
---
The staging host is blue.internal, see [[Rollback]].
";

const ROLLBACK: &str = "---
id: mem_2b
title: Rollback
agent_id: claude-code
status: archived
confidence: high
created_at: '2026-01-03T08:00:00.000Z'
updated_at: '2026-01-04T08:00:00.000Z'
---
Roll back with make undo.
";

const HANDOFF: &str = "---
handoff_id: hdo_7
title: Move billing
project_key: shop
source_ref: null
cwd: /src/shop/
created_by_agent_id: codex
created_in_harness: codex
tags:
  - billing
created_at: '2026-01-05T08:00:00.000Z'
claimed_at: '2026-01-06T08:00:00.000Z'
claimed_by:
  agent_id: pi
  harness: pi
  source_ref: null
  cwd: /src
---
## Start & intent
Move billing.
## Journey
Begun.
## Current state
Half.
## What's left
Tests.
## Open questions
None.
";

fn vault() -> LibrarianVault {
    let file = |path: &str, text: &str| VaultFile { path: path.into(), text: text.into() };
    LibrarianVault::new(vec![
        file("handoffs/hdo_7.md", HANDOFF),
        file("memories/host-1a.md", HOST),
        file("memories/proposal-3c.md", "---\nid: mem_3c\nstatus: proposed\n---\nMaybe."),
        file("memories/rollback-2b.md", ROLLBACK),
        file("references/guides/deploy.md", "# Deploy\nShip on Tuesdays."),
    ])
}

async fn import(fixture: &InterchangeFixture) -> ImportOutcome {
    let options = ForeignOptions::default();
    import_foreign(&fixture.engine, &me(), &vault(), options, |_| ()).await.unwrap()
}

async fn memory(fixture: &InterchangeFixture, id: i64) -> Memory {
    fixture.engine.memories().get(&me(), &[MemoryId(id)]).await.unwrap().remove(0)
}

fn at(text: &str) -> Moment {
    Moment::parse(text).unwrap()
}

#[tokio::test]
async fn a_memory_keeps_title_author_dates_labels_and_confidence() {
    let fixture = InterchangeFixture::new().await;
    let outcome = import(&fixture).await;
    assert_eq!((outcome.added["memory"], outcome.added["handoff"]), (2, 1));
    assert_eq!(outcome.added["reference"], 1);
    assert_eq!(outcome.skipped.len(), 1, "{:?}", outcome.skipped);
    assert!(outcome.skipped[0].1.contains("proposal"), "{:?}", outcome.skipped);
    let host = memory(&fixture, 1).await;
    assert_eq!(host.title.as_deref(), Some("Staging: the host"));
    assert_eq!(host.provenance.author.agent.as_str(), "codex");
    assert_eq!(host.provenance.at, at("2026-01-02T08:00:00Z"));
    assert_eq!((host.tags, host.applies_to), (vec!["ops".to_owned()], vec!["shop".to_owned()]));
    assert!((host.confidence - 0.4).abs() < 1e-6);
    assert_eq!(host.metadata["confidence"], "tentative");
    let rollback = memory(&fixture, 2).await;
    assert_eq!(rollback.status, Status::Retired);
    let recalled =
        fixture.engine.memories().recall(&me(), &RecallRequest::query("staging host")).await;
    assert_eq!(recalled.unwrap().hits.len(), 1);
}

#[tokio::test]
async fn flags_and_links_come_along() {
    let fixture = InterchangeFixture::new().await;
    import(&fixture).await;
    assert_eq!(memory(&fixture, 1).await.flags, 1);
    let details = fixture.engine.memories().get_details(&me(), MemoryId(1)).await.unwrap();
    let targets: Vec<_> =
        details.links.outgoing.iter().map(|link| (link.target, link.kind)).collect();
    assert_eq!(targets, [(MemoryId(2), LinkKind::RelatedTo)]);
    let query = engine::review::ListReviewsRequest::default();
    let open = fixture.engine.reviews().list(&me(), &query).await.unwrap();
    assert!(format!("{open:?}").contains("it moved in May"), "{open:?}");
}

#[tokio::test]
async fn a_claimed_handoff_stays_claimed_and_a_second_import_adds_nothing() {
    let fixture = InterchangeFixture::new().await;
    import(&fixture).await;
    let query = ListHandoffsRequest {
        states: HandoffState::ALL.to_vec(),
        cwd: Some("/src/shop".into()),
        ..ListHandoffsRequest::default()
    };
    let listed = fixture.engine.handoffs().list(&me(), &query).await.unwrap().handoffs.items;
    let claim = listed[0].claim.as_ref().unwrap();
    assert_eq!((claim.by.as_str(), claim.until), ("pi", Claim::NO_END));
    assert_eq!(listed[0].created_at, at("2026-01-05T08:00:00Z"));
    let again = import(&fixture).await;
    assert_eq!(again.added.get("memory"), None, "{again:?}");
    assert_eq!(again.added.get("handoff"), None, "{again:?}");
    assert_eq!(memory(&fixture, 1).await.flags, 1);
}
