//! Replacements for built-in text functions that compare every position of one text with much of
//! another. On long texts a single call of a built-in one, or the calls of a single row, would
//! outrun any deadline. These are linear or nearly so, and check the deadline before they read a
//! long text.

use crate::patterns;
use crate::progress_handler::StopSignal;
use model::limits;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Error, Result, ffi};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// Length in bytes above which a call checks the deadline first; calls over shorter texts are
/// quick.
const LONG_TEXT_BYTES: usize = 4_096;

/// Replaces the built-in functions.
pub(crate) fn replace_unbounded(conn: &Connection, stop_signal: &Arc<StopSignal>) -> Result<()> {
    let add = |name: &str, arguments: i32, run: fn(&Context<'_>) -> Result<Value>| {
        let stop_signal = Arc::clone(stop_signal);
        conn.create_scalar_function(name, arguments, FLAGS, move |call| {
            check_deadline(call, &stop_signal)?;
            run(call).map(ToSqlOutput::Owned)
        })
    };
    add("like", 2, like)?;
    add("like", 3, like)?;
    add("glob", 2, glob)?;
    add("instr", 2, |call| {
        Ok(two_texts(call).map_or(Value::Null, |(text, part)| instr(&text, &part)))
    })?;
    add("replace", 3, replace)?;
    add("trim", 2, |call| Ok(trim(call, true, true)))?;
    add("ltrim", 2, |call| Ok(trim(call, true, false)))?;
    add("rtrim", 2, |call| Ok(trim(call, false, true)))
}

const FLAGS: FunctionFlags = FunctionFlags::SQLITE_UTF8
    .union(FunctionFlags::SQLITE_DETERMINISTIC)
    .union(FunctionFlags::SQLITE_INNOCUOUS);

/// Fails a call over a long text after the deadline.
fn check_deadline(call: &Context<'_>, stop_signal: &StopSignal) -> Result<()> {
    let long = (0..call.len()).any(|index| match call.get_raw(index) {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len() > LONG_TEXT_BYTES,
        _ => false,
    });
    if long && stop_signal.is_past_deadline() {
        Err(function_error("the time limit was exceeded"))
    } else {
        Ok(())
    }
}

fn like(call: &Context<'_>) -> Result<Value> {
    let Some((pattern, text)) = two_texts(call) else { return Ok(Value::Null) };
    check_pattern(&pattern)?;
    let escape = if call.len() == 3 { Some(escape(call)?) } else { None };
    Ok(Value::Integer(patterns::like(pattern.as_bytes(), text.as_bytes(), escape).into()))
}

fn escape(call: &Context<'_>) -> Result<char> {
    let given = text_argument(call, 2).unwrap_or_default();
    let mut characters = given.chars();
    match (characters.next(), characters.next()) {
        (Some(escape), None) => Ok(escape),
        _ => Err(function_error("ESCAPE must be a single character")),
    }
}

fn glob(call: &Context<'_>) -> Result<Value> {
    let Some((pattern, text)) = two_texts(call) else { return Ok(Value::Null) };
    check_pattern(&pattern)?;
    Ok(Value::Integer(patterns::glob(&pattern, text.as_bytes()).into()))
}

fn check_pattern(pattern: &str) -> Result<()> {
    let most = limits::SQL_PATTERN_BYTES;
    let long = format!("the LIKE or GLOB pattern has {} bytes; the limit is {most}", pattern.len());
    if pattern.len() > most { Err(function_error(&long)) } else { Ok(()) }
}

/// Returns the position of the first occurrence in characters, from 1; 0 when there is none.
fn instr(text: &str, part: &str) -> Value {
    let position = text.find(part).map_or(0, |at| text[..at].chars().count() + 1);
    Value::Integer(i64::try_from(position).unwrap_or(i64::MAX))
}

fn replace(call: &Context<'_>) -> Result<Value> {
    let texts = (text_argument(call, 0), text_argument(call, 1), text_argument(call, 2));
    let (Some(text), Some(from), Some(to)) = texts else { return Ok(Value::Null) };
    if from.is_empty() {
        return Ok(Value::Text(text.into_owned()));
    }
    // Measured before the text is built: a small text may grow without bound.
    let size =
        text.len() + text.matches(from.as_ref()).count() * to.len().saturating_sub(from.len());
    if size > limits::SQL_VALUE_BYTES {
        return Err(Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_TOOBIG), None));
    }
    Ok(Value::Text(text.replace(from.as_ref(), &to)))
}

fn trim(call: &Context<'_>, left: bool, right: bool) -> Value {
    let Some((text, of)) = two_texts(call) else { return Value::Null };
    let set: HashSet<char> = of.chars().collect();
    let text = if left { text.trim_start_matches(|c| set.contains(&c)) } else { &text };
    let text = if right { text.trim_end_matches(|c| set.contains(&c)) } else { text };
    Value::Text(text.to_owned())
}

fn two_texts<'c>(call: &'c Context<'_>) -> Option<(Cow<'c, str>, Cow<'c, str>)> {
    Some((text_argument(call, 0)?, text_argument(call, 1)?))
}

/// Returns an argument as SQLite would cast it to text; `None` for null.
fn text_argument<'c>(call: &'c Context<'_>, index: usize) -> Option<Cow<'c, str>> {
    match call.get_raw(index) {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string().into()),
        ValueRef::Real(number) => Some(format!("{number:?}").into()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes)),
    }
}

fn function_error(words: &str) -> Error {
    Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_ERROR), Some(words.to_owned()))
}
