//! Restoring a backup: atomic for every process, and nothing of the old memory is lost.

use crate::fixture::{SqliteFixture, memory_file, note_batch, open};
use model::{AgentName, ContentHash, MemoryId, NewKey, OwnerId, Permission};
use quipu_store_sqlite::{
    Options, RestoreError, RestoreOutcome, RestoreRequest, SqliteStore, restore,
};
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::{Control, Store, StoreError, WriteError};
use store_conformance::builders::moment;

/// A store with two memories, and a backup with the first of them.
struct RestoreFixture {
    fixture: SqliteFixture,
    backup: PathBuf,
}

impl RestoreFixture {
    async fn new() -> Self {
        let fixture = SqliteFixture::new().await;
        fixture.remember("in the backup").await;
        let backup = fixture.home.path().join("copy.db");
        fixture.store.backup(&fixture.owner, &backup).await.unwrap();
        fixture.remember("after the backup").await;
        Self { fixture, backup }
    }

    fn home(&self) -> &Path {
        self.fixture.home.path()
    }

    fn owner_dir(&self) -> PathBuf {
        self.fixture.store.owner_dir(&self.fixture.owner)
    }

    fn restore(&self, kept: &str, reset_credentials: bool) -> Result<RestoreOutcome, RestoreError> {
        restore_from(self.home(), &self.backup, kept, reset_credentials, &Options::default())
    }
}

fn restore_from(
    home: &Path,
    backup: &Path,
    kept: &str,
    reset_credentials: bool,
    options: &Options,
) -> Result<RestoreOutcome, RestoreError> {
    let (owner, kept, at) = (OwnerId::me(), home.join(kept), moment(9));
    let request = RestoreRequest {
        home,
        owner: &owner,
        backup,
        kept: &kept,
        at,
        replace: true,
        reset_credentials,
    };
    restore(&request, options)
}

async fn texts(store: &SqliteStore) -> Vec<String> {
    let ids: Vec<MemoryId> = (1..=10).map(MemoryId).collect();
    let memories = store.memories(&OwnerId::me(), &ids).await.unwrap();
    memories.into_iter().map(|memory| memory.text).collect()
}

#[tokio::test]
async fn a_restore_replaces_the_memory_and_keeps_the_old_one_whole() {
    let at = RestoreFixture::new().await;
    let outcome = at.restore("kept", false).unwrap();
    assert_eq!(outcome.memories, 1);
    assert_eq!(texts(&open(at.home(), Options::default())).await, ["in the backup"]);
    let kept = outcome.kept.unwrap();
    for file in ["memory.db", "audit.key", "audit.checkpoints", "audit.head"] {
        assert!(kept.join(file).is_file(), "{file}");
    }
    restore_from(at.home(), &kept, "kept again", false, &Options::default()).unwrap();
    let restored = open(at.home(), Options::default());
    assert_eq!(texts(&restored).await, ["in the backup", "after the backup"]);
    assert!(!at.owner_dir().join("restoring").exists());
}

#[tokio::test]
async fn a_process_that_has_the_memory_open_moves_over_with_its_next_call() {
    let at = RestoreFixture::new().await;
    let (running, me) = (&at.fixture.store, &at.fixture.owner);
    assert_eq!(texts(running).await.len(), 2);
    let before = running.identity(me).await.unwrap();
    at.restore("kept", false).unwrap();
    assert_ne!(running.identity(me).await.unwrap(), before);
    assert_eq!(texts(running).await, ["in the backup"]);
    running.write(me, note_batch("after the restore")).await.unwrap();
    let other = open(at.home(), Options::default());
    assert_eq!(texts(&other).await, ["in the backup", "after the restore"]);
    assert!(running.verify_audit(me).await.unwrap().is_intact());
    assert!(running.health(me).await.unwrap().sound);
}

fn new_key(owner: &OwnerId) -> NewKey {
    NewKey {
        owner: owner.clone(),
        agent: AgentName::new("bob"),
        label: "laptop".into(),
        prefix: "qp_ab".into(),
        hash: ContentHash::of_bytes(b"secret"),
        scope: Permission::Read,
        expires_at: None,
    }
}

