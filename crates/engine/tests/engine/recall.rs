//! Recall: matches, filters, ranking and the budget.

use crate::fixture::{EngineFixture, agent, fields, refused};
use engine::recall::RecallRequest;
use engine::remember::RememberRequest;
use engine::review::FlagMemoryRequest;
use model::{ErrorCode, MemoryId, Moment};

async fn remember(fixture: &EngineFixture, text: &str) -> MemoryId {
    fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text(text))
        .await
        .unwrap()
        .id
        .unwrap()
}

async fn found(fixture: &EngineFixture, recall: RecallRequest) -> Vec<String> {
    fixture
        .engine
        .memories()
        .recall(&agent("b"), &recall)
        .await
        .unwrap()
        .hits
        .into_iter()
        .map(|hit| hit.memory.text)
        .collect()
}

// Hooks show what probably answers a prompt. The turns of earlier sessions resemble it, and most
// questions about a conversation have an answer; a prompt is no such question.
#[tokio::test]
async fn a_text_that_nobody_asked_has_the_confidence_of_its_evidence_alone() {
    let fixture = EngineFixture::new().await;
    for text in ["The kiln is too hot for glaze.", "The glaze in the kiln turned green."] {
        let speaker = fields(serde_json::json!({ "speaker": "Ada" }));
        fixture.add("a", text, |add| add.memory.metadata = speaker).await;
    }
    let asked = RecallRequest::query("Is the glaze in the kiln hot or green?");
    let unasked = RecallRequest { is_unasked: true, ..asked.clone() };
    let memories = fixture.engine.memories();
    let (asked, unasked) = (
        memories.recall(&agent("b"), &asked).await.unwrap(),
        memories.recall(&agent("b"), &unasked).await.unwrap(),
    );
    assert!(asked.confidence > unasked.confidence, "{asked:?} {unasked:?}");
    assert_eq!(asked.weak, unasked.weak);
    assert_eq!(asked.hits, unasked.hits);
}

#[tokio::test]
async fn any_text_is_a_valid_query() {
    let fixture = EngineFixture::new().await;
    remember(&fixture, "sqlite-vec needs the right dimension").await;
    for query in [
        "sqlite-vec embedding dimension mismatch",
        "\"",
        "AND OR NOT",
        "a:b/c.d",
        "?!",
        "((",
        "' OR 1=1 --",
    ] {
        assert!(
            fixture
                .engine
                .memories()
                .recall(&agent("b"), &RecallRequest::query(query))
                .await
                .is_ok(),
            "{query}"
        );
    }
    assert_eq!(
        found(&fixture, RecallRequest::query("sqlite-vec embedding dimension mismatch"))
            .await
            .len(),
        1
    );
}

#[tokio::test]
async fn a_question_without_an_answer_has_no_results() {
    let fixture = EngineFixture::new().await;
    remember(&fixture, "We use Postgres for billing").await;
    assert!(found(&fixture, RecallRequest::query("giraffe necktie")).await.is_empty());
}

#[tokio::test]
async fn an_empty_question_with_filters_lists_the_newest_first() {
    let fixture = EngineFixture::new().await;
    for text in ["First note of all", "Second note after it", "Third note at last"] {
        remember(&fixture, text).await;
        fixture.clock.advance(60);
    }
    let recall = RecallRequest { kinds: vec!["note".into()], ..RecallRequest::default() };
    assert_eq!(
        found(&fixture, recall).await,
        ["Third note at last", "Second note after it", "First note of all"]
    );
}

#[tokio::test]
async fn filters_apply_before_the_limit() {
    let fixture = EngineFixture::new().await;
    for number in 0..60 {
        remember(&fixture, &format!("The cache of service {number} is warm")).await;
    }
    let rare = RememberRequest {
        tags: vec!["rare".into()],
        ..RememberRequest::text("The cache of the odd service is cold")
    };
    fixture.engine.memories().remember(&agent("a"), &rare).await.unwrap();
    let recall = RecallRequest {
        tags: vec!["rare".into()],
        limit: Some(3),
        ..RecallRequest::query("cache of service 7 warm")
    };
    assert_eq!(found(&fixture, recall).await, ["The cache of the odd service is cold"]);
}

