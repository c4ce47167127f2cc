//! What may be kept. Every text field is looked through before anything of it is logged or stored:
//! invisible characters are taken out and reported, a secret refuses the whole memory.

use model::{ErrorCode, Failure, JsonMap, NewMemory};
use reading::{clean, secrets};
use serde_json::Value;

/// Looks a memory through. Answers with what was taken out, in sentences.
///
/// # Errors
/// `secret_refused`, naming the rule and the field, never the secret.
pub fn keep(memory: &mut NewMemory) -> Result<Vec<String>, Failure> {
    let mut notes = Vec::new();
    keep_text("text", &mut memory.text, &mut notes)?;
    for (field, text) in [("title", &mut memory.title), ("summary", &mut memory.summary)] {
        text.as_mut().map_or(Ok(()), |text| keep_text(field, text, &mut notes))?;
    }
    for (field, list) in [("tags", &mut memory.tags), ("applies_to", &mut memory.applies_to)] {
        list.iter_mut().try_for_each(|text| keep_text(field, text, &mut notes))?;
    }
    keep_object("metadata", &mut memory.metadata, &mut notes)?;
    Ok(notes)
}

/// Looks one text through.
///
/// # Errors
/// `secret_refused`, naming the rule and the field, never the secret.
pub fn keep_text(field: &str, text: &mut String, notes: &mut Vec<String>) -> Result<(), Failure> {
    let (cleaned, found) = clean(text);
    for one in &found {
        notes.push(format!("{}: {} {} removed", field, one.count, one.kind.as_str()));
    }
    if !found.is_empty() {
        *text = cleaned.into_owned();
    }
    match secrets(text).first() {
        Some(secret) => {
            let message = format!("{field} holds what looks like a secret (rule {})", secret.rule);
            Err(Failure::new(ErrorCode::SecretRefused, message))
        }
        None => Ok(()),
    }
}

/// Looks every text of an object through: names and values, to any depth.
///
/// # Errors
/// `secret_refused`, naming the rule and the path of the field.
pub fn keep_object(field: &str, object: &mut JsonMap, notes: &mut Vec<String>) -> Result<(), Failure> {
    for (name, value) in object.iter_mut() {
        let path = format!("{field}.{name}");
        // A name tells what its value is: {"password": "…"} is an assignment too.
        if let Value::String(text) = value {
            keep_text(&path, &mut format!("{name}: {text}"), &mut Vec::new())?;
        }
        keep_value(&path, value, notes)?;
    }
    Ok(())
}

fn keep_value(path: &str, value: &mut Value, notes: &mut Vec<String>) -> Result<(), Failure> {
    match value {
        Value::String(text) => keep_text(path, text, notes),
        Value::Array(items) => items.iter_mut().try_for_each(|item| keep_value(path, item, notes)),
        Value::Object(inner) => keep_object(path, inner, notes),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{AgentName, Author, Dialect, Moment, Origin, Provenance};
    use serde_json::json;

    fn note(text: &str) -> NewMemory {
        let author = Author {
            agent: AgentName::new("test"),
            client: None,
            dialect: Dialect::Quipu,
            tool: "remember".into(),
        };
        let origin = Origin::Agent;
        NewMemory::note(text, Provenance { author, origin, trust: origin.trust(), at: Moment(0) })
    }

    /// Made at run time, so that no secret-looking text stands in the source.
    fn token() -> String {
        format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5")
    }

    #[test]
    fn a_secret_in_any_field_refuses_the_memory_and_is_not_repeated() {
        let fields: [fn(&mut NewMemory, String); 5] = [
            |memory, secret| memory.text = format!("the token is {secret}"),
            |memory, secret| memory.title = Some(secret),
            |memory, secret| memory.summary = Some(secret),
            |memory, secret| memory.tags = vec![secret],
            |memory, secret| {
                memory.metadata = json!({"a": [{"b": secret}]}).as_object().cloned().unwrap_or_default()
            },
        ];
        for set in fields {
            let mut memory = note("plain");
            set(&mut memory, token());
            let refusal = keep(&mut memory).unwrap_err();
            assert_eq!(refusal.code, ErrorCode::SecretRefused);
            assert!(!refusal.message.contains("aB3dE5"), "{}", refusal.message);
        }
    }

    #[test]
    fn invisible_characters_are_taken_out_and_reported() {
        let mut memory = note("pay\u{202e}pal");
        let notes = keep(&mut memory).unwrap();
        assert_eq!(memory.text, "paypal");
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].starts_with("text: 1 "), "{notes:?}");
    }

    #[test]
    fn ordinary_text_passes_untouched() {
        let mut memory = note("The password policy asks for twelve characters.");
        assert_eq!(keep(&mut memory), Ok(vec![]));
        assert_eq!(memory.text, "The password policy asks for twelve characters.");
    }
}
