//! Visiting places all over the view: what belongs to each is fetched from memory a little before its turn, since
//! waiting for it would take longer than the work on it.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "the instruction that fetches ahead takes a pointer")
)]

use crate::Doc;
use bytemuck::Pod;

/// How many places before its turn a place is fetched.
const AHEAD: usize = 8;

/// Goes through the places, calling `fetch_for` with each of them some places before its turn.
pub(crate) fn ahead<'d>(docs: &'d [Doc], fetch_for: impl Fn(Doc) + 'd) -> impl Iterator<Item = Doc> + 'd {
    docs.iter().enumerate().map(move |(nth, &doc)| {
        docs.get(nth + AHEAD).copied().into_iter().for_each(&fetch_for);
        doc
    })
}

/// Tells the machine that this will be read soon, where that can be told.
#[inline]
pub(crate) fn fetch<T: Pod>(items: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytemuck::cast_slice::<T, u8>(items).chunks(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the pointer comes from a slice, and fetching reads nothing that the program could see.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = items;
}
