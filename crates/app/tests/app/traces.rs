//! Traces for an OpenTelemetry collector: the spans that a server sends, and what it never sends.

use crate::otlp_collector::{CollectedRequest, CollectedSpan, OtlpCollector};
use crate::server_process::ServerProcess;
use crate::teams::address;
use crate::test_env::{TestEnv, run_to_end};
use serde_json::{Value, json};
use std::net::TcpListener;

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
/// Sends spans soon, so that a test need not wait.
const SOON: (&str, &str) = ("OTEL_BSP_SCHEDULE_DELAY", "50");
const TRACE_ID: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER_ID: &str = "00f067aa0ba902b7";

fn start(env: &TestEnv, variables: &[(&str, &str)]) -> ServerProcess {
    ServerProcess::start_with_variables(env, &[&[SOON], variables].concat())
}

fn call(served: &ServerProcess, header: &str, tool: &str, arguments: &Value, meta: &Value) {
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": tool, "arguments": arguments, "_meta": meta },
    });
    let token = served.startup_field("token").to_owned();
    let sent = served.send_with_header("POST /mcp", header, Some(&token), &body.to_string());
    assert_eq!(sent.0, 200, "{}", sent.1);
}

fn remember(served: &ServerProcess) {
    let text = "Quenlith ferries leave Morvantis at nine.";
    call(served, "", "remember", &json!({ "text": text }), &json!({}));
}

fn traceparent() -> String {
    format!("00-{TRACE_ID}-{CALLER_ID}-01")
}

fn spans(requests: &[CollectedRequest]) -> Vec<CollectedSpan> {
    requests.iter().flat_map(CollectedRequest::spans).collect()
}

fn is_request(span: &CollectedSpan) -> bool {
    span.name == "POST /mcp"
}

/// Returns the only span of a name.
fn named<'s>(spans: &'s [CollectedSpan], name: &str) -> &'s CollectedSpan {
    let mut found = spans.iter().filter(|span| span.name == name);
    let first = found.next().unwrap_or_else(|| panic!("no {name} in {spans:#?}"));
    assert!(found.next().is_none(), "several {name} in {spans:#?}");
    first
}

