//! Operation that sets the login password. The password is never shown.

use super::json::MessageJson;
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use model::{ErrorCode, Failure};
use schemars::JsonSchema;
use serde::Deserialize;
use server::BadPassword;

/// A password to set.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetPasswordBody {
    /// New password.
    password: String,
}

pub(super) async fn set(
    context: RequestContext,
    _: NoFields,
    input: SetPasswordBody,
) -> Result<ApiResponse<MessageJson>, Failure> {
    if !context.is_server_owner() {
        let message = "only the owner of this server has a password";
        return Err(Failure::new(ErrorCode::ConsentRequired, message));
    }
    let message = "this server cannot store a password";
    let password =
        context.sessions.password().ok_or_else(|| Failure::new(ErrorCode::NotFound, message))?;
    context.credentials.note_owner_action(&context.caller, &"password", "set the password").await?;
    password.set(&input.password).await.map_err(password_failure)?;
    // Everybody who logged in with the old password is logged out.
    let ended = context.sessions.end_others(context.session.as_ref()).await;
    ended.map_err(|error| Failure::new(ErrorCode::StoreBusy, error.to_string()))?;
    ApiResponse::new(MessageJson { said: "Password set; all other sessions are ended".to_owned() })
}

fn password_failure(error: BadPassword) -> Failure {
    let message = error.to_string();
    match error {
        BadPassword::TooShort | BadPassword::TooLong => Failure::invalid(message),
        other => {
            tracing::error!(error = %other, "a password could not be saved");
            Failure::new(ErrorCode::Internal, "the password could not be saved")
        }
    }
}
