//! Links between memories.

use super::builders::{link, moment, remember};
use super::fixture::StoreFixture;
use model::{ErrorCode, Link, LinkKind, MemoryId, limits};
use store::{Change, ChangeResult, Ref};

fn weighted(source: MemoryId, target: MemoryId, weight: f32) -> Change {
    Change::Link {
        source: Ref::Id(source),
        target: Ref::Id(target),
        kind: LinkKind::Supports,
        weight,
    }
}

pub async fn a_link_is_seen_from_both_ends(at: &StoreFixture) {
    let (a, b) = (at.remember("a").await, at.remember("b").await);
    for kind in LinkKind::ALL {
        assert_eq!(at.apply_at(4, link(a, b, kind)).await, ChangeResult::Done);
    }
    let (from, to) = (at.links(a).await, at.links(b).await);
    assert_eq!((from.outgoing.len(), from.incoming.len()), (8, 0));
    assert_eq!((to.outgoing.len(), to.incoming.len()), (0, 8));
    for kind in LinkKind::ALL {
        let expected = Link { source: a, target: b, kind, weight: 0.5, created_at: moment(4) };
        assert!(from.outgoing.contains(&expected) && to.incoming.contains(&expected), "{kind:?}");
    }
}

pub async fn an_existing_link_gets_the_new_weight(at: &StoreFixture) {
    let (a, b) = (at.remember("a").await, at.remember("b").await);
    at.write(vec![weighted(a, b, 0.25)]).await;
    at.write(vec![weighted(a, b, 0.75)]).await;
    let links = at.links(a).await.outgoing;
    assert_eq!((links.len(), links[0].weight), (1, 0.75));
}

pub async fn a_link_can_be_removed(at: &StoreFixture) {
    let (a, b) = (at.remember("a").await, at.remember("b").await);
    at.write(vec![link(a, b, LinkKind::Supports), link(a, b, LinkKind::PartOf)]).await;
    at.write(vec![Change::Unlink { source: a, target: b, kind: LinkKind::Supports }]).await;
    let links = at.links(a).await.outgoing;
    assert_eq!((links.len(), links[0].kind), (1, LinkKind::PartOf));
}

pub async fn a_link_from_a_memory_to_itself_is_refused(at: &StoreFixture) {
    let id = at.remember("alone").await;
    let code = at.refusal_code(vec![link(id, id, LinkKind::RelatedTo)]).await;
    assert_eq!(code, ErrorCode::InvalidArgument);
}

pub async fn a_weight_outside_zero_to_one_is_refused(at: &StoreFixture) {
    let (a, b) = (at.remember("a").await, at.remember("b").await);
    for weight in [-0.1, 1.1, f32::NAN, f32::INFINITY] {
        assert_eq!(
            at.refusal_code(vec![weighted(a, b, weight)]).await,
            ErrorCode::InvalidArgument,
            "{weight}"
        );
    }
    assert!(at.links(a).await.outgoing.is_empty());
}

pub async fn a_memory_has_no_more_links_out_than_the_limit(at: &StoreFixture) {
    let hub = at.remember("hub").await;
    let ends = at
        .write((0..=limits::LINKS_OUT).map(|n| remember(&format!("end {n}"))).collect())
        .await
        .results;
    let ends: Vec<MemoryId> = ends.iter().filter_map(ChangeResult::memory).collect();
    let (last, first) = ends.split_last().unwrap();
    at.write(first.iter().map(|end| link(hub, *end, LinkKind::RelatedTo)).collect()).await;
    let code = at.refusal_code(vec![link(hub, *last, LinkKind::RelatedTo)]).await;
    assert_eq!(code, ErrorCode::LimitExceeded);
    at.write(vec![link(hub, first[0], LinkKind::RelatedTo), link(*last, hub, LinkKind::RelatedTo)])
        .await;
    assert_eq!(at.links(hub).await.outgoing.len(), limits::LINKS_OUT);
}

pub async fn links_of_an_unknown_memory_are_none(at: &StoreFixture) {
    assert_eq!(at.links(MemoryId(987_654)).await, store::Links::default());
}
