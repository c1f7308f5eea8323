//! Counts what a thread holds of the heap, so that the memory of a screen can be told exactly.
//!
//! The memory of a process says little about it: what was freed stays with the allocator, and what was asked for and
//! never touched is not there yet.

#![expect(unsafe_code, reason = "only the global allocator sees every allocation")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST_HELD: Cell<isize> = const { Cell::new(0) };
}

/// Returns the bytes that this thread allocated and did not free.
pub(crate) fn held_bytes() -> isize {
    HELD.get()
}

/// Returns what `work` returns, and by how many bytes this thread's memory grew at most meanwhile.
pub(crate) fn growth_during<T>(work: impl FnOnce() -> T) -> (T, isize) {
    let before = held_bytes();
    MOST_HELD.set(before);
    let result = work();
    (result, MOST_HELD.get() - before)
}

/// What an allocation takes with glibc: eight bytes more than asked for, in steps of sixteen, and 32 at least.
fn taken(size: usize) -> isize {
    ((size + 8).next_multiple_of(16)).max(32) as isize
}

fn count(change: isize) {
    // A thread that ends frees what it holds after these are gone.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + change);
        let _ = MOST_HELD.try_with(|most| most.set(most.get().max(held.get())));
    });
}

// SAFETY: every call goes to the system's allocator as it came; counting neither allocates nor fails.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(taken(layout.size()));
        // SAFETY: the caller keeps the promises of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(taken(layout.size()));
        // SAFETY: the caller keeps the promises of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-taken(layout.size()));
        // SAFETY: the caller keeps the promises of `dealloc`, and the pointer came from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(taken(size) - taken(layout.size()));
        // SAFETY: the caller keeps the promises of `realloc`, and the pointer came from the system's allocator.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
