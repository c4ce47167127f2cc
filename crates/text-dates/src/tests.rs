//! Expressions and their spans, relative to Wednesday 12 June 2024, 15:30 UTC.

use super::*;
use proptest::prelude::*;

/// Texts of fragments of dates, in any order, and of arbitrary characters.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => prop::sample::select(PIECES.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "\\PC{0,6}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

#[rustfmt::skip]
const PIECES: &[&str] = &[
    " ", " ", " ", "\n", "May", "may 3", "3rd", "2024", "2024-05-03", "T10:20:30Z", "last ",
    "next ", "this ", "between ", " and ", "from ", " to ", "since ", "before ", "Q3", "summer ",
    "Monday", " ago", " days", "a few", "99999", "of ", "–", "-", ", ", ". ", "É", "日本語。", "İ",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_at_any_time_gives_spans_in_order(
        text in texts(),
        now in prop_oneof![any::<i64>(), 0..4_000_000_000_000_000_i64],
    ) {
        let mut last = 0;
        for span in dates(&text, now) {
            prop_assert!(text.get(span.range.clone()).is_some(), "{span:?}");
            prop_assert!(span.range.start >= last, "{span:?}");
            prop_assert!(span.from_us < span.until_us, "{span:?}");
            last = span.range.end;
        }
        date_words(now);
        for event in events(&text) {
            prop_assert!(!text[event.range].is_empty());
        }
    }
}

const OPEN: &str = "…";

fn now() -> i64 {
    us("2024-06-12") + (15 * 60 + 30) * 60_000_000
}

fn us(day: &str) -> i64 {
    calendar::start_of(day.parse().unwrap()).unwrap()
}

fn check(text: &str, from: &str, until: &str) {
    let found = dates(text, now());
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    let from = if from == OPEN { TimeSpan::OPEN_FROM } else { us(from) };
    let until = if until == OPEN { TimeSpan::OPEN_UNTIL } else { us(until) };
    assert_eq!((found[0].from_us, found[0].until_us), (from, until), "{text}");
}

#[test]
fn absolute_dates() {
    check("on 2024-05-03", "2024-05-03", "2024-05-04");
    check("at 2024-05-03T10:20:30+02:00.", "2024-05-03", "2024-05-04");
    check("2024/05/03", "2024-05-03", "2024-05-04");
    check("in 2024-05", "2024-05-01", "2024-06-01");
    check("May 3, 2024", "2024-05-03", "2024-05-04");
    check("Sept. 3rd 2023", "2023-09-03", "2023-09-04");
    check("3 May", "2024-05-03", "2024-05-04");
    check("the 3rd of May 2022", "2022-05-03", "2022-05-04");
    check("29 February", "2024-02-29", "2024-03-01");
    check("on July 3", "2023-07-03", "2023-07-04");
    check("May 2023", "2023-05-01", "2023-06-01");
    check("in 2021", "2021-01-01", "2022-01-01");
    check("in the 1990s", "1990-01-01", "2000-01-01");
    check("Q3 2024", "2024-07-01", "2024-10-01");
    check("2023-Q4", "2023-10-01", "2024-01-01");
    check("third quarter of 2022", "2022-07-01", "2022-10-01");
    check("H1 2023", "2023-01-01", "2023-07-01");
    check("summer of 2021", "2021-06-01", "2021-09-01");
    check("winter 2022", "2022-12-01", "2023-03-01");
}

#[test]
fn months_and_weekdays_without_a_year_are_the_latest() {
    check("in May", "2024-05-01", "2024-06-01");
    check("what happened in august", "2023-08-01", "2023-09-01");
    check("in June", "2024-06-01", "2024-07-01");
    check("last May", "2024-05-01", "2024-06-01");
    check("last June", "2023-06-01", "2023-07-01");
    check("next May", "2025-05-01", "2025-06-01");
    check("this December", "2024-12-01", "2025-01-01");
    check("on Monday", "2024-06-10", "2024-06-11");
    check("We met Thursday.", "2024-06-06", "2024-06-07");
}

#[test]
fn relative_dates() {
    check("yesterday", "2024-06-11", "2024-06-12");
    check("today", "2024-06-12", "2024-06-13");
    check("tomorrow", "2024-06-13", "2024-06-14");
    check("the day before yesterday", "2024-06-10", "2024-06-11");
    check("last night", "2024-06-11", "2024-06-12");
    check("last week", "2024-06-03", "2024-06-10");
    check("this month", "2024-06-01", "2024-07-01");
    check("next year", "2025-01-01", "2026-01-01");
    check("last quarter", "2024-01-01", "2024-04-01");
    check("last Wednesday", "2024-06-05", "2024-06-06");
    check("this Friday", "2024-06-14", "2024-06-15");
    check("next Wednesday", "2024-06-19", "2024-06-20");
    check("last weekend", "2024-06-08", "2024-06-10");
    check("last summer", "2023-06-01", "2023-09-01");
    check("last winter", "2023-12-01", "2024-03-01");
    check("next spring", "2025-03-01", "2025-06-01");
}

#[test]
fn counted_periods() {
    check("3 days ago", "2024-06-09", "2024-06-10");
    check("two weeks ago", "2024-05-27", "2024-06-03");
    check("a month ago", "2024-05-01", "2024-06-01");
    check("5 years ago", "2019-01-01", "2020-01-01");
    check("a couple of weeks ago", "2024-05-27", "2024-06-03");
    check("2 months from now", "2024-08-01", "2024-09-01");
    check("in the last 7 days", "2024-06-05", "2024-06-13");
    check("the past month", "2024-05-12", "2024-06-13");
    check("next two weeks", "2024-06-13", "2024-06-27");
    let found = dates("2 hours ago", now());
    assert_eq!(
        (found[0].from_us, found[0].until_us),
        (now() - 7_200_000_000, now() - 3_600_000_000)
    );
}

