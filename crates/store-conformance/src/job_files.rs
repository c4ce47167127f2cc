//! Files of jobs. Each rule gets the storage as two servers have it; a backend runs [`all`] on its
//! own.

use super::builders::moment;
use model::OwnerId;
use std::sync::Arc;
use store::{FilePart, FilePartKey, JOB_FILES_MAX, JobFileKind, JobFiles};

/// The files of jobs as two servers have them.
pub struct SharedFiles {
    pub one: Arc<dyn JobFiles>,
    pub two: Arc<dyn JobFiles>,
}

/// Runs every rule, each on files of its own.
pub async fn all(open: impl AsyncFn() -> SharedFiles) {
    a_part_is_found_through_every_server_until_it_expires(&open().await).await;
    a_file_is_removed_with_all_its_parts(&open().await).await;
    beyond_the_bound_the_files_that_expire_first_go(&open().await).await;
    expired_parts_are_removed(&open().await).await;
}

fn key(owner: &str, job: i64, number: i64) -> FilePartKey {
    FilePartKey { owner: OwnerId::new(owner).expect("a valid name"), job, number }
}

async fn put(files: &dyn JobFiles, key: &FilePartKey, text: &str, until: i64) {
    let (bytes, expires_at) = (text.as_bytes().to_vec(), moment(until));
    let part = FilePart { kind: JobFileKind::Upload, bytes, expires_at };
    files.put_part(key, part, moment(0)).await.expect("a part can be stored");
}

async fn text(files: &dyn JobFiles, key: &FilePartKey, at: i64) -> Option<String> {
    let part = files.part(key, moment(at)).await.expect("a part can be read");
    part.map(|bytes| String::from_utf8(bytes).expect("the text that was stored"))
}

async fn a_part_is_found_through_every_server_until_it_expires(at: &SharedFiles) {
    put(&*at.one, &key("ada", 7, 0), "x", 100).await;
    assert_eq!(text(&*at.two, &key("ada", 7, 0), 99).await.as_deref(), Some("x"));
    assert_eq!(text(&*at.two, &key("ada", 7, 0), 100).await, None);
    assert_eq!(text(&*at.two, &key("ben", 7, 0), 0).await, None, "another owner's");
    assert_eq!(text(&*at.two, &key("ada", 8, 0), 0).await, None, "another file");
    assert_eq!(text(&*at.two, &key("ada", 7, 1), 0).await, None, "another part");
    put(&*at.two, &key("ada", 7, 0), "y", 100).await;
    assert_eq!(text(&*at.one, &key("ada", 7, 0), 0).await.as_deref(), Some("y"));
}

async fn a_file_is_removed_with_all_its_parts(at: &SharedFiles) {
    for (owner, job, number) in [("ada", 7, 0), ("ada", 7, 1), ("ada", 8, 0), ("ben", 7, 0)] {
        put(&*at.one, &key(owner, job, number), "x", 100).await;
    }
    let owner = key("ada", 7, 0).owner;
    at.two.remove_file(&owner, 7).await.expect("a file can be removed");
    assert_eq!(text(&*at.one, &key("ada", 7, 0), 0).await, None);
    assert_eq!(text(&*at.one, &key("ada", 7, 1), 0).await, None);
    assert!(text(&*at.one, &key("ada", 8, 0), 0).await.is_some());
    assert!(text(&*at.one, &key("ben", 7, 0), 0).await.is_some());
}

async fn beyond_the_bound_the_files_that_expire_first_go(at: &SharedFiles) {
    put(&*at.one, &key("ben", 1, 0), "x", 1).await;
    for job in 0..=JOB_FILES_MAX as i64 {
        // The last one expires first, and stays because it is being written.
        put(&*at.one, &key("ada", job, 0), "x", 100 - job).await;
    }
    let last = JOB_FILES_MAX as i64;
    assert!(text(&*at.two, &key("ada", last, 0), 0).await.is_some());
    assert_eq!(text(&*at.two, &key("ada", last - 1, 0), 0).await, None);
    assert!(text(&*at.two, &key("ada", 0, 0), 0).await.is_some());
    assert!(text(&*at.two, &key("ben", 1, 0), 0).await.is_some(), "another owner's stays");
}

async fn expired_parts_are_removed(at: &SharedFiles) {
    put(&*at.one, &key("ada", 1, 0), "x", 10).await;
    put(&*at.one, &key("ada", 2, 0), "x", 20).await;
    put(&*at.one, &key("ben", 1, 0), "x", 10).await;
    let owner = key("ada", 1, 0).owner;
    let removed = at.two.remove_expired_parts(&owner, moment(10)).await;
    assert_eq!(removed.expect("parts can be removed"), 1);
    assert!(text(&*at.one, &key("ada", 2, 0), 10).await.is_some());
    assert!(text(&*at.one, &key("ben", 1, 0), 9).await.is_some(), "another owner's stays");
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::LocalJobFiles;

    #[tokio::test]
    async fn files_in_the_memory_of_a_process_keep_every_rule() {
        all(async || {
            let shared = Arc::new(LocalJobFiles::default());
            SharedFiles { one: shared.clone(), two: shared }
        })
        .await;
    }
}
