//! The programs that were let in over OAuth, and shutting one out.

use super::parts::{encoded, problem, when};
use crate::desk::Desk;
use maud::{Markup, html};
use model::Failure;

/// The section of the agents' page; nothing where no program came that way.
pub(super) async fn section(desk: &Desk) -> Result<Markup, Failure> {
    let connected = desk.credentials.connected(&desk.caller).await?;
    Ok(html! {
        @if !connected.is_empty() {
            section { h2 { "Let in by their own asking" }
                ul.plain { @for family in &connected {
                    li {
                        p.about { a href={ "/agents/one?agent=" (encoded(family.consent.agent.as_str())) } dir="auto" { (family.consent.agent) } span { (family.consent.scope.name()) } code { (family.consent.resource) } span { "since " (when(family.since)) } span { "renewed " (when(family.renewed_at)) } }
                        form data-call={ "DELETE /v1/connections/" (family.id.0) } data-say="Shut out; it opens nothing from now on." { button.danger { "Shut it out" } (problem()) }
                    }
                } }
            }
        }
    })
}