#[test]
fn open_and_closed_spans() {
    check("since 2020", "2020-01-01", OPEN);
    check("since last week", "2024-06-03", OPEN);
    check("before May 3, 2024", OPEN, "2024-05-03");
    check("after yesterday", "2024-06-12", OPEN);
    check("until March", OPEN, "2024-04-01");
    check("by Friday", OPEN, "2024-06-15");
    check("from 2022 onwards", "2022-01-01", OPEN);
    check("between 2019 and 2021", "2019-01-01", "2022-01-01");
    check("between March and May 2023", "2023-03-01", "2023-06-01");
    check("between November and February", "2023-11-01", "2024-03-01");
    check("from Monday to Friday", "2024-06-03", "2024-06-08");
    check("May 3-7, 2024", "2024-05-03", "2024-05-08");
    check("from May 2023 to July", "2023-05-01", "2023-08-01");
    check("2019–2021", "2019-01-01", "2022-01-01");
    check("3 May to 5 June 2022", "2022-05-03", "2022-06-06");
}

#[test]
fn numbers_and_words_that_are_no_dates_are_ignored() {
    for text in [
        "you may go",
        "they march on",
        "2021 is a number",
        "in 2000 lines",
        "port 2024",
        "version 2024.1",
        "in 2000ms",
        "the last one",
        "second quarter",
        "1234-56-78",
        "2024-13-01",
        "before lunch",
        "between you and me",
        "a day",
        "from 9 to 5",
        "the sun and the moon",
        "I may 2 times",
        "v2024-05",
        "spring framework",
        "in sat",
        "Q5 2024",
        "an H1 tag",
        "the next day",
        "this may be",
        "",
    ] {
        assert_eq!(dates(text, now()), [], "{text}");
    }
}

#[test]
fn several_dates_come_in_order_with_their_ranges() {
    let text = "Zürich: since May 2023, then yesterday (2024-01-02).";
    let found: Vec<_> = dates(text, now()).into_iter().map(|span| &text[span.range]).collect();
    assert_eq!(found, ["since May 2023", "yesterday", "2024-01-02"]);
}

#[test]
fn a_moment_outside_of_the_calendar_gives_no_dates() {
    assert!(dates("yesterday", i64::MIN).is_empty());
    assert!(dates("20000 years ago", now()).is_empty());
}

#[test]
fn dates_in_other_languages() {
    for text in [
        "Was haben wir am 3. Mai 2022 beschlossen?",
        "¿Qué decidimos el 3 de mayo de 2022 en la reunión?",
        "Qu'avons-nous décidé le 3 mai 2022 avec les autres ?",
        "O que nós decidimos no dia 3 de maio de 2022?",
        "Che cosa abbiamo deciso il 3 maggio 2022?",
        "Wat hebben we op 3 mei 2022 besloten?",
        "Что мы решили 3 мая 2022 года?",
        "2022年5月3日に何を決めましたか？",
        "我们2022年5月3日决定了什么？",
        "2022년 5월 3일에 무엇을 결정했습니까?",
        "am 03.05.2022",
    ] {
        check(text, "2022-05-03", "2022-05-04");
    }
}

#[test]
fn last_week_in_other_languages() {
    for text in [
        "Was haben wir letzte Woche gemacht?",
        "¿Qué hicimos la semana pasada en la oficina?",
        "Qu'est-ce que nous avons fait la semaine dernière ?",
        "O que nós fizemos na semana passada?",
        "Che cosa abbiamo fatto la settimana scorsa?",
        "Wat hebben we vorige week gedaan?",
        "Что мы делали на прошлой неделе?",
        "上周我们做了什么？",
        "先週は何をしましたか？",
        "지난주에 무엇을 했습니까?",
    ] {
        check(text, "2024-06-03", "2024-06-10");
    }
}

#[test]
fn three_days_ago_in_other_languages() {
    for text in [
        "Was war vor drei Tagen mit dem Server?",
        "¿Qué pasó hace tres días con el servidor?",
        "Que s'est-il passé il y a trois jours avec le serveur ?",
        "O que aconteceu há três dias com o servidor?",
        "Che cosa è successo tre giorni fa?",
        "Wat is er drie dagen geleden gebeurd?",
        "Что случилось три дня назад?",
        "三天前发生了什么？",
        "3日前に何がありましたか？",
        "3일 전에 무슨 일이 있었습니까?",
    ] {
        check(text, "2024-06-09", "2024-06-10");
    }
}

#[test]
fn open_spans_in_other_languages() {
    check("Was ist seit Mai 2023 mit der Firma?", "2023-05-01", OPEN);
    check("¿Qué hicimos antes de mayo de 2023?", OPEN, "2023-05-01");
    check("Qu'est-ce qui est arrivé après mai 2023 ?", "2023-06-01", OPEN);
}

#[test]
fn english_words_of_other_languages_are_no_dates() {
    for text in ["put mayo on it", "Mars is the fourth planet", "an hour of the day, hier"] {
        assert_eq!(dates(text, now()), [], "{text}");
    }
}

#[test]
fn an_event_in_another_language_is_named() {
    let text = "Wo haben wir vor dem Umzug gewohnt?";
    let found: Vec<_> = events(text).into_iter().map(|event| event.side).collect();
    assert_eq!(found, [EventPosition::Before]);
}
