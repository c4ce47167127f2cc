//! Comma-, semicolon- or tab-separated values. With a heading that names a column of texts, the
//! other columns are read by their names; without one, the first column has the texts.

use super::json_records::JsonRecords;
use crate::foreign::UnknownFormat;
use serde_json::{Map, Value};

/// Names of a column with texts.
const TEXT_COLUMNS: [&str; 8] =
    ["memory", "fact", "text", "content", "statement", "observation", "note", "body"];

/// Reads the rows as records.
///
/// # Errors
/// Fails when there is no row.
pub(crate) fn csv_records(text: &str) -> Result<JsonRecords, UnknownFormat> {
    let rows = split_rows(text, delimiter(text));
    let Some((first, rest)) = rows.split_first() else {
        return Err(UnknownFormat("it has no rows".to_owned()));
    };
    let names: Vec<String> = first.iter().map(|cell| cell.trim().to_lowercase()).collect();
    let is_heading = names.iter().any(|name| TEXT_COLUMNS.contains(&name.as_str()));
    let records = if is_heading {
        rest.iter().map(|row| record(&names, row)).collect()
    } else {
        let texts = rows.iter().filter_map(|row| row.first().cloned());
        texts.map(Value::String).collect()
    };
    Ok(JsonRecords::new("a table", records))
}

fn record(names: &[String], row: &[String]) -> Value {
    let cells = names.iter().zip(row).filter(|(_, cell)| !cell.trim().is_empty());
    let fields = cells.map(|(name, cell)| (name.clone(), cell_value(name, cell)));
    Value::Object(fields.collect::<Map<String, Value>>())
}

/// Returns the value of a cell. Only a measure is a number; a text of digits stays a text.
fn cell_value(name: &str, cell: &str) -> Value {
    let number = || serde_json::from_str(cell.trim()).ok().filter(Value::is_number);
    let is_measure = matches!(name, "confidence" | "priority");
    is_measure.then(number).flatten().unwrap_or_else(|| Value::from(cell))
}

/// Returns the delimiter that the first line has most of.
fn delimiter(text: &str) -> char {
    let first = text.lines().next().unwrap_or_default();
    let count = |delimiter: &char| first.matches(*delimiter).count();
    [',', ';', '\t'].into_iter().rev().max_by_key(count).unwrap_or(',')
}

/// Splits into rows of cells. A quoted cell may contain delimiters, line breaks and doubled quotes.
fn split_rows(text: &str, delimiter: char) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut chars) = (false, text.chars().peekable());
    while let Some(character) = chars.next() {
        match character {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' if quoted || cell.trim().is_empty() => quoted = !quoted,
            '\r' if !quoted => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            other if other == delimiter && !quoted => row.push(std::mem::take(&mut cell)),
            other => cell.push(other),
        }
    }
    row.push(cell);
    rows.push(row);
    rows.retain(|row: &Vec<String>| row.iter().any(|cell| !cell.trim().is_empty()));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_delimiters_and_line_breaks() {
        let rows = split_rows("text,tags\r\n\"a, \"\"b\"\"\nc\",x\r\n\r\nd,", ',');
        assert_eq!(rows, [vec!["text", "tags"], vec!["a, \"b\"\nc", "x"], vec!["d", ""]]);
    }

    #[test]
    fn the_delimiter_is_the_one_that_the_heading_uses() {
        assert_eq!(
            (delimiter("a;b;c"), delimiter("a\tb"), delimiter("a,b"), delimiter("a")),
            (';', '\t', ',', ',')
        );
    }
}
