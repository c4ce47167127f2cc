//! The window of a terminal as SVG: its frame and colours, and the escaping of its text.

/// Width of a character, in SVG units.
pub const CHAR: f32 = 8.4;
/// Height of a line.
pub const LINE: f32 = 20.0;
/// Number of characters of a line.
pub const COLUMNS: usize = 92;
/// Space around the text.
pub const MARGIN: f32 = 18.0;
/// Height of the bar of the window.
pub const BAR: f32 = 30.0;

/// Returns a window with so many lines of text. `label` is read to those who do not see it.
pub fn render(label: &str, rows: usize, style: &str, body: &str) -> String {
    let (width, height) = (COLUMNS as f32 * CHAR + 2.0 * MARGIN, rows as f32 * LINE + BAR + MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" role=\"img\" aria-label=\"{}\">\n<style>\n\
         text {{ font: 14px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; \
         fill: #ece7df; white-space: pre; }}\n.c {{ fill: #f0937a; }}\n{style}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"#16151a\"/>\n\
         <circle cx=\"18\" cy=\"15\" r=\"5\" fill=\"#d9694c\"/>\
         <circle cx=\"36\" cy=\"15\" r=\"5\" fill=\"#e5bd6b\"/>\
         <circle cx=\"54\" cy=\"15\" r=\"5\" fill=\"#94cfa4\"/>\n{body}</svg>\n",
        escaped(label)
    )
}

/// Returns a text with the characters that XML reserves as entities.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