#[tokio::test]
async fn keys_password_audit_key_and_own_files_stay_unless_they_are_to_go() {
    for reset in [false, true] {
        let at = RestoreFixture::new().await;
        let (store, me) = (&at.fixture.store, &at.fixture.owner);
        store.add_key(new_key(me), moment(1)).await.unwrap();
        std::fs::write(at.owner_dir().join("password"), "a hash").unwrap();
        std::fs::create_dir(at.owner_dir().join("references")).unwrap();
        std::fs::write(at.owner_dir().join("references/own.md"), "# Mine").unwrap();
        let key = std::fs::read(at.owner_dir().join("audit.key")).unwrap();
        let outcome = at.restore("kept", reset).unwrap();
        store.write(me, note_batch("after the restore")).await.unwrap();
        assert_eq!(store.keys(me).await.unwrap().is_empty(), reset);
        assert_eq!(at.owner_dir().join("password").exists(), !reset);
        assert_eq!(outcome.kept.unwrap().join("password").exists(), reset);
        assert_eq!(std::fs::read(at.owner_dir().join("audit.key")).unwrap() != key, reset);
        assert!(at.owner_dir().join("references/own.md").exists());
        let report = store.verify_audit(me).await.unwrap();
        assert!(report.is_intact(), "{report:?}");
        assert_eq!(report.before_chain > 0, reset, "under the same key everything is verified");
    }
}

#[tokio::test]
async fn a_backup_of_another_memory_begins_a_new_chain_under_the_owners_key() {
    let (at, other) = (RestoreFixture::new().await, RestoreFixture::new().await);
    let key = std::fs::read(at.owner_dir().join("audit.key")).unwrap();
    restore_from(at.home(), &other.backup, "kept", false, &Options::default()).unwrap();
    assert_eq!(std::fs::read(at.owner_dir().join("audit.key")).unwrap(), key);
    let (store, me) = (&at.fixture.store, &at.fixture.owner);
    store.write(me, note_batch("after the restore")).await.unwrap();
    let report = store.verify_audit(me).await.unwrap();
    assert!(report.is_intact() && report.before_chain == 1 && report.events == 1, "{report:?}");
}

#[tokio::test]
async fn a_memory_that_is_lost_or_damaged_is_replaced_and_what_is_left_of_it_is_kept() {
    for damage in ["", "not a database at all, but long enough to look like one"] {
        let at = RestoreFixture::new().await;
        let RestoreFixture { fixture, backup } = at;
        let SqliteFixture { home, store, owner } = fixture;
        drop(store);
        std::fs::write(memory_file(home.path()), damage).unwrap();
        let outcome = restore_from(home.path(), &backup, "kept", false, &Options::default());
        let kept = outcome.unwrap().kept.unwrap();
        assert_eq!(std::fs::read_to_string(kept.join("memory.db")).unwrap(), damage);
        let store = open(home.path(), Options::default());
        assert_eq!(texts(&store).await, ["in the backup"]);
        assert!(store.verify_audit(&owner).await.unwrap().is_intact());
    }
}

