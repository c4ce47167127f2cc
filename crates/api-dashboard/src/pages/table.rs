//! Page of one table: a grid with sorting, filtering, and typed editing.

mod export;

pub(super) use export::export;

use super::components::{counted, empty_state, form_error, pager, percent_encode};
use super::shell::PageContent;
use crate::request_context::RequestContext;
use crate::v1::{TablePath, row_tag};
use engine::tables::{QueryTableRequest, RecordFilter, RowOrder, TableRows};
use maud::{Markup, html};
use model::{Column, ColumnType, Failure, JsonMap, Record};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Number of rows on a page.
const SIZE: usize = 50;

/// Operators of the filter: the engine's name and the label.
const OPERATORS: &[(&str, &str)] = &[
    ("contains", "contains"),
    ("eq", "is"),
    ("ne", "is not"),
    ("gte", "at least"),
    ("lte", "at most"),
    ("gt", "more than"),
    ("lt", "less than"),
];

/// Query of the page: filter, order and cursor.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TablePageQuery {
    order: Option<String>,
    down: Option<String>,
    column: Option<String>,
    test: Option<String>,
    value: Option<String>,
    /// Further filters as JSON: a list of column, test and value.
    also: Option<String>,
    cursor: Option<usize>,
}

/// Filter of a column: its name, the test, and the value.
type ColumnFilter = (String, String, String);

impl TablePageQuery {
    /// Returns all filters, the one of the form last.
    fn all_filters(&self) -> Vec<ColumnFilter> {
        let also = self.also.as_deref().and_then(|also| serde_json::from_str(also).ok());
        let mut filters: Vec<ColumnFilter> = also.unwrap_or_default();
        if let (Some(column), Some(value)) = (&self.column, &self.value)
            && !value.is_empty()
        {
            let test = self.test.clone().unwrap_or_else(|| "contains".to_owned());
            filters.push((column.clone(), test, value.clone()));
        }
        filters
    }

    /// Returns the address of the table with these filters and the same order.
    fn filtered_link(&self, table: &str, filters: &[ColumnFilter]) -> String {
        let also = (!filters.is_empty()).then(|| json!(filters).to_string());
        let only = Self { also, ..Self::default() };
        let order = self.order.as_deref().map(|column| (column, self.down.is_some()));
        only.link(table, order)
    }

    fn query(&self, table: &str) -> Result<QueryTableRequest, Failure> {
        let order =
            self.order.clone().map(|column| RowOrder { column, descending: self.down.is_some() });
        let filters = RecordFilter::parse(&self.filter())?;
        Ok(QueryTableRequest {
            table: table.to_owned(),
            filters,
            order,
            limit: Some(SIZE),
            offset: self.cursor.unwrap_or(0),
        })
    }

    /// Builds the filter for the engine: several tests of one column all apply. A number is
    /// compared as a number.
    fn filter(&self) -> JsonMap {
        let mut all = JsonMap::new();
        for (column, test, value) in self.all_filters() {
            let typed = serde_json::from_str(&value)
                .ok()
                .filter(|value: &Value| value.is_number() || value.is_boolean());
            // `contains` always compares text.
            let text = Value::from(value);
            let operand = if test == "contains" { text } else { typed.unwrap_or(text) };
            let tests = all.entry(column).or_insert_with(|| json!({}));
            if let Value::Object(tests) = tests {
                tests.insert(test, operand);
            }
        }
        all
    }

    fn link(&self, table: &str, order: Option<(&str, bool)>) -> String {
        let mut link = format!("/tables/{}?", percent_encode(table));
        let mut add =
            |name: &str, value: &str| link.push_str(&format!("{name}={}&", percent_encode(value)));
        if let Some((column, down)) = order {
            add("order", column);
            if down {
                add("down", "1")
            }
        }
        for (name, value) in [
            ("column", &self.column),
            ("test", &self.test),
            ("value", &self.value),
            ("also", &self.also),
        ] {
            value.iter().filter(|value| !value.is_empty()).for_each(|value| add(name, value));
        }
        link.trim_end_matches(['&', '?']).to_owned()
    }
}

pub(super) async fn page(
    context: RequestContext,
    path: TablePath,
    page_query: TablePageQuery,
) -> Result<PageContent, Failure> {
    let found =
        context.engine.tables().query(&context.caller, &page_query.query(&path.table)?).await?;
    let (table, name) = (&found.table, &found.table.name);
    let order = page_query.order.as_deref().map(|column| (column, page_query.down.is_some()));
    let offset = page_query.cursor.unwrap_or(0);
    let export = format!("/tables/{}/export?as=", percent_encode(name));
    let body = html! {
        p.crumb { a href="/tables" { "Tables" } " / " span dir="auto" { (name) } }
        div.heading {
            h1 dir="auto" { (name) }
            span { a href={ (export) "csv" } { "CSV" } " " a href={ (export) "json" } { "JSON" } }
        }
        @if let Some(description) = &table.description { p.lead dir="auto" { (description) } }
        (filter(&page_query, table.columns.as_slice(), name))
        @if found.rows.is_empty() {
            (empty_state("No rows", html! {
                p {
                    "No row matches this filter. "
                    a href={ "/tables/" (percent_encode(name)) } { "Show all" }
                }
            }))
        } @else { (grid(&page_query, &found)) }
        (pager(&page_query.link(name, order), offset, found.rows.len(), found.total, SIZE))
        (add_row(name, &table.columns))
    };
    Ok(PageContent { title: name.clone(), nav_path: "/tables", body })
}

