//! Extracts: text made from memories is made again whenever one of them changes.

use crate::fixture::{EngineFixture, agent, from_origin, in_session, of_kind, owner};
use engine::correct::CorrectRequest;
use engine::forget::{ForgetOutcome, ForgetRequest};
use engine::recall::RecallRequest;
use engine::remember::RememberRequest;
use engine::review::{FlagMemoryRequest, ResolveReviewRequest};
use engine::sessions::{EndSessionRequest, EpisodeSource, SessionRef, StartSessionRequest};
use engine::similar::{SimilarRequest, SimilarityTarget};
use engine::verify::ClaimVerdict;
use model::{LinkKind, Memory, MemoryId, Origin, OwnerId, Resolution, SessionId, Status};
use store::{Change, MemoryEdit, Ref};

/// A session with three facts, and the extract that was made of them at its end.
struct ExtractFixture {
    fixture: EngineFixture,
    session: SessionId,
    parts: [MemoryId; 3],
    extract: MemoryId,
}

const TEXTS: [&str; 3] = [
    "The API listens on port 8080.",
    "Mara maintains the importer.",
    "The staging disk is encrypted.",
];

impl ExtractFixture {
    async fn new() -> Self {
        let fixture = EngineFixture::new().await;
        let caller = agent("a");
        let session = start(&fixture).await;
        let mut parts = Vec::new();
        for text in TEXTS {
            fixture.clock.advance(1);
            let input = RememberRequest {
                kind: Some("fact".into()),
                session: Some(SessionRef::Id(session)),
                ..RememberRequest::text(text)
            };
            let done = fixture.engine.memories().remember(&caller, &input).await.unwrap();
            parts.push(done.id.unwrap());
        }
        let ended = fixture.engine.sessions().end(&caller, &end(session)).await.unwrap();
        let extract = ended.episode.unwrap().id;
        fixture.clock.advance(60);
        Self { fixture, session, parts: parts.try_into().unwrap(), extract }
    }

    async fn extract(&self) -> Memory {
        self.fixture.memory(self.extract).await
    }

    async fn correct(&self, memory: MemoryId, text: &str) -> MemoryId {
        let input = CorrectRequest::new(memory, text);
        let done = self.fixture.engine.memories().correct(&agent("a"), &input).await.unwrap();
        done.id.unwrap()
    }

    async fn forget(&self, ids: &[MemoryId]) -> ForgetOutcome {
        let input = ForgetRequest { memories: ids.to_vec(), ..ForgetRequest::default() };
        self.fixture.engine.memories().forget(&agent("a"), &input).await.unwrap()
    }

    async fn verdict(&self, claim: &str) -> ClaimVerdict {
        self.fixture.engine.memories().verify(&agent("a"), claim).await.unwrap().verdict
    }

    async fn is_recalled(&self, query: &str, words: &str) -> bool {
        let input = RecallRequest::query(query);
        let found = self.fixture.engine.memories().recall(&agent("a"), &input).await.unwrap();
        found.hits.iter().any(|hit| hit.memory.text.contains(words))
    }
}

async fn start(fixture: &EngineFixture) -> SessionId {
    let input = StartSessionRequest::default();
    fixture.engine.sessions().start(&agent("a"), &input).await.unwrap().session.id
}

fn end(session: SessionId) -> EndSessionRequest {
    EndSessionRequest { session: Some(SessionRef::Id(session)), ..EndSessionRequest::default() }
}

#[tokio::test]
async fn a_corrected_memory_is_quoted_in_its_new_words() {
    let at = ExtractFixture::new().await;
    assert!(at.extract().await.text.contains("port 8080"));
    let second = at.correct(at.parts[0], "The API listens on port 9090.").await;
    let extract = at.extract().await;
    assert!(extract.text.contains("port 9090") && !extract.text.contains("8080"));
    assert!(extract.text.contains("3 memories"), "{}", extract.text);
    at.correct(second, "The API listens on port 7070.").await;
    let extract = at.extract().await;
    assert!(extract.text.contains("port 7070") && !extract.text.contains("9090"));
    assert_eq!(extract.status, Status::Active);
    assert!(!at.is_recalled("API port", "8080").await);
}

#[tokio::test]
async fn a_correction_in_words_that_another_memory_has_quotes_that_memory() {
    let at = ExtractFixture::new().await;
    let same = at.fixture.add("a", "The API is off.", of_kind("fact")).await;
    assert_eq!(at.correct(at.parts[0], "The API is off.").await, same);
    assert!(at.extract().await.text.contains("The API is off."));
}

