//! The log of the hooks: one line for each problem, in a file of bounded size.

use crate::home_dir::HomeDir;
use std::io::Write;

/// Size from which the log starts anew.
const LOG_BYTES_MAX: u64 = 256 * 1024;

/// Appends a line. A log that cannot be written is no reason to disturb anybody.
pub(crate) fn log_line(home: &HomeDir, line: &str) {
    let path = home.hook_log_file();
    let Some(directory) = path.parent() else { return };
    if std::fs::create_dir_all(directory).is_err() {
        return;
    }
    let is_full = path.metadata().is_ok_and(|metadata| metadata.len() > LOG_BYTES_MAX);
    let mut options = std::fs::OpenOptions::new();
    options.create(true).write(true).truncate(is_full).append(!is_full);
    let line = line.replace(['\n', '\r'], " ");
    let now = engine::Clock::now(&engine::SystemClock);
    if let Ok(mut file) = options.open(path) {
        let _ = writeln!(file, "{now} {line}");
    }
}
