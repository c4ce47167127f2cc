//! Memory that was freed and that the allocator keeps. The GNU C library returns it to the system
//! only from the end of its heap, and building a view leaves hundreds of megabytes between small
//! allocations. Other libraries return it by themselves, or offer nothing.

/// Returns memory that nothing uses to the system. Takes time in proportion to the heap.
pub(super) fn return_to_system() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(unsafe_code, reason = "the function of the C library has no safe wrapper")]
    // SAFETY: it takes no pointer, may be called by any thread at any time, and leaves memory alone
    // that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}