#[tokio::test]
async fn a_time_range_restricts_the_results() {
    let fixture = EngineFixture::new().await;
    let then = |text: &str, when: &str| RememberRequest {
        valid_from: Some(Moment::parse(when).unwrap()),
        ..RememberRequest::text(text)
    };
    fixture
        .engine
        .memories()
        .remember(&agent("a"), &then("Hiking trip to the lakes", "2024-05-10"))
        .await
        .unwrap();
    fixture
        .engine
        .memories()
        .remember(&agent("a"), &then("Hiking trip to the coast", "2025-05-10"))
        .await
        .unwrap();
    let recall = RecallRequest {
        since: Some(Moment::parse("2025-01-01").unwrap()),
        until: Some(Moment::parse("2025-12-31").unwrap()),
        ..RecallRequest::query("hiking trip")
    };
    assert_eq!(found(&fixture, recall).await, ["Hiking trip to the coast"]);
}

#[tokio::test]
async fn an_event_in_the_question_gives_a_time() {
    let fixture = EngineFixture::new().await;
    for (text, when) in [
        ("Ana baked bread at the bakery on the corner", "2024-01-10"),
        ("We moved to Porto, boxes everywhere", "2024-03-05"),
        ("Ana sorted books at the library on the hill", "2024-06-20"),
    ] {
        let input = RememberRequest {
            valid_from: Some(Moment::parse(when).unwrap()),
            ..RememberRequest::text(text)
        };
        fixture.engine.memories().remember(&agent("a"), &input).await.unwrap();
    }
    let first_of_ana = async |query: &str| {
        let found = found(&fixture, RecallRequest::query(query)).await;
        found.into_iter().find(|text| text.starts_with("Ana")).unwrap()
    };
    assert_eq!(
        first_of_ana("What did Ana do before the move?").await,
        "Ana baked bread at the bakery on the corner"
    );
    assert_eq!(
        first_of_ana("What did Ana do after we moved?").await,
        "Ana sorted books at the library on the hill"
    );
}

#[tokio::test]
async fn near_duplicates_appear_once_and_are_listed() {
    let fixture = EngineFixture::new().await;
    let one = RememberRequest {
        project: Some("x".into()),
        ..RememberRequest::text("Always run the linter before you push to main.")
    };
    let two = RememberRequest {
        project: Some("y".into()),
        ..RememberRequest::text("always run the linter before you push to main")
    };
    fixture.engine.memories().remember(&agent("a"), &one).await.unwrap();
    fixture.engine.memories().remember(&agent("a"), &two).await.unwrap();
    let answer = fixture
        .engine
        .memories()
        .recall(&agent("b"), &RecallRequest::query("linter push"))
        .await
        .unwrap();
    assert_eq!(answer.hits.len(), 1);
    assert_eq!(answer.hits[0].repetitions.len(), 1);
    assert_eq!(answer.left_out, 0);
}

#[tokio::test]
async fn a_flagged_memory_comes_after_every_unflagged_match() {
    let fixture = EngineFixture::new().await;
    let best = remember(&fixture, "Restart the indexer when search is stale").await;
    let other = remember(&fixture, "When search is stale, look at the disk first").await;
    fixture
        .engine
        .reviews()
        .flag(&agent("b"), &FlagMemoryRequest { memory: best, reason: "made it worse".into() })
        .await
        .unwrap();
    let answer = fixture
        .engine
        .memories()
        .recall(&agent("b"), &RecallRequest::query("restart the indexer when search is stale"))
        .await
        .unwrap();
    let ids: Vec<MemoryId> = answer.hits.iter().map(|hit| hit.memory.id).collect();
    assert_eq!(ids, [other, best]);
}

