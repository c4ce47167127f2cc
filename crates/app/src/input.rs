//! What people type: texts from arguments or standard input, JSON in an argument, and a yes or no.

use crate::exit::Problem;
use model::{JsonMap, Moment};
use serde::Serialize;
use serde_json::Value;
use std::io::{BufRead, IsTerminal, Read, Write};

/// The words of an argument list as one text, or standard input when there are none or just `-`.
/// `None` when there is neither: nobody is asked to type into a terminal that says nothing.
///
/// # Errors
/// When standard input is longer than `bytes_max` or is not text.
pub fn text_from(words: &[String], bytes_max: usize) -> Result<Option<String>, Problem> {
    let piped = words == ["-"] || (words.is_empty() && !somebody_is_there());
    if piped {
        return read_all(std::io::stdin().lock(), bytes_max, "standard input").map(Some);
    }
    Ok((!words.is_empty()).then(|| words.join(" ")))
}

/// All of a reader as text.
///
/// # Errors
/// When it is longer than `bytes_max`, is not text, or cannot be read.
pub fn read_all(reader: impl Read, bytes_max: usize, name: &str) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    let read = reader.take(bytes_max as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| {
        Problem::failed(format!("reading {name} failed: {error}"), "Check where it comes from.")
    })?;
    if bytes.len() > bytes_max {
        let message = format!("{name} is longer than {bytes_max} bytes");
        return Err(Problem::usage(message, "Shorten it, or cut it into several."));
    }
    String::from_utf8(bytes)
        .map_err(|_| Problem::usage(format!("{name} is not UTF-8 text"), "Convert it to UTF-8."))
}

/// The fields of a value as arguments of a tool; what was not given is left out.
///
/// # Errors
/// Never for the options of a command; the signature leaves room for a value that is no object.
pub fn arguments(options: &impl Serialize) -> Result<JsonMap, Problem> {
    match serde_json::to_value(options) {
        Ok(Value::Object(mut given)) => {
            given.retain(|_, value| !is_nothing(value));
            Ok(given)
        }
        other => Err(Problem::usage(
            format!("the options make no object: {other:?}"),
            "Report this as a bug.",
        )),
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// A JSON object in an argument.
///
/// # Errors
/// When it is none; clap shows the sentence.
pub fn json_object(text: &str) -> Result<JsonMap, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("it is JSON, but not an object; write it as {\"food\": \"pizza\"}".to_owned()),
        Err(error) => {
            Err(format!("it is not JSON ({error}); write it as '{{\"food\": \"pizza\"}}'"))
        }
    }
}

/// Whether a person sits at the other end of standard input.
pub fn somebody_is_there() -> bool {
    std::io::stdin().is_terminal()
}

/// Asks a question on the terminal.
///
/// # Errors
/// When the terminal cannot be read.
pub fn asked(question: &str) -> Result<String, Problem> {
    let failed = |error: std::io::Error| {
        Problem::failed(
            format!("the terminal cannot be used: {error}"),
            "Confirm with --yes instead.",
        )
    };
    let mut err = std::io::stderr().lock();
    write!(err, "{question} ").and_then(|()| err.flush()).map_err(failed)?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(failed)?;
    Ok(line.trim().to_owned())
}

/// The moment this many days from now.
pub fn days_from_now(days: u32) -> Moment {
    use engine::Clock;
    engine::SystemClock.now().plus_seconds(i64::from(days) * 86_400)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_are_one_text() {
        assert_eq!(
            text_from(&["we".into(), "use  Go".into()], 100).unwrap().as_deref(),
            Some("we use  Go")
        );
    }

    #[test]
    fn a_text_that_is_too_long_or_no_text_is_refused() {
        assert_eq!(read_all(&b"12345"[..], 5, "it").unwrap(), "12345");
        assert!(read_all(&b"123456"[..], 5, "it").is_err());
        assert!(read_all(&b"\xff"[..], 5, "it").is_err());
    }

    #[test]
    fn what_was_not_given_is_no_argument() {
        let given =
            arguments(&json!({"a": null, "b": [], "c": false, "d": 0, "e": "", "f": {}})).unwrap();
        assert_eq!(given.keys().collect::<Vec<_>>(), ["d", "e", "f"]);
    }

    #[test]
    fn only_an_object_is_an_object() {
        assert!(json_object("{\"a\": 1}").is_ok());
        assert!(json_object("[1]").unwrap_err().contains("object"));
        assert!(json_object("{a}").unwrap_err().contains("not JSON"));
    }
}
