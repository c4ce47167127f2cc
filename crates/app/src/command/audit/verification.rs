//! `quipu audit verify`: the faults of the log, and the comparison with a head that was kept
//! elsewhere.

use super::ChainVerifyArgs;
use crate::command_output::CommandOutput;
use crate::exit::{Exit, Problem};
use crate::render::count_with_noun;
use crate::setup::{OpenMemory, Setup};
use crate::text_page::{Style, TextPage};
use serde_json::{Value, json};
use store::{ChainAnchor, ChainFault, ChainReport};

const ADVICE: &str = "If you know the reason, such as files that you copied by hand, `quipu audit \
    restart` begins the log anew. Otherwise somebody changed it: keep a copy of the home \
    directory.";

impl ChainVerifyArgs {
    pub(super) async fn run(
        self,
        setup: &Setup,
        memory: &OpenMemory,
    ) -> Result<CommandOutput, Problem> {
        let anchor = self.head.as_deref().map(parse_anchor).transpose()?;
        let (admin, caller) = (memory.engine.admin(), memory.caller_for("audit verify"));
        let report = admin.verify_audit(&caller).await?;
        let problem = match &anchor {
            Some(anchor) => {
                let compared = memory.engine.admin();
                compared.compare_audit_head(&caller, &report, anchor).await?
            }
            None => None,
        };
        let mut page = TextPage::new(setup.terminal);
        render(&mut page, &report);
        render_anchor(&mut page, anchor.as_ref(), problem.as_deref());
        let mut output = to_json(&report);
        if anchor.is_some() {
            output["head"] = json!({ "holds": problem.is_none(), "what": problem });
        }
        let holds = report.is_intact() && problem.is_none();
        let exit = if holds { Exit::Done } else { Exit::Failed };
        Ok(CommandOutput::new(output, page).with_exit(exit))
    }
}

fn parse_anchor(line: &str) -> Result<ChainAnchor, Problem> {
    ChainAnchor::parse(line).ok_or_else(|| {
        Problem::usage(
            "`--head` is not a line that `quipu audit head` prints",
            "Pass the whole line, which begins with `quipu-audit-head:`.",
        )
    })
}

fn render(page: &mut TextPage, report: &ChainReport) {
    for fault in &report.faults {
        page.headline(&[(Style::Bad, &fault.location()), (Style::Plain, &fault.problem)]);
    }
    if report.is_intact() {
        page.add_text(&format!(
            "The audit log is intact: {} verified against {} and the head.",
            count_with_noun(report.events, "event", "events"),
            count_with_noun(report.checkpoints, "checkpoint", "checkpoints")
        ));
    } else {
        page.add_text(&format!(
            "The audit log is not intact: {}.",
            count_with_noun(report.faults.len(), "fault", "faults")
        ));
        page.add_text(ADVICE);
    }
    if report.before_chain > 0 {
        page.add_text(&format!(
            "{} older than the chain cannot be verified.",
            count_with_noun(report.before_chain, "event", "events")
        ));
    }
}

fn render_anchor(page: &mut TextPage, anchor: Option<&ChainAnchor>, problem: Option<&str>) {
    match (anchor, problem) {
        (Some(_), Some(problem)) => {
            page.headline(&[(Style::Bad, "--head"), (Style::Plain, problem)]);
        }
        (Some(anchor), None) => {
            page.add_text(&format!("It contains event {} of the given head.", anchor.id));
        }
        (None, _) => {}
    }
}

fn to_json(report: &ChainReport) -> Value {
    let fault_json = |fault: &ChainFault| {
        let (first, last) = (fault.first.0, fault.last.0);
        json!({ "first": first, "last": last, "what": fault.problem })
    };
    json!({
        "holds": report.is_intact(),
        "events": report.events,
        "before": report.before_chain,
        "newest": report.newest.map(|id| id.0),
        "checkpoints": report.checkpoints,
        "faults": report.faults.iter().map(fault_json).collect::<Vec<_>>(),
    })
}