#[tokio::test]
async fn the_budget_is_respected_and_the_rest_is_counted() {
    let fixture = EngineFixture::new().await;
    for number in 0..30 {
        remember(
            &fixture,
            &format!("Deployment rule {number}: {}", format!("word{number} ").repeat(40)),
        )
        .await;
    }
    let recall = RecallRequest {
        budget_tokens: Some(400),
        limit: Some(20),
        ..RecallRequest::query("deployment rule")
    };
    let answer = fixture.engine.memories().recall(&agent("b"), &recall).await.unwrap();
    let tokens: usize = answer
        .hits
        .iter()
        .map(|hit| hit.excerpt.as_ref().unwrap_or(&hit.memory.text).len() / 4)
        .sum();
    assert!(tokens <= 400, "{tokens}");
    assert_eq!(answer.left_out + answer.hits.len(), 30);
}

#[tokio::test]
async fn a_long_memory_shows_the_passage_that_answers() {
    let fixture = EngineFixture::new().await;
    let filler = "Nothing of interest happened on that day. ".repeat(60);
    remember(&fixture, &format!("{filler}The vault key is in the blue folder. {filler}")).await;
    let recall = RecallRequest {
        budget_tokens: Some(300),
        ..RecallRequest::query("where is the vault key")
    };
    let answer = fixture.engine.memories().recall(&agent("b"), &recall).await.unwrap();
    let passage = answer.hits[0].excerpt.as_deref().unwrap();
    assert!(passage.contains("The vault key is in the blue folder."), "{passage}");
    assert!(passage.len() / 4 <= 100, "{passage}");
}

#[tokio::test]
async fn misspelt_words_and_names_in_other_spellings_are_found() {
    let fixture = EngineFixture::new().await;
    for text in [
        "The scheduler keeps its jobs in Postgres",
        "Herr Müller waters the plants",
        "Alexander repairs bicycles",
        "getUserById returns nothing for guests",
        "We keep three replicas of the ledger",
    ] {
        remember(&fixture, text).await;
    }
    for (query, found) in [
        ("Postgress scheduller", "Postgres"),
        ("What does Mueller do?", "Müller"),
        ("Александр", "Alexander"),
        ("get user", "getUserById"),
        ("3 replicas", "three"),
    ] {
        let recall = RecallRequest::query(query);
        let answer = fixture.engine.memories().recall(&agent("b"), &recall).await.unwrap();
        let first = answer.hits.first().map(|hit| hit.memory.text.as_str());
        assert!(first.is_some_and(|text| text.contains(found)), "{query}: {first:?}");
    }
}

#[tokio::test]
async fn explain_shows_the_parts_of_each_score() {
    let fixture = EngineFixture::new().await;
    remember(&fixture, "We use Postgres for billing").await;
    let recall = RecallRequest { explain: true, ..RecallRequest::query("postgres billing") };
    let answer = fixture.engine.memories().recall(&agent("b"), &recall).await.unwrap();
    let names: Vec<&str> = answer.hits[0].parts.iter().map(|(name, _)| *name).collect();
    assert!(names.contains(&"words") && names.contains(&"meaning"), "{names:?}");
    assert_eq!(answer.embedder.as_deref(), Some("words"));
    let sum: f32 = answer.hits[0].parts.iter().map(|(_, value)| value).sum();
    assert!((sum - answer.hits[0].score).abs() < 1e-5);
}

#[tokio::test]
async fn a_query_past_the_limit_is_refused_with_the_limit() {
    let fixture = EngineFixture::new().await;
    let long = "a".repeat(20_000);
    let message = refused(
        fixture.engine.memories().recall(&agent("b"), &RecallRequest::query(long)).await,
        ErrorCode::LimitExceeded,
    );
    assert!(message.contains("16384"), "{message}");
}

#[tokio::test]
async fn queries_in_other_scripts_find_their_memories() {
    let fixture = EngineFixture::new().await;
    remember(&fixture, "東京の天気は雨が多い").await;
    remember(&fixture, "Мы выпускаем релиз по пятницам").await;
    remember(&fixture, "Wir treffen uns jeden Dienstag im Büro").await;
    assert_eq!(found(&fixture, RecallRequest::query("天気")).await, ["東京の天気は雨が多い"]);
    assert_eq!(
        found(&fixture, RecallRequest::query("релиз")).await,
        ["Мы выпускаем релиз по пятницам"]
    );
    assert_eq!(
        found(&fixture, RecallRequest::query("Büro Dienstag")).await,
        ["Wir treffen uns jeden Dienstag im Büro"]
    );
}
