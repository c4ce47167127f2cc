// Runs a plan (see plan.md) with the first generation of the TypeScript client.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const plan = JSON.parse(readFileSync(0, 'utf8'));
const packages = createRequire(pathToFileURL(`${process.env.CLIENT_PACKAGES}/`));
const load = (name) => import(pathToFileURL(packages.resolve(`@modelcontextprotocol/sdk/client/${name}`)));
const { Client } = await load('index.js');
const { StdioClientTransport } = await load('stdio.js');
const { StreamableHTTPClientTransport } = await load('streamableHttp.js');
const { play } = await import('./play.mjs');
const { asking, oauthProvider } = await import('./oauth.mjs');

const authProvider = plan.server.oauth && oauthProvider(plan.server.oauth);

function transport() {
  const { command, args, env, url, headers } = plan.server;
  if (command) return new StdioClientTransport({ command, args, env: { ...process.env, ...env } });
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, authProvider });
}

const client = new Client(plan.client);
let connection, protocol;

async function connect() {
  connection = transport();
  connection.setProtocolVersion = ((original) => (version) => {
    protocol = version;
    original?.call(connection, version);
  })(connection.setProtocolVersion);
  await client.connect(connection);
}

const finish = (answered) => connection.finishAuth(answered.get('code'));
await asking(authProvider, connect, finish);
await play(plan, client, {
  protocol,
  call: (name, args, signal) => asking(authProvider, () => client.callTool({ name, arguments: args }, undefined, { signal }), finish),
});
