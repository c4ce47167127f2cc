//! PostgreSQL's words in a statement, written in SQLite's where they have a plain meaning:
//! `ILIKE`, `x::text`, `NOW() - INTERVAL '7 days'`, `date_trunc`, `EXTRACT`. None of them is valid
//! in SQLite, so that a statement for SQLite stays as it is.

mod tokens;

use tokens::{SqlToken, SqlTokenKind, tokenize};

/// Format of the times of the tables, as SQLite's `strftime` takes it.
const TIME_FORMAT: &str = "%Y-%m-%dT%H:%M:%SZ";

/// Sentence that an error about the syntax gets.
pub(crate) const ADVICE: &str = "the SQL is SQLite's: date(x, '-7 days'), strftime('%Y-%m', x), \
                                 CAST(x AS TEXT), and LIKE ignores case";

/// Words before which an expression cannot end.
const KEYWORDS: [&str; 26] = [
    "select", "from", "where", "and", "or", "not", "in", "is", "like", "between", "case", "when",
    "then", "else", "on", "by", "having", "limit", "offset", "as", "distinct", "union", "all",
    "join", "exists", "values",
];

/// Writes a statement in SQLite's words.
pub(crate) fn to_sqlite(sql: &str) -> String {
    let mut rewriter = Rewriter { tokens: tokenize(sql), at: 0, out: Vec::new() };
    while rewriter.at < rewriter.tokens.len() {
        rewriter.step();
    }
    rewriter.out.concat()
}

/// Reads tokens, and writes each, or what stands for it.
struct Rewriter<'s> {
    tokens: Vec<SqlToken<'s>>,
    at: usize,
    /// One text per token, spaces included.
    out: Vec<String>,
}

impl<'s> Rewriter<'s> {
    fn step(&mut self) {
        let token = self.tokens[self.at];
        let is_rewritten = match token.kind {
            SqlTokenKind::Word if token.is("ilike") => self.put("LIKE", 1),
            SqlTokenKind::Word if token.is("now") => self.now(),
            SqlTokenKind::Word if token.is("date_trunc") => self.date_trunc().is_some(),
            SqlTokenKind::Word if token.is("extract") => self.extract().is_some(),
            SqlTokenKind::Cast => self.cast().is_some(),
            SqlTokenKind::Other if matches!(token.text, "+" | "-") => self.interval().is_some(),
            _ => false,
        };
        if !is_rewritten {
            self.put(token.text, 1);
        }
    }

    fn put(&mut self, text: &str, read: usize) -> bool {
        self.out.push(text.to_owned());
        self.at += read;
        true
    }

    /// Returns the next token from an index on that is no space, with its index.
    fn solid(&self, from: usize) -> Option<(usize, SqlToken<'s>)> {
        let mut rest = self.tokens.iter().copied().enumerate().skip(from);
        rest.find(|(_, token)| token.kind != SqlTokenKind::Space)
    }

    /// Writes `NOW()`.
    fn now(&mut self) -> bool {
        let closed = self.solid(self.at + 1).filter(|(_, token)| token.text == "(");
        let closed = closed.and_then(|(at, _)| self.solid(at + 1));
        match closed.filter(|(_, token)| token.text == ")") {
            Some((end, _)) => {
                self.put(&format!("strftime('{TIME_FORMAT}', 'now')"), end + 1 - self.at)
            }
            None => false,
        }
    }

    /// Writes `x::type`.
    fn cast(&mut self) -> Option<()> {
        let (mut end, kind) = self.solid(self.at + 1).filter(|(_, token)| token.is_word())?;
        let kind = kind.text.to_lowercase();
        if matches!(kind.as_str(), "double" | "character") {
            end =
                self.solid(end + 1).filter(|(_, token)| token.is_word()).map_or(end, |(at, _)| at);
        }
        // The length of a type, as in `varchar(20)`, says nothing here.
        let mut read = end + 1;
        if self.tokens.get(read).is_some_and(|token| token.text == "(") {
            read = self.closing(read)? + 1;
        }
        let start = self.operand_start()?;
        let (before, after) = match kind.as_str() {
            "text" | "varchar" | "char" | "character" => ("CAST(", " AS TEXT)"),
            "int" | "integer" | "bigint" | "smallint" | "int4" | "int8" => {
                ("CAST(", " AS INTEGER)")
            }
            "float" | "real" | "double" | "numeric" | "decimal" | "float8" => {
                ("CAST(", " AS REAL)")
            }
            "date" => ("date(", ")"),
            "time" => ("time(", ")"),
            "timestamp" | "timestamptz" | "json" | "jsonb" | "boolean" | "bool" => ("(", ")"),
            _ => return None,
        };
        self.out.insert(start, before.to_owned());
        self.put(after, read - self.at);
        Some(())
    }

