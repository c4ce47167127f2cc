//! A picture for the page of each client: a terminal with the changes that `quipu setup` shows
//! before it asks. Taken from a real run, with the beginning of each file.

use super::terminal_window::{self, BAR, CHAR, COLUMNS, LINE, MARGIN, escaped};
use anyhow::{Context, Result, ensure};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Maximum number of lines shown of the changes of one file.
const FILE_LINES: usize = 16;

/// Home directory in the pictures.
const SHOWN_HOME: &str = "/home/ines";

/// A client with the name that it has in commands and in the name of its page.
pub struct ClientPage {
    pub name: String,
    /// Heading of the page, the name for people.
    pub title: String,
}

/// Returns the pages of clients in a folder, by name.
pub fn client_pages(folder: &Path) -> Result<Vec<ClientPage>> {
    let mut pages = Vec::new();
    for page in std::fs::read_dir(folder)? {
        let path = page?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).context("a page has a name")?;
        let text = std::fs::read_to_string(&path)?;
        let title = text.lines().next().and_then(|line| line.strip_prefix("# "));
        let title = title.with_context(|| format!("{name}.md begins with a heading"))?;
        pages.push(ClientPage { name: name.to_owned(), title: title.to_owned() });
    }
    pages.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(pages)
}

/// Runs `quipu setup` for a client of an empty home directory, and returns the picture.
pub fn take(mut quipu: Command, client: &ClientPage, home: &Path) -> Result<String> {
    let binary = quipu.get_program().to_string_lossy().into_owned();
    quipu.args(["setup", &client.name, "--dry-run"]);
    quipu.env_clear().env("HOME", home);
    let printed = quipu.output()?;
    ensure!(printed.status.success(), "`quipu setup {} --dry-run` failed", client.name);
    let output = String::from_utf8(printed.stdout)?;
    // The paths of somebody who installed it as the documentation says. Clients do not expand `~`,
    // and a reader may copy from the picture.
    let output = output.replace(&binary, &format!("{SHOWN_HOME}/.local/bin/quipu"));
    Ok(render(client, &output.replace(&*home.to_string_lossy(), SHOWN_HOME)))
}

fn render(client: &ClientPage, output: &str) -> String {
    let lines = shortened(output);
    let command = format!("quipu setup {} --dry-run", client.name);
    let label = format!("{command} shows the changes of the files of {}", client.title);
    let (top, prompt) = (BAR + LINE, MARGIN + 2.0 * CHAR);
    let mut body = format!(
        "<text x=\"{MARGIN:.1}\" y=\"{top:.1}\" class=\"c\">$</text>\
         <text x=\"{prompt:.1}\" y=\"{top:.1}\">{}</text>\n",
        escaped(&command)
    );
    for (row, line) in (1..).zip(&lines).filter(|(_, line)| !line.trim().is_empty()) {
        let y = top + row as f32 * LINE;
        let (class, text) = (class_of(line), escaped(line));
        // Writing to a string cannot fail.
        _ = writeln!(body, "<text x=\"{MARGIN:.1}\" y=\"{y:.1}\" class=\"{class}\">{text}</text>");
    }
    let style = ".a { fill: #94cfa4; }\n.d { fill: #a49fa8; }\n";
    terminal_window::render(&label, lines.len() + 1, style, &body)
}

fn class_of(line: &str) -> &'static str {
    match line {
        _ if line.starts_with("+++") => "c",
        _ if line.starts_with('+') => "a",
        _ if line.starts_with("---") || line.starts_with("@@") || line.starts_with('…') => "d",
        _ => "o",
    }
}

/// Returns the lines of a diff with the first ones of each file, each cut at the end of the window.
fn shortened(output: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for file in output.trim_end().split("\n\n--- ") {
        let file = if file.starts_with("--- ") { file.to_owned() } else { format!("--- {file}") };
        // The words after the last file are in the same part, below an empty line.
        let (diff, words) = file.rsplit_once("\n\n").unwrap_or((&file, ""));
        let all: Vec<&str> = diff.lines().filter(|line| *line != "+").collect();
        lines.extend(all.iter().take(FILE_LINES).map(|line| cut(line)));
        if let Some(more @ 1..) = all.len().checked_sub(FILE_LINES) {
            lines.push(format!("… {more} more {}", if more == 1 { "line" } else { "lines" }));
        }
        lines.push(String::new());
        lines.extend(words.lines().map(cut));
    }
    lines
}

fn cut(line: &str) -> String {
    if line.chars().count() <= COLUMNS {
        return line.to_owned();
    }
    line.chars().take(COLUMNS - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_in_the_picture_and_long_ones_are_shortened() {
        let long = "+line\n".repeat(FILE_LINES * 2);
        let output = format!(
            "--- /dev/null\n+++ ~/a.json\n@@ -0,0 +1,40 @@\n{long}\n--- /dev/null\n+++ ~/b.md\n\
             @@ -0,0 +1 @@\n+<!-- {} -->\n\n2 files would be changed; nothing was.\n",
            "x".repeat(200)
        );
        let client = ClientPage { name: "zed".into(), title: "Zed".into() };
        let svg = render(&client, &output);
        for part in ["+++ ~/a.json", "… 19 more lines", "+++ ~/b.md", "2 files would be changed"]
        {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        assert!(svg.contains("+&lt;!-- "), "{svg}");
        assert!(shortened(&output).iter().all(|line| line.chars().count() <= COLUMNS));
    }
}
