//! Pagination. Every listing is bounded.

use crate::limits;

/// Requested part of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Maximum number of items; capped at [`limits::PAGE_ITEMS`].
    pub limit: usize,
    /// Number of items to skip.
    pub offset: usize,
}

impl Page {
    /// Returns the page with the first `limit` items.
    #[must_use]
    pub fn first(limit: usize) -> Self {
        Self { limit: limit.min(limits::PAGE_ITEMS), offset: 0 }
    }

    /// Returns the page with its size capped.
    #[must_use]
    pub fn capped(self) -> Self {
        Self { limit: self.limit.min(limits::PAGE_ITEMS), ..self }
    }
}

/// One page of items with the total number of matches.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing<T> {
    pub items: Vec<T>,
    /// Number of matches over all pages.
    pub total: usize,
}

impl<T> Listing<T> {
    /// Returns the number of matches after this page, which starts at `page.offset`.
    #[must_use]
    pub fn left_out(&self, page: Page) -> usize {
        self.total.saturating_sub(page.offset + self.items.len())
    }
}
