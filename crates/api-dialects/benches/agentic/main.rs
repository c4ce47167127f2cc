//! Measures the AgenticMemory dialect: the CPU time of each of its reading tools, and of the import
//! of a file. Where the original program is installed, it answers the same calls in the same run,
//! over at most 10,000 nodes: with 100,000 it takes minutes to start. `AGENTIC_MEMORY_MCP` names
//! it; otherwise it is looked for on the path.
//! `cargo bench -p quipu-dialects --bench agentic -- 10000 memory_stats` runs just that size and
//! that tool.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on stops and says where")]

// The crates refer to each other by their short names; the benchmark does too.
extern crate quipu_dialects as dialects;

mod original;
mod pool_embedder;
mod semantics;
mod synthetic_graph;

use dialects::{Agentic, DialectApi};
use embed::{BundledEmbedder, Embedder};
use engine::{Caller, Engine, Parts, SystemClock};
use interchange::{ForgottenTexts, amem, import_amem};
use model::{AgentName, Dialect, JsonMap, OwnerId};
use original::OriginalProgram;
use pool_embedder::PoolEmbedder;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use testkit::TempStore;
use testkit::bench::{Xorshift, median_us, print_table, process_cpu_time, question};

/// Number of calls of each tool.
const CALLS: usize = 40;
/// Largest number of nodes for the original program.
const ORIGINAL_NODES_MAX: usize = 10_000;
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
             the same calls in turn, over {ORIGINAL_NODES_MAX} nodes at both sizes; a dash means \
             that it is not installed. The ratio is without what the original does not do: the \
             ranking by words, meaning, pairs, neighbours and time, beyond a BM25 search of the \
             same words in the same view; and the comparison of what is shown as statements, which \
             tells the newer of two and what contradicts a claim, with the marks of open reviews."
        ),
        &[
            "nodes",
            "tool",
            "Quipu (µs CPU)",
            "of which ranking",
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
    let original_nodes = size.min(ORIGINAL_NODES_MAX);
    let mut original =
        OriginalProgram::start(&amem::write(&synthetic_graph::graph(original_nodes)));
    let dialect = Agentic::default();
    let first = first_id(&engine, &dialect, &caller).await;
    let asked: Vec<String> = std::env::args().filter(|name| name.starts_with("memory_")).collect();
    let is_asked = |tool: &str| asked.is_empty() || asked.iter().any(|name| name == tool);
    let start = graph.nodes[0].created_at;
    for ((tool, calls), (_, original_calls)) in
        calls(size, start).into_iter().zip(calls(original_nodes, start))
    {
        if !is_asked(tool) {
            continue;
        }
        let caller = caller.clone().with_tool(tool);
        let mut spent = CallTimes::default();
        // Each call is measured in all parts before the next one: the speed of a shared machine
        // changes from one second to the next, and the ratio must not change with it.
        for (arguments, for_original) in calls.iter().zip(&original_calls) {
            let given = shift_ids(arguments.clone(), first);
            let (cpu, answer) = cpu_of_call(&engine, &dialect, &caller, tool, given).await;
            spent.ours.push(cpu);
            spent
                .theirs
                .extend(original.as_mut().map(|program| program.measure(tool, for_original)));
            spent.ranking.extend(semantics::ranking(&engine, &caller, arguments, &answer).await);
            let statements = semantics::statements(&engine, &caller, arguments, &answer).await;
            spent.statements.extend(statements);
        }
        let ours = median_us(spent.ours);
        let median = |spent: Vec<Duration>| (!spent.is_empty()).then(|| median_us(spent));
        let (ranking, statements) = (median(spent.ranking), median(spent.statements));
        let theirs = median(spent.theirs);
        let semantics = ranking.unwrap_or(0.0) + statements.unwrap_or(0.0);
        rows.push(vec![
            size.to_string(),
            format!("`{tool}`"),
            format!("{ours:.0}"),
            or_dash(ranking, 0),
            or_dash(statements, 0),
            or_dash(theirs, 0),
            or_dash(theirs.map(|us| (ours - semantics) / us), 1),
        ]);
    }
}

/// CPU times of the calls of one tool.
#[derive(Default)]
struct CallTimes {
    ours: Vec<Duration>,
    theirs: Vec<Duration>,
    ranking: Vec<Duration>,
    statements: Vec<Duration>,
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
) -> (Duration, Value) {
    let before = process_cpu_time();
    let answer = dialect.call(engine, caller, tool, given).await.unwrap();
    serde_json::to_string(&answer).unwrap();
    (process_cpu_time().saturating_sub(before), answer)
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

fn object(value: Value) -> JsonMap {
    value.as_object().cloned().unwrap_or_default()
}
