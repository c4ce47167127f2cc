//! Tests of jobs, as two servers over the same storage see them.

use super::*;
use std::future::ready;
use store::LocalValues;

const BYTES_MAX: usize = 10;

#[derive(Default)]
struct SetClock(std::sync::atomic::AtomicI64);

impl SetClock {
    fn set(&self, second: i64) {
        self.0.store(second, std::sync::atomic::Ordering::Relaxed);
    }
}

impl Clock for SetClock {
    fn now(&self) -> Moment {
        Moment::from_seconds(self.0.load(std::sync::atomic::Ordering::Relaxed))
    }
}

/// Returns the jobs of two servers, and their clock.
fn servers() -> (Jobs, Jobs, Arc<SetClock>) {
    let (values, files) = (Arc::new(LocalValues::default()), Arc::new(LocalJobFiles::default()));
    let clock = Arc::new(SetClock::default());
    let server = || {
        let values = OwnerValues::new(values.clone(), OwnerId::me());
        Jobs::new(values, files.clone(), clock.clone())
    };
    (server(), server(), Arc::clone(&clock))
}

/// Returns an export as of the third change.
fn exported(bytes: &[u8]) -> ExportedFile {
    ExportedFile { name: "a.jsonl".to_owned(), bytes: bytes.to_vec(), erased: Seq(3) }
}

