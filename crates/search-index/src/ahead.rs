//! Software prefetching for random access over the columns of the view: the data of a document is
//! requested a few iterations before it is used, because a cache miss costs more than the work on
//! one document. Only x86-64 has an implementation; elsewhere the hints compile to nothing.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "the prefetch instruction takes a raw pointer")
)]

use crate::Doc;
use bytemuck::Pod;

/// Number of iterations between the prefetch of a document and its use.
const AHEAD: usize = 8;

/// Iterates over `docs` and calls `preprefetch_for` with each document [`PREFETCH_DISTANCE`]
/// iterations before it is yielded.
pub(crate) fn ahead<'d>(
    docs: &'d [Doc],
    prefetch_for: impl Fn(Doc) + 'd,
) -> impl Iterator<Item = Doc> + 'd {
    docs.iter().enumerate().map(move |(nth, &doc)| {
        docs.get(nth + AHEAD).copied().into_iter().for_each(&prefetch_for);
        doc
    })
}

/// Hints to the processor that these items will be read soon.
#[inline]
pub(crate) fn fetch<T: Pod>(items: &[T]) {
    let bytes = bytemuck::cast_slice::<T, u8>(items);
    bytes.chunks(LINE).filter_map(<[u8]>::first).for_each(fetch_line);
    // The slice may start in the middle of a cache line, so that its end falls into one more line
    // than the chunks count.
    bytes.last().into_iter().for_each(fetch_line);
}

/// Bytes per cache line on x86-64.
const LINE: usize = 64;

#[inline]
fn fetch_line(byte: &u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the pointer comes from a reference, and a prefetch has no effect that the program
        // can observe.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = byte;
}
