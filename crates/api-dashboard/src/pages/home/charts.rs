//! Charts of Home, as inline SVG: new memories and questions per day.

use super::super::components::format_count;
use engine::activity::Activity;
use maud::{Markup, html};
use model::Moment;

/// Width of a day and height of the chart, in SVG units.
const WIDE: usize = 12;
const HIGH: usize = 100;

/// Bar chart of new memories per day.
pub(super) fn growth(daily: &[(Moment, usize)]) -> Markup {
    let most = daily.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let total: usize = daily.iter().map(|(_, count)| *count).sum();
    let label = format!("{total} memories in {} days, at most {most} per day", daily.len());
    html! {
        figure.growth {
            svg viewBox={ "0 0 " (daily.len() * WIDE) " " (HIGH) } role="img"
                preserveAspectRatio="none" aria-label=(label) {
                @for (at, (day, count)) in daily.iter().enumerate() {
                    rect.empty[*count == 0] x=(at * WIDE + 1) y=(HIGH - height(*count, most))
                        width=(WIDE - 2) height=(height(*count, most)) rx="2" {
                        title { (day.date()) ": " (count) }
                    }
                }
            }
            (caption(
                daily.first().map(|(day, _)| *day),
                html! { b { (format_count(total)) } " new" },
            ))
        }
    }
}

/// Stacked bar chart of questions per day: answered below, unanswered on top.
pub(super) fn questions(activity: &Activity) -> Markup {
    let days = &activity.days;
    let most = days.iter().map(|day| day.recalls).max().unwrap_or(0);
    let (empty, all) = activity.empty_and_total_recalls();
    let label =
        format!("{all} questions in {} days, {empty} of them without an answer", days.len());
    html! {
        figure.growth {
            svg viewBox={ "0 0 " (days.len() * WIDE) " " (HIGH) } role="img"
                preserveAspectRatio="none" aria-label=(label) {
                @for (at, day) in days.iter().enumerate() {
                    @let whole = height(day.recalls, most);
                    @let missed = (whole * day.empty).checked_div(day.recalls).unwrap_or(0);
                    g {
                        title {
                            (day.day.date()) ": " (day.recalls) " asked, " (day.empty)
                            " without an answer"
                        }
                        rect.empty[day.recalls == 0] x=(at * WIDE + 1) y=(HIGH - whole + missed)
                            width=(WIDE - 2) height=(whole - missed) rx="2" {}
                        @if missed > 0 {
                            rect.missed x=(at * WIDE + 1) y=(HIGH - whole) width=(WIDE - 2)
                                height=(missed) rx="2" {}
                        }
                    }
                }
            }
            (caption(days.first().map(|day| day.day), html! {
                b { (format_count(all)) } " asked, " b #empty-rate { (rate(empty, all)) }
                " without an answer"
            }))
        }
    }
}

fn caption(first: Option<Moment>, middle: Markup) -> Markup {
    html! {
        figcaption {
            span { (first.map(|day| day.date()).unwrap_or_default()) } span { (middle) }
            span { "today" }
        }
    }
}

/// Height of a bar, with a visible minimum.
fn height(count: usize, most: usize) -> usize {
    if count == 0 { 1 } else { (count * (HIGH - 4)).div_ceil(most.max(1)).max(3) }
}

fn rate(part: usize, whole: usize) -> String {
    let percent = (part * 100 + whole / 2).checked_div(whole);
    percent.map_or("none".to_owned(), |percent| format!("{percent} %"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_rounded_and_zero_of_zero_is_none() {
        assert_eq!(
            [rate(0, 0), rate(1, 3), rate(2, 3), rate(3, 3)],
            ["none", "33 %", "67 %", "100 %"]
        );
        assert!(height(1, 10_000) >= 3 && height(10_000, 10_000) <= HIGH);
    }
}
