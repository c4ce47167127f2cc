//! Doc comments and plain comments of a source file.

use super::{RIDDLE_OPENINGS, SourceFile};

/// One block of `///` or `//!` lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocComment {
    /// File and line where it begins.
    pub place: String,
    /// Its text as one line.
    pub text: String,
}

impl DocComment {
    /// Returns whether it opens with a word that leaves the noun to be guessed.
    #[must_use]
    pub fn is_riddle(&self) -> bool {
        let first = self.text.split(|c: char| !c.is_alphanumeric() && c != '\'').next();
        RIDDLE_OPENINGS.contains(&first.unwrap_or_default().to_lowercase().as_str())
    }

    /// Returns whether it is a single word, which says nothing that the name does not.
    #[must_use]
    pub fn is_one_word(&self) -> bool {
        self.text.split_whitespace().count() == 1 && !self.text.starts_with('[')
    }
}

/// Returns the doc comments of a file.
#[must_use]
pub fn doc_comments(file: &SourceFile) -> Vec<DocComment> {
    let mut all: Vec<DocComment> = Vec::new();
    let mut inside = false;
    for (line, number) in file.lines().zip(1..) {
        let line = line.trim_start();
        let doc = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        match (doc, inside) {
            (Some(text), true) => {
                if let Some(last) = all.last_mut() {
                    last.text.push(' ');
                    last.text.push_str(text.trim());
                }
            }
            (Some(text), false) => {
                let place = format!("{}:{number}", file.path());
                all.push(DocComment { place, text: text.trim().to_owned() });
            }
            (None, _) => {}
        }
        inside = doc.is_some();
    }
    all
}

/// Returns the number of lines of plain comments for each 100 lines of code, tests left out.
pub fn why_comments_per_100_lines<'a>(files: impl Iterator<Item = &'a SourceFile>) -> f64 {
    let (mut comments, mut code) = (0_usize, 0_usize);
    for line in files.flat_map(SourceFile::product_lines).map(str::trim) {
        let is_doc = line.starts_with("///") || line.starts_with("//!");
        if line.starts_with("//") && !is_doc {
            comments += 1;
        } else if !line.is_empty() && !is_doc {
            code += 1;
        }
    }
    100.0 * comments as f64 / code.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn docs(text: &str) -> Vec<DocComment> {
        doc_comments(&SourceFile::new("crates/x/src/a.rs", text))
    }

    #[test]
    fn a_block_of_doc_lines_is_one_comment() {
        let found = docs("//! Header.\n//! More.\n\n/// Which.\nfn a() {}\n");
        let texts: Vec<&str> = found.iter().map(|doc| doc.text.as_str()).collect();
        assert_eq!(texts, ["Header. More.", "Which."]);
        assert!(found[1].is_riddle() && found[1].is_one_word());
        assert!(!found[0].is_riddle() && !found[0].is_one_word());
    }

    #[test]
    fn comments_of_tests_do_not_count_as_reasons() {
        let text = "// Why.\nfn a() {}\n#[cfg(test)]\nmod tests {\n    // Not counted.\n}\n";
        let file = SourceFile::new("crates/x/src/a.rs", text);
        assert_eq!(why_comments_per_100_lines(std::iter::once(&file)), 100.0);
    }
}