fn filter(page_query: &TablePageQuery, columns: &[Column], table: &str) -> Markup {
    html! {
        form.inline action={ "/tables/" (percent_encode(table)) } {
            label {
                span { "Column" }
                select name="column" {
                    @for column in columns {
                        option
                            selected[page_query.column.as_deref() == Some(column.name.as_str())] {
                            (column.name)
                        }
                    }
                }
            }
            label {
                span { "Test" }
                select name="test" {
                    @for (test, word) in OPERATORS {
                        option value=(test) selected[page_query.test.as_deref() == Some(test)] {
                            (word)
                        }
                    }
                }
            }
            label { span { "Value" } input name="value" dir="auto"; }
            @let filters = page_query.all_filters();
            @if !filters.is_empty() { input type="hidden" name="also" value=(json!(filters)); }
            @if let Some(order) = &page_query.order {
                input type="hidden" name="order" value=(order);
            }
            @if page_query.down.is_some() { input type="hidden" name="down" value="1"; }
            button { "Filter" } a href={ "/tables/" (percent_encode(table)) } { "Clear" }
        }
        (filter_chips(page_query, table))
    }
}

/// Renders the filters that apply, each with a link that removes it.
fn filter_chips(page_query: &TablePageQuery, table: &str) -> Markup {
    let filters = page_query.all_filters();
    let words = |test: &str| {
        OPERATORS.iter().find(|(name, _)| *name == test).map_or("", |(_, word)| word).to_owned()
    };
    let without = |at: usize| {
        let mut rest = filters.clone();
        rest.remove(at);
        page_query.filtered_link(table, &rest)
    };
    html! {
        @if !filters.is_empty() {
            nav.chips aria-label="Filters" {
                @for (at, (column, test, value)) in filters.iter().enumerate() {
                    a href=(without(at)) dir="auto" {
                        (column) " " (words(test)) " " (value) " ×"
                        span.hidden { " remove" }
                    }
                }
            }
        }
    }
}

/// Renders the choice of columns, the chart, and the actions for the selected rows.
fn grid_tools(columns: &[Column]) -> Markup {
    html! {
        div.list-tools {
            label.check { input #pick-all type="checkbox"; "Select all" }
            details #columns {
                summary { "Columns" }
                @for column in columns {
                    label.check { input type="checkbox" value=(column.name) checked; (column.name) }
                    " "
                }
            }
            (super::console::chart_choice())
        }
        ul.bars #chart {}
        section #bulk.bulk hidden aria-label="Actions for the selected rows" {
            p { b #picked { "0" } " selected" }
            button #duplicate-rows type="button" { "Duplicate" }
            button.danger #delete-rows type="button" { "Delete" }
        }
    }
}

fn grid(page_query: &TablePageQuery, found: &TableRows) -> Markup {
    let table = &found.table;
    let sorted = |name: &str| page_query.order.as_deref() == Some(name);
    let direction = |name: &str| {
        if !sorted(name) {
            "none"
        } else if page_query.down.is_some() {
            "descending"
        } else {
            "ascending"
        }
    };
    html! {
        p.found {
            (counted(found.total, "row", "rows"))
            span.note.keys-hint { " · double-click a cell, or press Enter on it, to edit it" }
        }
        (grid_tools(&table.columns))
        div.scroll tabindex="0" role="region" aria-label={ "Rows of " (table.name) } {
            table.stacks data-grid=(table.name) {
                thead {
                    tr {
                        th scope="col" { "#" }
                        @for column in &table.columns {
                            th scope="col" aria-sort=(direction(&column.name))
                                data-column=(column.name)
                                data-type=(column.kind.compared_as().name()) {
                                // A second click on the sorted column reverses the order.
                                @let down = sorted(&column.name) && page_query.down.is_none();
                                @let order = Some((column.name.as_str(), down));
                                a dir="auto" href=(page_query.link(&table.name, order)) {
                                    (column.name)
                                }
                                " " small { (column.kind.compared_as().name()) }
                            }
                        }
                        th scope="col" { span.hidden { "Actions" } }
                    }
                }
                tbody { @for record in &found.rows { (row(&table.columns, record)) } }
            }
        }
    }
}