#[test]
fn the_spans_of_a_call_arrive_under_the_request_that_carried_it() {
    let (env, collector) = (TestEnv::new(), OtlpCollector::start());
    let endpoint = format!("http://{}", collector.address);
    let named_service = ("OTEL_SERVICE_NAME", "memory-of-a-team");
    let served = start(&env, &[(ENDPOINT, &endpoint), named_service]);
    remember(&served);
    let requests = collector.wait_for(is_request);
    assert!(requests[0].head.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{}", requests[0].head);
    assert!(requests[0].head.contains("application/x-protobuf"), "{}", requests[0].head);
    assert_eq!(requests[0].resource()["service.name"], "memory-of-a-team");
    let spans = spans(&requests);
    let (http, call) = (named(&spans, "POST /mcp"), named(&spans, "tools/call remember"));
    assert_eq!(http.parent_id, "", "a trace of its own");
    assert_eq!(http.attributes["http.response.status_code"], "200");
    assert_eq!((&call.parent_id, &call.trace_id), (&http.span_id, &http.trace_id));
    assert_eq!(call.attributes["gen_ai.tool.name"], "remember");
    assert_eq!(call.attributes["quipu.dialect"], "quipu");
    assert!(!call.is_error && !call.attributes.contains_key("error.type"), "{call:?}");
    let write = named(&spans, "store.write");
    assert_eq!((&write.parent_id, &write.trace_id), (&call.span_id, &call.trace_id));
    assert_eq!(write.attributes["group_size"], "1");
    assert!(spans.iter().any(|span| span.name == "embed"), "{spans:#?}");
    assert!(spans.iter().all(|span| span.trace_id == http.trace_id), "{spans:#?}");
}

#[test]
fn a_recall_says_what_the_view_needed_and_a_failed_call_the_code_of_its_error() {
    let (env, collector) = (TestEnv::new(), OtlpCollector::start());
    env.quipu(&["remember", "Quenlith ferries leave Morvantis at nine."]).success();
    let endpoint = format!("http://{}", collector.address);
    let served = start(&env, &[("QUIPU_TRACES", &endpoint)]);
    call(&served, "", "recall", &json!({ "query": "ferries" }), &json!({}));
    let recalled = spans(&collector.wait_for(is_request));
    let (view, search) = (named(&recalled, "view"), named(&recalled, "search"));
    assert_eq!(view.attributes["needed"], "building");
    let read = recalled.iter().find(|span| span.name == "store.read").unwrap();
    assert!(read.attributes.contains_key("operation"), "{read:?}");
    let embed = named(&recalled, "embed");
    assert_eq!(embed.parent_id, search.span_id, "on the blocking thread of the search");
    call(&served, "", "recall", &json!({ "query": "ferries", "limit": "many" }), &json!({}));
    let failed = spans(&collector.wait_for(is_request));
    let call = named(&failed, "tools/call recall");
    assert_eq!(call.attributes["error.type"], "invalid_argument");
    assert!(call.is_error);
}

#[test]
fn the_trace_of_the_client_is_continued_from_its_header_or_from_the_call() {
    let (env, collector) = (TestEnv::new(), OtlpCollector::start());
    let endpoint = format!("http://{}", collector.address);
    let served = start(&env, &[(ENDPOINT, &endpoint)]);
    let ferries = json!({ "query": "ferries" });
    let header = format!("traceparent: {}\r\n", traceparent());
    call(&served, &header, "recall", &ferries, &json!({}));
    let by_header = spans(&collector.wait_for(is_request));
    let http = named(&by_header, "POST /mcp");
    assert_eq!((http.trace_id.as_str(), http.parent_id.as_str()), (TRACE_ID, CALLER_ID));
    assert_eq!(named(&by_header, "tools/call recall").parent_id, http.span_id);
    let meta = json!({ "traceparent": traceparent() });
    call(&served, "", "recall", &ferries, &meta);
    let by_call = spans(&collector.wait_for(is_request));
    let continued = named(&by_call, "tools/call recall");
    assert_eq!((continued.trace_id.as_str(), continued.parent_id.as_str()), (TRACE_ID, CALLER_ID));
    let unsampled = format!("traceparent: 00-{TRACE_ID}-{CALLER_ID}-00\r\n");
    call(&served, &unsampled, "recall", &ferries, &json!({}));
    remember(&served);
    let later = spans(&collector.wait_for(is_request));
    assert!(later.iter().all(|span| span.trace_id != TRACE_ID), "its decision holds: {later:#?}");
}

#[test]
fn nothing_of_what_was_said_or_who_said_it_is_in_what_is_sent() {
    let (env, collector) = (TestEnv::new(), OtlpCollector::start());
    let endpoint = format!("http://{}", collector.address);
    env.quipu(&["owners", "create", "zelphine"]).success();
    let served = start(&env, &[(ENDPOINT, &endpoint), ("QUIPU_OWNER", "zelphine")]);
    remember(&served);
    call(
        &served,
        "User-Agent: brimquark/1\r\n",
        "recall",
        &json!({ "query": "morvantis" }),
        &json!({}),
    );
    let token = served.startup_field("token").to_owned();
    for path in ["GET /v1/memories?text=blorptang", "GET /memories/blorptang", "BLORPTANG /x"] {
        served.send(path, Some(&token), "");
    }
    served.send("POST /mcp/t/qp_blorptang", None, "{}");
    call(&served, "", "blorptang-tool", &json!({ "blorptang": "x" }), &json!({}));
    call(&served, "", "recall", &json!({ "query": "blorptang", "blorptang": 1 }), &json!({}));
    served.terminate();
    let requests = collector.arrived();
    let spans = spans(&requests);
    assert!(spans.iter().any(|span| span.name == "GET /v1"), "{spans:#?}");
    assert!(spans.iter().filter(|span| span.name == "tools/call recall").count() == 2);
    for request in &requests {
        let sent = String::from_utf8_lossy(&request.body).to_lowercase();
        for word in ["quenlith", "morvantis", "blorptang", "zelphine", "brimquark", &token] {
            assert!(!sent.contains(&word.to_lowercase()), "{word} in {:#?}", request.spans());
        }
    }
}

#[test]
fn nothing_is_sent_by_a_server_without_an_endpoint_nor_by_a_command() {
    let (env, collector) = (TestEnv::new(), OtlpCollector::start());
    let endpoint = format!("http://{}", collector.address);
    let served = start(&env, &[(ENDPOINT, &endpoint), ("QUIPU_TRACES", "off")]);
    remember(&served);
    assert_eq!(served.terminate(), Some(0));
    let served = start(&env, &[("OTEL_SERVICE_NAME", "quipu")]);
    remember(&served);
    assert_eq!(served.terminate(), Some(0));
    run_to_end(env.command(&["recall", "ferries"]).env(ENDPOINT, &endpoint), "").success();
    assert!(collector.arrived().is_empty());
}

#[test]
fn the_last_spans_are_sent_before_the_server_ends() {
    let (env, collector) = (TestEnv::new(), OtlpCollector::start());
    let endpoint = format!("http://{}", collector.address);
    let never = ("OTEL_BSP_SCHEDULE_DELAY", "3600000");
    let served = ServerProcess::start_with_variables(&env, &[(ENDPOINT, &endpoint), never]);
    remember(&served);
    assert_eq!(served.terminate(), Some(0));
    named(&spans(&collector.arrived()), "tools/call remember");
}

#[test]
fn a_collector_that_never_answers_or_is_not_there_hinders_nobody() {
    // One accepts connections and never answers; nothing listens at the port of the other.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let absent = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for address in [silent.local_addr().unwrap(), absent] {
        let env = TestEnv::new();
        let served = start(&env, &[(ENDPOINT, &format!("http://{address}"))]);
        for _ in 0..20 {
            remember(&served);
        }
        assert_eq!(served.terminate(), Some(0), "not ended by the time limit of the signal");
    }
}

