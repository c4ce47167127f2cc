//! Fixture tools that send messages to the client while they run: logs, progress, and requests to
//! its model and its user.

use super::static_content::from_json;
use super::text;
use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, ClientCapabilities, ServerNotification, ServerRequest};
use rmcp::service::{RequestContext, RoleServer, ServiceError};
use serde_json::{Value, json};
use std::time::Duration;

/// Pause between two messages, which the suites need to receive them separately.
const PAUSE: Duration = Duration::from_millis(50);

/// Answers only a client that declared sampling.
pub fn sampling_client(context: &RequestContext<RoleServer>) -> Result<Value, ErrorData> {
    if context.client_capabilities().is_some_and(|can| can.sampling.is_some()) {
        return Ok(text("The client samples."));
    }
    let needed: ClientCapabilities = from_json(json!({ "sampling": {} }))?;
    Err(ErrorData::missing_required_client_capability(needed))
}

pub async fn with_logging(context: &RequestContext<RoleServer>) -> Result<Value, ErrorData> {
    for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        notify(context, "notifications/message", json!({ "level": "info", "data": line })).await?;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(text("It logged."))
}

pub async fn with_progress(context: &RequestContext<RoleServer>) -> Result<Value, ErrorData> {
    let token = context.meta.get_progress_token();
    for progress in [0, 50, 100] {
        if let Some(token) = &token {
            let params = json!({ "progressToken": token, "progress": progress, "total": 100 });
            notify(context, "notifications/progress", params).await?;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(text("It is done."))
}

pub async fn sampling(
    context: &RequestContext<RoleServer>,
    request: &CallToolRequestParams,
) -> Result<Value, ErrorData> {
    let content = json!({ "type": "text", "text": argument(request, "prompt") });
    let messages = json!([{ "role": "user", "content": content }]);
    let params = json!({ "messages": messages, "maxTokens": 100 });
    let answer = send_request(context, "sampling/createMessage", params).await?;
    Ok(text(format!("LLM response: {}", answer["content"]["text"].as_str().unwrap_or_default())))
}

pub async fn elicitation(
    context: &RequestContext<RoleServer>,
    request: &CallToolRequestParams,
    form: Option<Value>,
) -> Result<Value, ErrorData> {
    let message = argument(request, "message");
    let params = json!({ "mode": "form", "message": message, "requestedSchema": form });
    let answer = send_request(context, "elicitation/create", params).await?;
    let (action, content) = (answer["action"].as_str().unwrap_or_default(), &answer["content"]);
    Ok(text(format!("Elicitation completed: action={action}, content={content}")))
}

fn argument<'r>(request: &'r CallToolRequestParams, name: &str) -> &'r str {
    let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name));
    value.and_then(Value::as_str).unwrap_or("Please answer.")
}

async fn notify(
    context: &RequestContext<RoleServer>,
    method: &str,
    params: Value,
) -> Result<(), ErrorData> {
    let notification: ServerNotification =
        from_json(json!({ "method": method, "params": params }))?;
    context.peer.send_notification(notification).await.map_err(broken)
}

async fn send_request(
    context: &RequestContext<RoleServer>,
    method: &str,
    params: Value,
) -> Result<Value, ErrorData> {
    let request: ServerRequest = from_json(json!({ "method": method, "params": params }))?;
    let answer = context.peer.send_request(request).await.map_err(broken)?;
    serde_json::to_value(answer).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn broken(error: ServiceError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
