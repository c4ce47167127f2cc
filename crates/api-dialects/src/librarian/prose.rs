//! Results as prose, in the form that agents know from the original. The structured result carries
//! the same information.

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

fn memory(one: &Value) -> String {
    let id = one.get("id").and_then(Value::as_str).map(|id| format!("[{id}] ")).unwrap_or_default();
    let title = one
        .get("title")
        .and_then(Value::as_str)
        .map(|title| format!("{title}: "))
        .unwrap_or_default();
    let doubt = if one.get("flags").is_some() { " (flagged)" } else { "" };
    format!("{id}{title}{}{doubt}", text(one, "body"))
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
        format!("Contradicts {}: {} ({})", text(one, "id"), text(one, "body"), text(one, "why"))
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
        let places: Vec<&str> = ["project_key", "cwd", "harness"]
            .iter()
            .map(|name| text(one, name))
            .filter(|place| !place.is_empty())
            .collect();
        let place =
            if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) };
        format!(
            "- [{}] {}{place}, by {} at {}",
            text(one, "handoff_id"),
            text(one, "title"),
            text(one, "created_by"),
            text(one, "created_at")
        )
    };
    let lines: Vec<String> = items(answer, "handoffs").map(line).collect();
    if lines.is_empty() {
        "No handoffs match.".to_owned()
    } else {
        with_heading("Open handoffs", &lines)
    }
}

fn claimed_handoff(answer: &Value) -> String {
    let claim = &answer["claim"];
    format!(
        "Handoff {} is yours until {}: {}\n\n{}",
        text(answer, "handoff_id"),
        text(claim, "claimed_until"),
        text(answer, "title"),
        text(answer, "document_md")
    )
}

fn references(answer: &Value) -> String {
    let section = |one: &Value| {
        let places = [text(one, "path"), text(one, "heading")];
        let place: Vec<&str> = places.into_iter().filter(|place| !place.is_empty()).collect();
        format!("{}\n{}", place.join(" # "), text(one, "section"))
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