async fn ended(jobs: &Jobs, owner: &OwnerId, id: i64) -> JobState {
    loop {
        let state = jobs.state(owner, id).await.unwrap();
        if state.has_ended() {
            return state;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_file_is_uploaded_through_all_servers_and_taken_once() {
    let ((one, two, _), me) = (servers(), OwnerId::me());
    let id = one.start_upload(&me).await.unwrap();
    assert_eq!(one.add_part(&me, id, b"ab".to_vec(), BYTES_MAX).await.unwrap(), Some(2));
    assert_eq!(two.add_part(&me, id, b"c".to_vec(), BYTES_MAX).await.unwrap(), Some(3));
    assert_eq!(two.add_part(&me, id, vec![0; 8], BYTES_MAX).await.unwrap(), None, "too large");
    let (file, progress) = two.take_upload(&me, id).await.unwrap();
    assert_eq!(file, b"abc");
    assert!(one.take_upload(&me, id).await.is_err());
    assert!(one.add_part(&me, id, b"d".to_vec(), BYTES_MAX).await.is_err());
    assert!(one.part(&me, id, 0).await.is_err(), "removed when it was taken");
    let other = OwnerId::new("other").unwrap();
    assert!(one.state(&other, id).await.is_err(), "another owner's job is not visible");
    progress.end(JobState::Done("Imported".to_owned(), None)).await;
    assert_eq!(one.state(&me, id).await.unwrap(), JobState::Done("Imported".to_owned(), None));
}

#[tokio::test]
async fn a_created_file_is_read_through_another_server_until_it_expires() {
    let ((one, two, clock), me) = (servers(), OwnerId::me());
    let progress = one.start(&me).await.unwrap();
    let (id, file) = (progress.id(), vec![7; PART_BYTES + 1]);
    progress.end_with_file("Exported".to_owned(), exported(&file), ready(Ok(Seq(3)))).await;
    let created = two.created_file(&me, id, Seq(3)).await.unwrap();
    assert_eq!(created.size, FileSize { bytes: PART_BYTES + 1, parts: 2 });
    let read = [two.part(&me, id, 0).await.unwrap(), two.part(&me, id, 1).await.unwrap()].concat();
    assert_eq!(read, file);
    let other = OwnerId::new("other").unwrap();
    assert!(two.part(&other, id, 0).await.is_err(), "another owner has no such file");
    clock.set(KEPT_SECONDS);
    assert!(two.state(&me, id).await.is_err() && two.part(&me, id, 0).await.is_err());
}

#[tokio::test]
async fn a_file_created_while_something_is_forgotten_is_removed() {
    let ((one, two, _), me) = (servers(), OwnerId::me());
    let progress = one.start(&me).await.unwrap();
    let id = progress.id();
    progress.end_with_file("Exported".to_owned(), exported(b"ab"), ready(Ok(Seq(4)))).await;
    assert!(matches!(two.state(&me, id).await.unwrap(), JobState::Failed(_)));
    assert!(two.part(&me, id, 0).await.is_err(), "it may contain the forgotten text");
}

#[tokio::test]
async fn a_file_is_not_served_after_something_was_forgotten() {
    let ((one, two, _), me) = (servers(), OwnerId::me());
    let progress = one.start(&me).await.unwrap();
    let id = progress.id();
    progress.end_with_file("Exported".to_owned(), exported(b"ab"), ready(Ok(Seq(3)))).await;
    let failure = two.created_file(&me, id, Seq(4)).await.unwrap_err();
    assert!(failure.message.contains("export it again"), "{}", failure.message);
    assert!(two.part(&me, id, 0).await.is_err(), "the file was removed");
}

#[tokio::test]
async fn of_two_parts_sent_at_once_one_is_added_and_the_other_is_told() {
    let ((one, two, _), me) = (servers(), OwnerId::me());
    let id = one.start_upload(&me).await.unwrap();
    let (first, second) = tokio::join!(
        one.add_part(&me, id, b"aa".to_vec(), BYTES_MAX),
        two.add_part(&me, id, b"bbb".to_vec(), BYTES_MAX),
    );
    let failure = first.as_ref().err().or(second.as_ref().err());
    let is_told = failure.is_none_or(|failure| failure.message.contains("one after the other"));
    assert!(is_told && (first.is_ok() || second.is_ok()));
    let mut expected = [(first, "aa"), (second, "bbb")];
    expected.sort_by_key(|(size, _)| size.clone().ok().flatten());
    let expected = expected.iter().filter(|(size, _)| size.is_ok()).map(|(_, text)| *text);
    let (file, _progress) = one.take_upload(&me, id).await.unwrap();
    assert_eq!(file, expected.collect::<String>().as_bytes());
}

#[tokio::test]
async fn a_part_that_comes_too_late_leaves_the_one_in_its_position() {
    let ((jobs, _, _), me) = (servers(), OwnerId::me());
    let id = jobs.start_upload(&me).await.unwrap();
    jobs.add_part(&me, id, b"aa".to_vec(), BYTES_MAX).await.unwrap();
    // Stored by another server that saw the same state as the first.
    let late = upload_part_number(0, b"bb");
    jobs.put_part(&me, id, late, JobFileKind::Upload, b"bb".to_vec()).await.unwrap();
    assert_eq!(jobs.take_upload(&me, id).await.unwrap().0, b"aa");
}

#[tokio::test(start_paused = true)]
async fn a_job_shows_its_progress_and_that_its_server_stopped() {
    let ((one, two, clock), me) = (servers(), OwnerId::me());
    let progress = one.start(&me).await.unwrap();
    progress.report(JobState::Running(3, 9));
    while two.state(&me, progress.id()).await.unwrap() != JobState::Running(3, 9) {
        tokio::task::yield_now().await;
    }
    let stopped = one.start(&me).await.unwrap();
    stopped.writer.abort();
    clock.set(50);
    // The heartbeat of the first job.
    tokio::time::sleep(std::time::Duration::from_secs(11)).await;
    clock.set(100);
    assert_eq!(two.state(&me, progress.id()).await.unwrap(), JobState::Running(3, 9));
    assert!(matches!(two.state(&me, stopped.id()).await.unwrap(), JobState::Failed(_)));
}

#[tokio::test]
async fn a_job_that_is_dropped_has_failed_and_makes_room_for_another() {
    let ((one, two, _), me) = (servers(), OwnerId::me());
    let mut running = Vec::new();
    for _ in 0..RUNNING_MAX {
        running.push(one.start(&me).await.unwrap());
    }
    let refused = one.start(&me).await.err().unwrap();
    assert_eq!(refused.code, ErrorCode::RateLimited);
    let id = running.remove(0).id();
    assert!(matches!(ended(&two, &me, id).await, JobState::Failed(_)));
    assert!(one.start(&me).await.is_ok());
}

#[test]
fn a_state_reads_back_as_it_was_written() {
    let size = FileSize { bytes: 3, parts: 2 };
    let file = CreatedFile { name: "a.jsonl".to_owned(), size, erased: Seq(3) };
    for state in [
        JobState::Uploading(Upload { bytes: 3, parts: vec![7, 1 << 40] }),
        JobState::Running(1, 2),
        JobState::Reading(3, 4),
        JobState::Failed("no".to_owned()),
        JobState::Done("yes".to_owned(), None),
        JobState::Done("yes".to_owned(), Some(file)),
    ] {
        let job = StoredJob { state, at: Moment(5) };
        assert_eq!(StoredJob::decode(&job.encode()), Some(job));
    }
    assert_eq!(StoredJob::decode("nonsense"), None);
}
