//! Facts that changed: of 240 pairs of an old and a new statement, remembered ten days apart, the
//! newer one comes first. The margins of the order were chosen on the rows with odd ids; those with
//! even ids were looked at once, for what the wording of a change does.

use crate::fixture::{EngineFixture, agent};
use embed::BundledEmbedder;
use engine::recall::RecallRequest;
use engine::remember::RememberRequest;
use engine::{Caller, Engine};
use std::sync::Arc;

const PAIRS: &str = include_str!("../../../text-reading/tests/corpus/updates.tsv");
const TEN_DAYS_SECONDS: i64 = 10 * 86_400;

/// A question with the old and the new fact that answer it.
struct UpdatePair {
    number: usize,
    question: &'static str,
    old: &'static str,
    new: &'static str,
    /// True if the new fact surely replaces the old one.
    is_sure: bool,
}

/// Number of questions by their first result.
#[derive(Debug, Default)]
struct FirstResults {
    asked: usize,
    new: usize,
    old: usize,
}

impl FirstResults {
    fn add(&mut self, pair: &UpdatePair, first: &str) {
        self.asked += 1;
        self.new += usize::from(first == pair.new);
        self.old += usize::from(first == pair.old);
    }
}

fn update_pairs() -> Vec<UpdatePair> {
    let rows = PAIRS.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    rows.map(|row| UpdatePair {
        number: row[0].trim_start_matches('u').parse().unwrap(),
        question: row[3],
        old: row[4],
        new: row[5],
        is_sure: row[6] == "yes",
    })
    .collect()
}

async fn remember(engine: &Engine, caller: &Caller, text: &str) {
    engine.memories().remember(caller, &RememberRequest::text(text)).await.unwrap();
}

async fn first_text(engine: &Engine, caller: &Caller, question: &str) -> String {
    let results = engine.memories().recall(caller, &RecallRequest::query(question)).await.unwrap();
    results.hits.into_iter().next().map_or_else(String::new, |hit| hit.memory.text)
}

#[tokio::test]
async fn the_newer_of_two_facts_comes_first() {
    let fixture = EngineFixture::new().await;
    let engine = fixture.reopen_with(Arc::new(BundledEmbedder::new()));
    let (caller, pairs) = (agent("ada"), update_pairs());
    for pair in &pairs {
        remember(&engine, &caller, pair.old).await;
    }
    fixture.clock.advance(TEN_DAYS_SECONDS);
    for pair in &pairs {
        remember(&engine, &caller, pair.new).await;
    }
    let (mut odd, mut even) = (FirstResults::default(), FirstResults::default());
    for pair in pairs.iter().filter(|pair| pair.is_sure) {
        let first = first_text(&engine, &caller, pair.question).await;
        let half = if pair.number % 2 == 1 { &mut odd } else { &mut even };
        half.add(pair, &first);
        if first != pair.new {
            println!(
                "{} ({}): first is {first:?}, newer is {:?}",
                pair.number, pair.question, pair.new
            );
        }
    }
    println!("odd ids: {odd:?}; even ids: {even:?}");
    assert!(odd.asked + even.asked > 200);
    for half in [&odd, &even] {
        assert!(half.new * 100 >= half.asked * 95, "{half:?}");
        assert!(half.old * 100 <= half.asked * 2, "{half:?}");
    }
}
