//! Programs that are connected over OAuth, and disconnecting one.

use super::parts::{encoded, problem, when};
use crate::desk::Desk;
use maud::{Markup, html};
use model::Failure;

/// Renders the section of the Agents page; empty when no program is connected.
pub(super) async fn section(context: &Desk) -> Result<Markup, Failure> {
    let connected = context.credentials.connected(&context.caller).await?;
    Ok(html! {
        @if !connected.is_empty() {
            section {
                h2 { "Connected over OAuth" }
                ul.plain {
                    @for family in &connected {
                        li {
                            p.about {
                                @let agent = &family.consent.agent;
                                @let parameter = encoded(agent.as_str());
                                a href={ "/agents/one?agent=" (parameter) } dir="auto" { (agent) }
                                span { (family.consent.scope.name()) }
                                code { (family.consent.resource) }
                                span { "since " (when(family.since)) }
                                span { "renewed " (when(family.renewed_at)) }
                            }
                            form data-call={ "DELETE /v1/connections/" (family.id.0) }
                                data-say="Disconnected; its tokens no longer work." {
                                button.danger { "Disconnect" } (problem())
                            }
                        }
                    }
                }
            }
        }
    })
}
