//! Programs that are connected over OAuth, and disconnecting one.

use super::components::{form_error, percent_encode, time};
use crate::request_context::RequestContext;
use maud::{Markup, html};
use model::Failure;

/// Renders the section of the Agents page; empty when no program is connected.
pub(super) async fn section(context: &RequestContext) -> Result<Markup, Failure> {
    let connected = context.credentials.connections(&context.caller).await?;
    Ok(html! {
        @if !connected.is_empty() {
            section {
                h2 { "Connected over OAuth" }
                ul.plain {
                    @for family in &connected {
                        li {
                            p.about {
                                @let agent = &family.consent.agent;
                                @let parameter = percent_encode(agent.as_str());
                                a href={ "/agents/one?agent=" (parameter) } dir="auto" { (agent) }
                                span { (family.consent.scope.name()) }
                                code data-copy { (family.consent.resource) }
                                span { "since " (time(family.granted_at)) }
                                span { "renewed " (time(family.renewed_at)) }
                            }
                            form data-call={ "DELETE /v1/connections/" (family.id.0) }
                                data-say="Disconnected; its tokens no longer work."
                                data-sure="Disconnect it for good?" {
                                button.danger { "Disconnect" } (form_error())
                            }
                        }
                    }
                }
            }
        }
    })
}
