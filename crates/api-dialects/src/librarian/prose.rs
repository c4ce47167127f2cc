//! Results as prose, in the form that agents know from the original. The structured result carries
//! the same information.

use crate::memory_text::{indent_lines, one_line};
use serde_json::Value;

/// Renders the result of a tool.
pub(super) fn render(tool: &str, answer: &Value) -> Option<String> {
    let rendered = match tool {
        "recall" => memories(answer),
        "remember" => receipt(answer),
        "flag_memory" => {
            format!("Flagged memory {}: {}.", text(answer, "memory_id"), text(answer, "hint"))
        }
        "store_handoff" => {
            format!("Stored handoff {}: {}", text(answer, "handoff_id"), text(answer, "title"))
        }
        "list_handoffs" => handoffs(answer),
        "claim_handoff" => claimed_handoff(answer),
        "search_references" => references(answer),
        _ => return None,
    };
    Some(append_notes(rendered, answer))
}

fn memories(answer: &Value) -> String {
    let lines: Vec<String> =
        items(answer, "memories").map(|one| format!("- {}", memory(one))).collect();
    if lines.is_empty() {
        "No memories match.".to_owned()
    } else {
        with_heading("Relevant Memories", &lines)
    }
}

/// Renders a memory: its id if it is shown, its title and body, and in parentheses its date, its
/// author and its marks. Further lines of the body are indented.
fn memory(one: &Value) -> String {
    let id = one.get("id").and_then(Value::as_str).map(|id| format!("[{id}] ")).unwrap_or_default();
    let title = one
        .get("title")
        .and_then(Value::as_str)
        .map(|title| format!("{}: ", one_line(title)))
        .unwrap_or_default();
    let about = about(one);
    let about = if about.is_empty() { String::new() } else { format!(" ({})", about.join("; ")) };
    format!("{id}{title}{}{about}", indent_lines(text(one, "body")))
}

/// Returns date, author and marks of a memory.
fn about(one: &Value) -> Vec<String> {
    let date = text(one, "created_at").split('T').next().unwrap_or_default().to_owned();
    let by = Some(text(one, "agent_id")).filter(|by| !by.is_empty());
    let source = by.map_or(date.clone(), |by| format!("{date}, by {}", one_line(by)));
    let alike: Vec<&str> = items(one, "alike").filter_map(Value::as_str).collect();
    let marks = [
        Some(source),
        one.get("flags").map(|_| "flagged".to_owned()),
        one.get("cut").map(|_| shortened(one)),
        (!alike.is_empty())
            .then(|| format!("{} more say the same: {}", alike.len(), alike.join(", "))),
        labelled(one, "newer", "changed by the newer memory"),
        labelled(one, "under_review", "under review:"),
    ];
    marks.into_iter().flatten().filter(|mark| !mark.is_empty()).collect()
}

/// Says that a body is shortened, and how to read it whole.
fn shortened(one: &Value) -> String {
    match text(one, "whole") {
        "" => "shortened".to_owned(),
        query => format!("shortened; recall with query \"{query}\" for the whole"),
    }
}

fn labelled(one: &Value, field: &str, words: &str) -> Option<String> {
    let text = one.get(field).and_then(Value::as_str).filter(|text| !text.is_empty())?;
    Some(format!("{words} {}", one_line(text)))
}

fn receipt(answer: &Value) -> String {
    let mut lines = vec![match text(answer, "happened") {
        "duplicate" => format!("Already remembered as {}.", text(answer, "id")),
        "proposed" => format!("Proposed as {}.", text(answer, "id")),
        _ => format!("Remembered as {}.", text(answer, "id")),
    }];
    let lists = [
        ("merged", "Replaces"),
        ("joined", "Labels added:"),
        ("similar", "Similar notes, now linked:"),
        ("linked_from", "Linked from"),
        ("unresolved_links", "Links without a target so far:"),
    ];
    lines.extend(lists.iter().filter_map(|(name, words)| {
        let all: Vec<&str> = items(answer, name).filter_map(Value::as_str).collect();
        (!all.is_empty()).then(|| format!("{words} {}.", all.join(", ")))
    }));
    let links: Vec<String> = items(answer, "links")
        .map(|link| format!("{} ({})", text(link, "link"), text(link, "to")))
        .collect();
    if !links.is_empty() {
        lines.push(format!("Linked to {}.", links.join(", ")));
    }
    lines.extend(items(answer, "notes").filter_map(Value::as_str).map(sentence));
    lines.extend(items(answer, "conflicts").map(|one| {
        format!(
            "Contradicts {}: {} ({})",
            text(one, "id"),
            indent_lines(text(one, "body")),
            text(one, "why")
        )
    }));
    lines.join("\n")
}

