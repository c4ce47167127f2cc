//! Random statements from a grammar of both allowed and forbidden constructs. None changes or leaks
//! anything, and none causes an internal error.

use crate::fixture::{books, meals, sandbox_with, table};
use model::ErrorCode;
use sandbox::{Bounds, Sandbox, SqlError};
use serde_json::json;
use std::time::Duration;

/// Number of statements per seed.
const STATEMENTS: usize = 1_000;
const SEEDS: [u64; 4] = [1, 20_260_503, 0x5eed, u64::MAX];
const CANARY: &str = "canary-51d0c7";

/// Generator of statements, deterministic for a seed.
struct StatementGenerator(u64);

impl StatementGenerator {
    /// Returns a number below `end`, by SplitMix64.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).unwrap()
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn list(&mut self, depth: usize, make: fn(&mut Self, usize) -> String) -> String {
        let count = 1 + self.below(3);
        (0..count).map(|_| make(self, depth)).collect::<Vec<_>>().join(", ")
    }

    fn statement(&mut self) -> String {
        let statement = match self.below(12) {
            0 => format!("{} {}", self.one(WRITES), self.select(2)),
            1 => self.one(WRITES).to_owned(),
            2 => format!("{}; {}", self.select(1), self.one(WRITES)),
            3 => format!("WITH {} AS ({}) {}", self.one(TABLES), self.select(1), self.one(WRITES)),
            4 => format!("WITH {0} AS ({1}) {2}", self.one(TABLES), self.select(1), self.select(2)),
            5 => format!(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) \
                 {} FROM n",
                self.below(100_000),
                self.one(&["SELECT count(*)", "SELECT i", "SELECT group_concat(i)"])
            ),
            6 => format!("SELECT {} FROM meals", self.expression(2)),
            7 => format!("SELECT {}, {} FROM meals, books", self.expression(1), self.expression(1)),
            _ => self.select(3),
        };
        if self.below(10) == 0 { self.mangle(&statement) } else { statement }
    }

    fn select(&mut self, depth: usize) -> String {
        let mut sql =
            format!("SELECT {} FROM {}", self.list(depth, Self::column), self.from(depth));
        if self.below(2) == 0 {
            sql += &format!(" WHERE {}", self.expression(depth));
        }
        if self.below(4) == 0 {
            sql += &format!(" GROUP BY {}", self.list(depth, Self::expression));
        }
        if self.below(4) == 0 {
            sql += &format!(" ORDER BY {}", self.list(depth, Self::expression));
        }
        if self.below(3) == 0 {
            sql += &format!(" LIMIT {}", self.below(10));
        }
        if depth > 0 && self.below(6) == 0 {
            sql = format!(
                "{sql} {} {}",
                self.one(&["UNION", "UNION ALL", "EXCEPT"]),
                self.select(depth - 1)
            );
        }
        sql
    }

    fn column(&mut self, depth: usize) -> String {
        match self.below(5) {
            0 => "*".to_owned(),
            1 => format!("{} AS a", self.expression(depth)),
            _ => self.expression(depth),
        }
    }

    fn from(&mut self, depth: usize) -> String {
        let table = self.one(TABLES).to_owned();
        match self.below(6) {
            0 if depth > 0 => format!("({})", self.select(depth - 1)),
            1 if depth > 0 => {
                let join = self.one(&["JOIN", "LEFT JOIN", "CROSS JOIN", ",", "NATURAL JOIN"]);
                format!("{table} {join} {}", self.from(depth - 1))
            }
            2 => format!("{table}({})", self.expression(depth)),
            _ => table,
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.one(ATOMS).to_owned();
        }
        let deeper = depth - 1;
        match self.below(9) {
            0 => format!("{}({})", self.one(FUNCTIONS), self.list(deeper, Self::expression)),
            1 => format!(
                "({} {} {})",
                self.expression(deeper),
                self.one(OPERATORS),
                self.expression(deeper)
            ),
            2 => format!("(SELECT {} FROM {})", self.expression(deeper), self.from(deeper)),
            3 => format!("EXISTS ({})", self.select(deeper)),
            4 => {
                format!("{} IN ({})", self.expression(deeper), self.list(deeper, Self::expression))
            }
            5 => format!(
                "{}({}) OVER (ORDER BY {})",
                self.one(FUNCTIONS),
                self.one(ATOMS),
                self.one(ATOMS)
            ),
            6 => format!(
                "CASE WHEN {} THEN {} END",
                self.expression(deeper),
                self.expression(deeper)
            ),
            _ => self.one(ATOMS).to_owned(),
        }
    }

    /// Removes, doubles or moves a piece of a statement.
    fn mangle(&mut self, statement: &str) -> String {
        let letters: Vec<char> = statement.chars().collect();
        let (a, b) = (self.below(letters.len()), self.below(letters.len()));
        let (from, to) = (a.min(b), a.max(b));
        let piece = |range: &[char]| range.iter().collect::<String>();
        let (head, middle, tail) =
            (piece(&letters[..from]), piece(&letters[from..to]), piece(&letters[to..]));
        match self.below(3) {
            0 => head + &tail,
            1 => head + &middle + &middle + &tail,
            _ => middle + &head + &tail,
        }
    }
}

