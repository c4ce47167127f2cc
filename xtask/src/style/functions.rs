//! Functions of a source file with their sizes.

use super::SourceFile;

/// A function and its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// File and line of its signature.
    pub place: String,
    /// Number of lines from the signature to the closing brace.
    pub lines: usize,
    /// Number of parameters, `self` included.
    pub parameters: usize,
}

/// Returns the functions of a file that have a body.
#[must_use]
pub fn functions(file: &SourceFile) -> Vec<Function> {
    let lines: Vec<&str> = file.lines().collect();
    let starts = (0..lines.len()).filter(|index| is_signature(lines[*index]));
    starts.filter_map(|start| function(file, &lines, start)).collect()
}

fn is_signature(line: &str) -> bool {
    let words = line.split_whitespace().take_while(|word| !word.starts_with("//"));
    let modifiers = ["pub", "async", "const", "unsafe", "extern", "\"C\""];
    let mut rest = words.skip_while(|word| modifiers.contains(word) || word.starts_with("pub("));
    rest.next() == Some("fn")
}

/// Reads the function that begins at a line. rustfmt puts its last brace under its first letter.
fn function(file: &SourceFile, lines: &[&str], start: usize) -> Option<Function> {
    let indent = lines[start].len() - lines[start].trim_start().len();
    let place = format!("{}:{}", file.path(), start + 1);
    let closing = format!("{}}}", " ".repeat(indent));
    let ends = |line: &str| line.trim_end() == closing;
    let head = lines[start..].iter().position(|line| line.ends_with(['{', '}', ';']))?;
    let signature = lines[start..=start + head].join(" ");
    let parameters = parameters(&signature);
    match lines[start + head] {
        line if line.ends_with(';') => None,
        line if line.ends_with('}') => Some(Function { place, lines: head + 1, parameters }),
        _ => {
            let body = lines[start + head..].iter().position(|line| ends(line))?;
            Some(Function { place, lines: head + body + 1, parameters })
        }
    }
}

fn parameters(signature: &str) -> usize {
    let Some((_, inside)) = signature.split_once('(') else { return 0 };
    let (mut depth, mut count, mut any) = (1, 0, false);
    let mut previous = ' ';
    for c in inside.chars() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if previous == '-' || previous == '=' => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 1 => {
                count += usize::from(any);
                any = false;
            }
            c if !c.is_whitespace() && depth == 1 => any = true,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        previous = c;
    }
    count + usize::from(any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_as_long_as_its_lines_and_has_its_parameters() {
        let text = "pub async fn a(\n    &self,\n    b: impl Fn(u8, u8) -> u8,\n) -> u8 {\n    1\n\
                    }\nfn b() {}\nfn c(x: u8);\n";
        let found = functions(&SourceFile::new("a.rs", text));
        let sizes: Vec<(usize, usize)> =
            found.iter().map(|function| (function.lines, function.parameters)).collect();
        assert_eq!(sizes, [(6, 2), (1, 0)]);
    }
}
