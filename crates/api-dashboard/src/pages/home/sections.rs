//! Sections next to the charts of Home: open review items, recent agents, and the
//! health of the store.

use super::super::components::{counted, format_count, format_size, percent_encode, time};
use super::super::{review, words};
use super::HomeData;
use maud::{Markup, html};
use model::AuditEvent;

/// Maximum number of agents shown.
const AGENTS: usize = 8;

impl HomeData {
    /// Latest events, newest first. The script adds events while the page is open.
    pub(super) fn live_feed(&self) -> Markup {
        html! {
            section aria-labelledby="feed-title" {
                div.heading { h2 #feed-title { "Now" } a href="/activity" { "Activity" } }
                ul.feed #feed data-feed="/v1/events/audit" {
                    @for event in &self.feed {
                        li {
                            a dir="auto"
                                href={
                                    "/agents/one?agent="
                                    (percent_encode(event.author.agent.as_str()))
                                } {
                                (words::actor(&event.author, &self.owner))
                            } " " span dir="auto" { (self.happened(event)) } " " (time(event.at))
                        }
                    }
                }
            }
        }
    }

    fn happened(&self, event: &AuditEvent) -> String {
        words::happened(event, self.question_words.get(event))
    }

    /// Tokens that agents received, and what reading everything for each question would have cost.
    pub(super) fn tokens_served(&self) -> Markup {
        let served: usize = self.activity.agents.iter().map(|one| one.tokens).sum();
        let (_, asked) = self.activity.empty_and_total_recalls();
        let whole = self.whole_tokens.saturating_mul(asked);
        html! {
            @if served > 0 && asked > 0 {
                p.note #tokens-served {
                    (counted(served, "token", "tokens")) " served to agents"
                    @if whole > served {
                        "; reading the whole memory for each question would have been about "
                        (format_count(whole))
                    }
                }
            }
        }
    }

    pub(super) fn review_items(&self) -> Markup {
        html! {
            @if self.waiting.total > 0 {
                section.call aria-labelledby="waits" {
                    div.heading {
                        h2 #waits { "Waiting for you" }
                        a href="/review" { "Review " (self.waiting.total) }
                    }
                    ul.plain {
                        @for view in &self.waiting.items {
                            li {
                                span.status data-status=(view.item.kind.name()) {
                                    (view.item.kind.name())
                                } " " span dir="auto" { (review::reason(view)) }
                            }
                        }
                    }
                }
            }
        }
    }

    pub(super) fn open_handoffs(&self) -> Markup {
        html! {
            @if self.handoffs.total > 0 {
                section aria-labelledby="handoffs" {
                    h2 #handoffs { "Open handoffs" }
                    ul.plain {
                        @for handoff in &self.handoffs.items {
                            li {
                                a dir="auto" href={ "/handoffs/" (handoff.id) } { (handoff.title) }
                                " by " span dir="auto" { (handoff.created_by) } ", "
                                (time(handoff.created_at))
                            }
                        }
                    }
                }
            }
        }
    }

    pub(super) fn recent_agents(&self) -> Markup {
        let agents = self.activity.agents.iter().filter(|one| one.agent != self.owner);
        let agents: Vec<_> = agents.take(AGENTS).collect();
        html! {
            @if !agents.is_empty() {
                section aria-labelledby="here" {
                    div.heading { h2 #here { "Recent agents" } a href="/agents" { "Agents" } }
                    ul.plain {
                        @for one in agents {
                            li {
                                a dir="auto"
                                    href={
                                        "/agents/one?agent=" (percent_encode(one.agent.as_str()))
                                    } {
                                    (one.agent)
                                } " " (time(one.last)) " "
                                small {
                                    (counted(one.calls, "call", "calls")) ", "
                                    (counted(one.tokens, "token", "tokens"))
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    pub(super) fn health(&self) -> Markup {
        html! {
            section aria-labelledby="health" {
                h2 #health { "Health" }
                dl.pairs {
                    dt { "Size on disk" } dd { (format_size(self.status.counts.bytes)) }
                    dt { "Last backup" } dd { (self.last_backup()) }
                    dt { "Audit chain" } dd { (self.chain()) }
                    dt { "Embedder" }
                    dd {
                        (self.status.embedding.model)
                        @if !self.status.embedding.is_complete() {
                            ", " (format_count(self.status.embedding.done)) " of "
                            (format_count(self.status.embedding.total))
                        }
                    }
                    dt { "Version" } dd { (env!("CARGO_PKG_VERSION")) }
                }
            }
        }
    }

    fn last_backup(&self) -> Markup {
        html! {
            @match &self.backup {
                None => { "never, " a href="/settings" { "create one" } }
                Some(last) => {
                    (time(last.at))
                    @if let Some(problem) = &last.problem {
                        span.status data-status="rejected" { "failed" } " " (problem)
                    } @else { ", " (format_size(last.bytes)) }
                }
            }
        }
    }

    fn chain(&self) -> Markup {
        html! {
            @match &self.chain {
                None => { "not verified yet, " a href="/activity" { "verify it" } }
                Some(found) if found.faults == 0 => {
                    span.status data-status="active" { "intact" } " "
                    (counted(usize::try_from(found.events).unwrap_or(0), "event", "events")) ", "
                    (time(found.at))
                }
                Some(found) => {
                    @let faults = usize::try_from(found.faults).unwrap_or(usize::MAX);
                    span.status data-status="rejected" { "broken" } " in "
                    (counted(faults, "place", "places"))
                    ", " (time(found.at)) ", " a href="/activity" { "see where" }
                }
            }
        }
    }
}
