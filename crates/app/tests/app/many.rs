//! Many processes on one home at the same time: the normal state.

use crate::place::{Place, finished};
use model::{OwnerId, Page, limits};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use store::{MemoryQuery, Sort, Store};
use store_sqlite::{Options, SqliteStore};

const PROCESSES: usize = 8;
const EACH: usize = 500;

fn line(process: usize, number: usize) -> String {
    format!("Process {process} put the jar number {number} on shelf {}.", number % 7)
}

#[test]
fn eight_processes_remember_five_hundred_each_and_none_is_lost() {
    let place = Place::new();
    let writing = AtomicUsize::new(PROCESSES);
    let (ids, reads) = thread::scope(|scope| {
        let (place, writing) = (&place, &writing);
        let writers: Vec<_> = (0..PROCESSES)
            .map(|process| scope.spawn(move || write(place, process, writing)))
            .collect();
        let reader = scope.spawn(move || read_meanwhile(place, writing));
        let ids: Vec<i64> = writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
        (ids, reader.join().unwrap())
    });
    println!("{} writes by {PROCESSES} processes, {reads} reads meanwhile", ids.len());
    assert_eq!(
        ids.iter().collect::<BTreeSet<_>>().len(),
        PROCESSES * EACH,
        "every id was given once"
    );
    let wanted: BTreeSet<String> = (0..PROCESSES)
        .flat_map(|process| (0..EACH).map(move |number| line(process, number)))
        .collect();
    let kept = all_texts(&place);
    assert_eq!(kept.len(), PROCESSES * EACH, "none is there twice");
    assert_eq!(kept.into_iter().collect::<BTreeSet<_>>(), wanted, "none is lost");
}

/// Remembers as one process, and answers with the ids it was given.
fn write(place: &Place, process: usize, writing: &AtomicUsize) -> Vec<i64> {
    let input: String = (0..EACH).map(|number| line(process, number) + "\n").collect();
    let said = place.quipu_reading(&["remember", "--each-line"], &input);
    writing.fetch_sub(1, Ordering::SeqCst);
    let id = |line: &str| {
        line.strip_suffix("\tcreated").unwrap_or_else(|| panic!("{line}")).parse().unwrap()
    };
    said.done().lines().map(id).collect()
}

/// Reads until nobody writes any more. No read may fail.
fn read_meanwhile(place: &Place, writing: &AtomicUsize) -> usize {
    let mut reads = 0;
    while writing.load(Ordering::SeqCst) > 0 {
        for arguments in [&["recall", "jar", "on", "a", "shelf"][..], &["status"], &["recall"]] {
            finished(&mut place.command(arguments), "").done();
            reads += 1;
        }
    }
    reads
}

fn all_texts(place: &Place) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (store, owner) =
            (SqliteStore::open(&place.home(), Options::default()).unwrap(), OwnerId::me());
        let query = MemoryQuery { sort: Sort::Oldest, ..MemoryQuery::default() };
        let mut texts = Vec::new();
        loop {
            let page = Page { limit: limits::PAGE, offset: texts.len() };
            let some = store.list_memories(&owner, &query, page).await.unwrap().items;
            if some.is_empty() {
                return texts;
            }
            texts.extend(some.into_iter().map(|memory| memory.text));
        }
    })
}
