//! Visiting places all over the view: what belongs to each is fetched from memory a little before
//! its turn, since waiting for it would take longer than the work on it.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "the instruction that fetches ahead takes a pointer")
)]

use crate::Doc;
use bytemuck::Pod;

/// How many places before its turn a place is fetched.
const AHEAD: usize = 8;

/// Goes through the places, calling `fetch_for` with each of them some places before its turn.
pub(crate) fn ahead<'d>(
    docs: &'d [Doc],
    fetch_for: impl Fn(Doc) + 'd,
) -> impl Iterator<Item = Doc> + 'd {
    docs.iter().enumerate().map(move |(nth, &doc)| {
        docs.get(nth + AHEAD).copied().into_iter().for_each(&fetch_for);
        doc
    })
}

/// Tells the machine that this will be read soon, where that can be told.
#[inline]
pub(crate) fn fetch<T: Pod>(items: &[T]) {
    let bytes = bytemuck::cast_slice::<T, u8>(items);
    bytes.chunks(LINE).filter_map(<[u8]>::first).for_each(fetch_line);
    // Items that begin within a line end within another.
    bytes.last().into_iter().for_each(fetch_line);
}

/// How many bytes come from memory at once.
const LINE: usize = 64;

#[inline]
fn fetch_line(byte: &u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the pointer comes from a reference, and fetching reads nothing that the program
        // could see.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = byte;
}
