//! Tokens of ordinary, odd and hostile texts.

use super::*;
use proptest::prelude::*;

fn tokens(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    each_token(text, |token| all.push(token.text.to_owned()));
    all
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(tokens(text), expected, "{text}");
}

/// Returns true if the query and the text have a term in common.
fn matches_query(question: &str, text: &str) -> bool {
    let terms = tokens(text);
    tokens(question).iter().any(|term| terms.contains(term))
}

#[test]
fn words_are_lowercased_and_stemmed_and_stop_words_stay() {
    check("The engineers were running", &["the", "engin", "were", "run"]);
    check("  ", &[]);
    check("?!… --- \"' :: //", &[]);
}

#[test]
fn an_identifier_is_indexed_as_a_whole_and_in_parts() {
    check("parseUserRow", &["parseuserrow", "pars", "user", "row"]);
    check("parse_user_row", &["parseuserrow", "pars", "user", "row"]);
    check("HTTPServer", &["httpserver", "http", "server"]);
    check("std::fs::read", &["std/fs/read", "std", "fs", "read"]);
    check("src/main.rs", &["src/main.rs", "src", "mainr", "main", "rs"]);
    check("self.user_row", &["selfuserrow", "self", "userrow", "user", "row"]);
    check("HTML5Parser", &["html5parser", "html5", "html", "5", "parser"]);
    check("__init__", &["init"]);
}

#[test]
fn the_same_name_is_found_however_it_is_joined() {
    let spellings = ["getUserName", "get_user_name", "get-user-name", "GetUserName", "getusername"];
    for one in spellings {
        for other in spellings {
            assert!(matches_query(one, other), "{one} {other}");
        }
    }
    assert!(matches_query("nodejs", "we use node.js"));
    assert!(matches_query("utf8", "as UTF-8"));
    assert!(matches_query("src\\main.rs", "in src/main.rs"));
    assert!(matches_query("wifi", "the Wi-Fi is down"));
}

#[test]
fn short_names_with_signs_and_digits_keep_their_meaning() {
    check("C# or C++, not C", &["c", "c#", "or", "c", "c++", "not", "c"]);
    check(".NET on k8s", &["net", ".net", "on", "k8s"]);
    check("Go v2 i18n", &["go", "v2", "i18n"]);
    check("F#.", &["f", "f#"]);
    check("APIs and LLMs", &["api", "api", "and", "llms", "llm"]);
    check("python3 10km", &["python3", "python", "3", "10km", "10", "km"]);
}

#[test]
fn numbers_dates_and_addresses_are_found_whole_and_in_parts() {
    check("1,200 3.14", &["1200", "3.14", "3", "14"]);
    check("2026-05-03", &["20260503", "2026", "05", "03"]);
    check("a@b.org", &["a/b.org", "a", "borg", "b", "org"]);
    check("https://b.org/x?y=1", &["https/b.org/x", "https", "borg", "b", "org", "x", "y", "1"]);
    check("1,2,3", &["1", "2", "3"]);
}

#[test]
fn an_apostrophe_never_hides_a_word() {
    check(
        "Alice's users' don't we're O\u{2019}Reilly",
        &["alic", "user", "dont", "we", "oreilli", "o", "reilli"],
    );
    assert!(matches_query("Alice", "Alice\u{2019}s"));
    assert!(matches_query("hôtel", "l'hôtel"));
}

#[test]
fn accents_are_folded_beside_the_word() {
    check("café", &["café", "cafe"]);
    assert!(matches_query("cafe", "two cafés"));
    assert!(matches_query("strasse", "Straße"));
    assert!(matches_query("Ångström", "angstrom"));
    assert!(matches_query("naïve", "nai\u{308}ve"));
}

#[test]
fn scripts_without_spaces_become_characters_and_pairs() {
    check("東京都", &["東", "東京", "京", "京都", "都"]);
    check("使用getRow函数", &["使", "使用", "用", "getrow", "get", "row", "函", "函数", "数"]);
    check("ｶﾀｶﾅ", &["カ", "カタ", "タ", "タカ", "カ", "カナ", "ナ"]);
    assert!(matches_query("서울", "서울에서"));
    assert!(matches_query("กรุง", "กรุงเทพ"));
}

#[test]
fn arabic_and_cyrillic_words_are_found_in_other_forms() {
    assert!(matches_query("كتاب", "الكِتَاب"));
    assert!(matches_query("مكتبة", "والمكتبه"));
    assert!(matches_query("книга", "книги"));
    assert!(matches_query("еще", "ещё"));
    assert!(matches_query("λόγος", "ΛΟΓΟΣ"));
}

#[test]
fn full_width_and_ligature_spellings_are_the_plain_ones() {
    check("Ａｂｃ ﬁle", &["abc", "file"]);
}

#[test]
fn a_word_of_marks_alone_yields_no_token() {
    check("a \u{fe71} b", &["a", "b"]);
}

#[test]
fn every_position_has_exactly_one_plain_token() {
    for text in ["getUserName café 東京都 C# don't a/b.c-d 1,200", "x"] {
        let mut next = 0;
        each_token(text, |token| {
            if token.form == TokenForm::Plain {
                assert_eq!(token.position, next, "{text} {}", token.text);
                next += 1;
            }
        });
    }
}

