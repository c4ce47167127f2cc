// Runs a plan (see plan.md) with the second generation of the TypeScript client.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const plan = JSON.parse(readFileSync(0, 'utf8'));
const packages = createRequire(pathToFileURL(`${process.env.CLIENT_PACKAGES}/`));
const load = (name) => import(pathToFileURL(packages.resolve(name)));
const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client');
const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');
const { play } = await import('./play.mjs');
const { asking, oauthProvider } = await import('./oauth.mjs');

const authProvider = plan.server.oauth && oauthProvider(plan.server.oauth);
let connection;

function transport() {
  const { command, args, env, url, headers } = plan.server;
  if (command) return new StdioClientTransport({ command, args, env: { ...process.env, ...env } });
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, authProvider });
}

async function connect() {
  connection = transport();
  await client.connect(connection);
}

const mode = plan.era === 'legacy' ? 'legacy' : 'auto';
const client = new Client(plan.client, { versionNegotiation: { mode } });
const finish = (answered) => connection.finishAuth(answered);
await asking(authProvider, connect, finish);
await play(plan, client, {
  protocol: client.getNegotiatedProtocolVersion(),
  call: (name, args, signal) => asking(authProvider, () => client.callTool({ name, arguments: args }, { signal }), finish),
});
