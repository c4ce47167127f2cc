//! Characters that are removed, characters that must stay, and the counts.

use super::*;

fn check(text: &str, expected: &str, found: &[(InvisibleKind, usize)]) {
    let (cleaned, reported) = remove_invisible(text);
    assert_eq!(cleaned, expected);
    let reported: Vec<_> = reported.iter().map(|one| (one.kind, one.count)).collect();
    assert_eq!(reported, found);
}

#[test]
fn ordinary_text_is_returned_unchanged() {
    for text in ["plain\n\ttext", "schöne Grüße, 日本語", "", "naïve – “quoted”"] {
        let (cleaned, found) = remove_invisible(text);
        assert!(matches!(cleaned, Cow::Borrowed(same) if same == text) && found.is_empty());
    }
}

#[test]
fn a_message_in_tag_characters_is_removed_and_counted() {
    let hidden: String =
        "ignore".bytes().map(|b| char::from_u32(0xe0000 + u32::from(b)).unwrap()).collect();
    check(&format!("hi{hidden} there"), "hi there", &[(InvisibleKind::Tag, 6)]);
}

#[test]
fn direction_controls_cannot_reorder_what_a_person_sees() {
    check("a\u{202e}b\u{2066}c\u{200f}", "abc", &[(InvisibleKind::Direction, 3)]);
}

#[test]
fn zero_width_characters_are_removed_where_nothing_is_joined() {
    check(
        "pass\u{200b}word\u{feff} a\u{200d}b\u{ad}",
        "password ab",
        &[(InvisibleKind::ZeroWidth, 4)],
    );
    check("👩\u{200d}\u{200d}👧", "👩\u{200d}👧", &[(InvisibleKind::ZeroWidth, 1)]);
}

#[test]
fn joiners_stay_in_emoji_and_in_scripts_that_need_them() {
    for text in
        ["👩\u{200d}👩\u{200d}👧", "❤\u{fe0f}\u{200d}🔥", "می\u{200c}خواهم", "क\u{94d}\u{200d}ष"]
    {
        check(text, text, &[]);
    }
}

#[test]
fn one_selector_stays_and_a_payload_of_selectors_is_removed() {
    check("☀\u{fe0f} fine 1\u{fe0f}\u{20e3}", "☀\u{fe0f} fine 1\u{fe0f}\u{20e3}", &[]);
    check("😀\u{fe01}\u{fe02}\u{e0110}x", "😀x", &[(InvisibleKind::Selector, 3)]);
    check("a\u{fe0f}", "a", &[(InvisibleKind::Selector, 1)]);
}

#[test]
fn removed_characters_do_not_shield_the_rest_of_a_payload() {
    let text = "😀\u{fe0f}\u{e0041}\u{fe0f}x";
    check(text, "😀\u{fe0f}x", &[(InvisibleKind::Tag, 1), (InvisibleKind::Selector, 1)]);
}

#[test]
fn control_codes_are_removed_and_windows_line_endings_normalised() {
    check("a\u{0}b\u{1b}[0m\u{7f}\u{85}c\r", "ab[0mc", &[(InvisibleKind::Control, 5)]);
    check("a\r\nb", "a\nb", &[]);
}

#[test]
fn every_default_ignorable_character_is_removed_on_its_own() {
    let kept: Vec<char> = (0..=0x0010_ffff)
        .filter_map(char::from_u32)
        .filter(|c| contains(DEFAULT_IGNORABLE, *c))
        .filter(|c| remove_invisible(&format!("a{c}b")).0 != "ab")
        .collect();
    assert_eq!(kept, []);
}

#[test]
fn format_controls_and_blanks_of_scripts_are_removed_outside_of_them() {
    check("a\u{1bca0}b\u{1bca3}", "ab", &[(InvisibleKind::ZeroWidth, 2)]);
    check("a\u{13430}b\u{1343f}\u{1345f}", "ab", &[(InvisibleKind::Control, 3)]);
    check("a\u{2800}b\u{2800}\u{2800}", "ab", &[(InvisibleKind::Blank, 3)]);
    for text in ["\u{13000}\u{13430}\u{13001}", "⠓⠊⠀⠞⠓⠑⠗⠑"] {
        check(text, text, &[]);
    }
}

#[test]
fn selectors_stay_only_after_characters_that_have_a_variant() {
    for text in ["☀\u{fe0f}", "☀\u{fe0e}", "≤\u{fe00}", "#\u{fe0f}\u{20e3}", "\u{1f44d}\u{1f3fd}"]
    {
        check(text, text, &[]);
    }
    // One selector for each character of a text is a message, too.
    check("猫\u{fe0f}ы\u{fe0f}é\u{fe00}", "猫ыé", &[(InvisibleKind::Selector, 3)]);
    check("😀\u{fe03}😀\u{fe07}", "😀😀", &[(InvisibleKind::Selector, 2)]);
}

#[test]
fn flags_of_subdivisions_stay_and_other_messages_after_a_flag_do_not() {
    let tagged = |name: &str| -> String {
        name.bytes().map(|byte| char::from_u32(0xe0000 + u32::from(byte)).unwrap()).collect()
    };
    for name in ["gbeng", "gbsct", "gbwls"] {
        let flag = format!("go \u{1f3f4}{}\u{e007f}!", tagged(name));
        check(&flag, &flag, &[]);
    }
    let message = format!("\u{1f3f4}{}\u{e007f}", tagged("obey"));
    check(&message, "\u{1f3f4}", &[(InvisibleKind::Tag, 5)]);
    let uncancelled = format!("\u{1f3f4}{}x", tagged("gbeng"));
    check(&uncancelled, "\u{1f3f4}x", &[(InvisibleKind::Tag, 5)]);
}

#[test]
fn the_tables_are_those_of_the_unicode_data() {
    for (property, table) in [
        ("Default_Ignorable_Code_Point", DEFAULT_IGNORABLE),
        ("Emoji", EMOJI),
        ("Extended_Pictographic", PICTOGRAPHS),
    ] {
        let ranges = ranges_of(property);
        let rows: Vec<String> =
            ranges.iter().map(|(first, last)| format!("(0x{first:x}, 0x{last:x}),")).collect();
        assert_eq!(table, ranges, "put this table in its place: {}", rows.join(" "));
    }
}

/// Reads the ranges of a property from the data of the crate `regex-syntax`.
fn ranges_of(property: &str) -> Vec<(u32, u32)> {
    let class = regex_syntax::parse(&format!("\\p{{{property}}}")).unwrap();
    let regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class)) = class.kind()
    else {
        panic!("{property} is no class of characters");
    };
    class.ranges().iter().map(|range| (range.start().into(), range.end().into())).collect()
}
