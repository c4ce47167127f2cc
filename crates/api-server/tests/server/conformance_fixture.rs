//! The tools, prompts and resources that the MCP conformance suites expect, behind our own HTTP
//! front end. The suites define the answers; most of them are in `statics.json`. Never part of the
//! product.

mod client_requests;
mod input_rounds;
mod static_content;

use axum::routing::{MethodRouter, any_service};
use input_rounds::{InputRounds, RoundResult};
use rmcp::model::*;
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};
use static_content::{StaticContent, from_json};
use std::sync::Arc;
use tokio::sync::broadcast;

/// Route of the fixture. It has sessions, because the older suites send requests to the client.
pub fn route() -> MethodRouter {
    let fixture = Arc::new(ConformanceFixture::new());
    let sessions = Arc::new(LocalSessionManager::default());
    let config = StreamableHttpServerConfig::default();
    any_service(StreamableHttpService::new(move || Ok(Arc::clone(&fixture)), sessions, config))
}

struct ConformanceFixture {
    statics: StaticContent,
    rounds: InputRounds,
    changes: broadcast::Sender<ListChange>,
}

/// List whose change is announced.
#[derive(Debug, Clone, Copy)]
enum ListChange {
    Tools,
    Prompts,
}

impl ConformanceFixture {
    fn new() -> Self {
        Self {
            statics: StaticContent::read(),
            rounds: InputRounds::new(),
            changes: broadcast::Sender::new(8),
        }
    }

    fn announce_change(&self, list: ListChange) -> Value {
        // Sending fails only when nobody is subscribed.
        _ = self.changes.send(list);
        text("The list changed.")
    }
}

/// Builds a tool result with one text.
fn text(text: impl Into<String>) -> Value {
    json!({ "resultType": "complete", "content": [{ "type": "text", "text": text.into() }] })
}

impl ServerHandler for ConformanceFixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = json!({
            "tools": { "listChanged": true },
            "prompts": { "listChanged": true },
            "resources": { "subscribe": true },
            "completions": {},
            "logging": {},
        });
        let capabilities = from_json(capabilities).unwrap_or_default();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("conformance-fixture", "0"))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        from_json(json!({ "resultType": "complete", "tools": self.statics.tools }))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        from_json(self.statics.tools.iter().find(|tool| tool["name"] == name)?.clone()).ok()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(content) = self.statics.answers.get(&*request.name) {
            return from_json::<CallToolResult>(
                json!({ "resultType": "complete", "content": content }),
            )
            .map(Into::into);
        }
        let answer = match &*request.name {
            "test_error_handling" => {
                let mut failed = text("This tool intentionally returns an error for testing");
                failed["isError"] = true.into();
                failed
            }
            "test_trigger_tool_change" => self.announce_change(ListChange::Tools),
            "test_trigger_prompt_change" => self.announce_change(ListChange::Prompts),
            "test_missing_capability" => client_requests::sampling_client(&context)?,
            "test_tool_with_logging" => client_requests::with_logging(&context).await?,
            "test_tool_with_progress" => client_requests::with_progress(&context).await?,
            "test_sampling" => client_requests::sampling(&context, &request).await?,
            name if name.starts_with("test_elicitation") => {
                let form = self.statics.forms.get(name).cloned();
                client_requests::elicitation(&context, &request, form).await?
            }
            name => match self.rounds.play(name, &request, &context)? {
                Some(RoundResult::NeedsInput(more)) => return Ok(more.into()),
                Some(RoundResult::Complete(answer)) => text(answer),
                None => text(format!("{name} was called.")),
            },
        };
        from_json::<CallToolResult>(answer).map(Into::into)
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        from_json(json!({ "resultType": "complete", "prompts": self.statics.prompts }))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name == "test_input_required_result_prompt" {
            let responses = request.input_responses.as_ref();
            return Ok(match self.rounds.play_prompt(&request.name, responses, &context)? {
                RoundResult::NeedsInput(more) => more.into(),
                RoundResult::Complete(answer) => {
                    prompt(&json!([{ "type": "text", "text": answer }]))?.into()
                }
            });
        }
        let arguments = request.arguments.unwrap_or_default();
        let content = self.statics.message(&request.name, &arguments);
        let content =
            content.ok_or_else(|| ErrorData::invalid_params("there is no such prompt", None))?;
        prompt(&content).map(Into::into)
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        from_json(json!({ "resultType": "complete", "resources": self.statics.resources }))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        from_json(json!({ "resultType": "complete", "resourceTemplates": self.statics.templates }))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Some(content) = self.statics.content(&request.uri) else {
            let uri = json!({ "uri": request.uri });
            return Err(ErrorData::resource_not_found("Resource not found", Some(uri)));
        };
        from_json::<ReadResourceResult>(json!({ "resultType": "complete", "contents": [content] }))
            .map(Into::into)
    }

    #[expect(deprecated, reason = "the older suites ask for it")]
    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            let change = tokio::select! {
                change = changes.recv() => change,
                () = context.cancelled() => return Ok(()),
            };
            // The sink itself filters out what was not subscribed to.
            _ = match change {
                Ok(ListChange::Tools) => context.sink().notify_tool_list_changed().await,
                Ok(ListChange::Prompts) => context.sink().notify_prompt_list_changed().await,
                Err(_) => return Ok(()),
            };
        }
    }
}

fn prompt(contents: &Value) -> Result<GetPromptResult, ErrorData> {
    let messages = contents.as_array().into_iter().flatten();
    let messages: Vec<Value> =
        messages.map(|content| json!({ "role": "user", "content": content })).collect();
    from_json(json!({ "resultType": "complete", "messages": messages }))
}
