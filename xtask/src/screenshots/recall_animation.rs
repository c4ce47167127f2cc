//! The animated picture of a recall for the README: an SVG of a terminal in which a command is
//! typed and its real output appears. It loops, and shows the last frame where the system asks for
//! less motion.

use super::terminal_window::{self, BAR, CHAR, COLUMNS, LINE, MARGIN, escaped};
use std::fmt::Write;

/// Seconds to type a command, between two lines of output, and to read the result.
const TYPING: f32 = 1.6;
const LINE_DELAY: f32 = 0.12;
const READING: f32 = 3.2;

/// A command and its output.
pub struct TerminalScene {
    pub command: String,
    pub output: String,
}

/// Returns the SVG that plays the scenes one after the other.
pub fn render(scenes: &[TerminalScene]) -> String {
    let lines: Vec<Vec<String>> = scenes.iter().map(|scene| wrapped(&scene.output)).collect();
    let rows = lines.iter().map(Vec::len).max().unwrap_or(0) + 2;
    let lengths: Vec<f32> =
        lines.iter().map(|lines| TYPING + lines.len() as f32 * LINE_DELAY + READING).collect();
    let total: f32 = lengths.iter().sum();
    let (mut style, mut body, mut start) = (String::new(), String::new(), 0.0);
    for (at, (scene, lines)) in scenes.iter().zip(&lines).enumerate() {
        let span = SceneSpan { at, start, end: start + lengths[at], total };
        span.render(scene, lines, &mut style, &mut body);
        start = span.end;
    }
    let style = format!(
        ".s {{ opacity: 0; }}\n{style}@media (prefers-reduced-motion: reduce) {{ .s, .s * {{ \
         animation: none !important; }} .last {{ opacity: 1; }} }}\n"
    );
    terminal_window::render("Two recalls in a terminal", rows, &style, &body)
}

/// A scene with the part of the loop in which it is shown, in seconds.
struct SceneSpan {
    at: usize,
    start: f32,
    end: f32,
    total: f32,
}

impl SceneSpan {
    fn render(
        &self,
        scene: &TerminalScene,
        lines: &[String],
        style: &mut String,
        body: &mut String,
    ) {
        let Self { at, start, end, total } = *self;
        let percent = |seconds: f32| (seconds / total * 100.0).clamp(0.0, 100.0);
        // Writing to a string cannot fail.
        _ = writeln!(
            style,
            "#s{at} {{ animation: s{at} {total:.1}s linear infinite; }}\n@keyframes s{at} {{ 0%, \
             {:.2}% {{ opacity: 0; }} {:.2}%, {:.2}% {{ opacity: 1; }} {:.2}%, 100% {{ opacity: 0; \
             }} }}",
            percent(start - 0.01),
            percent(start),
            percent(end - 0.25),
            percent(end),
        );
        let count = scene.command.chars().count();
        let typed = format!("t{at}");
        _ = writeln!(
            style,
            "#{typed} rect {{ animation: {typed} {total:.1}s steps({count}) infinite; }}\n\
             @keyframes {typed} {{ 0%, {:.2}% {{ width: 0; }} {:.2}%, 100% \
             {{ width: {:.0}px; }} }}",
            percent(start + 0.2),
            percent(start + TYPING),
            count as f32 * CHAR + 4.0,
        );
        let top = BAR + LINE;
        let last = if end >= total - 0.01 { " last" } else { "" };
        let prompt = MARGIN + 2.0 * CHAR;
        _ = writeln!(
            body,
            "<g id=\"s{at}\" class=\"s{last}\"><clipPath id=\"{typed}\"><rect x=\"{prompt:.1}\" \
             y=\"{BAR:.0}\" width=\"{:.0}\" height=\"{:.0}\"/></clipPath><text x=\"{MARGIN:.1}\" \
             y=\"{top:.1}\" class=\"c\">$</text><text x=\"{prompt:.1}\" y=\"{top:.1}\" \
             clip-path=\"url(#{typed})\">{}</text>",
            count as f32 * CHAR + 4.0,
            LINE * 1.5,
            escaped(&scene.command),
        );
        for (row, line) in lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let (name, shown) = (format!("l{at}-{row}"), start + TYPING + row as f32 * LINE_DELAY);
            let y = top + (row + 1) as f32 * LINE + 6.0;
            _ = writeln!(
                style,
                "#{name} {{ animation: {name} {total:.1}s linear infinite; }}\n@keyframes {name} \
                 {{ 0%, {:.2}% {{ opacity: 0; }} {:.2}%, 100% {{ opacity: 1; }} }}",
                percent(shown),
                percent(shown + 0.15),
            );
            let class = if row == 0 { " class=\"c\"" } else { "" };
            _ = writeln!(
                body,
                "<text id=\"{name}\" x=\"{MARGIN:.1}\" y=\"{y:.1}\"{class}>{}</text>",
                escaped(line)
            );
        }
        body.push_str("</g>\n");
    }
}

/// Wraps the lines of an output at words.
fn wrapped(output: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in output.trim_end().lines() {
        let indent: String = line.chars().take_while(|one| *one == ' ').collect();
        let mut current = String::new();
        for word in line.split(' ') {
            if current.chars().count() + word.chars().count() >= COLUMNS {
                lines.push(std::mem::replace(&mut current, indent.clone()));
            }
            if !current.is_empty() && !current.ends_with(' ') {
                current.push(' ');
            }
            current.push_str(if word.is_empty() { " " } else { word });
        }
        lines.push(current);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_is_escaped_wrapped_and_looped() {
        let long = "word ".repeat(40);
        let scenes = [
            TerminalScene {
                command: "quipu recall <x>".into(),
                output: format!("#1 fact\n{long}"),
            },
            TerminalScene { command: "quipu list".into(), output: "nothing".into() },
        ];
        let svg = render(&scenes);
        assert!(svg.contains("quipu recall &lt;x&gt;"), "{svg}");
        assert!(svg.matches("infinite").count() > 5, "{svg}");
        assert!(wrapped(&long).iter().all(|line| line.chars().count() <= COLUMNS));
        assert_eq!(svg.matches("class=\"s last\"").count(), 1);
    }
}