#[tokio::test]
async fn a_retired_or_rejected_memory_is_not_quoted_until_it_is_current_again() {
    let at = ExtractFixture::new().await;
    let before = at.extract().await;
    at.fixture.engine.memories().retire(&agent("a"), &at.parts[1..2]).await.unwrap();
    let without = at.extract().await;
    assert!(without.text.contains("2 memories") && !without.text.contains("Mara"));
    at.fixture.engine.memories().unretire(&owner(), &at.parts[1..2]).await.unwrap();
    assert_eq!(at.extract().await.text, before.text);
    let flag = FlagMemoryRequest { memory: at.parts[1], reason: "left the company".into() };
    let reviews = at.fixture.engine.reviews();
    let review = reviews.flag(&agent("a"), &flag).await.unwrap().review;
    let confirm = ResolveReviewRequest::new(review, Resolution::Confirm);
    reviews.resolve(&owner(), &confirm).await.unwrap();
    assert_eq!(at.fixture.memory(at.parts[1]).await.status, Status::Rejected);
    assert!(!at.extract().await.text.contains("Mara"));
    reviews.undo(&owner(), review).await.unwrap();
    assert_eq!(at.extract().await.text, before.text);
}

#[tokio::test]
async fn an_extract_with_nothing_to_quote_is_retired_and_comes_back() {
    let at = ExtractFixture::new().await;
    let before = at.extract().await;
    at.fixture.engine.memories().retire(&agent("a"), &at.parts).await.unwrap();
    let empty = at.extract().await;
    assert_eq!(empty.status, Status::Retired);
    assert!(empty.text.ends_with(": 0 memories."), "{}", empty.text);
    let (caller, session) = (agent("a"), SessionRef::Id(at.session));
    let shown = at.fixture.engine.sessions().get(&caller, &session).await.unwrap();
    assert_eq!(shown.episode, None, "a retired episode is not shown");
    at.fixture.engine.memories().unretire(&owner(), &at.parts).await.unwrap();
    let again = at.extract().await;
    assert_eq!((again.text, again.status), (before.text, Status::Active));
}

#[tokio::test]
async fn an_extract_that_somebody_retired_stays_retired() {
    let at = ExtractFixture::new().await;
    at.fixture.engine.memories().retire(&agent("a"), &[at.extract]).await.unwrap();
    at.fixture.engine.memories().retire(&agent("a"), &at.parts[..1]).await.unwrap();
    at.fixture.engine.memories().unretire(&owner(), &at.parts[..1]).await.unwrap();
    assert_eq!(at.extract().await.status, Status::Retired);
}

#[tokio::test]
async fn a_forgotten_memory_is_quoted_nowhere_and_the_outcome_names_the_extract() {
    let at = ExtractFixture::new().await;
    let done = at.forget(&at.parts[1..2]).await;
    assert_eq!((done.derived, done.also_say), (vec![at.extract], vec![]));
    let receipt = done.receipt.unwrap();
    assert_eq!(receipt.removed_from("quotes in episodes"), 1);
    assert_eq!(receipt.memories, at.parts[1..2]);
    let extract = at.extract().await;
    assert!(!extract.text.contains("Mara") && extract.text.contains("port 8080"));
    assert!(!at.is_recalled("who maintains the importer", "Mara").await);
    assert_eq!(at.verdict("Mara maintains the importer.").await, ClaimVerdict::Ungrounded);
}

#[tokio::test]
async fn an_extract_of_nothing_but_forgotten_memories_is_forgotten_with_the_last() {
    let at = ExtractFixture::new().await;
    at.forget(&at.parts[..2]).await;
    let done = at.forget(&at.parts[2..]).await;
    assert_eq!(done.derived, [at.extract]);
    assert_eq!(done.receipt.unwrap().memories, [at.parts[2], at.extract]);
    assert!(at.fixture.find(at.extract).await.is_none());
    let session = at.fixture.store.session(&OwnerId::me(), at.session).await.unwrap().unwrap();
    assert_eq!(session.episode, None);
}

