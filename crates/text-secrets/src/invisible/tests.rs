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
