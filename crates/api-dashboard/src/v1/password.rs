//! Operation that sets the login password. The password is never shown.

use super::shown::Done;
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use model::{ErrorCode, Failure};
use schemars::JsonSchema;
use serde::Deserialize;
use server::BadPassword;

/// A password to set.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPassword {
    /// New password.
    password: String,
}

pub(super) async fn set(
    context: Desk,
    _: Nothing,
    input: NewPassword,
) -> Result<Answer<Done>, Failure> {
    let message = "this server cannot store a password";
    let password =
        context.visits.password().ok_or_else(|| Failure::new(ErrorCode::NotFound, message))?;
    context.credentials.note_owners_act(&context.caller, &"password", "set the password").await?;
    password.set(&input.password).await.map_err(refused)?;
    // Everybody who logged in with the old password is logged out.
    context.visits.end_others(context.visit.as_ref());
    Answer::of(Done { said: "Password set; all other sessions are ended".to_owned() })
}

fn refused(error: BadPassword) -> Failure {
    let message = error.to_string();
    match error {
        BadPassword::Short | BadPassword::Long => Failure::invalid(message),
        other => {
            tracing::error!(error = %other, "a password could not be saved");
            Failure::new(ErrorCode::Internal, "the password could not be saved")
        }
    }
}
