//! Implements the protocol's server side for one dialect. There is one handler for each dialect and
//! transport, shared by all requests; it keeps no state between them.

use crate::admission::{Admission, CallPermit};
use crate::call::{CallContext, CallRunner, CallTrace, ToolOutput};
use crate::connections::new_session_id;
use crate::http::RequestSpan;
use crate::identity::{CallerSource, response_notes};
use crate::listing::tool_listing;
use crate::nearest::nearest;
use crate::reply::{dialect_failure_json, tool_result};
use crate::request_params::unreadable_request;
use crate::resources_and_prompts;
use dialects::DialectApi;
use engine::{Caller, Engine};
use model::{ErrorCode, Failure, JsonMap};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CustomNotification, CustomRequest,
    CustomResult, GetPromptRequestParams, GetPromptResponse, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ResourcesCapability, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use std::sync::Arc;

/// Serves one dialect over one transport.
pub(crate) struct Handler {
    engine: Arc<Engine>,
    calls: CallRunner,
    caller_source: CallerSource,
    dialect: Arc<dyn DialectApi>,
    pub dialect_name: model::Dialect,
    listed_tools: Vec<Tool>,
}

/// Error for a dialect that has no name in provenance.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the name of a dialect")]
pub struct UnknownDialect(pub &'static str);

impl Handler {
    pub fn new(
        engine: Arc<Engine>,
        dialect: Arc<dyn DialectApi>,
        caller_source: CallerSource,
        admission: Arc<Admission>,
    ) -> Result<Self, UnknownDialect> {
        let dialect_name =
            model::Dialect::parse(dialect.name()).ok_or(UnknownDialect(dialect.name()))?;
        let listed_tools = dialect.tools().iter().map(tool_listing).collect();
        let calls = CallRunner::new(Arc::clone(&engine), Arc::clone(&dialect), admission);
        Ok(Self { engine, calls, caller_source, dialect, dialect_name, listed_tools })
    }

    fn tool(&self, name: &str) -> Option<&dialects::ToolSpec> {
        self.dialect
            .tools()
            .iter()
            .chain(self.dialect.unlisted_tools())
            .find(|tool| tool.name == name)
    }

    async fn run_tool(
        &self,
        tool: &dialects::ToolSpec,
        arguments: JsonMap,
        request: &RequestContext<RoleServer>,
    ) -> Result<ToolOutput, Failure> {
        let caller = self.caller_source.caller(request, self.dialect_name)?.with_tool(tool.name);
        let context = CallContext {
            cancelled: &request.ct,
            response_notes: response_notes(request),
            trace: CallTrace {
                request: RequestSpan::of_message(&request.extensions),
                traceparent: request.meta.get_traceparent(),
            },
        };
        self.calls.run(caller, tool, arguments, &context).await
    }

    /// Admits a request that only reads, and returns its caller.
    async fn admit_reading(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<(Caller, CallPermit), Failure> {
        let caller = self.caller_source.caller(context, self.dialect_name)?;
        let permit = self.calls.admit_reading(&caller, response_notes(context)).await?;
        Ok((caller, permit))
    }

    /// Admits a request for a list.
    async fn admit_list(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallPermit, ErrorData> {
        let admitted = self.admit_reading(context).await;
        admitted
            .map(|(_, permit)| permit)
            .map_err(|failure| resources_and_prompts::prompt_error(&failure, &*self.dialect))
    }

    /// Error for an unknown tool. The specification makes it an error of the request, not of a
    /// tool. Hosts pass the message on to the model, so it names the alternatives.
    fn no_such_tool(&self, name: &str) -> ErrorData {
        let names = || self.dialect.tools().iter().map(|tool| tool.name);
        let truncated: String = name.chars().take(100).collect();
        let proposal = nearest(name, names()).map(|near| format!("; did you mean `{near}`?"));
        let all = names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let message = format!(
            "there is no tool `{truncated}`{} The tools are {all}.",
            proposal.unwrap_or(".".into())
        );
        let data = dialect_failure_json(
            &Failure::new(ErrorCode::NotFound, message.clone()),
            &*self.dialect,
        );
        ErrorData::invalid_params(message, Some(data))
    }

    /// Notifies the dialect that a client has connected. A failure is logged and does not keep the
    /// client from being served.
    async fn notify_opened(&self, context: &NotificationContext<RoleServer>) {
        let notified = match self.caller_source.notifier(context, self.dialect_name) {
            Ok(caller) => self.dialect.client_connected(&self.engine, &caller).await,
            Err(refusal) => Err(refusal),
        };
        if let Err(failure) = notified {
            tracing::warn!(code = failure.code.name(), "a new connection could not be recorded");
        }
        self.caller_source.ask_for_roots(&context.peer).await;
    }
}

/// Notification that a client is ready, as some clients spell it instead of
/// `notifications/initialized`.
const BARE_INITIALIZED: &str = "initialized";

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let server_info =
            Implementation::new(self.dialect.name(), env!("CARGO_PKG_VERSION")).with_title("Quipu");
        // Prompts are declared even where the list is empty, because some hosts ask for it
        // whatever was declared. Resources are declared only where there are any: hosts give
        // their models tools to read resources as soon as a server declares them.
        let mut capabilities =
            ServerCapabilities::builder().enable_tools().enable_prompts().build();
        if !self.dialect.resources().is_empty() {
            capabilities.resources = Some(ResourcesCapability::default());
        }
        ServerConfig::new(capabilities)
            .with_server_info(server_info)
            .with_instructions(self.dialect.instructions())
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        if let Some(notes) = response_notes(&context) {
            notes.set_new_session(new_session_id());
        }
        context.peer.set_peer_info(request.clone());
        // Here, and not with the notification after it: over HTTP that one carries no name.
        if let Ok(caller) = self.caller_source.caller(&context, self.dialect_name) {
            self.engine.note_connected(&caller).await;
        }
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let _permit = self.admit_list(&context).await?;
        if request.is_some_and(|request| request.cursor.is_some()) {
            let message = "invalid cursor: all tools are on the first page; list without a cursor";
            return Err(ErrorData::invalid_params(message, None));
        }
        Ok(ListToolsResult::with_all_items(self.listed_tools.clone())
            .with_cache_scope(CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let known = self.listed_tools.iter().find(|tool| tool.name == name).cloned();
        known.or_else(|| {
            self.dialect.unlisted_tools().iter().find(|tool| tool.name == name).map(tool_listing)
        })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tool(&request.name) else {
            return Err(self.no_such_tool(&request.name));
        };
        let answer = self.run_tool(tool, request.arguments.unwrap_or_default(), &context).await;
        // Only a request without a handshake carries its version itself.
        let takes_structured_failures = context.meta.protocol_version().is_some();
        Ok(tool_result(answer, &*self.dialect, takes_structured_failures).into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let _permit = self.admit_list(&context).await?;
        Ok(ListResourcesResult::with_all_items(resources_and_prompts::resources(&*self.dialect)))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let _permit = self.admit_list(&context).await?;
        Ok(ListResourceTemplatesResult::with_all_items(resources_and_prompts::templates(
            &*self.dialect,
        )))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let refused =
            |failure: Failure| resources_and_prompts::resource_error(&failure, &*self.dialect);
        let (caller, _permit) = self.admit_reading(&context).await.map_err(refused)?;
        let read = self.dialect.read_resource(&self.engine, &caller, &request.uri).await;
        let value = read
            .map_err(|failure| resources_and_prompts::with_uri(refused(failure), &request.uri))?;
        Ok(resources_and_prompts::contents(request.uri, &value).into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let _permit = self.admit_list(&context).await?;
        Ok(ListPromptsResult::with_all_items(resources_and_prompts::prompts(&*self.dialect)))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let refused =
            |failure: Failure| resources_and_prompts::prompt_error(&failure, &*self.dialect);
        let (caller, _permit) = self.admit_reading(&context).await.map_err(refused)?;
        let arguments = request.arguments.unwrap_or_default();
        let words =
            self.dialect.render_prompt(&self.engine, &caller, &request.name, arguments).await;
        Ok(resources_and_prompts::message(words.map_err(refused)?).into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(unreadable_request(request))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.notify_opened(&context).await;
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        context: NotificationContext<RoleServer>,
    ) {
        if notification.method == BARE_INITIALIZED {
            self.notify_opened(&context).await;
        }
    }
}