#[test]
fn overlong_runs_are_cut_but_stay_different() {
    let (one, other) = ("a".repeat(65_536), "a".repeat(65_535));
    assert_eq!(tokens(&one).len(), 1);
    assert!(tokens(&one)[0].len() <= TERM_BYTES_MAX);
    assert_ne!(tokens(&one), tokens(&other));
    assert_eq!(tokens(&"東".repeat(20_000)).len(), 39_999);
    assert!(tokens(&"aB/".repeat(20_000)).len() < 100_000);
}

proptest! {
    #[test]
    fn any_text_yields_bounded_terms_in_order(text in "\\PC{0,60}") {
        let mut last = 0;
        each_token(&text, |token| {
            assert!(!token.text.is_empty() && token.text.len() <= TERM_BYTES_MAX);
            assert!(token.position + 1 >= last, "positions go forward");
            last = token.position.max(last);
        });
    }

    #[test]
    fn a_text_always_finds_itself(text in "[a-zA-Zé東ا0-9_./' -]{1,40}") {
        let upper = text.to_uppercase();
        prop_assert!(tokens(&text).is_empty() || matches_query(&upper, &upper));
        prop_assert_eq!(tokens(&text), tokens(&text));
    }
}

#[test]
fn words_of_another_language_meet_in_their_inflected_forms() {
    for (question, text) in [
        ("Wo liegen die Rechnungen?", "Die letzte Rechnung ist im Ordner."),
        ("¿Dónde están las facturas?", "La última factura está en la carpeta."),
        ("Qui gère les serveurs ?", "Le serveur est géré par Anne."),
        ("Quem cuida dos servidores?", "O servidor não é meu."),
        ("Quali ristoranti sono aperti?", "Il ristorante è chiuso il lunedì."),
        ("Wie heeft de rekeningen betaald?", "De rekening is niet betaald."),
        ("Где лежат счета?", "Последний счет в папке."),
    ] {
        let content = |text: &str| {
            let mut all = Vec::new();
            each_token(text, |token| {
                if !token.is_stop {
                    all.push(token.text.to_owned());
                }
            });
            all
        };
        let terms = content(text);
        assert!(content(question).iter().any(|term| terms.contains(term)), "{question} {text}");
    }
}

#[test]
fn a_word_in_another_language_is_found_by_itself_in_its_own_form() {
    for (question, text) in [
        ("Rechnungen", "Die Rechnungen liegen im Ordner."),
        ("facturas Telefónica", "Las facturas están en la carpeta."),
        ("Telefonica", "El contrato con Telefónica es del año pasado."),
        ("Mullers", "Die Müllers haben eine Katze."),
    ] {
        assert!(matches_query(question, text), "{question} {text}");
    }
}

#[test]
fn a_stop_word_is_one_in_its_own_language_only() {
    let stops = |text: &str| {
        let mut all = Vec::new();
        each_token(text, |token| {
            if token.is_stop {
                all.push(token.text.to_owned());
            }
        });
        all
    };
    assert_eq!(stops("Die Katze liegt unter dem Tisch"), ["die", "unter", "dem"]);
    assert_eq!(stops("The plants die under the table"), ["the", "the"]);
    assert_eq!(stops("东京在哪里"), ["在", "在哪", "哪里"]);
}

#[test]
fn a_part_of_a_text_can_be_read_in_the_language_of_the_whole() {
    let terms = |language| {
        let mut all = Vec::new();
        each_token_in(language, "Rechnungen", |token| all.push(token.text.to_owned()));
        all
    };
    assert_eq!(terms(Some(TextLanguage::German)), ["rechnung", "rechnungen"]);
    assert_eq!(terms(None), ["rechnungen"]);
}

/// A token without its number in the cache, as owned values.
fn described(token: &IndexToken<'_>) -> (String, u32, TokenForm, bool) {
    (token.text.to_owned(), token.position, token.form, token.is_stop)
}

proptest! {
    #[test]
    fn a_cache_changes_no_token_in_any_language(
        texts in prop::collection::vec(
            (
                prop::sample::select(vec![
                    "The engineers don't run", "der Größe Läufer läuft", "l'été naïf", "LLMs k8s",
                    "getUserName HTTPServer", "кошки ёлки", "مع المدرسة", "東京の猫", "¿Dónde están?",
                ]),
                "\\PC{0,12}",
                prop::option::of(prop::sample::select(TextLanguage::ALL.to_vec())),
            ),
            1..8,
        ),
    ) {
        let mut cache = WordCache::default();
        // Twice: the second time every word is known.
        for (known, other, language) in texts.iter().chain(&texts) {
            let text = format!("{known} {other} {}", "x".repeat(80));
            let (mut plain, mut cached) = (Vec::new(), Vec::new());
            each_token_in(*language, &text, |token| plain.push(described(&token)));
            each_token_cached(&mut cache, *language, &text, |token| cached.push(described(&token)));
            prop_assert_eq!(plain, cached);
            let language = TextLanguage::detect_cached(&cache, [&*text], |_| {});
            prop_assert_eq!(language, TextLanguage::detect([&*text]));
        }
    }
}
