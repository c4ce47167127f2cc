// Plays a plan with the first generation of the TypeScript client. What a plan is: see plan.md.
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

function transport() {
  const { command, args, env, url, headers } = plan.server;
  if (command) return new StdioClientTransport({ command, args, env: { ...process.env, ...env } });
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
}

const client = new Client(plan.client);
const connection = transport();
let protocol;
connection.setProtocolVersion = ((told) => (version) => {
  protocol = version;
  told?.call(connection, version);
})(connection.setProtocolVersion);
await client.connect(connection);
await play(plan, client, {
  protocol,
  call: (name, args, signal) => client.callTool({ name, arguments: args }, undefined, { signal }),
});
