//! The user's own words of a message: without code, quotes, logs and texts that were pasted for
//! somebody to work on. Everything after "Translate this:" belongs to somebody else.

use crate::sentence::words;

/// Words before a colon that announce a text which is not the user's.
#[rustfmt::skip]
const ANNOUNCING: &[&str] = &[
    "translate", "summarize", "summarise", "proofread", "improve", "rewrite", "rephrase",
    "paraphrase", "shorten", "extract", "convert", "turn", "format", "classify", "analyze",
    "analyse", "review", "grammar", "following", "text", "email", "e-mail", "mail", "message",
    "messages", "log", "logs", "output", "error", "errors", "prompt", "prompts", "notes", "bio",
    "article", "paragraph", "letter", "comment", "quote", "transcript", "snippet", "code", "spec",
    "specification", "document", "docs", "documentation", "readme", "says", "said", "wrote",
    "writes", "reads", "example", "story", "poem", "ticket", "issue", "post", "tweet", "diff",
    "stacktrace", "trace", "response", "answer", "sentence", "data", "json", "config", "pasted",
    "übersetze", "übersetz", "korrigiere", "fasse", "folgenden", "folgende", "schrieb", "schreibt",
    "sagt", "meldung", "traduce", "resume", "corrige", "siguiente", "mensaje", "correo", "escribió",
    "dice", "traduis", "résume", "suivant", "dit", "écrit", "message", "courriel",
];
/// The same in Chinese.
const ANNOUNCING_CHINESE: &[&str] =
    &["翻译", "总结", "改写", "润色", "校对", "以下", "如下", "日志", "报错"];
/// Starts of a pasted part that reaches to the end of the message.
const PASTED_STARTS: [&str; 4] = ["diff --git", "Traceback (most recent", "-----BEGIN", "@@ -"];
/// Starts of a line that is code, a quote, a shell prompt or data.
#[rustfmt::skip]
const FOREIGN_LINE_STARTS: &[&str] = &[
    ">", "$ ", "# ", "//", "/*", "|", "{", "}", "[", "<", "+", "@", "def ", "fn ", "class ",
    "import ", "from ", "return ", "const ", "let ", "var ", "public ", "private ", "func ",
    "ERROR", "WARN", "INFO", "DEBUG", "error:", "error[", "warning:", "at ", "SELECT ", "select ",
    "git ", "npm ", "cargo ", "kubectl ", "docker ", "/", "!",
];

/// Returns the user's own words, one block for each part that is left.
pub(crate) fn own_words(text: &str) -> String {
    let end = PASTED_STARTS.iter().filter_map(|start| text.find(start)).min();
    let text = &text[..end.unwrap_or(text.len())];
    let mut kept = String::new();
    // Mark at the start of the line that ends a foreign part.
    let mut open: Option<String> = None;
    for line in text.lines() {
        match &open {
            Some(end) if line.trim_start().starts_with(end.as_str()) => open = None,
            Some(_) => {}
            None => {
                open = foreign_part_end(line);
                if open.is_none() && !is_foreign_line(line) {
                    if let Some(announced) = announcement_end(line) {
                        kept.push_str(&line[..announced]);
                        return kept;
                    }
                    kept.push_str(line);
                }
            }
        }
        kept.push('\n');
    }
    kept
}

/// Returns the mark that ends a block of code or a tagged part that a line opens.
fn foreign_part_end(line: &str) -> Option<String> {
    let line = line.trim();
    let fence = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark));
    let name = line.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).filter(|name| {
        !name.contains("</") && name.starts_with(char::is_alphabetic) && !name.ends_with('/')
    });
    let name = name.and_then(|name| name.split_whitespace().next());
    fence.map(str::to_owned).or_else(|| name.map(|name| format!("</{name}>")))
}

fn is_foreign_line(line: &str) -> bool {
    let is_indented = line.starts_with("    ") || line.starts_with('\t');
    let line = line.trim();
    let is_code = line.ends_with(['{', ';', '}']) || line.contains("=>") || line.contains("</");
    let starts_with_date = line.len() > 10
        && line.starts_with(|c: char| c.is_ascii_digit())
        && line.chars().take(10).filter(char::is_ascii_digit).count() >= 6;
    let is_item = line.starts_with("- ") || line.starts_with("* ");
    let is_foreign = FOREIGN_LINE_STARTS.iter().any(|start| line.starts_with(start));
    (is_indented && !is_item) || is_code || starts_with_date || is_foreign
}

/// Returns the end of the words that announce a text of somebody else, at their colon.
fn announcement_end(line: &str) -> Option<usize> {
    let colons = line.char_indices().filter(|(_, c)| matches!(c, ':' | '：')).map(|(at, _)| at);
    colons.into_iter().find(|at| {
        let before = &line[..*at];
        let sentence = before.rsplit(['.', '!', '?', '。']).next().unwrap_or(before);
        let is_chinese = ANNOUNCING_CHINESE.iter().any(|word| sentence.contains(word));
        is_chinese || words(sentence).iter().any(|word| ANNOUNCING.contains(&&*word.plain))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_quotes_and_pasted_texts_are_not_the_users_words() {
        let text = "Look.\n```\nWe use Go.\n```\n> We use Go.\n    we_use(go)\nDone.";
        assert_eq!(own_words(text).split_whitespace().collect::<Vec<_>>(), ["Look.", "Done."]);
        assert_eq!(own_words("Translate to German: I live here."), "Translate to German");
        assert_eq!(own_words("Ok. The log:\nWe decided to retry."), "Ok. The log");
        assert_eq!(own_words("Decision: we use Go.").trim(), "Decision: we use Go.");
        assert_eq!(own_words("See.\ndiff --git a/x b/x\n+ We use Go.").trim(), "See.");
    }
}