#[tokio::test]
async fn a_dry_run_names_the_extracts_and_changes_none() {
    let at = ExtractFixture::new().await;
    let before = at.extract().await;
    let memories = at.parts[..1].to_vec();
    let input = ForgetRequest { memories, dry_run: true };
    let done = at.fixture.engine.memories().forget(&agent("a"), &input).await.unwrap();
    assert_eq!((done.derived, done.receipt), (vec![at.extract], None));
    assert_eq!(at.extract().await, before);
}

#[tokio::test]
async fn all_versions_of_a_forgotten_memory_leave_an_inactive_extract_too() {
    let at = ExtractFixture::new().await;
    let written = at.correct(at.extract, "We talked about ports.").await;
    let second = at.correct(at.parts[0], "The API listens on port 9090.").await;
    at.forget(&[second]).await;
    let extract = at.extract().await;
    assert!(!extract.text.contains("8080") && !extract.text.contains("9090"), "{}", extract.text);
    assert_eq!(extract.status, Status::Superseded);
    assert_eq!(at.fixture.memory(written).await.text, "We talked about ports.");
}

#[tokio::test]
async fn who_else_says_a_forgotten_text_is_named_and_stays() {
    let at = ExtractFixture::new().await;
    let caller = agent("a");
    let second = start(&at.fixture).await;
    let told = EpisodeSource::Written("Agreed: mara  maintains the importer, from May on.".into());
    let told = EndSessionRequest { episode: told, ..end(second) };
    let episode = at.fixture.engine.sessions().end(&caller, &told).await.unwrap().episode.unwrap();
    let other = at.fixture.add("a", "The importer maintains Mara's logs.", |_| {}).await;
    let done = at.forget(&at.parts[1..2]).await;
    let named: Vec<MemoryId> = done.also_say.iter().map(|memory| memory.id).collect();
    assert_eq!(named, [episode.id]);
    assert!(at.fixture.find(episode.id).await.is_some() && at.fixture.find(other).await.is_some());
}

#[tokio::test]
async fn a_corrected_claim_is_not_verified_by_an_extract() {
    let at = ExtractFixture::new().await;
    assert_eq!(at.verdict("The API listens on port 8080.").await, ClaimVerdict::Verified);
    at.correct(at.parts[0], "The API listens on port 9090.").await;
    assert_ne!(at.verdict("The API listens on port 8080.").await, ClaimVerdict::Verified);
    assert_eq!(at.verdict("The API listens on port 9090.").await, ClaimVerdict::Verified);
}

#[tokio::test]
async fn evidence_is_a_source_and_never_the_extract_that_quotes_it() {
    let at = ExtractFixture::new().await;
    let verified =
        at.fixture.engine.memories().verify(&agent("a"), "Mara maintains the importer.").await;
    let pieces: Vec<MemoryId> =
        verified.unwrap().evidence.iter().map(|piece| piece.memory.id).collect();
    assert!(pieces.contains(&at.parts[1]) && !pieces.contains(&at.extract), "{pieces:?}");
    for (sources_only, expected) in [(true, false), (false, true)] {
        let input = SimilarRequest {
            to: SimilarityTarget::Text("Mara maintains the importer".into()),
            kinds: Vec::new(),
            min: 0.0,
            limit: 10,
            sources_only,
        };
        let alike = at.fixture.engine.memories().similar(&agent("a"), &input).await.unwrap();
        assert_eq!(alike.iter().any(|one| one.memory.id == at.extract), expected);
    }
}

#[tokio::test]
async fn a_stale_extract_of_an_older_version_verifies_nothing_and_is_made_again() {
    let at = ExtractFixture::new().await;
    let stale = at.extract().await.text;
    // Past the engine, as a version of this program would that did not follow sources.
    at.fixture.write("a", vec![Change::Forget { memories: at.parts[1..2].to_vec() }]).await;
    let new = at.fixture.add("a", "The API listens on port 9090.", of_kind("fact")).await;
    let replaced = Change::Supersede { old: at.parts[0], new: Ref::Id(new) };
    at.fixture.write("a", vec![replaced]).await;
    assert_eq!(at.extract().await.text, stale);
    assert_eq!(at.verdict("Mara maintains the importer.").await, ClaimVerdict::Ungrounded);
    assert_ne!(at.verdict("The API listens on port 8080.").await, ClaimVerdict::Verified);
    assert_eq!(at.fixture.engine.admin().refresh_extracts(&owner()).await.unwrap(), 1);
    let fresh = at.extract().await.text;
    assert!(fresh.contains("9090") && !fresh.contains("Mara") && !fresh.contains("8080"));
    assert_eq!(at.fixture.engine.admin().refresh_extracts(&owner()).await.unwrap(), 0);
}

