//! Cost of what the dialect does beyond the original program, measured by itself: the ranking of a
//! question beyond a BM25 search, and the comparison of statements.

use engine::{Caller, Engine, SearchModes};
use engine_core::call::Call;
use engine_core::search::SearchRequest;
use guard::Resource;
use index::QueryTerms;
use model::{Memory, MemoryId, Permission};
use reading::ParsedText;
use recall::RankingWeights;
use serde_json::Value;
use std::hint::black_box;
use std::time::Duration;
use testkit::bench::process_cpu_time;

/// Number of results of the BM25 search.
const WORD_HITS: usize = 100;

/// Returns what the ranking takes beyond a search of the words in the same view, if the call has a
/// question. A claim that nothing grounds is searched twice: for evidence and for suggestions.
pub async fn ranking(
    engine: &Engine,
    caller: &Caller,
    call: &Value,
    answer: &Value,
) -> Option<Duration> {
    let fields = ["query", "claim", "query_text"];
    let question = fields.iter().find_map(|field| call[*field].as_str())?;
    let searches = if answer["status"] == "ungrounded" { 2 } else { 1 };
    let (ranking, words) = cpu_of_search(engine, caller, question).await;
    Some(ranking.saturating_sub(words) * searches)
}

/// Returns the CPU time of ranking a question, and of searching its words.
async fn cpu_of_search(engine: &Engine, caller: &Caller, text: &str) -> (Duration, Duration) {
    let resource = Resource::Memories(None);
    let call = Call::begin(engine.core(), caller, resource, Permission::Read, &text).await.unwrap();
    let request = SearchRequest::new(&call, text, SearchModes::default()).unwrap();
    let view = call.view().await.unwrap();
    let before = process_cpu_time();
    let question = request.question(&call).await.unwrap();
    black_box(view.read(|view| request.rank(view, &question, &call.filter())));
    let ranked = process_cpu_time();
    black_box(view.read(|view| {
        let within = view.filter(&call.filter(), call.at);
        let bm25 = RankingWeights::default().bm25;
        view.lexical(&QueryTerms::parse(text), &bm25, &within, WORD_HITS)
    }));
    (ranked.saturating_sub(before), process_cpu_time().saturating_sub(ranked))
}

/// Returns what comparing statements takes in a call, if it shows any: the shown nodes with each
/// other, or a claim with its evidence.
pub async fn statements(
    engine: &Engine,
    caller: &Caller,
    call: &Value,
    answer: &Value,
) -> Option<Duration> {
    let lists = ["suggestions", "evidence", "contradicted_by", "nodes", "matches"];
    // Walks of the graph have nodes too, which nothing is compared with.
    let is_list = |list: &&&str| answer[**list].is_array() && call["start_id"].is_null();
    let lists: Vec<&&str> = lists.iter().filter(is_list).collect();
    let mut shown = Vec::new();
    for list in &lists {
        shown.extend(shown_memories(engine, caller, &answer[**list]).await);
    }
    let before = process_cpu_time();
    match call["claim"].as_str() {
        Some(claim) => compare_with_claim(claim, &shown),
        None => drop(black_box(engine.memories().marks(caller, &shown).await)),
    }
    let spent = process_cpu_time().saturating_sub(before);
    (!lists.is_empty() && call["node_id"].is_null()).then_some(spent)
}

async fn shown_memories(engine: &Engine, caller: &Caller, results: &Value) -> Vec<Memory> {
    let id = |node: &Value| node["id"].as_i64().or_else(|| node["node_id"].as_i64());
    let ids: Vec<MemoryId> =
        results.as_array().into_iter().flatten().filter_map(id).map(MemoryId).collect();
    let resource = Resource::Memories(None);
    let call = Call::begin(engine.core(), caller, resource, Permission::Read, &ids).await.unwrap();
    call.memories(&ids).await.unwrap()
}

fn compare_with_claim(claim: &str, shown: &[Memory]) {
    let claim = ParsedText::new(claim);
    for memory in shown {
        black_box(claim.compare_with_earlier(&memory.titled_text()));
    }
}
