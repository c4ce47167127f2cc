//! Opens the dashboard in the owner's browser, where there is one: not over SSH, in a container or
//! without a display. The link lets whoever has it in, and the arguments of a process are visible
//! to every user of the machine, so the browser is given a file that only its owner can read and
//! that leads to the link.

use crate::files;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Time after which the file is removed; a browser that starts first needs a while.
const REMOVED_AFTER: Duration = Duration::from_secs(60);

/// Returns why no browser is opened here; `None` when one is.
pub fn absent_browser(variable: impl Fn(&str) -> Option<String>) -> Option<&'static str> {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    if is_set("SSH_CONNECTION") || is_set("SSH_TTY") {
        return Some("this is an SSH session");
    }
    if is_set("CI") {
        return Some("this is an automated run");
    }
    let has_display = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
    let needs_display = cfg!(not(any(target_os = "macos", windows)));
    (needs_display && !has_display).then_some("there is no display")
}

/// A file that leads to a link, removed when it is dropped.
#[derive(Debug)]
pub struct RedirectFile {
    path: PathBuf,
}

impl RedirectFile {
    /// Writes the file and opens it in the browser; `None` when that is not possible, which the
    /// printed link makes up for.
    pub fn open(link: &str, directory: &Path) -> Option<Self> {
        let path = directory.join(format!("quipu-dashboard-{}.html", std::process::id()));
        let written = files::write_new(&path, redirect_page(link)).ok()?;
        let file = written.then_some(Self { path })?;
        open_command(&file.path).spawn().ok()?;
        Some(file)
    }

    /// Returns the removal of the file once the browser has read it, also while the server goes on.
    pub fn removal(&self) -> impl Future<Output = ()> + Send + 'static {
        let path = self.path.clone();
        async move {
            tokio::time::sleep(REMOVED_AFTER).await;
            drop(Self { path });
        }
    }
}

impl Drop for RedirectFile {
    fn drop(&mut self) {
        // A file that is left over leads to a link that works once and for minutes only.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Returns the directory for the file. Browsers in a sandbox read no hidden directory, where the
/// data usually is, but the home directory of the user.
pub fn redirect_directory(data: &Path) -> PathBuf {
    std::env::home_dir().filter(|home| home.is_dir()).unwrap_or_else(|| data.to_owned())
}

fn redirect_page(link: &str) -> String {
    // Links are made of letters, digits and the punctuation of a URL; this is for the next change.
    let link = link.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    format!(
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0; url={link}\"><title>Quipu</title>\
         <a href=\"{link}\">Open the dashboard</a>\n"
    )
}

/// Returns the command that opens a file with the browser of the system.
fn open_command(file: &Path) -> Command {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        Command::new("explorer")
    } else {
        Command::new("xdg-open")
    };
    command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn among<'v>(set: &'v [(&'v str, &'v str)]) -> impl Fn(&str) -> Option<String> + 'v {
        move |name| set.iter().find(|(one, _)| *one == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn no_browser_opens_over_ssh_or_in_an_automated_run() {
        assert!(absent_browser(among(&[("SSH_TTY", "/dev/pts/0"), ("DISPLAY", ":0")])).is_some());
        assert!(absent_browser(among(&[("CI", "true"), ("DISPLAY", ":0")])).is_some());
        assert!(absent_browser(among(&[("DISPLAY", ":0"), ("SSH_TTY", "")])).is_none());
        assert!(absent_browser(among(&[("WAYLAND_DISPLAY", "wayland-0")])).is_none());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn no_browser_opens_without_a_display() {
        assert_eq!(absent_browser(among(&[])), Some("there is no display"));
    }

    #[test]
    fn the_page_leads_to_the_link_and_cannot_be_broken_out_of() {
        let page = redirect_page("http://127.0.0.1:7717/login?link=a\"><b>&c");
        assert!(page.contains("url=http://127.0.0.1:7717/login?link=a&quot;>&lt;b>&amp;c"));
    }
}
