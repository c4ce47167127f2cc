//! Measures the AgenticMemory dialect: the CPU time of each of its reading tools, and of the import
//! of a file. Where the original program is installed, it answers the same calls over the same
//! graph in the same run. `AGENTIC_MEMORY_MCP` names it; otherwise it is looked for on the path.
//! `cargo bench -p quipu-dialects --bench agentic -- 10000` runs just that size.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on stops and says where")]

// The crates refer to each other by their short names; the benchmark does too.
extern crate quipu_dialects as dialects;

mod original;
mod pool_embedder;
mod synthetic_graph;

use dialects::{Agentic, DialectApi};
use embed::{BundledEmbedder, Embedder};
use engine::recall::RecallRequest;
use engine::{Caller, Engine, Parts, SearchModes, SystemClock};
use interchange::{ForgottenTexts, amem, import_amem};
use model::{AgentName, Dialect, JsonMap, OwnerId};
use original::OriginalProgram;
use pool_embedder::PoolEmbedder;
use reading::{LazyText, ParsedText};
use serde_json::{Value, json};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;
use testkit::TempStore;
use testkit::bench::{Xorshift, median_us, print_table, process_cpu_time, question};

/// Number of calls of each tool.
const CALLS: usize = 40;
/// Numbers of nodes, unless the arguments give others.
const SIZES: [usize; 2] = [10_000, 100_000];

fn main() {
    let asked: Vec<usize> = std::env::args().filter_map(|size| size.parse().ok()).collect();
    let sizes = if asked.is_empty() { SIZES.to_vec() } else { asked };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (mut rows, mut imports) = (Vec::new(), Vec::new());
    for size in sizes {
        runtime.block_on(measure(size, &mut rows, &mut imports));
    }
    print_table(
        "Tools of the AgenticMemory dialect",
        &format!(
            "CPU time of a call, all threads, medians of {CALLS}. The original program answers \
             the same calls over the same graph; a dash means that it is not installed or was not \
             asked. Some tools search by meaning too, which the original does not do: their part \
             is the difference between a recall of the same questions by words and meaning and \
             one by words alone, the embedding of the question included. Some compare what they \
             show as statements, to tell which of two holds and which contradicts a claim, which \
             the original does not do either: their part is the same comparison by itself. The \
             ratio is without both."
        ),
        &[
            "nodes",
            "tool",
            "Quipu (µs CPU)",
            "of which meaning",
            "of which statements",
            "original (µs CPU)",
            "ratio",
        ],
        &rows,
    );
    print_table(
        "Import of an `.amem` file",
        "CPU time of the whole import, with the bundled model.",
        &["nodes", "seconds of CPU", "ms of CPU per node"],
        &imports,
    );
}

async fn measure(size: usize, rows: &mut Vec<Vec<String>>, imports: &mut Vec<Vec<String>>) {
    let graph = synthetic_graph::graph(size);
    let home = TempStore::new().await;
    let model: Arc<dyn Embedder> = Arc::new(BundledEmbedder::new());
    // The texts of a large graph get vectors of a pool: embedding them all takes minutes.
    let embedder: Arc<dyn Embedder> = match size > 10_000 {
        true => Arc::new(PoolEmbedder::new()),
        false => Arc::clone(&model),
    };
    let is_real = size <= 10_000;
    let engine = Engine::new(Parts {
        store: Arc::new((*home).clone()),
        embedder,
        clock: Arc::new(SystemClock),
        snapshots: None,
    });
    let caller = Caller::agent(OwnerId::me(), AgentName::new("bench"), Dialect::Agentic);
    let owner = Caller { in_person: true, ..caller.clone() };
    let before = process_cpu_time();
    import_amem(&engine, &owner, &graph, ForgottenTexts::Skip, |_| ()).await.unwrap();
    let import = process_cpu_time().saturating_sub(before);
    if is_real {
        let per_node = import.as_secs_f64() * 1e3 / size as f64;
        imports.push(vec![
            size.to_string(),
            format!("{:.1}", import.as_secs_f64()),
            format!("{per_node:.2}"),
        ]);
    }
    // The target is the original's time at 10,000 nodes; with 100,000 it takes minutes to start.
    let mut original = is_real.then(|| OriginalProgram::start(&amem::write(&graph))).flatten();
    let dialect = Agentic::default();
    let first = first_id(&engine, &dialect, &caller).await;
    for (tool, calls) in calls(size, graph.nodes[0].created_at) {
        let mut spent = Vec::new();
        for arguments in &calls {
            let given = shift_ids(arguments.clone(), first);
            spent.push(cpu_of_call(&engine, &dialect, &caller, tool, given).await);
        }
        let (ours, theirs) = (
            median_us(spent),
            original.as_mut().map(|original| median_us(original.measure(tool, &calls))),
        );
        let meaning = meaning_us(&engine, &caller, &calls).await;
        let statements = statements_us(&engine, &dialect, &caller, tool, &calls).await;
        rows.push(vec![
            size.to_string(),
            format!("`{tool}`"),
            format!("{ours:.0}"),
            or_dash(meaning, 0),
            or_dash(statements, 0),
            or_dash(theirs, 0),
            or_dash(
                theirs.map(|us| (ours - meaning.unwrap_or(0.0) - statements.unwrap_or(0.0)) / us),
                1,
            ),
        ]);
    }
}

fn or_dash(value: Option<f64>, decimals: usize) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.decimals$}"))
}

/// Returns the id of the first node: ids of the graph begin at 0, those of the store may not.
async fn first_id(engine: &Engine, dialect: &Agentic, caller: &Caller) -> i64 {
    let caller = caller.clone().with_tool("memory_query");
    let given = object(json!({"created_before": synthetic_graph::FIRST_AT}));
    let found = dialect.call(engine, &caller, "memory_query", given).await.unwrap();
    found["nodes"][0]["id"].as_i64().unwrap()
}

