//! Near words: their table compared with the bundled model, and their effect on ranking.

use crate::fixture::{EngineFixture, agent};
use embed::{BundledEmbedder, Embedder, Vector};
use engine::SearchModes;
use engine::recall::RecallRequest;
use engine::remember::RememberRequest;
use index::QueryTerms;

/// Words whose stem is the word itself.
const WORDS: [&str; 12] = [
    "doctor", "boat", "laptop", "brother", "garden", "invoice", "guitar", "weather", "kitchen",
    "flight", "dentist", "soup",
];

fn vector(model: &BundledEmbedder, word: &str) -> Vector {
    model.embed(&[word]).unwrap()[0].mean()
}

// The table is of the model before this one, whose English vectors this one was trained to keep:
// the cosines of the two differ by 0.03 (one standard deviation). It has the greatest cosine among
// all words of two stems, so that of the stems themselves may be lower.
#[test]
fn near_words_are_near_in_the_bundled_model_too() {
    let model = BundledEmbedder::new();
    let (mut looked_at, mut the_same) = (0, 0);
    for word in WORDS {
        let ours = vector(&model, word);
        let whole = recall::near_words(word)
            .filter(|(near, _)| QueryTerms::parse(near).terms[0].text == *near);
        for (near, told) in whole {
            let cosine: f32 =
                ours.iter().zip(vector(&model, near)).map(|(one, other)| one * other).sum();
            assert!(
                cosine < told + 0.12,
                "{word} and {near} are at {cosine}, the table has {told}"
            );
            looked_at += 1;
            the_same += usize::from((cosine - told).abs() < 0.06);
        }
    }
    assert!(looked_at > 40 && the_same > looked_at / 3, "{the_same} of {looked_at}");
}

#[tokio::test]
async fn near_words_count_only_in_a_search_by_words() {
    let (fixture, codex) = (EngineFixture::new().await, agent("codex"));
    fixture
        .engine
        .memories()
        .remember(&codex, &RememberRequest::text("My brother plays the cello"))
        .await
        .unwrap();
    for nth in 0..200 {
        fixture
            .engine
            .memories()
            .remember(&codex, &RememberRequest::text(format!("Shelf {nth} holds tea")))
            .await
            .unwrap();
    }
    fixture
        .engine
        .memories()
        .remember(&codex, &RememberRequest::text("Their siblings live in Ghent"))
        .await
        .unwrap();
    for (words, counts) in [(true, true), (false, false)] {
        let senses = SearchModes { words, embedding: true };
        let asked = RecallRequest {
            explain: true,
            include_weak: true,
            search_modes: senses,
            ..RecallRequest::query("siblings who play cello")
        };
        let hits = fixture.engine.memories().recall(&codex, &asked).await.unwrap().hits;
        let brother = hits.iter().find(|hit| hit.memory.text.contains("brother")).unwrap();
        let near = brother.parts.iter().any(|(part, value)| *part == "near words" && *value > 0.0);
        assert_eq!(near, counts, "{:?}", brother.parts);
    }
}
