//! Audit events as comma-separated values (RFC 4180). A value that a spreadsheet would run as a
//! formula is escaped.

use model::AuditEvent;

const HEADER: &str =
    "id,at,outcome,agent,client,dialect,tool,resource,note,duration_us,arguments\r\n";

/// Renders the events, one per line, below a header line.
pub(super) fn table(events: &[AuditEvent]) -> String {
    let lines = events.iter().map(line);
    std::iter::once(HEADER.to_owned()).chain(lines).collect()
}

fn line(event: &AuditEvent) -> String {
    let AuditEvent { id, author, resource, outcome, at, duration_us, arguments, note, .. } = event;
    let cells = [
        id.to_string(),
        at.to_string(),
        outcome.name().to_owned(),
        author.agent.to_string(),
        author.client.clone().unwrap_or_default(),
        author.dialect.name().to_owned(),
        author.tool.clone(),
        resource.clone(),
        note.clone(),
        duration_us.to_string(),
        arguments.to_string(),
    ];
    let cells: Vec<String> = cells.iter().map(|cell| quote_cell(cell)).collect();
    format!("{}\r\n", cells.join(","))
}

fn quote_cell(cell: &str) -> String {
    // A leading apostrophe makes spreadsheets treat the cell as text (CSV injection).
    let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let cell = if formula { format!("'{cell}") } else { cell.to_owned() };
    if cell.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_as_needed_and_formulas_are_escaped() {
        assert_eq!(quote_cell("created 17"), "created 17");
        assert_eq!(quote_cell("a \"b\", c"), "\"a \"\"b\"\", c\"");
        assert_eq!(quote_cell("=1+1"), "'=1+1");
        assert_eq!(quote_cell("two\nlines"), "\"two\nlines\"");
    }
}