#[test]
fn an_unreachable_collector_is_reported_once() {
    let absent = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let env = TestEnv::new();
    let endpoint = format!("http://{absent}");
    let mut command = env.command(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    let command = command.env(ENDPOINT, &endpoint).env(SOON.0, "1");
    let served = ServerProcess::spawn_logging(command);
    for _ in 0..20 {
        remember(&served);
    }
    let log = served.terminate_with_log();
    assert_eq!(log.matches("the collector got no traces").count(), 1, "{log}");
    assert!(!log.contains("Quenlith"), "{log}");
}

#[test]
fn a_wrong_endpoint_is_refused_at_the_start_with_the_way_out() {
    let env = TestEnv::new();
    for (name, value, part) in [
        (ENDPOINT, "collector:4318", "http://127.0.0.1:4318"),
        ("QUIPU_TRACES", "ftp://collector", "http:// and https://"),
        ("OTEL_TRACES_SAMPLER", "sometimes", "always_on"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "http/protobuf"),
    ] {
        let mut command = env.command(&["serve", "--listen", "127.0.0.1:0"]);
        let run = run_to_end(command.env(ENDPOINT, "http://127.0.0.1:1").env(name, value), "");
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(part) && run.stderr.contains("remove it"), "{}", run.stderr);
    }
}

#[test]
fn a_transaction_of_a_database_has_its_round_trips() {
    let Some(store) = address("traces") else { return };
    let (env, collector) = (TestEnv::new(), OtlpCollector::start());
    let endpoint = format!("http://{}", collector.address);
    let served = start(&env, &[(ENDPOINT, &endpoint), ("QUIPU_STORE", &store)]);
    remember(&served);
    let spans = spans(&collector.wait_for(is_request));
    let write = named(&spans, "store.write");
    assert_eq!(write.attributes["group_size"], "1");
    let transaction = spans
        .iter()
        .find(|span| span.name == "store.transaction" && span.parent_id == write.span_id)
        .unwrap_or_else(|| panic!("{spans:#?}"));
    assert!(transaction.attributes["round_trips"].parse::<u32>().unwrap() > 1, "{transaction:?}");
}
