//! Mentions in notes as people and agents write them, and texts that only look like mentions.

use super::*;

fn kinds_and_names(text: &str) -> Vec<(&'static str, String)> {
    mentions(text).into_iter().map(|mention| (mention.kind.as_str(), mention.name)).collect()
}

fn check(text: &str, expected: &[(&'static str, &str)]) {
    let expected: Vec<_> = expected.iter().map(|&(kind, name)| (kind, name.to_owned())).collect();
    assert_eq!(kinds_and_names(text), expected, "{text}");
}

#[test]
fn names_in_the_middle_of_a_sentence_are_found() {
    check(
        "Yesterday we had lunch with Ana Lucía and talked about Project Apollo.",
        &[("name", "Ana Lucía"), ("name", "Project Apollo")],
    );
    check("we read Ludwig van Beethoven's letters", &[("name", "Ludwig van Beethoven")]);
    check(
        "the book by J. K. Rowling, from the University of Oxford",
        &[("name", "J K Rowling"), ("name", "University of Oxford")],
    );
    check("we use PostgreSQL and GitHub", &[("tool", "PostgreSQL"), ("tool", "GitHub")]);
}

#[test]
fn a_capital_at_the_start_of_a_sentence_proves_nothing() {
    check("Please call. Remember the milk. Nothing else.", &[]);
    check("Alice came. Then Alice left.", &[("name", "Alice")]);
    check("Life's good. Factors to Consider: none", &[]);
    check("we saw Ana\nLater she left", &[("name", "Ana")]);
    check("Wow John! Two PRs today.", &[("name", "John")]);
    check("Builds are slow. Builds again. The builds fail.", &[]);
    check("- Berlin first\n- we love Berlin", &[("name", "Berlin")]);
    check("Fixed Alice's printer on Monday.", &[("name", "Alice")]);
    check("Deploys are on Tuesdays with Alice.", &[("name", "Alice")]);
    check("Maria Schmidt called.", &[("name", "Maria Schmidt")]);
}

#[test]
fn a_noun_that_opens_a_sentence_before_of_is_no_name() {
    check("Backups of Porto go to the cellar.", &[("name", "Porto")]);
    check("Photos of Ana Lucía are in the box.", &[("name", "Ana Lucía")]);
    check("The box is full. Copies of Berlin's map are on top.", &[("name", "Berlin")]);
    check("Members of both studios see one calendar.", &[]);
    check("University of Oxford has a new library.", &[("name", "University of Oxford")]);
    check("Bank of America called.", &[("name", "Bank of America")]);
    check("we read about the Order of Malta", &[("name", "Order of Malta")]);
}

#[test]
fn context_decides_the_kind_of_a_name() {
    check(
        "my friend Ana lives in Lyon and works at Acme",
        &[("person", "Ana"), ("place", "Lyon"), ("organization", "Acme")],
    );
    check(
        "We moved to New York; Dr. Smith joined Google.",
        &[("place", "New York"), ("person", "Smith"), ("organization", "Google")],
    );
    check("Ana was late. my sister Ana is never late", &[("person", "Ana")]);
    check("It is written in Rust and runs in Docker.", &[("tool", "Rust"), ("tool", "Docker")]);
    check("she works for IBM", &[("organization", "IBM")]);
    check("Ben's wife called", &[("person", "Ben")]);
    check("Ana prefers tea.", &[("person", "Ana")]);
    check("Jonas Weber looks after the servers.", &[("person", "Jonas Weber")]);
    check("Tomás teaches the wheel course.", &[("person", "Tomás")]);
}

#[test]
fn no_tool_is_a_person_whatever_it_does() {
    for tool in ["Tailwind", "Kafka", "Redis", "Docker", "Apache Kafka", "Docker Compose"] {
        for text in [
            format!("we saw that {tool} likes large pages"),
            format!("as {tool} told us, and my friend {tool} agreed"),
            format!("he said {tool} lives in the cluster and {tool} prefers JSON"),
        ] {
            let kinds: Vec<_> = kinds_and_names(&text)
                .into_iter()
                .filter(|(_, name)| name.contains(tool))
                .map(|(kind, _)| kind)
                .collect();
            assert_eq!(kinds, ["tool"], "{text}");
        }
    }
    check("a novel by Franz Kafka", &[("name", "Franz Kafka")]);
    check("my sister Julia called", &[("person", "Julia")]);
    check("I know that Julia Roberts likes tea", &[("person", "Julia Roberts")]);
    check("he wrote it in German", &[("name", "German")]);
}

#[test]
fn headings_and_titles_are_no_names() {
    check("# Release Notes For Tuesday\n\n## Next Steps", &[]);
    check("What Was Done Before Lunch Today", &[]);
}

#[test]
fn capitals_in_code_and_in_german_prove_nothing() {
    check("impl Iterator for Tokens {", &[]);
    check("Das Passwort steht im Tresor.", &[]);
}

#[test]
fn labels_and_list_items_are_no_names() {
    check(
        "1. **Regular Reviews**: look back\n2. **Focus** on one\n3. **Focus** again\n\
         Additional Tips: none",
        &[],
    );
    check("- Consider this\n- Consider that", &[]);
}

#[test]
fn brands_and_product_numbers_outside_of_code_are_no_symbols() {
    check("I booked with JetBlue and bought a YAS-209", &[("name", "JetBlue")]);
    check("the bug in JetBlue is YAS-209", &[("type", "JetBlue"), ("ticket", "YAS-209")]);
}

#[test]
fn code_in_prose_is_found() {
    check(
        "call flush_all() then HashMap::new() and store::sqlite",
        &[("function", "flush_all"), ("function", "HashMap::new"), ("module", "store::sqlite")],
    );
    check(
        "the SessionManager leaks, see readAll and parse_header",
        &[("type", "SessionManager"), ("function", "readAll"), ("function", "parse_header")],
    );
    check("set DATABASE_URL or $HOME", &[("env_var", "DATABASE_URL"), ("env_var", "HOME")]);
    check(
        "a TypeError, E0382 and ECONNREFUSED",
        &[("error", "TypeError"), ("error", "E0382"), ("error", "ECONNREFUSED")],
    );
    check(
        "edit src/main.rs:42, Cargo.toml, ./a/b.xyz and the Makefile",
        &[
            ("file", "src/main.rs"),
            ("file", "Cargo.toml"),
            ("file", "./a/b.xyz"),
            ("file", "Makefile"),
        ],
    );
}

#[test]
fn text_that_only_resembles_code_is_ignored() {
    check("for (each) while (true) return (x) if (y)", &[]);
    check("file(s) and/or TCP/IP, e.g. 3.5 or v1.2, an iPhone and macOS", &[]);
    check("UTF-8, SHA-256, our #1 reason, a #hashtag, @media", &[]);
}

#[test]
fn commands_and_symbols_are_found_in_backticks() {
    check(
        "run `cargo test -p store` in `Store` with `open(path)`",
        &[("command", "cargo test -p store"), ("type", "Store"), ("function", "open")],
    );
    check("`SELECT * FROM x` and `let x = 1` and `word`", &[]);
    check("`$ make` and `src/lib.rs`", &[("command", "make"), ("file", "src/lib.rs")]);
}

#[test]
fn addresses_and_tickets_are_found() {
    check(
        "see https://user:pw@example.com/a_(b), mail ana@example.org or @ana-b \
         (PR for QUI-12, #345, fixes #7)",
        &[
            ("url", "https://example.com/a_(b)"),
            ("email", "ana@example.org"),
            ("handle", "@ana-b"),
            ("ticket", "QUI-12"),
            ("ticket", "#345"),
            ("ticket", "#7"),
        ],
    );
}

#[test]
fn declarations_in_fenced_code_are_found() {
    let text = concat!(
        "```rust src/store.rs\n",
        "pub(crate) async fn open_file(path: &Path) {\n",
        "    let fn_ptr = 1;\n",
        "}\n",
        "pub struct Store<T> {\n",
        "mod tests {\n",
        "```\n",
    );
    let all = mentions(text);
    let names: Vec<_> =
        all.iter().map(|m| (m.kind, m.name.as_str(), m.source, m.path.as_deref())).collect();
    let path = Some("src/store.rs");
    assert_eq!(
        names,
        [
            (MentionKind::Function, "open_file", MentionSource::Fence, path),
            (MentionKind::Type, "Store", MentionSource::Fence, path),
            (MentionKind::Module, "tests", MentionSource::Fence, path),
        ]
    );
    check(
        "```go\nfunc (s *Store) Open(p string) error {\ntype Index struct {\n```",
        &[("function", "Open"), ("type", "Index")],
    );
    check(
        "```python\nclass Reader(Base):\n    async def read_all(self):\nraise ValueError(1)\n```",
        &[("type", "Reader"), ("function", "read_all"), ("error", "ValueError")],
    );
    check(
        "```ts\nexport default class App extends React {\nexport function main() {}\n```",
        &[("type", "App"), ("function", "main")],
    );
    check("```text\ndef not code\nclass of 2024\n```", &[]);
}

#[test]
fn mentions_are_distinct_and_limited() {
    check("I met Ana. Later Ana met ANA and Ana", &[("name", "Ana")]);
    let many: String = (0..80).map(|n| format!("fn_{n}() ")).collect();
    assert_eq!(mentions(&many).len(), 50);
    assert!(mentions(&format!("see https://example.com/{}", "a".repeat(300))).is_empty());
}
