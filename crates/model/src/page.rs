//! Pages: no listing is unbounded.

use crate::limits;

/// Which part of a listing is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// How many items at most; capped at [`limits::PAGE`].
    pub limit: usize,
    /// How many to pass over first.
    pub offset: usize,
}

impl Page {
    /// The first `limit` items.
    #[must_use]
    pub fn first(limit: usize) -> Self {
        Self { limit: limit.min(limits::PAGE), offset: 0 }
    }

    /// The page with its size held to the cap.
    #[must_use]
    pub fn capped(self) -> Self {
        Self { limit: self.limit.min(limits::PAGE), ..self }
    }
}

/// One page, and how many there are in all.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// How many match in all.
    pub total: usize,
}

impl<T> Listing<T> {
    /// How many come after this page, when it began at `page.offset`.
    #[must_use]
    pub fn left_out(&self, page: Page) -> usize {
        self.total.saturating_sub(page.offset + self.items.len())
    }
}