async fn cpu_of_call(
    engine: &Engine,
    dialect: &Agentic,
    caller: &Caller,
    tool: &str,
    given: JsonMap,
) -> Duration {
    let caller = caller.clone().with_tool(tool);
    let before = process_cpu_time();
    let answer = dialect.call(engine, &caller, tool, given).await.unwrap();
    serde_json::to_string(&answer).unwrap();
    process_cpu_time().saturating_sub(before)
}

/// Returns the calls of each tool, with ids of the graph.
fn calls(size: usize, start: i64) -> Vec<(&'static str, Vec<Value>)> {
    let mut rng = Xorshift::new(5);
    let mut questions = |field: &str| -> Vec<Value> {
        (0..CALLS).map(|_| json!({field: question(&mut rng)})).collect()
    };
    let (suggest, evidence, ground, similar) =
        (questions("query"), questions("query"), questions("claim"), questions("query_text"));
    let same = |arguments: Value| vec![arguments; CALLS];
    let at = |part: usize| start + (size * part / 4) as i64 * synthetic_graph::STEP_US;
    let window = |from, until| json!({"type": "time_window", "start": from, "end": until});
    let nodes = |field: &str| -> Vec<Value> {
        (0..CALLS).map(|nth| json!({field: size / 2 + nth * 7})).collect()
    };
    vec![
        ("memory_session_resume", same(json!({}))),
        ("memory_stats", same(json!({}))),
        ("memory_suggest", suggest),
        ("memory_quality", same(json!({}))),
        ("memory_evidence", evidence),
        (
            "memory_temporal",
            same(json!({"range_a": window(at(0), at(2)), "range_b": window(at(1), at(4))})),
        ),
        ("memory_query", same(json!({"event_types": ["decision"], "min_confidence": 0.5}))),
        ("memory_ground", ground),
        ("memory_traverse", nodes("start_id")),
        ("memory_resolve", nodes("node_id")),
        ("memory_similar", similar),
        ("memory_context", nodes("node_id")),
        ("memory_causal", nodes("node_id")),
    ]
}

fn shift_ids(mut arguments: Value, first: i64) -> JsonMap {
    for field in ["start_id", "node_id"] {
        if let Some(id) = arguments[field].as_i64() {
            arguments[field] = (id + first).into();
        }
    }
    object(arguments)
}

/// Returns what searching by meaning adds to a recall of the questions of these calls, if they have
/// one.
async fn meaning_us(engine: &Engine, caller: &Caller, calls: &[Value]) -> Option<f64> {
    let question = |call: &Value| {
        let fields = ["query", "claim", "query_text"];
        fields.iter().find_map(|field| call[*field].as_str()).map(str::to_owned)
    };
    let questions: Vec<String> = calls.iter().filter_map(question).collect();
    let (mut whole, mut words) = (Vec::new(), Vec::new());
    for question in &questions {
        whole.push(cpu_of_recall(engine, caller, question, true).await);
        words.push(cpu_of_recall(engine, caller, question, false).await);
    }
    (!questions.is_empty()).then(|| median_us(whole) - median_us(words))
}

/// Returns what comparing statements takes in these calls, if their tool compares any: the shown
/// nodes with each other, or a claim with its evidence.
async fn statements_us(
    engine: &Engine,
    dialect: &Agentic,
    caller: &Caller,
    tool: &str,
    calls: &[Value],
) -> Option<f64> {
    let results = match tool {
        "memory_suggest" => "suggestions",
        "memory_evidence" | "memory_ground" => "evidence",
        "memory_query" => "nodes",
        "memory_similar" => "matches",
        _ => return None,
    };
    let caller = caller.clone().with_tool(tool);
    let mut spent = Vec::new();
    for call in calls {
        let answer = dialect.call(engine, &caller, tool, object(call.clone())).await.unwrap();
        let shown = answer[results].as_array().cloned().unwrap_or_default();
        let texts: Vec<&str> = shown.iter().filter_map(|one| one["content"].as_str()).collect();
        let before = process_cpu_time();
        match call["claim"].as_str() {
            Some(claim) => compare_with_claim(claim, &texts),
            None => compare_with_each_other(&texts),
        }
        spent.push(process_cpu_time().saturating_sub(before));
    }
    Some(median_us(spent))
}

fn compare_with_claim(claim: &str, texts: &[&str]) {
    let claim = ParsedText::new(claim);
    for text in texts {
        black_box(claim.compare_with_earlier(text));
    }
}

/// Compares texts that are near each other, as the engine does.
fn compare_with_each_other(texts: &[&str]) {
    let texts: Vec<LazyText<'_>> = texts.iter().map(|text| LazyText::new(text)).collect();
    for (at, one) in texts.iter().enumerate() {
        for other in texts[at + 1..].iter().filter(|other| other.is_near(one)) {
            if other.parsed().shares_topic(one.parsed()) {
                black_box(other.parsed().compare_with(one.parsed()));
            }
        }
    }
}

async fn cpu_of_recall(engine: &Engine, caller: &Caller, text: &str, embedding: bool) -> Duration {
    let search_modes = SearchModes { words: true, embedding };
    let request = RecallRequest { search_modes, ..RecallRequest::query(text) };
    let before = process_cpu_time();
    engine.memories().recall(caller, &request).await.unwrap();
    process_cpu_time().saturating_sub(before)
}

fn object(value: Value) -> JsonMap {
    value.as_object().cloned().unwrap_or_default()
}