    /// Writes `x - INTERVAL '7 days'`.
    fn interval(&mut self) -> Option<()> {
        let sign = self.tokens[self.at].text;
        let (at, _) = self.solid(self.at + 1).filter(|(_, token)| token.is("interval"))?;
        let (end, span) =
            self.solid(at + 1).filter(|(_, token)| token.kind == SqlTokenKind::Literal)?;
        let modifiers = modifiers(span.text.trim_matches('\''), sign)?;
        let start = self.operand_start()?;
        self.out.insert(start, format!("strftime('{TIME_FORMAT}', "));
        self.put(&format!(", {modifiers})"), end + 1 - self.at);
        Some(())
    }

    /// Writes `date_trunc('month', x)`.
    fn date_trunc(&mut self) -> Option<()> {
        let (open, _) = self.solid(self.at + 1).filter(|(_, token)| token.text == "(")?;
        let close = self.closing(open)?;
        let (at, unit) = self.solid(open + 1)?;
        let (comma, _) = self.solid(at + 1).filter(|(_, token)| token.text == ",")?;
        let (format, modifiers) = match unit.text.trim_matches('\'').to_lowercase().as_str() {
            "year" => ("%Y-01-01T00:00:00Z", ""),
            "month" => ("%Y-%m-01T00:00:00Z", ""),
            // Monday, as in PostgreSQL: the Sunday at the end of the week, less six days.
            "week" => ("%Y-%m-%dT00:00:00Z", ", 'weekday 0', '-6 days'"),
            "day" => ("%Y-%m-%dT00:00:00Z", ""),
            "hour" => ("%Y-%m-%dT%H:00:00Z", ""),
            "minute" => ("%Y-%m-%dT%H:%M:00Z", ""),
            _ => return None,
        };
        let value = self.rewritten(comma + 1, close);
        self.put(&format!("strftime('{format}',{value}{modifiers})"), close + 1 - self.at);
        Some(())
    }

    /// Writes `EXTRACT(YEAR FROM x)`.
    fn extract(&mut self) -> Option<()> {
        let (open, _) = self.solid(self.at + 1).filter(|(_, token)| token.text == "(")?;
        let close = self.closing(open)?;
        let (at, unit) = self.solid(open + 1)?;
        let (from, _) = self.solid(at + 1).filter(|(_, token)| token.is("from"))?;
        let format = match unit.text.to_lowercase().as_str() {
            "year" => "%Y",
            "month" => "%m",
            "day" => "%d",
            "hour" => "%H",
            "minute" => "%M",
            "dow" => "%w",
            "doy" => "%j",
            "epoch" => "%s",
            _ => return None,
        };
        let value = self.rewritten(from + 1, close);
        let written = format!("CAST(strftime('{format}',{value}) AS INTEGER)");
        self.put(&written, close + 1 - self.at);
        Some(())
    }

    /// Returns a range of the statement in SQLite's words.
    fn rewritten(&self, from: usize, to: usize) -> String {
        let text: String = self.tokens[from..to].iter().map(|token| token.text).collect();
        to_sqlite(&text)
    }

