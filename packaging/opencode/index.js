// The plugin for opencode: the hooks of a session, the MCP server and the slash commands.
import { readFileSync } from "node:fs"
import { Quipu as hooks } from "./hooks.js"

const additions = JSON.parse(readFileSync(new URL("./additions.json", import.meta.url), "utf8"))

export const Quipu = async (input) => ({
  ...(await hooks(input)),
  // What the user configured under the same names stays.
  config: async (config) => {
    config.mcp = { ...additions.mcp, ...config.mcp }
    config.command = { ...additions.command, ...config.command }
  },
})
