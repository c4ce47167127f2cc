//! Operations on tables: list, query, and adding, changing and deleting rows.

use super::paging::{Listed, page};
use super::shown::{RowShown, TableShown, row_tag};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::remember::{NewRow, Remember};
use engine::tables::{QueryTable, RecordFilter, RowOrder, UpdateRow};
use engine::{OnDuplicate, Standing};
use model::{Failure, JsonMap, Moment, Record, RecordId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) async fn list(
    context: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<Vec<TableShown>>, Failure> {
    Answer::of(
        context
            .engine
            .tables()
            .list(&context.caller)
            .await?
            .into_iter()
            .map(TableShown::from)
            .collect(),
    )
}

/// Path parameter of a table.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Named {
    /// Name of the table.
    pub table: String,
}

/// Path parameters of a row.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NamedRow {
    /// Name of the table.
    table: String,
    /// Id of the row.
    row: i64,
}

/// Filter and order of rows.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RowQuery {
    /// Filters that a row must match: `{"food": "pizza", "calories": {"gte": 500}}`.
    #[serde(default)]
    filters: JsonMap,
    /// Column to sort by; default: newest first.
    order: Option<String>,
    /// True for descending order.
    #[serde(default)]
    descending: bool,
    /// Maximum number of items.
    limit: Option<u16>,
    /// Value of `next` from the previous page.
    cursor: Option<String>,
}

pub(super) async fn query(
    context: Desk,
    path: Named,
    input: RowQuery,
) -> Result<Answer<Listed<RowShown>>, Failure> {
    let page = page(input.limit, input.cursor.as_deref())?;
    let descending = input.descending;
    let query = QueryTable {
        table: path.table,
        filters: RecordFilter::parse(&input.filters)?,
        order: input.order.map(|column| RowOrder { column, descending }),
        limit: Some(page.limit),
        offset: page.offset,
    };
    let found = context.engine.tables().query(&context.caller, &query).await?;
    let items = found.rows.into_iter().map(RowShown::from).collect();
    Answer::of(Listed::new(items, found.total, page))
}

/// A row to add.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RowData {
    /// Fields of the row.
    data: JsonMap,
    /// Purpose of the table, when it is new.
    description: Option<String>,
}

/// An added row.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RowAdded {
    /// Normalized name of the table.
    table: Option<String>,
    /// Id of the row.
    row: Option<i64>,
    /// Id of the memory that describes it.
    memory: Option<i64>,
    /// Changes made to the input before it was stored, in sentences.
    notes: Vec<String>,
}

pub(super) async fn add(
    context: Desk,
    path: Named,
    input: RowData,
) -> Result<Answer<RowAdded>, Failure> {
    let row = NewRow { table: path.table, description: input.description, data: input.data };
    // Rows may repeat: the same meal twice is two meals.
    let remember =
        Remember { row: Some(row), on_duplicate: Some(OnDuplicate::Keep), ..Remember::default() };
    let done = context.engine.memories().remember(&context.caller, &remember).await?;
    let (table, row) = done.row.unzip();
    let (row, memory) = (row.map(|row| row.0), done.id.map(|id| id.0));
    Answer::of(RowAdded { table, row, memory, notes: done.notes })
}

/// A patch of a row.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RowPatch {
    /// Fields to merge; null removes a field.
    patch: JsonMap,
}

/// A changed row.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangedRow {
    /// The row after the change.
    #[serde(flatten)]
    row: RowShown,
    /// Changes made to the input before it was stored, in sentences.
    notes: Vec<String>,
}

pub(super) async fn change(
    context: Desk,
    path: NamedRow,
    input: RowPatch,
) -> Result<Answer<ChangedRow>, Failure> {
    let row = RecordId(path.row);
    let editor = context.editor(|tag| {
        let at = tag.strip_prefix(&format!("r{row}-"))?.parse().ok()?;
        Some(Standing::Record(Record::table_name(&path.table).ok()?, row, Moment(at)))
    })?;
    let update = UpdateRow { table: path.table, row, patch: input.patch };
    let changed = context.engine.tables().update_row(&editor, &update).await?;
    let tag = row_tag(&changed.record);
    Answer::tagged(ChangedRow { row: changed.record.into(), notes: changed.notes }, tag)
}

pub(super) async fn delete(
    context: Desk,
    path: NamedRow,
    _: Nothing,
) -> Result<Answer<RowShown>, Failure> {
    let deleted = context
        .engine
        .tables()
        .delete_row(&context.caller, &path.table, RecordId(path.row))
        .await?;
    Answer::of(deleted.record.into())
}
