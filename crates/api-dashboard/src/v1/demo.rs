//! Operation that fills an empty memory with a sample one, as a job.

use super::files::JobJson;
use crate::api::{ApiResponse, NoFields};
use crate::jobs::JobState;
use crate::jobs::formats::{self, ImportFile};
use crate::request_context::RequestContext;
use interchange::ForgottenTexts;
use model::{ErrorCode, Failure};

pub(super) async fn load(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<ApiResponse<JobJson>, Failure> {
    context.engine.admin().note_owner_action(&context.caller, "loaded the demo story").await?;
    let Some(demo) = context.demo.clone() else {
        return Err(Failure::new(ErrorCode::NotFound, "this server has no demo story"));
    };
    // Nothing of the owner's own may end up between the memories of the story.
    if context.engine.memories().overview(&context.caller, 1).await?.memories > 0 {
        let message = "the demo story fits only into an empty memory";
        return Err(Failure::new(ErrorCode::Conflict, message));
    }
    let progress = context.jobs.start(&context.caller.owner).await?;
    let (id, RequestContext { engine, caller, .. }) = (progress.id(), context);
    tokio::spawn(async move {
        let report = |state| progress.report(state);
        let end_state = match demo().await {
            Ok(bytes) => {
                let (name, forgotten) = ("demo.jsonl".to_owned(), ForgottenTexts::Include);
                let file = ImportFile { name, bytes, forgotten };
                formats::import_file(&engine, &caller, file, report).await
            }
            Err(reason) => JobState::Failed(reason),
        };
        progress.end(end_state).await;
    });
    ApiResponse::new(JobJson::new(id, JobState::Running(0, 0)))
}
