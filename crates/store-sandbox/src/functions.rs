//! The text functions whose built-in versions compare every place of one text with much of another:
//! over long texts a single call, or the calls of a single row, outrun any deadline. These read
//! each text once or nearly so, and over a long one they ask first whether time is up.

use crate::patterns;
use crate::watch::Verdict;
use model::limits;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Error, Result, ffi};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// From how many bytes on a text is long.
const LONG: usize = 4_096;

/// Puts the bounded functions in place of the built-in ones.
pub(crate) fn replace_unbounded(conn: &Connection, verdict: &Arc<Verdict>) -> Result<()> {
    let add = |name: &str, arguments: i32, run: fn(&Context<'_>) -> Result<Value>| {
        let verdict = Arc::clone(verdict);
        conn.create_scalar_function(name, arguments, FLAGS, move |call| {
            in_time(call, &verdict)?;
            run(call).map(ToSqlOutput::Owned)
        })
    };
    add("like", 2, like)?;
    add("like", 3, like)?;
    add("glob", 2, glob)?;
    add("instr", 2, |call| Ok(both(call).map_or(Value::Null, |(text, part)| instr(&text, &part))))?;
    add("replace", 3, replace)?;
    add("trim", 2, |call| Ok(trimmed(call, true, true)))?;
    add("ltrim", 2, |call| Ok(trimmed(call, true, false)))?;
    add("rtrim", 2, |call| Ok(trimmed(call, false, true)))
}

const FLAGS: FunctionFlags = FunctionFlags::SQLITE_UTF8
    .union(FunctionFlags::SQLITE_DETERMINISTIC)
    .union(FunctionFlags::SQLITE_INNOCUOUS);

/// Stops a call over a long text when time is up.
fn in_time(call: &Context<'_>, verdict: &Verdict) -> Result<()> {
    let long = (0..call.len()).any(|place| match call.get_raw(place) {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len() > LONG,
        _ => false,
    });
    if long && verdict.is_late() { Err(refused("time is up")) } else { Ok(()) }
}

fn like(call: &Context<'_>) -> Result<Value> {
    let Some((pattern, text)) = both(call) else { return Ok(Value::Null) };
    check_pattern(&pattern)?;
    let escape = if call.len() == 3 { Some(escape(call)?) } else { None };
    Ok(Value::Integer(patterns::like(pattern.as_bytes(), text.as_bytes(), escape).into()))
}

fn escape(call: &Context<'_>) -> Result<char> {
    let given = text(call, 2).unwrap_or_default();
    let mut characters = given.chars();
    match (characters.next(), characters.next()) {
        (Some(escape), None) => Ok(escape),
        _ => Err(refused("ESCAPE must be a single character")),
    }
}

fn glob(call: &Context<'_>) -> Result<Value> {
    let Some((pattern, text)) = both(call) else { return Ok(Value::Null) };
    check_pattern(&pattern)?;
    Ok(Value::Integer(patterns::glob(&pattern, text.as_bytes()).into()))
}

fn check_pattern(pattern: &str) -> Result<()> {
    let most = limits::SQL_PATTERN_BYTES;
    let long =
        format!("the pattern of LIKE or GLOB has {} bytes; the limit is {most}", pattern.len());
    if pattern.len() > most { Err(refused(&long)) } else { Ok(()) }
}

/// The place of the first occurrence in characters, from 1; 0 when there is none.
fn instr(text: &str, part: &str) -> Value {
    let place = text.find(part).map_or(0, |at| text[..at].chars().count() + 1);
    Value::Integer(i64::try_from(place).unwrap_or(i64::MAX))
}

fn replace(call: &Context<'_>) -> Result<Value> {
    let texts = (text(call, 0), text(call, 1), text(call, 2));
    let (Some(text), Some(from), Some(to)) = texts else { return Ok(Value::Null) };
    if from.is_empty() {
        return Ok(Value::Text(text.into_owned()));
    }
    // Measured before it is made: a small text may grow without bound.
    let size =
        text.len() + text.matches(from.as_ref()).count() * to.len().saturating_sub(from.len());
    if size > limits::SQL_VALUE_BYTES {
        return Err(Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_TOOBIG), None));
    }
    Ok(Value::Text(text.replace(from.as_ref(), &to)))
}

fn trimmed(call: &Context<'_>, left: bool, right: bool) -> Value {
    let Some((text, of)) = both(call) else { return Value::Null };
    let set: HashSet<char> = of.chars().collect();
    let text = if left { text.trim_start_matches(|c| set.contains(&c)) } else { &text };
    let text = if right { text.trim_end_matches(|c| set.contains(&c)) } else { text };
    Value::Text(text.to_owned())
}

fn both<'c>(call: &'c Context<'_>) -> Option<(Cow<'c, str>, Cow<'c, str>)> {
    Some((text(call, 0)?, text(call, 1)?))
}

/// An argument as SQLite would cast it to text; nothing when it is null.
fn text<'c>(call: &'c Context<'_>, place: usize) -> Option<Cow<'c, str>> {
    match call.get_raw(place) {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string().into()),
        ValueRef::Real(number) => Some(format!("{number:?}").into()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes)),
    }
}

fn refused(words: &str) -> Error {
    Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_ERROR), Some(words.to_owned()))
}
