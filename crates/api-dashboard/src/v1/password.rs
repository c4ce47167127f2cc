//! The password for coming in from another machine. It is never shown, only set anew.

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
    /// The password.
    password: String,
}

pub(super) async fn set(
    desk: Desk,
    _: Nothing,
    input: NewPassword,
) -> Result<Answer<Done>, Failure> {
    let message = "no password can be kept here";
    let password =
        desk.visits.password().ok_or_else(|| Failure::new(ErrorCode::NotFound, message))?;
    desk.credentials.note_owners_act(&desk.caller, &"password", "set the password").await?;
    password.set(&input.password).await.map_err(refused)?;
    desk.visits.end_others(desk.visit.as_ref());
    Answer::of(Done { said: "The password is set; every other visit has ended".to_owned() })
}

fn refused(error: BadPassword) -> Failure {
    let told = error.to_string();
    match error {
        BadPassword::Short | BadPassword::Long => Failure::invalid(told),
        other => {
            tracing::error!(error = %other, "a password could not be kept");
            Failure::new(ErrorCode::Internal, "the password could not be kept")
        }
    }
}
