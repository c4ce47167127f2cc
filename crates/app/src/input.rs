//! User input: text from arguments or standard input, JSON in an argument, and terminal prompts.

use crate::exit::Problem;
use model::{JsonMap, Moment};
use serde::Serialize;
use serde_json::Value;
use std::io::{BufRead, IsTerminal, Read, Write};

/// Joins the words of an argument list, or reads standard input if there are none or just `-`.
/// Returns `None` if there are no words and standard input is a terminal: waiting there without a
/// prompt would look like a hang.
///
/// # Errors
/// Fails when standard input is longer than `bytes_max` or is not UTF-8.
pub fn read_text(words: &[String], bytes_max: usize) -> Result<Option<String>, Problem> {
    let piped = words == ["-"] || (words.is_empty() && !stdin_is_terminal());
    if piped {
        return read_to_text(std::io::stdin().lock(), bytes_max, "standard input").map(Some);
    }
    Ok((!words.is_empty()).then(|| words.join(" ")))
}

/// Reads a whole stream as text; `name` is used in error messages.
///
/// # Errors
/// Fails when it is longer than `bytes_max`, is not UTF-8, or cannot be read.
pub fn read_to_text(reader: impl Read, bytes_max: usize, name: &str) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    let read = reader.take(bytes_max as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| {
        Problem::failed(format!("cannot read {name}: {error}"), "Check where it comes from.")
    })?;
    if bytes.len() > bytes_max {
        let message = format!("{name} is longer than {bytes_max} bytes");
        return Err(Problem::usage(message, "Shorten it, or split it into several."));
    }
    String::from_utf8(bytes)
        .map_err(|_| Problem::usage(format!("{name} is not UTF-8 text"), "Convert it to UTF-8."))
}

/// Converts the options of a command to tool arguments, leaving out those that were not given.
///
/// # Errors
/// Fails when the value does not serialize to an object, which no options type does.
pub fn tool_arguments(options: &impl Serialize) -> Result<JsonMap, Problem> {
    match serde_json::to_value(options) {
        Ok(Value::Object(mut arguments)) => {
            arguments.retain(|_, value| !is_absent(value));
            Ok(arguments)
        }
        other => Err(Problem::usage(
            format!("the options do not serialize to an object: {other:?}"),
            "Report this as a bug.",
        )),
    }
}

fn is_absent(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Parses an argument as a JSON object.
///
/// # Errors
/// Fails when it is not one; clap shows the message.
pub fn json_object(text: &str) -> Result<JsonMap, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("expected a JSON object, such as '{\"food\": \"pizza\"}'".to_owned()),
        Err(error) => Err(format!(
            "not JSON ({error}); expected an object, such as '{{\"food\": \"pizza\"}}'"
        )),
    }
}

/// Returns true if standard input is a terminal.
pub fn stdin_is_terminal() -> bool {
    std::io::stdin().is_terminal()
}

/// Asks a question on the terminal and returns the line typed. The question goes to standard error,
/// so that it shows even if the output is piped.
///
/// # Errors
/// Fails when the terminal cannot be used.
pub fn prompt(question: &str) -> Result<String, Problem> {
    let failed = |error: std::io::Error| {
        Problem::failed(format!("cannot use the terminal: {error}"), "Confirm with --yes instead.")
    };
    let mut err = std::io::stderr().lock();
    write!(err, "{question} ").and_then(|()| err.flush()).map_err(failed)?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(failed)?;
    Ok(line.trim().to_owned())
}

/// Returns the moment this many days from now.
pub fn days_from_now(days: u32) -> Moment {
    use engine::Clock;
    engine::SystemClock.now().plus_days(i64::from(days))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_are_joined_to_one_text() {
        assert_eq!(
            read_text(&["we".into(), "use  Go".into()], 100).unwrap().as_deref(),
            Some("we use  Go")
        );
    }

    #[test]
    fn input_that_is_too_long_or_not_utf8_is_refused() {
        assert_eq!(read_to_text(&b"12345"[..], 5, "it").unwrap(), "12345");
        assert!(read_to_text(&b"123456"[..], 5, "it").is_err());
        assert!(read_to_text(&b"\xff"[..], 5, "it").is_err());
    }

    #[test]
    fn options_that_were_not_given_are_left_out() {
        let given =
            tool_arguments(&json!({"a": null, "b": [], "c": false, "d": 0, "e": "", "f": {}}))
                .unwrap();
        assert_eq!(given.keys().collect::<Vec<_>>(), ["d", "e", "f"]);
    }

    #[test]
    fn only_json_objects_are_accepted() {
        assert!(json_object("{\"a\": 1}").is_ok());
        assert!(json_object("[1]").unwrap_err().contains("object"));
        assert!(json_object("{a}").unwrap_err().contains("not JSON"));
    }
}