fn row(columns: &[Column], record: &Record) -> Markup {
    let at = format!("/v1/tables/{}/rows/{}", percent_encode(&record.table), record.id);
    html! {
        tr data-row=(record.id) data-tag=(row_tag(record)) {
            th scope="row" data-label="Row" {
                input.pick type="checkbox" value=(record.id)
                    aria-label={ "Select row " (record.id) }; " "
                @if let Some(memory) = record.memory {
                    a href={ "/memories/" (memory) } { (record.id) }
                } @else { (record.id) }
            }
            @for column in columns {
                @let value = record.data.get(&column.name);
                td data-type=(column.kind.compared_as().name()) dir="auto" tabindex="-1"
                    data-column=(column.name) data-label=(column.name) data-raw=[raw(value)] {
                    (cell(value))
                }
            }
            td.does {
                details {
                    summary { "Edit" }
                    form.wide data-call={ "PATCH " (at) } data-match=(row_tag(record))
                        data-group="patch" data-say="Saved." {
                        @for column in columns { (editor(column, record.data.get(&column.name))) }
                        (form_error()) button.primary { "Save" }
                    }
                    form data-call={ "DELETE " (at) } data-sure="Delete this row?"
                        data-say="Row deleted; its memory is retired."
                        data-undo={ "POST /v1/tables/" (percent_encode(&record.table)) "/rows" }
                        data-undo-body=r#"{"data": {data}}"# {
                        button.danger { "Delete row" } (form_error())
                    }
                }
            }
        }
    }
}

fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => super::components::teaser(text),
        Some(other) => super::components::teaser(&other.to_string()),
    }
}

/// Returns the whole value of a cell that shows less of it.
fn raw(value: Option<&Value>) -> Option<String> {
    let text = match value? {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    (super::components::teaser(&text) != text).then_some(text)
}

/// Renders an editor for the type of a column.
fn editor(column: &Column, value: Option<&Value>) -> Markup {
    let text = value
        .filter(|value| !value.is_null())
        .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    let is = |word: &str| text.as_deref() == Some(word);
    html! {
        label {
            span dir="auto" { (column.name) }
            @match column.kind {
                ColumnType::Integer => input name=(column.name) type="number" step="1" value=[text]
                    data-as="number";,
                ColumnType::Number => input name=(column.name) type="number" step="any" value=[text]
                    data-as="number";,
                ColumnType::Date => input name=(column.name) type="date" value=[text]
                    data-as="text";,
                ColumnType::Boolean => select name=(column.name) data-as="json" {
                    option value="" selected[text.is_none()] { "—" }
                    option value="true" selected[is("true")] { "yes" }
                    option value="false" selected[is("false")] { "no" }
                },
                ColumnType::Json => textarea.code name=(column.name) rows="3" data-as="loose"
                    spellcheck="false" {
                    (text.unwrap_or_default())
                },
                ColumnType::Unknown
                | ColumnType::BooleanText
                | ColumnType::IntegerText
                | ColumnType::NumberText
                | ColumnType::Time
                | ColumnType::Text => input
                    name=(column.name) value=[text] data-as="text" dir="auto";,
            }
        }
    }
}

fn add_row(table: &str, columns: &[Column]) -> Markup {
    html! {
        details {
            summary { "Add a row" }
            form.wide data-call={ "POST /v1/tables/" (percent_encode(table)) "/rows" }
                data-group="data" data-say="Added." {
                div.fields { @for column in columns { (editor(column, None)) } }
                (form_error()) button.primary { "Add" }
            }
            form.inline data-call={ "POST /v1/tables/" (percent_encode(table)) "/rows" }
                data-pair="data" data-say="Added." {
                label {
                    span { "New column" } input name="name" required maxlength="200" dir="auto";
                }
                label { span { "Value" } input name="value" required dir="auto"; }
                button { "Add with a new column" } (form_error())
            }
        }
        details {
            summary { "Paste rows from a spreadsheet" }
            form.wide #paste-rows {
                label {
                    span { "Copied cells; the first line may name the columns" }
                    textarea.code name="pasted" rows="5" required spellcheck="false" {}
                }
                button { "Add these rows" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_compares_numbers_as_numbers() {
        let asked = |test: &str, value: &str| TablePageQuery {
            column: Some("c".into()),
            test: Some(test.into()),
            value: Some(value.into()),
            ..TablePageQuery::default()
        };
        assert_eq!(Value::Object(asked("gte", "500").filter()), json!({"c": {"gte": 500}}));
        assert_eq!(
            Value::Object(asked("contains", "500").filter()),
            json!({"c": {"contains": "500"}})
        );
        assert_eq!(Value::Object(asked("eq", "[1]").filter()), json!({"c": {"eq": "[1]"}}));
        assert!(asked("eq", "").filter().is_empty());
    }

    #[test]
    fn several_filters_apply_together_and_each_can_be_removed() {
        let query = TablePageQuery {
            column: Some("c".into()),
            test: Some("lte".into()),
            value: Some("9".into()),
            also: Some(r#"[["c","gte","5"],["food","contains","pi"]]"#.into()),
            ..TablePageQuery::default()
        };
        let expected = json!({"c": {"gte": 5, "lte": 9}, "food": {"contains": "pi"}});
        assert_eq!(Value::Object(query.filter()), expected);
        let link = query.filtered_link("t", &query.all_filters()[..1]);
        assert_eq!(link, "/tables/t?also=%5B%5B%22c%22%2C%22gte%22%2C%225%22%5D%5D");
    }
}
