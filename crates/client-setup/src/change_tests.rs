//! Tests of what happens when somebody else writes a file at the same time.

use super::*;
use crate::edit::FileEdit;
use serde_json::json;

fn plan_for(path: &Path) -> ClientFilePlan {
    let keys = vec!["mcpServers".to_owned(), "quipu".to_owned()];
    ClientFilePlan {
        path: path.to_owned(),
        clients: vec![ClientKind::Cursor],
        edits: vec![FileEdit::Entry { path: keys, value: json!({ "command": "/bin/quipu" }) }],
    }
}

#[test]
fn an_edit_between_reading_and_writing_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("mcp.json");
    std::fs::write(&path, "{}\n").unwrap();
    let mut journal = SetupJournal::load(&directory.path().join("journal.json")).unwrap();
    let mut edits = 0;
    let mut somebody = || {
        if edits < 2 {
            edits += 1;
            std::fs::write(&path, format!("{{ \"edit\": {edits} }}\n")).unwrap();
        }
    };
    assert!(change_file(&plan_for(&path), &mut journal, &mut somebody).unwrap());
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"edit\": 2") && text.contains("/bin/quipu"), "{text}");
    let results = crate::undo::undo_setup(&mut journal, &[]);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{ \"edit\": 2 }\n");
}

#[test]
fn a_file_that_keeps_changing_is_left_to_its_writer() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("mcp.json");
    let mut journal = SetupJournal::load(&directory.path().join("journal.json")).unwrap();
    let mut edits = 0;
    let mut somebody = || {
        edits += 1;
        std::fs::write(&path, format!("{{ \"edit\": {edits} }}\n")).unwrap();
    };
    let refused = change_file(&plan_for(&path), &mut journal, &mut somebody);
    assert!(matches!(refused, Err(SetupError::Busy { .. })), "{refused:?}");
    assert!(!std::fs::read_to_string(&path).unwrap().contains("quipu"));
    assert!(journal.is_empty(), "nothing is recorded that was not done");
    let names: Vec<_> = std::fs::read_dir(directory.path()).unwrap().flatten().collect();
    assert_eq!(names.len(), 1, "no backup and no temporary file is left: {names:?}");
}
