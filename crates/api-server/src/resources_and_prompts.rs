//! Resources and prompts of a dialect, in the form the protocol lists and returns them.

use crate::reply::dialect_failure_json;
use dialects::DialectApi;
use model::{ErrorCode, Failure};
use rmcp::ErrorData;
use rmcp::model::{
    GetPromptResult, Prompt, PromptArgument, PromptMessage, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate, Role,
};
use serde_json::Value;

const JSON: &str = "application/json";

/// Returns the resources with a fixed address.
pub(crate) fn resources(dialect: &dyn DialectApi) -> Vec<Resource> {
    let plain = dialect.resources().iter().filter(|one| !one.is_template());
    let listed = |one: &dialects::ResourceSpec| {
        Resource::new(one.uri, one.name).with_description(one.description).with_mime_type(JSON)
    };
    plain.map(listed).collect()
}

/// Returns the resource templates, whose address contains variables.
pub(crate) fn templates(dialect: &dyn DialectApi) -> Vec<ResourceTemplate> {
    let templates = dialect.resources().iter().filter(|one| one.is_template());
    let listed = |one: &dialects::ResourceSpec| {
        ResourceTemplate::new(one.uri, one.name)
            .with_description(one.description)
            .with_mime_type(JSON)
    };
    templates.map(listed).collect()
}

/// Returns the prompts with their arguments.
pub(crate) fn prompts(dialect: &dyn DialectApi) -> Vec<Prompt> {
    let argument = |one: &dialects::PromptArgument| {
        PromptArgument::new(one.name).with_description(one.description).with_required(one.required)
    };
    let listed = |one: &dialects::PromptSpec| {
        let arguments = one.arguments.iter().map(argument).collect();
        Prompt::new(one.name, Some(one.description), Some(arguments))
    };
    dialect.prompts().iter().map(listed).collect()
}

/// Encodes a resource that was read as indented JSON, which a person can read too.
pub(crate) fn contents(uri: String, value: &Value) -> ReadResourceResult {
    ReadResourceResult::new(vec![
        ResourceContents::text(format!("{value:#}"), uri).with_mime_type(JSON),
    ])
}

/// Wraps the text of a prompt as a message of the user.
pub(crate) fn message(words: String) -> GetPromptResult {
    GetPromptResult::new(vec![PromptMessage::new_text(Role::User, words)])
}

/// Encodes a failure outside of a tool call. The protocol has no tool result to put it in, so it is
/// an error of the request; hosts pass its message on to the model.
pub(crate) fn resource_error(failure: &Failure, dialect: &dyn DialectApi) -> ErrorData {
    let data = Some(dialect_failure_json(failure, dialect));
    match failure.code {
        ErrorCode::NotFound => ErrorData::resource_not_found(failure.message.clone(), data),
        ErrorCode::Internal | ErrorCode::StorageFailed => {
            ErrorData::internal_error(failure.message.clone(), data)
        }
        _ => ErrorData::invalid_params(failure.message.clone(), data),
    }
}

/// Adds the address of the resource to the data of an error, where clients look for it.
pub(crate) fn with_uri(mut error: ErrorData, uri: &str) -> ErrorData {
    if let Some(Value::Object(data)) = &mut error.data {
        data.insert("uri".into(), uri.into());
    }
    error
}

/// Encodes a failure of a prompt. The protocol's "not found" error exists for resources only, so an
/// unknown prompt is an invalid parameter.
pub(crate) fn prompt_error(failure: &Failure, dialect: &dyn DialectApi) -> ErrorData {
    match failure.code {
        ErrorCode::NotFound => ErrorData::invalid_params(
            failure.message.clone(),
            Some(dialect_failure_json(failure, dialect)),
        ),
        _ => resource_error(failure, dialect),
    }
}
