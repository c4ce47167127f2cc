//! The tools that a client offers to its model: those of the first request, and those that a search
//! for tools brings.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// Words with which a model looks for a memory.
const SEARCHES: [&str; 6] = [
    "memory",
    "what did we decide",
    "preferences",
    "past decisions",
    "remember this",
    "todo from last time",
];
/// Tools that have to be found first, in any order.
const WANTED: [&str; 2] = ["recall", "remember"];

/// Returns the plan of a model that searches for tools and then ends its turn.
pub fn search_plan() -> Value {
    let searches = SEARCHES.iter().map(|words| json!({ "search": words }));
    searches.chain([json!("Found.")]).collect()
}

/// Checks that each search of the plan brought the wanted tools first, in the last request.
pub fn check_searches(requests: &[String]) -> Result<()> {
    let last: Value = serde_json::from_str(requests.last().context("no request")?)?;
    let items = last["input"].as_array().context("a request has its input")?;
    let results: Vec<&Value> =
        items.iter().filter(|item| item["type"] == "tool_search_output").collect();
    ensure!(results.len() == SEARCHES.len(), "{} searches were answered", results.len());
    for (words, result) in SEARCHES.iter().zip(results) {
        let found = tool_names(&result["tools"]);
        let mut first = found[..WANTED.len().min(found.len())].to_vec();
        first.sort_unstable();
        ensure!(first == WANTED, "a search for `{words}` brings {found:?}");
    }
    Ok(())
}

/// Checks that the first request offers the wanted tools under these names, without any search.
pub fn check_offered(requests: &[String], names: &[String]) -> Result<()> {
    let offers = |request: &String| -> Option<Vec<String>> {
        let request: Value = serde_json::from_str(request).ok()?;
        let tools = tool_names(&request["tools"]).into_iter().map(str::to_owned);
        Some(tools.collect()).filter(|tools: &Vec<String>| tools.len() > 1)
    };
    let offered = requests.iter().find_map(offers).context("no request offers tools")?;
    for name in names {
        ensure!(offered.contains(name), "the first request does not offer {name}: {offered:?}");
    }
    Ok(())
}

/// Returns the names of tools, those of namespaces included, in their order.
fn tool_names(tools: &Value) -> Vec<&str> {
    let tools = tools.as_array().map_or(&[][..], Vec::as_slice);
    tools.iter().flat_map(names_of).collect()
}

// Models are told of tools in different forms: a list of names, or groups of them.
fn names_of(tool: &Value) -> Vec<&str> {
    let group =
        [&tool["tools"], &tool["functionDeclarations"]].into_iter().find(|it| it.is_array());
    let name = tool["name"].as_str().or_else(|| tool["function"]["name"].as_str());
    group.map_or_else(|| name.into_iter().collect(), tool_names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(first: [&str; 2]) -> String {
        let tools = json!([{ "name": "mcp__quipu", "tools": [
            { "name": first[0] }, { "name": first[1] }, { "name": "review" },
        ]}]);
        let result = json!({ "type": "tool_search_output", "tools": tools });
        json!({ "input": vec![result; SEARCHES.len()] }).to_string()
    }

    #[test]
    fn a_search_has_to_bring_both_tools_first_in_any_order() {
        assert!(check_searches(&[request(["remember", "recall"])]).is_ok());
        assert!(check_searches(&[request(["recall", "remember"])]).is_ok());
        assert!(check_searches(&[request(["recall", "verify"])]).is_err());
        assert!(check_searches(&["{\"input\": []}".to_owned()]).is_err());
    }

    #[test]
    fn offered_tools_are_those_of_the_first_request_with_tools() {
        let requests = [
            json!({ "tools": [] }).to_string(),
            json!({ "tools": [{ "name": "a" }, { "name": "b" }] }).to_string(),
        ];
        assert!(check_offered(&requests, &["b".to_owned()]).is_ok());
        assert!(check_offered(&requests, &["c".to_owned()]).is_err());
    }

    #[test]
    fn tools_are_found_in_the_form_of_each_model() {
        let functions = ["a", "b"].map(|name| {
            json!({ "type": "function",
            "function": { "name": name } })
        });
        let declarations = json!([{ "functionDeclarations": [{ "name": "a" }, { "name": "b" }] }]);
        for tools in [json!(functions), declarations] {
            let request = json!({ "tools": tools }).to_string();
            assert!(check_offered(&[request], &["a".to_owned(), "b".to_owned()]).is_ok());
        }
    }
}