    /// Returns the index of the parenthesis that closes the one at an index.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(open) {
            match token.text {
                "(" => depth += 1,
                ")" => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// Returns the index in what was written at which the last operand begins: a value, a column
    /// with its table, a call or parentheses.
    fn operand_start(&self) -> Option<usize> {
        let is_space = |text: &String| text.trim().is_empty();
        let last = self.out.iter().rposition(|text| !is_space(text))?;
        let mut start = last;
        if self.out[last].ends_with(')') && !is_call(&self.out[last]) {
            start = opening(&self.out, last)?;
            let before = self.out[..start].iter().rposition(|text| !is_space(text));
            start = before.filter(|at| is_name(&self.out[*at])).unwrap_or(start);
        } else if KEYWORDS.contains(&self.out[last].to_lowercase().as_str()) {
            return None;
        }
        while start >= 2 && self.out[start - 1] == "." && is_name(&self.out[start - 2]) {
            start -= 2;
        }
        Some(start)
    }
}

/// Returns true for a whole call, as this module writes them.
fn is_call(text: &str) -> bool {
    text.len() > 1 && text.contains('(')
}

/// Returns the index of the text that opens what the one at an index closes.
fn opening(out: &[String], close: usize) -> Option<usize> {
    let mut depth = 0_i64;
    for at in (0..=close).rev() {
        let quoted = out[at].starts_with('\'') || out[at].starts_with('"');
        if !quoted {
            depth += out[at].matches(')').count() as i64 - out[at].matches('(').count() as i64;
        }
        if depth <= 0 {
            return Some(at);
        }
    }
    None
}

fn is_name(text: &str) -> bool {
    let first = text.chars().next();
    first.is_some_and(|c| c.is_alphabetic() || c == '_' || c == '"')
        && !KEYWORDS.contains(&text.to_lowercase().as_str())
}

/// Returns an interval as modifiers of SQLite's date functions; `None` for other units.
fn modifiers(interval: &str, sign: &str) -> Option<String> {
    let words: Vec<&str> = interval.split_whitespace().collect();
    if words.is_empty() || words.len() % 2 == 1 {
        return None;
    }
    let each = words.chunks(2).map(|pair| {
        let number: f64 = pair[0].parse().ok()?;
        let number = if sign == "-" { -number } else { number };
        let (times, unit) = match pair[1].to_lowercase().trim_end_matches('s') {
            "year" => (1.0, "years"),
            "month" => (1.0, "months"),
            "week" => (7.0, "days"),
            "day" => (1.0, "days"),
            "hour" => (1.0, "hours"),
            "minute" | "min" => (1.0, "minutes"),
            "second" | "sec" => (1.0, "seconds"),
            _ => return None,
        };
        Some(format!("'{:+} {unit}'", number * times))
    });
    each.collect::<Option<Vec<String>>>().map(|all| all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(postgres: &str, sqlite: &str) {
        assert_eq!(to_sqlite(postgres), sqlite);
    }

    #[test]
    fn words_with_a_plain_meaning_are_written_in_sqlites() {
        check("SELECT a FROM t WHERE a ILIKE 'x%'", "SELECT a FROM t WHERE a LIKE 'x%'");
        check("SELECT m.name::text FROM m", "SELECT CAST(m.name AS TEXT) FROM m");
        check("SELECT count(*)::int FROM m", "SELECT CAST(count(*) AS INTEGER) FROM m");
        check("SELECT (a + b)::double precision", "SELECT CAST((a + b) AS REAL)");
        check("SELECT '5'::varchar(20)", "SELECT CAST('5' AS TEXT)");
        check("SELECT d::date FROM t", "SELECT date(d) FROM t");
        check(
            "d > NOW() - INTERVAL '7 days'",
            "d > strftime('%Y-%m-%dT%H:%M:%SZ', strftime('%Y-%m-%dT%H:%M:%SZ', 'now') , '-7 days')",
        );
        check(
            "CURRENT_DATE + interval '2 weeks'",
            "strftime('%Y-%m-%dT%H:%M:%SZ', CURRENT_DATE , '+14 days')",
        );
        check("date_trunc('month', t.at::date)", "strftime('%Y-%m-01T00:00:00Z', date(t.at))");
        check("EXTRACT(YEAR FROM at)", "CAST(strftime('%Y', at) AS INTEGER)");
    }

    #[test]
    fn a_statement_for_sqlite_stays_as_it_is() {
        for sql in [
            "SELECT a - 1, b + 2 FROM t -- now() - interval '1 day'",
            "SELECT 'x::text ILIKE' AS \"a::b\", now FROM t /* ::int */",
            "SELECT 1 WHERE a IN (SELECT b FROM c) ORDER BY extract",
            "SELECT ::, ) ( 'open",
        ] {
            check(sql, sql);
        }
    }
}
