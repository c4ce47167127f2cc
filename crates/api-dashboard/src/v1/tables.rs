//! Operations on tables: list, query, and adding, changing and deleting rows.

use super::json::{ErasureProposalJson, RowJson, TableJson, row_tag};
use super::paging::{ListJson, parse_page};
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use engine::remember::{NewRow, RememberRequest};
use engine::tables::{QueryTableRequest, RecordFilter, RowOrder, SameKeyRow, UpdateRowRequest};
use engine::{ExpectedVersion, OnDuplicate};
use model::{Failure, JsonMap, Moment, Record, RecordId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) async fn list(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<ApiResponse<Vec<TableJson>>, Failure> {
    ApiResponse::new(
        context
            .engine
            .tables()
            .list(&context.caller)
            .await?
            .into_iter()
            .map(TableJson::from)
            .collect(),
    )
}

/// Path parameter of a table.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct TablePath {
    /// Name of the table.
    pub table: String,
}

/// Path parameters of a row.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct RowPath {
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
    context: RequestContext,
    path: TablePath,
    input: RowQuery,
) -> Result<ApiResponse<ListJson<RowJson>>, Failure> {
    let page = parse_page(input.limit, input.cursor.as_deref())?;
    let descending = input.descending;
    let query = QueryTableRequest {
        table: path.table,
        filters: RecordFilter::parse(&input.filters)?,
        order: input.order.map(|column| RowOrder { column, descending }),
        limit: Some(page.limit),
        offset: page.offset,
    };
    let found = context.engine.tables().query(&context.caller, &query).await?;
    let items = found.rows.into_iter().map(RowJson::from).collect();
    ApiResponse::new(ListJson::new(items, found.total, page))
}

/// A row to add.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddRowBody {
    /// Fields of the row.
    data: JsonMap,
    /// Purpose of the table, when it is new.
    description: Option<String>,
}

/// An added row.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AddedRowJson {
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
    context: RequestContext,
    path: TablePath,
    input: AddRowBody,
) -> Result<ApiResponse<AddedRowJson>, Failure> {
    let row = NewRow { table: path.table, description: input.description, data: input.data };
    // Rows may repeat: the same meal twice is two meals.
    let remember = RememberRequest {
        row: Some(row),
        on_duplicate: Some(OnDuplicate::Insert),
        ..RememberRequest::default()
    };
    let done = context.engine.memories().remember(&context.caller, &remember).await?;
    let (table, row) = done.row.unzip();
    let (row, memory) = (row.map(|row| row.0), done.id.map(|id| id.0));
    let same = done.same_key.map(|same| {
        let SameKeyRow { table, row, column } = same;
        format!(
            "row {row} of {table} has the same {column}; if this replaces it, change that row \
             and delete this one"
        )
    });
    let notes = done.notes.into_iter().chain(same).collect();
    ApiResponse::new(AddedRowJson { table, row, memory, notes })
}

/// A patch of a row.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PatchRowBody {
    /// Fields to merge; null removes a field.
    patch: JsonMap,
}

/// A changed row.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangedRowJson {
    /// The row after the change.
    #[serde(flatten)]
    row: RowJson,
    /// Changes made to the input before it was stored, in sentences.
    notes: Vec<String>,
}

pub(super) async fn change(
    context: RequestContext,
    path: RowPath,
    input: PatchRowBody,
) -> Result<ApiResponse<ChangedRowJson>, Failure> {
    let row = RecordId(path.row);
    let editor = context.editor(|tag| {
        let at = tag.strip_prefix(&format!("r{row}-"))?.parse().ok()?;
        Some(ExpectedVersion::Record(
            Record::normalize_table_name(&path.table).ok()?,
            row,
            Moment(at),
        ))
    })?;
    let update = UpdateRowRequest { table: path.table, row, patch: input.patch, text: None };
    let changed = context.engine.tables().update_row(&editor, &update).await?;
    let tag = row_tag(&changed.record);
    ApiResponse::with_tag(ChangedRowJson { row: changed.record.into(), notes: changed.notes }, tag)
}

/// A row that was deleted, or that waits for the owner's consent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DeletedRowJson {
    /// The row as it was.
    #[serde(flatten)]
    row: RowJson,
    /// Proposal to delete it; it is still there then.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposal: Option<ErasureProposalJson>,
}

pub(super) async fn delete(
    context: RequestContext,
    path: RowPath,
    _: NoFields,
) -> Result<ApiResponse<DeletedRowJson>, Failure> {
    let deleted = context
        .engine
        .tables()
        .delete_row(&context.caller, &path.table, RecordId(path.row))
        .await?;
    let proposal = deleted.proposal.as_ref().map(ErasureProposalJson::from);
    ApiResponse::new(DeletedRowJson { row: deleted.record.into(), proposal })
}
