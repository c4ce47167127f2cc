//! Links to memories that were replaced.

use super::{NOW, current};
use index::{DocFacts, IndexEntry, IndexField, OutgoingLink, View};
use model::{LinkKind, MemoryId, Seq, Status};
use quipu_recall::{RankingWeights, RecallQuery, rank};

#[test]
fn a_link_to_a_replaced_version_lifts_as_one_to_the_newest() {
    let mut view = View::new(None);
    let notes = [
        (1, "deploy friday billing", Status::Active, vec![(4, LinkKind::Supersedes)]),
        (2, "friday billing", Status::Active, vec![(4, LinkKind::Supports)]),
        (3, "friday billing", Status::Active, vec![]),
        (4, "deploy monday", Status::Superseded, vec![]),
    ];
    let entries = notes.iter().map(|(id, text, status, links)| {
        let facts = DocFacts { status: *status, ..DocFacts::note(MemoryId(*id), NOW) };
        let mut entry = IndexEntry::new(facts);
        entry.texts = vec![(IndexField::Text, text)];
        let link = |&(to, kind): &(i64, LinkKind)| OutgoingLink {
            target: MemoryId(to),
            kind,
            weight: 1.0,
        };
        entry.links = links.iter().map(link).collect();
        entry
    });
    view.apply(entries, [], Seq(1));
    let question = RecallQuery::from_text("deploy friday billing", NOW);
    let ranked = rank(&view, &question, &current(&view), &RankingWeights::default());
    let context = |id: i64| ranked.iter().find(|one| one.id.0 == id).unwrap().parts.context;
    assert!(context(2) > context(3), "{} {}", context(2), context(3));
}
