//! Symbols in code of each language, and inputs that try to stall the parser.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

// Other crates import it under this short name.
extern crate quipu_symbols as symbols;

use symbols::SymbolKind::{Function, Module, Type};
use symbols::{Language, ParseBudget, SYMBOLS_MAX, Symbol, SymbolKind};

fn read_symbols(language: Language, code: &str) -> Vec<Symbol> {
    symbols::symbols(language, code, &mut ParseBudget::default()).unwrap()
}

#[track_caller]
fn check(language: Language, code: &str, expected: &[(SymbolKind, &str)]) {
    let found: Vec<(SymbolKind, String)> =
        read_symbols(language, code).into_iter().map(|symbol| (symbol.kind, symbol.name)).collect();
    let expected: Vec<(SymbolKind, String)> =
        expected.iter().map(|(kind, name)| (*kind, (*name).to_owned())).collect();
    assert_eq!(found, expected, "{language:?}");
}

#[test]
fn rust_code_is_read() {
    check(
        Language::Rust,
        "mod store { pub struct Memory<'a> { id: &'a str } }\nenum Kind { A }\n\
         trait Keep { fn keep(&self); }\n\
         impl Keep for Kind { fn keep(&self) { call(\"fn fake() {}\"); } }\n\
         macro_rules! made { () => {} }\n\
         type Short = u8; // fn commented() {}\nasync fn größe() {}",
        &[
            (Module, "store"),
            (Type, "Memory"),
            (Type, "Kind"),
            (Type, "Keep"),
            (Function, "keep"),
            (Function, "made"),
            (Type, "Short"),
            (Function, "größe"),
        ],
    );
}

#[test]
fn python_code_is_read() {
    check(
        Language::Python,
        "# größe first\nclass Übung:\n    \
         @property\n    def grüße(self):\n        return len(x)\n\n\
         async def fetch(url): pass\n\
         text = '''\ndef fake(): pass\n'''\n",
        &[(Type, "Übung"), (Function, "grüße"), (Function, "fetch")],
    );
}

#[test]
fn javascript_code_is_read() {
    check(
        Language::JavaScript,
        "export default class App extends Component { render() { return <div onClick={go}/>; } }\n\
         function* walk() {}\nconst load = async (id) => fetch(id), size = 3;\n\
         if (ready) { run(); }",
        &[(Type, "App"), (Function, "render"), (Function, "walk"), (Function, "load")],
    );
}

#[test]
fn typescript_code_is_read() {
    check(
        Language::TypeScript,
        "namespace Billing { export interface Invoice { total(): number } }\n\
         type Id = string;\nenum State { On }\n\
         abstract class Base { abstract run(): void }\nexport function pay(id: Id): void {}",
        &[
            (Module, "Billing"),
            (Type, "Invoice"),
            (Function, "total"),
            (Type, "Id"),
            (Type, "State"),
            (Type, "Base"),
            (Function, "run"),
            (Function, "pay"),
        ],
    );
    check(Language::Tsx, "const View = () => <p>{name}</p>;", &[(Function, "View")]);
}

#[test]
fn go_code_is_read() {
    check(
        Language::Go,
        "package server\ntype Handler struct{ n int }\ntype Doer interface { Do() }\n\
         func (h *Handler) Serve(w http.ResponseWriter) {}\nfunc main() { go run() }",
        &[
            (Module, "server"),
            (Type, "Handler"),
            (Type, "Doer"),
            (Function, "Serve"),
            (Function, "main"),
        ],
    );
}

#[test]
fn java_code_is_read() {
    check(
        Language::Java,
        "package com.example.shop;\n\
         public class Cart { Cart() {} public int total() { return sum(); } }\n\
         interface Paid {} enum State { ON } record Item(String name) {}",
        &[
            (Module, "com.example.shop"),
            (Type, "Cart"),
            (Function, "Cart"),
            (Function, "total"),
            (Type, "Paid"),
            (Type, "State"),
            (Type, "Item"),
        ],
    );
}

#[test]
fn c_code_is_read() {
    check(
        Language::C,
        "struct node { int n; };\ntypedef struct { int x; } point_t;\nint count;\n\
         static char **names(struct node *n) { return 0; }\n\
         int proto(void);\nenum color { RED };\nint (*callback)(int);",
        &[
            (Type, "node"),
            (Type, "point_t"),
            (Function, "names"),
            (Function, "proto"),
            (Type, "color"),
        ],
    );
}

