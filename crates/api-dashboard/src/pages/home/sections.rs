//! Sections next to the charts of Home: open review items, unanswered questions, recent agents, and
//! the health of the store.

use super::super::components::{form_error, format_count, format_size, percent_encode, time};
use super::HomeData;
use maud::{Markup, html};

/// Maximum number of agents shown.
const AGENTS: usize = 8;

impl HomeData {
    /// Questions that found nothing, each with a link to write the answer.
    pub(super) fn unanswered_questions(&self) -> Markup {
        html! {
            @if !self.unanswered.items.is_empty() {
                section aria-labelledby="missing" {
                    h2 #missing { "Unanswered questions" }
                    ul.cards {
                        @for one in &self.unanswered.items {
                            li.card {
                                div {
                                    p.text {
                                        "Nothing found for “" span dir="auto" { (one.text) } "”"
                                    }
                                    p.about {
                                        span { "asked by " b dir="auto" { (one.agent) } }
                                        (time(one.at))
                                        @if one.times > 1 {
                                            span { (format_count(one.times)) " times" }
                                        }
                                    }
                                }
                                a.button
                                    href={ "/memories/new?text=" (percent_encode(&one.text)) } {
                                    "Write it"
                                }
                                form data-call={ "DELETE /v1/questions/" (one.id) }
                                    data-say="Dismissed." {
                                    button.plain { "Dismiss" } (form_error())
                                }
                            }
                        }
                    }
                    @if self.unanswered.total > self.unanswered.items.len() {
                        p.note {
                            "and "
                            (format_count(self.unanswered.total - self.unanswered.items.len()))
                            " more"
                        }
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
                                } " " span dir="auto" { (view.item.reason) }
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
        html! {
            @if !self.activity.agents.is_empty() {
                section aria-labelledby="here" {
                    div.heading { h2 #here { "Recent agents" } a href="/agents" { "Agents" } }
                    ul.plain {
                        @for one in self.activity.agents.iter().take(AGENTS) {
                            li {
                                a dir="auto"
                                    href={
                                        "/agents/one?agent=" (percent_encode(one.agent.as_str()))
                                    } {
                                    (one.agent)
                                } " " (time(one.last)) " "
                                small {
                                    (format_count(one.calls)) " calls, "
                                    (format_count(one.tokens)) " tokens"
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
                    dt { "Changes" }
                    dd { (format_count(usize::try_from(self.status.seq.0).unwrap_or(0))) }
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
                    (format_count(usize::try_from(found.events).unwrap_or(0))) " events, "
                    (time(found.at))
                }
                Some(found) => {
                    span.status data-status="rejected" { "broken" } " in " (found.faults)
                    " places, " (time(found.at)) ", " a href="/activity" { "see where" }
                }
            }
        }
    }
}
