//! Many processes on one home directory at the same time, which is the normal situation.

use crate::test_env::{TestEnv, run_to_end};
use model::{OwnerId, Page, limits};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use store::{MemoryQuery, MemorySort, Store};
use store_sqlite::{Options, SqliteStore};

const PROCESSES: usize = 8;
const EACH: usize = 500;

fn line(process: usize, number: usize) -> String {
    format!("Process {process} put the jar number {number} on board {}.", number % 7)
}

#[test]
fn eight_processes_remember_five_hundred_each_and_none_is_lost() {
    let env = TestEnv::new();
    let writing = AtomicUsize::new(PROCESSES);
    let (ids, reads) = thread::scope(|scope| {
        let (env, writing) = (&env, &writing);
        let writers: Vec<_> = (0..PROCESSES)
            .map(|process| scope.spawn(move || remember_lines(env, process, writing)))
            .collect();
        let reader = scope.spawn(move || read_meanwhile(env, writing));
        let ids: Vec<i64> = writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
        (ids, reader.join().unwrap())
    });
    println!("{} writes by {PROCESSES} processes, {reads} reads meanwhile", ids.len());
    assert_eq!(
        ids.iter().collect::<BTreeSet<_>>().len(),
        PROCESSES * EACH,
        "every id was assigned once"
    );
    let wanted: BTreeSet<String> = (0..PROCESSES)
        .flat_map(|process| (0..EACH).map(move |number| line(process, number)))
        .collect();
    let stored = all_texts(&env);
    assert_eq!(stored.len(), PROCESSES * EACH, "none is stored twice");
    assert_eq!(stored.into_iter().collect::<BTreeSet<_>>(), wanted, "none is lost");
}

/// Remembers all lines in one process, and returns the ids it printed.
fn remember_lines(env: &TestEnv, process: usize, writing: &AtomicUsize) -> Vec<i64> {
    let input: String = (0..EACH).map(|number| line(process, number) + "\n").collect();
    let run = env.quipu_with_input(&["remember", "--each-line"], &input);
    writing.fetch_sub(1, Ordering::SeqCst);
    let id = |line: &str| {
        line.strip_suffix("\tcreated").unwrap_or_else(|| panic!("{line}")).parse().unwrap()
    };
    run.success().lines().map(id).collect()
}

/// Reads until all writers have finished, and returns the number of reads. No read may fail.
fn read_meanwhile(env: &TestEnv, writing: &AtomicUsize) -> usize {
    let mut reads = 0;
    while writing.load(Ordering::SeqCst) > 0 {
        for arguments in [&["recall", "jar", "on", "a", "board"][..], &["status"], &["recall"]] {
            run_to_end(&mut env.command(arguments), "").success();
            reads += 1;
        }
    }
    reads
}

/// Returns the texts of all memories.
pub fn all_texts(env: &TestEnv) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (store, owner) =
            (SqliteStore::open(&env.home(), Options::default()).unwrap(), OwnerId::me());
        let query = MemoryQuery { sort: MemorySort::Oldest, ..MemoryQuery::default() };
        let mut texts = Vec::new();
        loop {
            let page = Page { limit: limits::PAGE_ITEMS, offset: texts.len() };
            let some = store.list_memories(&owner, &query, page).await.unwrap().items;
            if some.is_empty() {
                return texts;
            }
            texts.extend(some.into_iter().map(|memory| memory.text));
        }
    })
}
