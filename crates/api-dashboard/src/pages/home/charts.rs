//! Charts of Home, as inline SVG with an axis: new memories and questions per day. When one day is
//! far above the others, the scale is logarithmic, so that it does not flatten them.

use super::super::components::{counted, format_count};
use engine::activity::Activity;
use maud::{Markup, html};
use model::Moment;

/// Width of a day and height of the chart, in SVG units.
const WIDE: usize = 12;
const HIGH: usize = 100;

/// Factor between the highest and the median day from which on the scale is logarithmic.
const BURST: usize = 8;

/// Scale of a chart.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ChartScale {
    most: usize,
    logarithmic: bool,
}

impl ChartScale {
    fn of(counts: impl Iterator<Item = usize>) -> Self {
        let mut used: Vec<usize> = counts.filter(|count| *count > 0).collect();
        used.sort_unstable();
        let most = used.last().copied().unwrap_or(0);
        let median = used.get(used.len() / 2).copied().unwrap_or(0);
        Self { most, logarithmic: used.len() > 2 && most > median * BURST }
    }

    /// Returns the height of a bar, with a visible minimum.
    fn height(self, count: usize) -> usize {
        if count == 0 {
            return 1;
        }
        let share = if self.logarithmic {
            (count as f64).ln_1p() / (self.most as f64).ln_1p()
        } else {
            count as f64 / self.most.max(1) as f64
        };
        // A share is between 0 and 1, so the height fits.
        ((share * (HIGH - 4) as f64).ceil() as usize).clamp(3, HIGH)
    }

    /// Returns the value in the middle of the axis.
    fn middle(self) -> usize {
        if self.logarithmic {
            ((self.most as f64).ln_1p() / 2.0).exp_m1().round() as usize
        } else {
            self.most.div_ceil(2)
        }
    }

    fn axis(self) -> Markup {
        html! {
            div.axis aria-hidden="true" {
                span { (format_count(self.most)) }
                @if self.most > 1 { span { (format_count(self.middle())) } }
                span { "0" }
            }
        }
    }
}

/// Bar chart of new memories per day.
pub(super) fn growth(daily: &[(Moment, usize)]) -> Markup {
    let scale = ChartScale::of(daily.iter().map(|(_, count)| *count));
    let total: usize = daily.iter().map(|(_, count)| *count).sum();
    let label = format!("{total} memories in {} days, at most {} per day", daily.len(), scale.most);
    html! {
        figure.growth {
            div.plot {
                (scale.axis())
                svg viewBox={ "0 0 " (daily.len() * WIDE) " " (HIGH) } role="img"
                    preserveAspectRatio="none" aria-label=(label) {
                    @for (at, (day, count)) in daily.iter().enumerate() {
                        @let value = counted(*count, "new memory", "new memories");
                        g data-value={ (day.date()) ": " (value) } {
                            (backdrop(at))
                            rect.empty[*count == 0] x=(at * WIDE + 1)
                                y=(HIGH - scale.height(*count)) width=(WIDE - 2)
                                height=(scale.height(*count)) rx="2" {}
                        }
                    }
                }
            }
            (caption(daily.iter().map(|(day, _)| *day), scale, html! {
                b { (format_count(total)) } " new"
            }))
        }
    }
}

/// Stacked bar chart of questions per day: answered below, without a sure answer on top.
pub(super) fn questions(activity: &Activity) -> Markup {
    let days = &activity.days;
    let scale = ChartScale::of(days.iter().map(|day| day.recalls));
    let (empty, all) = activity.empty_and_total_recalls();
    let label =
        format!("{all} questions in {} days, {empty} of them without a sure answer", days.len());
    html! {
        figure.growth {
            div.plot {
                (scale.axis())
                svg viewBox={ "0 0 " (days.len() * WIDE) " " (HIGH) } role="img"
                    preserveAspectRatio="none" aria-label=(label) {
                    @for (at, day) in days.iter().enumerate() {
                        @let whole = scale.height(day.recalls);
                        @let missed = (whole * day.empty).checked_div(day.recalls).unwrap_or(0);
                        @let asked = counted(day.recalls, "question", "questions");
                        @let unsure = format!("{} without a sure answer", day.empty);
                        g data-value={ (day.day.date()) ": " (asked) ", " (unsure) } {
                            (backdrop(at))
                            rect.empty[day.recalls == 0] x=(at * WIDE + 1)
                                y=(HIGH - whole + missed) width=(WIDE - 2)
                                height=(whole - missed) rx="2" {}
                            @if missed > 0 {
                                rect.missed x=(at * WIDE + 1) y=(HIGH - whole) width=(WIDE - 2)
                                    height=(missed) rx="2" {}
                            }
                        }
                    }
                }
            }
            (caption(days.iter().map(|day| day.day), scale, html! {
                b { (format_count(all)) } " asked, " b #empty-rate { (rate(empty, all)) }
                " without a sure answer"
            }))
        }
    }
}

/// Invisible area over the whole height of a day, so that a small bar is easy to point at.
fn backdrop(at: usize) -> Markup {
    html! { rect.area x=(at * WIDE) y="0" width=(WIDE) height=(HIGH) {} }
}

fn caption(days: impl Iterator<Item = Moment>, scale: ChartScale, middle: Markup) -> Markup {
    let days: Vec<Moment> = days.collect();
    html! {
        p.hovered aria-hidden="true" {}
        figcaption {
            span { (days.first().map(|day| day.date()).unwrap_or_default()) }
            span { (middle) @if scale.logarithmic { " (logarithmic scale)" } }
            span { "today" }
        }
    }
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
    }

    #[test]
    fn a_burst_does_not_flatten_the_other_days() {
        let even = ChartScale::of([3, 4, 0, 5].into_iter());
        assert!(!even.logarithmic);
        assert_eq!(even.height(5), HIGH - 4);
        let burst = ChartScale::of([3, 4, 2, 10_000].into_iter());
        assert!(burst.logarithmic && burst.height(4) > 15, "{}", burst.height(4));
        assert!(burst.height(10_000) <= HIGH && burst.middle() > 4);
    }
}
