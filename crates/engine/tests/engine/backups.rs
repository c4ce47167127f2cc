//! Backups: on request, on a schedule, and the result of the last one.

use crate::fixture::{EngineFixture, agent, owner, refused};
use engine::backups::BackupSchedule;
use model::ErrorCode;

const HOUR: i64 = 3_600;

fn backups_in(place: &std::path::Path) -> Vec<String> {
    let listed = std::fs::read_dir(place).unwrap();
    let names = listed.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".db")).collect();
    names.sort();
    names
}

async fn fixture_with_schedule(every_hours: u32, keep: u32) -> EngineFixture {
    let fixture = EngineFixture::new().await;
    let plan = BackupSchedule { every_hours: Some(every_hours), keep };
    fixture.engine.admin().set_backup_schedule(&owner(), plan).await.unwrap();
    fixture
}

#[tokio::test]
async fn a_backup_that_is_dated_in_the_future_does_not_stop_the_schedule() {
    let fixture = fixture_with_schedule(24, 1).await;
    let (place, me) = (fixture.path("backups"), owner());
    let due = || fixture.engine.admin().back_up_when_due(&me, &place);
    fixture.clock.advance(10 * 365 * 24 * HOUR);
    due().await.unwrap().expect("the clock says that one is due");
    fixture.clock.advance(-10 * 365 * 24 * HOUR);
    let made = due().await.unwrap().expect("the other one is from a wrong clock");
    let name = std::path::Path::new(&made.file).file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(backups_in(&place), [name], "the one from the future goes first");
    assert_eq!(due().await.unwrap(), None);
}

#[tokio::test]
async fn a_scheduled_backup_that_failed_is_shown_and_tried_again_soon() {
    let fixture = fixture_with_schedule(24, 2).await;
    let (place, me) = (fixture.path("backups"), owner());
    std::fs::write(&place, "a file with the name of the directory").unwrap();
    let due = || fixture.engine.admin().back_up_when_due(&me, &place);
    refused(due().await, ErrorCode::StorageFailed);
    let shown = fixture.engine.admin().last_backup(&me).await.unwrap().unwrap();
    assert!(shown.problem.is_some_and(|problem| problem.contains("cannot write")));
    std::fs::remove_file(&place).unwrap();
    assert_eq!(due().await.unwrap(), None, "not at once");
    fixture.clock.advance(HOUR / 6);
    assert!(due().await.unwrap().is_some(), "but long before the next day");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_processes_one_makes_the_scheduled_backup() {
    let fixture = fixture_with_schedule(24, 7).await;
    for number in 0..50 {
        fixture.add("codex", &format!("memory number {number}"), |_| {}).await;
    }
    let place = fixture.path("backups");
    let processes = (0..8).map(|_| {
        let (engine, place) = (fixture.reopen(None), place.clone());
        tokio::spawn(async move {
            engine.admin().back_up_when_due(&owner(), &place).await.unwrap().is_some()
        })
    });
    let mut made = 0;
    for process in processes.collect::<Vec<_>>() {
        made += usize::from(process.await.unwrap());
    }
    assert_eq!((made, backups_in(&place).len()), (1, 1));
}

#[tokio::test]
async fn a_due_backup_is_made_and_surplus_scheduled_ones_are_removed() {
    let fixture = EngineFixture::new().await;
    fixture.add("codex", "kept twice", |_| {}).await;
    let place = fixture.path("backups");
    let me = owner();
    let due = || fixture.engine.admin().back_up_when_due(&me, &place);
    assert_eq!(due().await.unwrap(), None, "there is no schedule");
    let by_hand = fixture.engine.admin().back_up_into(&owner(), &place).await.unwrap();
    fixture
        .engine
        .admin()
        .set_backup_schedule(&owner(), BackupSchedule { every_hours: Some(24), keep: 2 })
        .await
        .unwrap();
    assert_eq!(due().await.unwrap(), None, "the backup on request is recent enough");
    for _ in 0..4 {
        fixture.clock.advance(25 * HOUR);
        let made = due().await.unwrap().unwrap();
        assert_eq!(fixture.engine.admin().last_backup(&owner()).await.unwrap(), Some(made));
        assert_eq!(due().await.unwrap(), None);
    }
    assert_eq!(backups_in(&place).len(), 3, "two scheduled ones, and the one on request");
    assert!(std::path::Path::new(&by_hand.file).is_file());
}

#[tokio::test]
async fn a_failed_backup_is_reported() {
    let fixture = EngineFixture::new().await;
    let place = fixture.path("no-directory");
    std::fs::write(&place, "a file with the name of the directory").unwrap();
    refused(fixture.engine.admin().back_up_into(&owner(), &place).await, ErrorCode::StorageFailed);
    refused(
        fixture.engine.admin().back_up_into(&agent("codex"), &place).await,
        ErrorCode::ConsentRequired,
    );
    let forever = BackupSchedule { every_hours: Some(0), keep: 2 };
    refused(
        fixture.engine.admin().set_backup_schedule(&owner(), forever).await,
        ErrorCode::InvalidArgument,
    );
}
