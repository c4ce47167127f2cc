// Written by `quipu setup`; `quipu setup --undo` removes it.
// Gives each session the briefing of the memory, and each turn to `quipu hook`.
import { spawn } from "node:child_process"

const BINARY = "@BINARY@"
const HOME = "@HOME@"
const TIMEOUT_MS = "@TIMEOUT@"

/** Runs `quipu hook` and returns the text for the model; empty when anything goes wrong. */
function hook(event, input) {
  return new Promise((resolve) => {
    const home = HOME ? ["--home", HOME] : []
    const child = spawn(BINARY, ["hook", event, "--client", "opencode", ...home], {
      stdio: ["pipe", "pipe", "ignore"],
    })
    let output = ""
    const timer = setTimeout(() => child.kill(), TIMEOUT_MS)
    child.stdout.on("data", (data) => (output += data))
    child.stdin.on("error", () => {})
    child.on("error", () => {
      clearTimeout(timer)
      resolve("")
    })
    child.on("close", () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(output).context ?? "")
      } catch {
        resolve("")
      }
    })
    child.stdin.end(JSON.stringify({ ...input, hook_event_name: event }))
  })
}

function textOf(parts) {
  const texts = (parts ?? []).filter((part) => part.type === "text" && !part.synthetic)
  return texts.map((part) => part.text).join("\n")
}

export const Quipu = async ({ client, directory }) => {
  const contexts = new Map()
  const add = (session, text) => {
    if (text) contexts.set(session, [...(contexts.get(session) ?? []), text])
  }
  const start = async (session, source) => {
    contexts.set(session, [])
    add(session, await hook("session-start", { session_id: session, cwd: directory, source }))
  }
  const lastAnswer = async (session) => {
    const found = await client.session.messages({ path: { id: session } })
    const answers = (found.data ?? []).filter((message) => message.info.role === "assistant")
    return textOf(answers.at(-1)?.parts)
  }
  return {
    "chat.message": async (input, output) => {
      const session = input.sessionID
      if (!contexts.has(session)) await start(session, "startup")
      const prompt = textOf(output.parts)
      add(session, await hook("prompt", { session_id: session, cwd: directory, prompt }))
    },
    "experimental.chat.system.transform": async (input, output) => {
      for (const text of contexts.get(input.sessionID) ?? []) output.system.push(text)
    },
    event: async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id
      if (!session || !contexts.has(session)) return
      const known = { session_id: session, cwd: directory }
      if (event.type === "session.idle") {
        const answer = await lastAnswer(session).catch(() => "")
        await hook("turn-end", { ...known, last_assistant_message: answer })
      } else if (event.type === "session.compacted") {
        await start(session, "compact")
      } else if (event.type === "session.deleted") {
        contexts.delete(session)
        await hook("session-end", known)
      }
    },
  }
}
