//! Software prefetching for random access over the columns of the view: the data of a document is
//! requested a few iterations before it is used, because a cache miss costs more than the work on
//! one document. Only x86-64 has an implementation; elsewhere the hints compile to nothing.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "the prefetch instruction takes a raw pointer")
)]

use crate::DocId;
use bytemuck::Pod;

/// Number of iterations between the prefetch of a document and its use.
const PREFETCH_DISTANCE: usize = 8;

/// Iterates over `docs` and calls `prefetch_for` with each document [`PREFETCH_DISTANCE`]
/// iterations before it is yielded.
pub(crate) fn with_prefetch<'d>(
    docs: &'d [DocId],
    prefetch_for: impl Fn(DocId) + 'd,
) -> impl Iterator<Item = DocId> + 'd {
    docs.iter().enumerate().map(move |(nth, &doc)| {
        docs.get(nth + PREFETCH_DISTANCE).copied().into_iter().for_each(&prefetch_for);
        doc
    })
}

/// Hints to the processor that these items will be read soon.
#[inline]
pub(crate) fn prefetch<T: Pod>(items: &[T]) {
    let bytes = bytemuck::cast_slice::<T, u8>(items);
    bytes.chunks(CACHE_LINE_BYTES).filter_map(<[u8]>::first).for_each(prefetch_line);
    // The slice may start in the middle of a cache line, so that its end falls into one more line
    // than the chunks count.
    bytes.last().into_iter().for_each(prefetch_line);
}

/// Bytes per cache line on x86-64.
const CACHE_LINE_BYTES: usize = 64;

/// Hints to the processor that this will be read soon; its first cache line, if it has several.
#[inline]
pub(crate) fn prefetch_line<T>(item: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the pointer comes from a reference, and a prefetch has no effect that the program
        // can observe.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = item;
}