const TABLES: &[&str] = &[
    "meals",
    "books",
    "journal",
    "vault",
    "sqlite_master",
    "sqlite_schema",
    "main.meals",
    "temp.meals",
    "dbstat",
    "json_each",
    "json_tree",
    "pragma_table_list",
    "pragma_database_list",
    "x",
    "n",
    "\"meals\"",
    "sqlite_stat1",
];
const WRITES: &[&str] = &[
    "DELETE FROM meals",
    "DROP TABLE books",
    "UPDATE meals SET food = 'rat'",
    "INSERT INTO meals (food) VALUES (1)",
    "CREATE TABLE t AS",
    "CREATE TEMP VIEW v AS",
    "ATTACH 'loot.db' AS loot",
    "VACUUM INTO 'loot.db'",
    "PRAGMA user_version = 3",
    "EXPLAIN",
    "BEGIN",
    "REPLACE INTO meals (id) VALUES (1) RETURNING *",
    "CREATE INDEX i ON meals (food)",
    "ANALYZE",
];
const ATOMS: &[&str] = &[
    "1",
    "-1",
    "NULL",
    "'x'",
    "x'00ff'",
    "food",
    "calories",
    "day",
    "title",
    "id",
    "rowid",
    "_rowid_",
    "_meta_id",
    "secret",
    "entry",
    "meals.food",
    "vault.secret",
    "\"with\"",
    "9223372036854775807",
    "1e308",
    "?",
    ":a",
    "*",
    "current_timestamp",
    "'[1,{\"a\":2}]'",
    "'$.a'",
    "'%'",
];
const OPERATORS: &[&str] = &[
    "+", "-", "*", "/", "%", "||", "=", "<>", "<", "AND", "OR", "LIKE", "GLOB", "IS", "->", "->>",
    "&", "<<", "MATCH", "REGEXP",
];
const FUNCTIONS: &[&str] = &[
    "abs",
    "lower",
    "length",
    "substr",
    "replace",
    "instr",
    "trim",
    "printf",
    "hex",
    "quote",
    "date",
    "strftime",
    "json_extract",
    "json_each",
    "json_group_array",
    "group_concat",
    "count",
    "sum",
    "max",
    "row_number",
    "lag",
    "ntile",
    "char",
    "coalesce",
    "round",
    "typeof",
    "load_extension",
    "randomblob",
    "zeroblob",
    "sqlite_version",
    "fts3_tokenizer",
    "readfile",
    "changes",
    "json_patch",
    "sqlite_offset",
    "likelihood",
    "unhex",
    "soundex",
    "glob",
    "like",
];

fn sandbox_with_canary() -> Sandbox {
    let entry = json!({"id": "a", "entry": "one", "_meta_id": CANARY});
    sandbox_with(&[meals(), books(), table("journal", &[entry])])
}

fn all_rows(sandbox: &mut Sandbox) -> Vec<sandbox::SelectResult> {
    let mut read = |sql: &str| sandbox.run(sql, None, &Bounds::default()).unwrap();
    ["SELECT * FROM meals", "SELECT * FROM books", "SELECT * FROM journal"].map(&mut read).into()
}

#[test]
fn random_statements_change_nothing_and_leak_nothing() {
    let _elsewhere = sandbox_with(&[table("vault", &[json!({"secret": CANARY})])]);
    let mut sandbox = sandbox_with_canary();
    let before = all_rows(&mut sandbox);
    let bounds = Bounds { steps: 20_000, time: Duration::MAX, ..Bounds::default() };
    let mut answered = 0;
    for seed in SEEDS {
        let mut maker = StatementGenerator(seed);
        for _ in 0..STATEMENTS {
            let sql = maker.statement();
            match sandbox.run(&sql, None, &bounds) {
                Ok(answer) => {
                    answered += 1;
                    assert!(!json!(answer.rows).to_string().contains(CANARY), "{sql}");
                    assert!(answer.columns.iter().all(|column| column.name != "_meta_id"), "{sql}");
                }
                Err(error) => {
                    assert_ne!(error.code(), ErrorCode::Internal, "{sql}\n{error}");
                    assert!(!error.to_string().contains(CANARY), "{sql}");
                }
            }
        }
        assert_eq!(all_rows(&mut sandbox), before, "seed {seed}");
    }
    // Otherwise the grammar generates nothing valid, and the test proves nothing.
    assert!(answered > STATEMENTS / 10, "only {answered} statements were answered");
}

#[test]
fn a_truncated_statement_never_causes_an_internal_error() {
    let mut sandbox = sandbox_with_canary();
    let whole = "WITH a AS (SELECT food, day FROM meals WHERE calories > 200.5 /* x */) \
                 SELECT json_extract('{\"a\":[1]}', '$.a'), \"food\" FROM a JOIN books \
                 ON title <> 'x''y' LIMIT 3 -- end";
    for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
        if let Err(error) = sandbox.run(&whole[..end], None, &Bounds::default()) {
            assert!(!matches!(error, SqlError::Internal(_)), "{}\n{error}", &whole[..end]);
        }
    }
}
