//! Tables and their rows.

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
    desk: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<Vec<TableShown>>, Failure> {
    Answer::of(
        desk.engine.tables().list(&desk.caller).await?.into_iter().map(TableShown::from).collect(),
    )
}

/// Which table.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Named {
    /// Its name.
    pub table: String,
}

/// Which row.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NamedRow {
    /// The table.
    table: String,
    /// The number of the row.
    row: i64,
}

/// Which rows.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RowQuery {
    /// What a row must pass: `{"food": "pizza", "calories": {"gte": 500}}`.
    #[serde(default)]
    filters: JsonMap,
    /// By this column; newest first when missing.
    order: Option<String>,
    /// Largest first.
    #[serde(default)]
    descending: bool,
    /// How many at most.
    limit: Option<u16>,
    /// Where the page before ended.
    cursor: Option<String>,
}

pub(super) async fn query(
    desk: Desk,
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
    let found = desk.engine.tables().query(&desk.caller, &query).await?;
    let items = found.rows.into_iter().map(RowShown::from).collect();
    Answer::of(Listed::new(items, found.total, page))
}

/// A row to add.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RowData {
    /// The fields.
    data: JsonMap,
    /// What the table is for, when it is new.
    description: Option<String>,
}

/// A row that was added.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RowAdded {
    /// The table in its one spelling.
    table: Option<String>,
    /// The number of the row.
    row: Option<i64>,
    /// The memory that tells of it.
    memory: Option<i64>,
    /// What was changed on the way in, in sentences.
    notes: Vec<String>,
}

pub(super) async fn add(
    desk: Desk,
    path: Named,
    input: RowData,
) -> Result<Answer<RowAdded>, Failure> {
    let row = NewRow { table: path.table, description: input.description, data: input.data };
    // Rows may repeat: the same meal twice is two meals.
    let remember =
        Remember { row: Some(row), on_duplicate: Some(OnDuplicate::Keep), ..Remember::default() };
    let done = desk.engine.memories().remember(&desk.caller, &remember).await?;
    let (table, row) = done.row.unzip();
    let (row, memory) = (row.map(|row| row.0), done.id.map(|id| id.0));
    Answer::of(RowAdded { table, row, memory, notes: done.notes })
}

/// A change to a row.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RowPatch {
    /// What to merge in; null removes a field.
    patch: JsonMap,
}

/// A row that was changed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangedRow {
    /// The row as it stands.
    #[serde(flatten)]
    row: RowShown,
    /// What was changed on the way in, in sentences.
    notes: Vec<String>,
}

pub(super) async fn change(
    desk: Desk,
    path: NamedRow,
    input: RowPatch,
) -> Result<Answer<ChangedRow>, Failure> {
    let row = RecordId(path.row);
    let editor = desk.editor(|tag| {
        let at = tag.strip_prefix(&format!("r{row}-"))?.parse().ok()?;
        Some(Standing::Record(Record::table_name(&path.table).ok()?, row, Moment(at)))
    })?;
    let update = UpdateRow { table: path.table, row, patch: input.patch };
    let changed = desk.engine.tables().update_row(&editor, &update).await?;
    let tag = row_tag(&changed.record);
    Answer::tagged(ChangedRow { row: changed.record.into(), notes: changed.notes }, tag)
}

pub(super) async fn delete(
    desk: Desk,
    path: NamedRow,
    _: Nothing,
) -> Result<Answer<RowShown>, Failure> {
    let deleted =
        desk.engine.tables().delete_row(&desk.caller, &path.table, RecordId(path.row)).await?;
    Answer::of(deleted.record.into())
}
