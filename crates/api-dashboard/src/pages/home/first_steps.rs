//! Home of an empty memory: three steps to fill it. Also the note on a memory that holds the demo
//! story, with the way to remove it.

use super::super::components::form_error;
use super::super::deep_links::deep_links;
use super::super::settings;
use crate::v1::ERASE_CONFIRMATION;
use maud::{Markup, html};
use serde_json::json;

/// Renders the three steps.
pub(super) fn first_steps(has_demo: bool) -> Markup {
    let server = json!({ "command": "quipu", "args": ["mcp"] });
    html! {
        h1 { "Welcome to your memory" }
        p.lead { "Three steps, in any order. Whatever arrives appears here at once." }
        ol.first-steps {
            li {
                h2 { "Connect an agent" }
                p { "In a terminal, for every client that is installed:" }
                pre { code { "quipu setup" } }
                p { "Or one of them:" }
                pre { code { "claude mcp add -s user quipu -- quipu mcp" } }
                p.actions {
                    @for (name, link) in deep_links(&server) {
                        a.button href=(link) { "Add to " (name) }
                    }
                }
                p.note { "Others, and keys for other machines: " a href="/agents" { "Agents" } }
                p.status #first-agent role="status" { "waiting for the first agent …" }
            }
            li {
                h2 { "Import what you have" }
                p { "Notes, exports and memory files of other programs." }
                p { a.button href="/settings#import" { "Import a file" } }
                p.note { "or " a href="/memories/new" { "write a memory" } " yourself" }
            }
            li {
                h2 { "Or look around first" }
                @if has_demo {
                    p {
                        "The demo story fills this memory with half a year of work in a pottery "
                        "studio, to try everything on. One click removes it again."
                    }
                    form data-work="/v1/demo" data-told="demo" data-then="show" {
                        button.primary { "Load the demo story" } (form_error())
                    }
                    (settings::progress("demo"))
                } @else {
                    p { "This fills a memory of its own with a story, to try everything on:" }
                    pre { code { "quipu demo" } }
                }
            }
        }
    }
}

/// Renders the note on a memory that holds the demo story.
pub(super) fn demo_note() -> Markup {
    html! {
        div.banner #demo-note {
            p { "This is the demo story of a pottery studio, not your own memory." }
            form data-call="POST /v1/erase" data-receipt="1"
                data-sure="Erase everything, also what you added?" {
                input type="hidden" name="confirm" value=(ERASE_CONFIRMATION);
                button { "Remove the demo" } (form_error())
            }
        }
    }
}