#[tokio::test]
async fn an_older_extract_whose_sources_were_all_forgotten_is_emptied() {
    let at = ExtractFixture::new().await;
    at.fixture.write("a", vec![Change::Forget { memories: at.parts.to_vec() }]).await;
    assert_eq!(at.fixture.engine.admin().refresh_extracts(&owner()).await.unwrap(), 1);
    let empty = at.extract().await;
    assert_eq!(empty.status, Status::Retired);
    assert!(empty.text.ends_with(": 0 memories."), "{}", empty.text);
}

#[tokio::test]
async fn a_written_episode_is_nobodys_extract() {
    let at = ExtractFixture::new().await;
    let text = at.extract().await.text;
    let caller = agent("a");
    let other = start(&at.fixture).await;
    let note = at.fixture.add("a", "A note.", in_session(other)).await;
    let told = EndSessionRequest { episode: EpisodeSource::Written(text.clone()), ..end(other) };
    let written = at.fixture.engine.sessions().end(&caller, &told).await.unwrap().episode.unwrap();
    at.fixture.engine.memories().retire(&caller, &[note]).await.unwrap();
    assert_eq!(at.fixture.memory(written.id).await.text, text);
}

#[tokio::test]
async fn an_extract_quotes_nothing_from_a_collection_of_its_own() {
    let at = ExtractFixture::new().await;
    let edit = MemoryEdit { collection: Some("private".into()), ..MemoryEdit::default() };
    let edit = Change::EditMemory { memory: at.parts[1], edit: Box::new(edit) };
    at.fixture.write("a", vec![edit]).await;
    at.fixture.engine.memories().retire(&agent("a"), &at.parts[..1]).await.unwrap();
    let extract = at.extract().await;
    assert!(!extract.text.contains("Mara") && extract.text.contains("1 memory."));
}

#[tokio::test]
async fn an_extract_is_trusted_as_its_weakest_source_now() {
    let at = ExtractFixture::new().await;
    let page = at.fixture.add("a", "A page says port 1.", from_origin(Origin::Outside)).await;
    let replaced = Change::Supersede { old: at.parts[0], new: Ref::Id(page) };
    at.fixture.write("a", vec![replaced]).await;
    at.fixture.engine.memories().retire(&agent("a"), &at.parts[1..2]).await.unwrap();
    assert_eq!(at.extract().await.provenance.trust, Origin::Outside.trust());
    at.fixture.engine.memories().retire(&agent("a"), &[page]).await.unwrap();
    assert_eq!(at.extract().await.provenance.trust, Origin::Inferred.trust());
}

#[tokio::test]
async fn a_part_that_is_linked_later_is_quoted_too() {
    let at = ExtractFixture::new().await;
    let links = vec![engine::remember::NewMemoryLink {
        target: at.extract,
        kind: LinkKind::PartOf,
        weight: 1.0,
    }];
    let input = RememberRequest { links, ..RememberRequest::text("The disk is full.") };
    at.fixture.engine.memories().remember(&agent("a"), &input).await.unwrap();
    let extract = at.extract().await;
    assert!(extract.text.contains("4 memories") && extract.text.contains("The disk is full."));
}

#[tokio::test]
async fn concurrent_corrections_of_one_session_all_reach_its_extract() {
    let at = ExtractFixture::new().await;
    let (first, second) = (at.fixture.reopen(None), at.fixture.reopen(None));
    let caller = agent("a");
    let corrections = [
        CorrectRequest::new(at.parts[0], "The API listens on port 9090."),
        CorrectRequest::new(at.parts[1], "Noor maintains the importer."),
        CorrectRequest::new(at.parts[2], "The staging disk is plain."),
    ];
    let (one, two, three) = tokio::join!(
        at.fixture.engine.memories().correct(&caller, &corrections[0]),
        first.memories().correct(&caller, &corrections[1]),
        second.memories().correct(&caller, &corrections[2]),
    );
    for done in [one, two, three] {
        done.unwrap();
    }
    let text = at.extract().await.text;
    for correction in &corrections {
        assert!(text.contains(&correction.text), "{text}");
    }
    for old in TEXTS {
        assert!(!text.contains(old), "{text}");
    }
}
