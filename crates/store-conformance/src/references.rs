//! References: one document per path, ordered sections, and a sequence number of their own.

use super::builders::{document, moment, remember, vector};
use super::fixture::{StoreFixture, full_page};
use model::{ErrorCode, Page, ReferenceId, Seq, limits};
use store::{Change, ChangeResult, StoredSection};

async fn put(at: &StoreFixture, seconds: i64, path: &str, sections: &[&str]) -> ReferenceId {
    match at.apply_at(seconds, document(path, sections)).await {
        ChangeResult::Reference(id) => id,
        other => panic!("expected a document, got {other:?}"),
    }
}

async fn sections(at: &StoreFixture) -> Vec<StoredSection> {
    at.store.sections(&at.owner, None, 1_000).await.unwrap()
}

pub async fn a_document_reads_back_with_its_sections_and_vectors(at: &StoreFixture) {
    let Change::PutReference { reference, .. } = document("api/auth.md", &["# Auth", "## Keys"])
    else {
        panic!("expected a document")
    };
    let vectors = vec![None, Some(vector("m", 3))];
    let put = Change::PutReference { reference: reference.clone(), vectors: vectors.clone() };
    let ChangeResult::Reference(id) = at.apply_at(4, put).await else {
        panic!("expected a document")
    };
    let listing = at.store.references(&at.owner, full_page()).await.unwrap();
    let listed = &listing.items[0];
    assert_eq!((listed.id, &listed.path, &listed.title), (id, &reference.path, &reference.title));
    assert_eq!((listed.hash, listed.sections, listed.updated_at), (reference.hash, 2, moment(4)));
    for (ordinal, found) in sections(at).await.into_iter().enumerate() {
        assert_eq!(
            (found.hit.reference, found.hit.path.as_str(), found.hit.ordinal),
            (id, "api/auth.md", ordinal)
        );
        assert_eq!(found.hit.section, reference.sections[ordinal]);
        assert_eq!(found.vector, vectors[ordinal]);
    }
}

pub async fn a_document_replaces_the_one_at_its_path(at: &StoreFixture) {
    put(at, 1, "a.md", &["old 0", "old 1", "old 2"]).await;
    put(at, 2, "b.md", &["beside"]).await;
    put(at, 3, "a.md", &["new 0"]).await;
    let listing = at.store.references(&at.owner, full_page()).await.unwrap();
    assert_eq!(
        (listing.total, listing.items[0].sections, listing.items[0].updated_at),
        (2, 1, moment(3))
    );
    let mut texts: Vec<String> =
        sections(at).await.into_iter().map(|found| found.hit.section.text).collect();
    texts.sort();
    assert_eq!(texts, ["beside", "new 0"]);
}

pub async fn a_removed_document_takes_its_sections_with_it(at: &StoreFixture) {
    let id = put(at, 1, "a.md", &["a"]).await;
    put(at, 1, "b.md", &["b"]).await;
    at.write(vec![Change::RemoveReference { path: "a.md".into() }]).await;
    assert_eq!(at.store.references(&at.owner, full_page()).await.unwrap().total, 1);
    assert!(sections(at).await.iter().all(|found| found.hit.reference != id));
    let gone = vec![Change::RemoveReference { path: "a.md".into() }];
    assert_eq!(at.refusal_code(gone).await, ErrorCode::NotFound);
}

pub async fn documents_are_listed_by_path(at: &StoreFixture) {
    for path in ["c.md", "a.md", "b/d.md"] {
        put(at, 1, path, &["text"]).await;
    }
    let page = at.store.references(&at.owner, Page { limit: 2, offset: 1 }).await.unwrap();
    let paths: Vec<&str> = page.items.iter().map(|listed| listed.path.as_str()).collect();
    assert_eq!((paths, page.total), (vec!["b/d.md", "c.md"], 3));
}

pub async fn sections_are_paged_in_the_order_of_document_and_ordinal(at: &StoreFixture) {
    for path in ["b.md", "a.md", "c.md"] {
        put(at, 1, path, &["0", "1", "2"]).await;
    }
    let (mut after, mut seen) = (None, Vec::new());
    loop {
        let page = at.store.sections(&at.owner, after, 2).await.unwrap();
        assert!(page.len() <= 2);
        let Some(last) = page.last() else { break };
        after = Some((last.hit.reference, last.hit.ordinal));
        seen.extend(page.iter().map(|found| (found.hit.reference, found.hit.ordinal)));
    }
    assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
    assert_eq!(seen.len(), 9);
}

pub async fn no_page_of_sections_is_larger_than_the_cap(at: &StoreFixture) {
    put(at, 1, "long.md", &vec!["text"; limits::PAGE_ITEMS + 1]).await;
    let page = at.store.sections(&at.owner, None, usize::MAX).await.unwrap();
    assert_eq!(page.len(), limits::PAGE_ITEMS);
}

pub async fn only_a_change_to_a_document_advances_the_sequence_number_of_documents(
    at: &StoreFixture,
) {
    let newest = async || at.store.references_seq(&at.owner).await.unwrap();
    assert_eq!(newest().await, Seq::ZERO);
    let filed = at.write(vec![document("a.md", &["a"])]).await.seq;
    at.write(vec![remember("no document")]).await;
    assert_eq!(newest().await, filed);
    let replaced = at.write(vec![document("a.md", &["b"])]).await.seq;
    assert_eq!(newest().await, replaced);
    at.write(vec![document("b.md", &["b"])]).await;
    let removed = at.write(vec![Change::RemoveReference { path: "a.md".into() }]).await.seq;
    at.write(vec![remember("still no document")]).await;
    assert_eq!(newest().await, removed, "a removal is a change too");
}

pub async fn a_path_that_leaves_the_references_is_refused(at: &StoreFixture) {
    for path in ["../a.md", "/etc/passwd", ""] {
        assert_eq!(
            at.refusal_code(vec![document(path, &["a"])]).await,
            ErrorCode::InvalidArgument,
            "{path}"
        );
    }
}
