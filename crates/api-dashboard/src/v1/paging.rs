//! Pages of a listing: a limit and a cursor. The cursor is returned with a page and sent back for
//! the next one.

use model::{Failure, Page};
use schemars::JsonSchema;
use serde::Serialize;

/// Default number of items on a page.
const ITEMS_DEFAULT: usize = 50;

/// One page of a listing.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListJson<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// Total number of matching items.
    pub total: usize,
    /// Cursor for the next page; missing on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl<T> ListJson<T> {
    /// Creates a page with the cursor of the next one.
    pub fn new(items: Vec<T>, total: usize, page: Page) -> Self {
        let after = page.offset.saturating_add(items.len());
        // An empty page ends the listing, even if items were removed meanwhile.
        let next = (after < total && !items.is_empty()).then(|| after.to_string());
        Self { items, total, next }
    }
}

/// Parses the requested page.
pub(crate) fn parse_page(limit: Option<u16>, cursor: Option<&str>) -> Result<Page, Failure> {
    let offset = cursor.map(str::parse).transpose();
    let offset = offset.map_err(|_| {
        Failure::invalid("the cursor is not valid; omit it to start from the beginning")
    })?;
    Ok(Page { limit: limit.map_or(ITEMS_DEFAULT, usize::from).max(1), offset: offset.unwrap_or(0) }
        .capped())
}
