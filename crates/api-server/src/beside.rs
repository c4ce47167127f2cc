//! What a dialect offers beside its tools, as the protocol lists and answers it: resources and
//! prompts.

use crate::reply::told;
use dialects::Dialect;
use model::{ErrorCode, Failure};
use rmcp::ErrorData;
use rmcp::model::{
    GetPromptResult, Prompt, PromptArgument, PromptMessage, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate, Role,
};
use serde_json::Value;

const JSON: &str = "application/json";

/// The resources whose address stands for one thing.
pub(crate) fn resources(dialect: &dyn Dialect) -> Vec<Resource> {
    let plain = dialect.resources().iter().filter(|one| !one.is_template());
    let listed = |one: &dialects::Resource| {
        Resource::new(one.uri, one.name).with_description(one.description).with_mime_type(JSON)
    };
    plain.map(listed).collect()
}

/// The resources whose address stands for many.
pub(crate) fn templates(dialect: &dyn Dialect) -> Vec<ResourceTemplate> {
    let templates = dialect.resources().iter().filter(|one| one.is_template());
    let listed = |one: &dialects::Resource| {
        ResourceTemplate::new(one.uri, one.name)
            .with_description(one.description)
            .with_mime_type(JSON)
    };
    templates.map(listed).collect()
}

/// The prompts with what they are filled in with.
pub(crate) fn prompts(dialect: &dyn Dialect) -> Vec<Prompt> {
    let argument = |one: &dialects::PromptArgument| {
        PromptArgument::new(one.name).with_description(one.description).with_required(one.required)
    };
    let listed = |one: &dialects::Prompt| {
        let arguments = one.arguments.iter().map(argument).collect();
        Prompt::new(one.name, Some(one.description), Some(arguments))
    };
    dialect.prompts().iter().map(listed).collect()
}

/// What was read, as JSON that a person can read too.
pub(crate) fn contents(uri: String, value: &Value) -> ReadResourceResult {
    ReadResourceResult::new(vec![
        ResourceContents::text(format!("{value:#}"), uri).with_mime_type(JSON),
    ])
}

/// The words of a prompt, for the person to send.
pub(crate) fn message(words: String) -> GetPromptResult {
    GetPromptResult::new(vec![PromptMessage::new_text(Role::User, words)])
}

/// A failure beside the tools is a fault of the request; the message is what hosts pass on.
pub(crate) fn refusal(failure: &Failure, dialect: &dyn Dialect) -> ErrorData {
    let data = Some(told(failure, dialect));
    match failure.code {
        ErrorCode::NotFound => ErrorData::resource_not_found(failure.message.clone(), data),
        ErrorCode::Internal | ErrorCode::StorageFailed => {
            ErrorData::internal_error(failure.message.clone(), data)
        }
        _ => ErrorData::invalid_params(failure.message.clone(), data),
    }
}

/// The same of a prompt. One that is not there is a wrong parameter: only a resource can be not
/// found.
pub(crate) fn prompt_refusal(failure: &Failure, dialect: &dyn Dialect) -> ErrorData {
    match failure.code {
        ErrorCode::NotFound => {
            ErrorData::invalid_params(failure.message.clone(), Some(told(failure, dialect)))
        }
        _ => refusal(failure, dialect),
    }
}
