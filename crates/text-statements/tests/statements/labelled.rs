//! Reads labelled messages: one on each line, `¶` for its line breaks, after `⇒` the statements
//! that are worth keeping, separated by `||`. Lines that start with `#` and a blank are headings.

/// A message with what is worth keeping of it.
#[derive(Debug, Clone)]
pub struct LabelledMessage {
    pub text: String,
    pub labels: Vec<StatementLabel>,
}

/// Words of a statement that is worth keeping.
#[derive(Debug, Clone)]
pub struct StatementLabel {
    pub words: String,
}

impl StatementLabel {
    /// Returns true if a kept statement has these words.
    pub fn fits(&self, kept: &str) -> bool {
        kept.to_lowercase().contains(&self.words.to_lowercase())
    }
}

/// Returns the messages of a file.
pub fn messages(file: &str) -> Vec<LabelledMessage> {
    file.lines().filter(|line| !line.starts_with("# ")).map(message).collect()
}

fn message(line: &str) -> LabelledMessage {
    let (text, labels) = line.split_once(" ⇒ ").unwrap_or((line, ""));
    let labels = labels.split("||").map(str::trim).filter(|label| !label.is_empty());
    LabelledMessage {
        text: text.replace('¶', "\n"),
        labels: labels.map(|words| StatementLabel { words: words.to_owned() }).collect(),
    }
}