#[tokio::test]
async fn a_restore_waits_for_writers_and_they_for_it() {
    let at = RestoreFixture::new().await;
    let busy = Options { busy_timeout: Duration::from_millis(200), ..Options::default() };
    let conn = at.fixture.connection();
    // A reader of an old state keeps the log from being emptied.
    at.fixture.remember("in the log").await;
    conn.execute_batch("BEGIN; SELECT count(*) FROM memories;").unwrap();
    at.fixture.remember("in the log too").await;
    let refused = restore_from(at.home(), &at.backup, "kept", false, &busy);
    assert!(matches!(refused, Err(RestoreError::Store(StoreError::Busy))), "{refused:?}");
    assert!(!at.owner_dir().join("restoring").exists() && !at.home().join("kept").exists());
    conn.execute_batch("COMMIT").unwrap();
    at.fixture.remember("after the refusal").await;
    restore_from(at.home(), &at.backup, "kept", false, &busy).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_write_acknowledged_around_a_restore_is_in_the_new_memory_or_in_the_kept_one() {
    const WRITERS: usize = 4;
    const RESTORES: usize = 6;
    let at = RestoreFixture::new().await;
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (store, stop) = (at.fixture.second_handle(), std::sync::Arc::clone(&stop));
            tokio::spawn(async move {
                let mut acknowledged = Vec::new();
                for number in 0.. {
                    if stop.load(std::sync::atomic::Ordering::Relaxed) {
                        break;
                    }
                    let text = format!("writer {writer} wrote {number}");
                    match store.write(&OwnerId::me(), note_batch(&text)).await {
                        Ok(_) => acknowledged.push(text),
                        Err(WriteError::Store(StoreError::Busy)) => {}
                        Err(error) => panic!("{error:?}"),
                    }
                }
                acknowledged
            })
        })
        .collect();
    let mut kept = Vec::new();
    for number in 0..RESTORES {
        tokio::time::sleep(Duration::from_millis(30)).await;
        let (home, backup) = (at.home().to_owned(), at.backup.clone());
        let restoring = move || {
            restore_from(&home, &backup, &format!("kept {number}"), false, &Options::default())
        };
        let outcome = tokio::task::spawn_blocking(restoring).await.unwrap().unwrap();
        kept.push(outcome.kept.unwrap().join("memory.db"));
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let mut acknowledged = Vec::new();
    for writer in writers {
        acknowledged.extend(writer.await.unwrap());
    }
    kept.push(memory_file(at.home()));
    let stored: Vec<String> = kept.iter().flat_map(|file| stored_texts(file)).collect();
    let lost: Vec<_> = acknowledged.iter().filter(|text| !stored.contains(text)).collect();
    assert!(lost.is_empty(), "{} of {}: {lost:?}", lost.len(), acknowledged.len());
    assert!(acknowledged.len() > WRITERS * RESTORES, "{} writes", acknowledged.len());
    assert!(at.fixture.store.health(&at.fixture.owner).await.unwrap().sound);
}

fn stored_texts(file: &Path) -> Vec<String> {
    let conn = rusqlite::Connection::open(file).unwrap();
    let mut statement = conn.prepare("SELECT text FROM memories").unwrap();
    let texts = statement.query_map([], |row| row.get(0)).unwrap();
    texts.collect::<Result<_, _>>().unwrap()
}

#[tokio::test]
async fn a_backup_with_objects_of_somebody_else_is_refused_and_nothing_is_changed() {
    for object in [
        "CREATE TRIGGER spy AFTER INSERT ON memories BEGIN DELETE FROM audit; END",
        "CREATE VIEW spy AS SELECT text FROM memories",
        "CREATE TABLE spy (text TEXT)",
        "CREATE INDEX spy ON memories (text)",
    ] {
        let at = RestoreFixture::new().await;
        rusqlite::Connection::open(&at.backup).unwrap().execute_batch(object).unwrap();
        let refused = at.restore("kept", false);
        let Err(RestoreError::NotABackup { cause }) = refused else { panic!("{refused:?}") };
        assert!(cause.contains("spy"), "{cause}");
        assert_eq!(texts(&at.fixture.store).await.len(), 2);
        assert!(!at.owner_dir().join("restoring").exists());
    }
}

#[tokio::test]
async fn a_first_restore_needs_no_memory_and_one_that_exists_is_not_replaced_unasked() {
    let at = RestoreFixture::new().await;
    let home = tempfile::tempdir().unwrap();
    let outcome = restore_from(home.path(), &at.backup, "kept", false, &Options::default());
    assert_eq!(outcome.unwrap(), RestoreOutcome { memories: 1, kept: None });
    assert_eq!(texts(&open(home.path(), Options::default())).await, ["in the backup"]);
    let (owner, kept) = (OwnerId::me(), home.path().join("kept"));
    let request = RestoreRequest {
        home: home.path(),
        owner: &owner,
        backup: &at.backup,
        kept: &kept,
        at: moment(9),
        replace: false,
        reset_credentials: false,
    };
    let refused = restore(&request, &Options::default());
    assert!(matches!(refused, Err(RestoreError::Exists)), "{refused:?}");
}