#[test]
fn cpp_code_is_read() {
    check(
        Language::Cpp,
        "namespace shop { class Cart { public: int total() const; }; }\n\
         template <typename T> T largest(T a) { return a; }\n\
         using Id = int;\nint shop::Cart::total() const { return 1; }",
        &[
            (Module, "shop"),
            (Type, "Cart"),
            (Function, "total"),
            (Function, "largest"),
            (Type, "Id"),
            (Function, "shop::Cart::total"),
        ],
    );
}

#[test]
fn shell_code_is_read() {
    check(
        Language::Shell,
        "deploy() { echo 'fake() {'; }\nfunction roll_back { git revert HEAD; }\n\
         for x in a b; do run \"$x\"; done",
        &[(Function, "deploy"), (Function, "roll_back")],
    );
}

#[test]
fn broken_code_gives_the_symbols_that_can_be_parsed() {
    check(Language::Rust, "fn good() {}\nfn bad( {{{ \nfn", &[(Function, "good")]);
}

#[test]
fn the_number_of_symbols_is_limited() {
    let code: String = (0..1_000).map(|n| format!("fn f{n}() {{}}\n")).collect();
    assert_eq!(read_symbols(Language::Rust, &code).len(), SYMBOLS_MAX);
}

/// Texts that keep an error-recovering parser busy, each for another reason: unclosed brackets,
/// comments and strings, ambiguous operators, control characters, endless nesting.
const HOSTILE: [&str; 14] = [
    "(",
    "{[(<",
    "/*",
    "\"\\",
    "a::<",
    "<<EOF\n$(",
    "!",
    "if a { ",
    "\0",
    "template<",
    "x=>",
    "${",
    "'",
    "a,",
];

/// Symbols and remaining budget after each hostile text, in every language.
fn read_hostile() -> Vec<(Option<Vec<Symbol>>, ParseBudget)> {
    let mut all = Vec::new();
    for language in Language::ALL {
        for text in HOSTILE {
            let mut budget = ParseBudget::default();
            let found = symbols::symbols(language, &text.repeat(500 / text.len()), &mut budget);
            all.push((found, budget));
        }
    }
    all
}

#[test]
fn the_result_for_a_hostile_text_does_not_depend_on_the_load() {
    let alone = read_hostile();
    assert!(alone.iter().any(|(found, _)| found.is_none()), "some are abandoned");
    assert!(alone.iter().any(|(found, _)| found.is_some()), "and some are not");
    let crowd: Vec<_> = (0..2).map(|_| std::thread::spawn(read_hostile)).collect();
    for one in crowd {
        assert_eq!(one.join().unwrap(), alone);
    }
}

#[test]
fn code_that_takes_too_many_steps_for_its_length_is_abandoned() {
    let mut budget = ParseBudget::default();
    // Without a limit these 8 KiB take 10 s, nearly all of it in the last step.
    assert_eq!(symbols::symbols(Language::C, &"x=>".repeat(2_700), &mut budget), None);
    let dense: String =
        (0..300).map(|n| format!("function f{n}(a){{return-a*{n}+b[a]}}")).collect();
    let found = symbols::symbols(Language::JavaScript, &dense, &mut budget);
    assert_eq!(found.map(|found| found.len()), Some(SYMBOLS_MAX));
}

#[test]
fn a_text_with_too_much_code_is_parsed_up_to_the_budget() {
    let code: String = (0..400).map(|n| format!("fn f{n}() {{}}\n")).collect();
    let mut budget = ParseBudget::default();
    let parsed: Vec<bool> =
        (0..40).map(|_| symbols::symbols(Language::Rust, &code, &mut budget).is_some()).collect();
    let first = parsed.iter().take_while(|parsed| **parsed).count();
    assert!((4..40).contains(&first), "{first}");
    assert!(parsed[first..].iter().all(|parsed| !parsed), "never again");
}

#[test]
fn the_deepest_nesting_that_is_parsed_fits_a_small_stack() {
    let deepest = || {
        for language in Language::ALL {
            for text in ["(", "{[(", "!", "-"] {
                let code = text.repeat(70_000 / text.len());
                drop(symbols::symbols(language, &code, &mut ParseBudget::default()));
            }
        }
    };
    std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(deepest).unwrap().join().unwrap();
}

#[test]
fn names_are_cut_at_characters_not_at_bytes() {
    let code = "// größe, größer, am größten\nfn späße() {}";
    let found = read_symbols(Language::Rust, code);
    assert_eq!(
        (found[0].name.as_str(), &code[found[0].start..found[0].start + 2]),
        ("späße", "sp")
    );
}

#[test]
fn code_beyond_the_limit_is_ignored_and_no_character_is_split() {
    let code = format!("{}fn late() {{}}", "ü".repeat(symbols::CODE_BYTES_MAX));
    assert_eq!(read_symbols(Language::Rust, &code), []);
}
