// A model that answers from a plan, for `cargo xtask clients`: the APIs of Anthropic, OpenAI
// (responses and chat completions) and Gemini, each as far as the clients use them.
//
// usage: node model.mjs FOLDER PLAN
// PLAN is a JSON list of turns: a text, a call {"tool": NAME, "input": {…}}, or a search for tools
// {"search": WORDS}, which only the API of responses has. Each request that offers tools takes the
// next turn; any other request, and every one after the last turn, is
// answered with a short text. Every request is kept as FOLDER/NNN.json. The first line on standard
// output is the port.
import { createServer } from "node:http"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const [folder, planFile] = process.argv.slice(2)
const plan = JSON.parse(readFileSync(planFile, "utf8"))
let requests = 0
mkdirSync(folder, { recursive: true })

/** Requests with fewer tools than this are side jobs of a client, such as a title. */
const TOOLS_OF_A_TURN = 4

const sse = (events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
const named = (events) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")

/** Each API: which paths it answers, how many tools a request offers, and its answer to a turn. */
const apis = [
  {
    fits: (path) => path.endsWith("/v1/messages"),
    tools: (request) => request.tools?.length ?? 0,
    answer: anthropic,
  },
  {
    fits: (path) => path.endsWith("/responses"),
    // Codex offers its tools only through a search, so that one tool is a turn.
    tools: (request) => (request.tools?.length ? TOOLS_OF_A_TURN : 0),
    answer: responses,
  },
  {
    fits: (path) => path.endsWith("/chat/completions"),
    tools: (request) => request.tools?.length ?? 0,
    answer: chat,
  },
  {
    fits: (path) => path.endsWith("enerateContent"),
    tools: (request) =>
      (request.tools ?? []).reduce((sum, tool) => sum + (tool.functionDeclarations?.length ?? 0), 0),
    answer: gemini,
  },
]

function anthropic(request, turn, id) {
  const block = turn.tool
    ? { type: "tool_use", id: `toolu_${id}`, name: turn.tool, input: turn.input }
    : { type: "text", text: turn.text }
  const stop_reason = turn.tool ? "tool_use" : "end_turn"
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = {
    id: `msg_${id}`, type: "message", role: "assistant", model: request.model,
    content: [], stop_reason: null, stop_sequence: null, usage,
  }
  if (!request.stream) return { json: { ...message, content: [block], stop_reason } }
  const [start, delta] = turn.tool
    ? [{ ...block, input: {} },
       { type: "input_json_delta", partial_json: JSON.stringify(turn.input) }]
    : [{ type: "text", text: "" }, { type: "text_delta", text: turn.text }]
  return { stream: named([
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: start },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ]) }
}

function responses(request, turn, id) {
  const call = { call_id: `call_${id}`, status: "completed" }
  const item = turn.search
    ? { ...call, type: "tool_search_call", id: `ts_${id}`, execution: "client",
        arguments: { query: turn.search } }
    : turn.tool
    ? { ...call, type: "function_call", id: `fc_${id}`, name: turn.tool,
        namespace: "mcp__quipu", arguments: JSON.stringify(turn.input) }
    : { type: "message", id: `m_${id}`, role: "assistant", status: "completed",
        content: [{ type: "output_text", text: turn.text, annotations: [] }] }
  const usage = {
    input_tokens: 1, input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 2,
  }
  const response = {
    id: `resp_${id}`, object: "response", created_at: 1, model: request.model,
    status: "completed", output: [item], usage,
  }
  if (!request.stream) return { json: response }
  return { stream: named([
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ]) }
}

function chat(request, turn, id) {
  const message = turn.tool
    ? { role: "assistant", content: null, tool_calls: [{ index: 0, id: `call_${id}`,
        type: "function",
        function: { name: turn.tool, arguments: JSON.stringify(turn.input) } }] }
    : { role: "assistant", content: turn.text }
  const finish_reason = turn.tool ? "tool_calls" : "stop"
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const common = { id: `chat_${id}`, created: 1, model: request.model }
  const choice = { index: 0, message, finish_reason }
  if (!request.stream) {
    return { json: { ...common, object: "chat.completion", choices: [choice], usage } }
  }
  const object = "chat.completion.chunk"
  const first = { index: 0, delta: message, finish_reason: null }
  const last = { index: 0, delta: {}, finish_reason }
  return { stream: sse([
    { ...common, object, choices: [first] },
    { ...common, object, choices: [last], usage },
  ]) + "data: [DONE]\n\n" }
}

function gemini(request, turn, id, path) {
  const part = turn.tool
    ? { functionCall: { name: turn.tool, args: turn.input } }
    : { text: turn.text }
  const response = {
    candidates: [{ index: 0, finishReason: "STOP", content: { role: "model", parts: [part] } }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  }
  return path.includes("stream") ? { stream: sse([response]) } : { json: response }
}

function nextTurn(tools) {
  const turn = tools >= TOOLS_OF_A_TURN ? plan.shift() : undefined
  return typeof turn === "string" ? { text: turn } : (turn ?? { text: "Done." })
}

function answer(path, body) {
  const api = apis.find((api) => api.fits(path))
  // Counting tokens, listing models, telemetry.
  if (!api) return { json: { input_tokens: 1, totalTokens: 1, data: [], models: [] } }
  const request = JSON.parse(body || "{}")
  const id = ++requests
  writeFileSync(join(folder, `${String(id).padStart(3, "0")}.json`), JSON.stringify(request))
  return api.answer(request, nextTurn(api.tools(request)), id, path)
}

const server = createServer((request, response) => {
  let body = ""
  request.on("data", (data) => (body += data))
  request.on("end", () => {
    const { json, stream } = answer(request.url.split("?")[0], body)
    response.setHeader("content-type", stream ? "text/event-stream" : "application/json")
    response.end(stream ?? JSON.stringify(json))
  })
})
server.listen(0, "127.0.0.1", () => console.log(server.address().port))
