//! The text format of Prometheus, version 0.0.4.

use crate::catalogue::ALL;
use crate::family::{MetricFamily, MetricKind, MetricSeries, SeriesLabels};
use std::fmt::Write;

/// Writes all metrics as text.
#[must_use]
pub fn render() -> String {
    let mut text = String::new();
    ALL.iter().for_each(|family| write_family(&mut text, family));
    text
}

// Writing to a String cannot fail.
fn write_family(text: &mut String, family: &MetricFamily) {
    let (name, kind) = match family.kind {
        MetricKind::Counter => (family.name, "counter"),
        MetricKind::Histogram(_) => (family.name, "histogram"),
    };
    _ = writeln!(text, "# HELP {name} {}\n# TYPE {name} {kind}", family.help);
    for (labels, series) in family.snapshot() {
        match family.kind {
            MetricKind::Counter => {
                _ = writeln!(text, "{name}{} {}", braces(&labels, None), series.count);
            }
            MetricKind::Histogram(bounds) => {
                write_histogram(text, name, bounds, &labels, &series);
            }
        }
    }
}

fn write_histogram(
    text: &mut String,
    name: &str,
    bounds: &[f64],
    labels: &SeriesLabels,
    series: &MetricSeries,
) {
    let mut below = 0;
    for (bound, inside) in bounds.iter().zip(&series.buckets) {
        below += inside;
        let labels = braces(labels, Some(&bound.to_string()));
        _ = writeln!(text, "{name}_bucket{labels} {below}");
    }
    _ = writeln!(text, "{name}_bucket{} {}", braces(labels, Some("+Inf")), series.count);
    _ = writeln!(text, "{name}_sum{} {}", braces(labels, None), series.sum);
    _ = writeln!(text, "{name}_count{} {}", braces(labels, None), series.count);
}

fn braces(labels: &SeriesLabels, bound: Option<&str>) -> String {
    let named = labels.iter().map(|(name, value)| (*name, value.as_str()));
    let pairs: Vec<String> = named
        .chain(bound.map(|bound| ("le", bound)))
        .map(|(name, value)| format!("{name}=\"{}\"", escape(value)))
        .collect();
    if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(",")) }
}

fn escape(value: &str) -> String {
    value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(family: &MetricFamily) -> String {
        let mut text = String::new();
        write_family(&mut text, family);
        text
    }

    #[test]
    fn a_counter_has_a_line_for_each_combination_of_labels() {
        let family = MetricFamily::new("calls_total", "Calls.", MetricKind::Counter);
        family.count(&[("tool", "recall"), ("outcome", "ok")]);
        family.count(&[("tool", "recall"), ("outcome", "ok")]);
        family.count(&[("tool", "a\"b\\c\nd"), ("outcome", "ok")]);
        assert_eq!(
            rendered(&family),
            "# HELP calls_total Calls.\n# TYPE calls_total counter\n\
             calls_total{tool=\"a\\\"b\\\\c\\nd\",outcome=\"ok\"} 1\n\
             calls_total{tool=\"recall\",outcome=\"ok\"} 2\n"
        );
    }

    #[test]
    fn the_buckets_of_a_histogram_contain_the_smaller_ones() {
        let family = MetricFamily::new("sizes", "Sizes.", MetricKind::Histogram(&[1.0, 2.5]));
        [0.5, 1.0, 2.0, 9.0].into_iter().for_each(|size| family.observe(&[], size));
        assert_eq!(
            rendered(&family),
            "# HELP sizes Sizes.\n# TYPE sizes histogram\n\
             sizes_bucket{le=\"1\"} 2\nsizes_bucket{le=\"2.5\"} 3\nsizes_bucket{le=\"+Inf\"} 4\n\
             sizes_sum 12.5\nsizes_count 4\n"
        );
    }

    #[test]
    fn the_number_of_combinations_is_bounded() {
        let family = MetricFamily::new("many_total", "Many.", MetricKind::Counter);
        (0..5_000).for_each(|number| family.count(&[("number", &number.to_string())]));
        assert!(rendered(&family).lines().count() < 2_100);
    }

    #[test]
    fn every_metric_of_the_catalogue_has_a_name_and_a_help_text() {
        let text = render();
        for family in ALL {
            assert!(family.name.starts_with("quipu_") && !family.help.contains('\n'));
            assert!(text.contains(&format!("# TYPE {} ", family.name)));
        }
    }
}
