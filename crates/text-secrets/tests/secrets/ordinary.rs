//! Ordinary lines in which nothing is secret: sources, a lock file and pages of this project, logs,
//! settings and prose, many of them about passwords and keys.

use quipu_secrets::{remove_invisible, secrets};

const LINES_MIN: usize = 2_000;

const FILES: [&str; 7] = [
    include_str!("ordinary/docs.txt"),
    include_str!("ordinary/lines.txt"),
    include_str!("ordinary/lock.txt"),
    include_str!("ordinary/log.txt"),
    include_str!("ordinary/prose.txt"),
    include_str!("ordinary/rust.txt"),
    include_str!("ordinary/settings.txt"),
];

#[test]
fn ordinary_lines_raise_no_alarm() {
    let lines: Vec<&str> = FILES.iter().flat_map(|file| file.lines()).collect();
    assert!(lines.len() >= LINES_MIN, "{} lines are too few to measure with", lines.len());
    let alarms: Vec<_> = lines.iter().filter(|line| !secrets(line).is_empty()).collect();
    assert!(alarms.is_empty(), "{alarms:#?}");
}

#[test]
fn ordinary_lines_read_together_raise_no_alarm() {
    for file in FILES {
        let alarms: Vec<_> =
            secrets(file).into_iter().map(|one| (one.rule, &file[one.range])).collect();
        assert!(alarms.is_empty(), "{alarms:#?}");
    }
}

#[test]
fn ordinary_lines_contain_nothing_invisible() {
    for file in FILES {
        let (cleaned, found) = remove_invisible(file);
        assert!(found.is_empty() && cleaned == file, "{found:?}");
    }
}
