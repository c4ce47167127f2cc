//! The text functions whose built-in versions compare every place of one text with all of another: over two long
//! texts a single call outruns any deadline. These do the same in one pass.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Error, Result};
use std::borrow::Cow;
use std::collections::HashSet;

/// Puts the bounded functions in place of the built-in ones.
pub(crate) fn replace_unbounded(conn: &Connection) -> Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    conn.create_scalar_function("instr", 2, flags, |call| {
        Ok(both(call).map(|(text, part)| instr(&text, &part)))
    })?;
    conn.create_scalar_function("replace", 3, flags, replace)?;
    let ends = [("trim", true, true), ("ltrim", true, false), ("rtrim", false, true)];
    for (name, left, right) in ends {
        conn.create_scalar_function(name, 2, flags, move |call| {
            Ok(both(call).map(|(text, of)| trimmed(&text, &of, left, right).to_owned()))
        })?;
    }
    Ok(())
}

/// The place of the first occurrence in characters, from 1; 0 when there is none.
fn instr(text: &str, part: &str) -> i64 {
    let place = text.find(part).map_or(0, |at| text.get(..at).map_or(0, |before| before.chars().count()) + 1);
    i64::try_from(place).unwrap_or(i64::MAX)
}

fn replace(call: &Context<'_>) -> Result<ToSqlOutput<'static>> {
    let texts = (text(call, 0), text(call, 1), text(call, 2));
    let (Some(text), Some(from), Some(to)) = texts else { return Ok(ToSqlOutput::Owned(Value::Null)) };
    if from.is_empty() {
        return Ok(ToSqlOutput::Owned(Value::Text(text.into_owned())));
    }
    let most = model::limits::SQL_VALUE_BYTES;
    // Measured before it is made: a small text may grow without bound.
    let size = text.len() + text.matches(from.as_ref()).count() * to.len().saturating_sub(from.len());
    if size > most {
        return Err(Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_TOOBIG), None));
    }
    Ok(ToSqlOutput::Owned(Value::Text(text.replace(from.as_ref(), &to))))
}

fn trimmed<'t>(text: &'t str, of: &str, left: bool, right: bool) -> &'t str {
    let set: HashSet<char> = of.chars().collect();
    let text = if left { text.trim_start_matches(|c| set.contains(&c)) } else { text };
    if right { text.trim_end_matches(|c| set.contains(&c)) } else { text }
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
