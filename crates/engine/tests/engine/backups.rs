//! Backups: on request, on a schedule, and the result of the last one.

use crate::fixture::{EngineFixture, agent, owner, refused};
use engine::backups::BackupSchedule;
use model::ErrorCode;

const HOUR: i64 = 3_600;

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
    let files = std::fs::read_dir(&place).unwrap().count();
    assert_eq!(files, 3, "two scheduled ones, and the one on request");
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