/// Writes a note as a sentence.
fn sentence(note: &str) -> String {
    let mut chars = note.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str().trim_end_matches('.'))
}

fn handoffs(answer: &Value) -> String {
    let line = |one: &Value| {
        format!(
            "- [{}] {} ({})",
            text(one, "handoff_id"),
            one_line(text(one, "title")),
            handoff_fields(one).join("; ")
        )
    };
    let lines: Vec<String> = items(answer, "handoffs").map(line).collect();
    if lines.is_empty() {
        "No handoffs match.".to_owned()
    } else {
        with_heading("Open handoffs", &lines)
    }
}

/// Returns author, time, place and labels of a handoff.
fn handoff_fields(one: &Value) -> Vec<String> {
    let author = Some(format!("by {} at {}", text(one, "created_by"), text(one, "created_at")));
    let tags: Vec<&str> = items(one, "tags").filter_map(Value::as_str).collect();
    let fields = [
        author,
        labelled(one, "project_key", "project"),
        labelled(one, "cwd", "cwd"),
        labelled(one, "harness", "harness"),
        labelled(one, "source_ref", "source_ref"),
        (!tags.is_empty()).then(|| format!("tags {}", one_line(&tags.join(", ")))),
    ];
    fields.into_iter().flatten().collect()
}

fn claimed_handoff(answer: &Value) -> String {
    let claim = &answer["claim"];
    let until = labelled(claim, "claimed_until", " until").unwrap_or_default();
    let details = ["agent_id", "harness", "source_ref", "cwd"].iter().filter_map(|name| {
        labelled(claim, &format!("claiming_{name}"), &format!("claiming_{name}"))
    });
    let holder =
        format!("claimed by {} at {}", text(claim, "claimed_by"), text(claim, "claimed_at"));
    let fields: Vec<String> =
        handoff_fields(answer).into_iter().chain([holder]).chain(details).collect();
    format!(
        "Handoff {} is yours{until}: {}\n({})\n\n{}",
        text(answer, "handoff_id"),
        one_line(text(answer, "title")),
        fields.join("; "),
        text(answer, "document_md")
    )
}

fn references(answer: &Value) -> String {
    let section = |one: &Value| {
        let places = [text(one, "path"), text(one, "heading")];
        let place: Vec<&str> = places.into_iter().filter(|place| !place.is_empty()).collect();
        let place = one_line(&place.join(" # "));
        format!("{place}\n  {}", indent_lines(text(one, "section")))
    };
    let sections: Vec<String> = items(answer, "references").map(section).collect();
    if sections.is_empty() {
        "No references match.".to_owned()
    } else {
        sections.join("\n\n---\n\n")
    }
}

/// Appends ignored arguments, notes and the hint.
fn append_notes(mut rendered: String, answer: &Value) -> String {
    for one in items(answer, "ignored") {
        rendered.push_str(&format!("\nIgnored {}: {}.", text(one, "field"), text(one, "why")));
    }
    for note in items(answer, "notes").filter_map(Value::as_str) {
        rendered.push_str(&format!("\nNote: {note}."));
    }
    // The texts of some tools contain the hint already.
    if let Some(hint) =
        answer.get("hint").and_then(Value::as_str).filter(|hint| !rendered.contains(hint))
    {
        rendered.push_str(&format!("\n({hint})"));
    }
    rendered
}

fn with_heading(heading: &str, lines: &[String]) -> String {
    format!("{heading}\n\n{}", lines.join("\n"))
}

fn items<'a>(answer: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    answer.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn text<'a>(answer: &'a Value, name: &str) -> &'a str {
    answer.get(name).and_then(Value::as_str).unwrap_or_default()
}
