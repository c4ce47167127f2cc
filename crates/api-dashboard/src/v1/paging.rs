//! Pages of a listing: how many, and from where on. The cursor is handed out with a page and given
//! back for the next.

use model::{Failure, Page};
use schemars::JsonSchema;
use serde::Serialize;

/// How many items a page has unless told otherwise.
const ITEMS: usize = 50;

/// One page of a listing.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Listed<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// How many match in all.
    pub total: usize,
    /// Give this back as `cursor` for the next page; missing on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl<T> Listed<T> {
    /// A page with the cursor of the next.
    pub fn new(items: Vec<T>, total: usize, page: Page) -> Self {
        let after = page.offset.saturating_add(items.len());
        let next = (after < total && !items.is_empty()).then(|| after.to_string());
        Self { items, total, next }
    }
}

/// The page that a request asks for.
pub(crate) fn page(limit: Option<u16>, cursor: Option<&str>) -> Result<Page, Failure> {
    let offset = cursor.map(str::parse).transpose();
    let offset = offset
        .map_err(|_| Failure::invalid("the cursor is not one that was handed out; leave it out"))?;
    Ok(Page { limit: limit.map_or(ITEMS, usize::from).max(1), offset: offset.unwrap_or(0) }
        .capped())
}
