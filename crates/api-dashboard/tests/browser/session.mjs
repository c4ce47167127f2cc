// The session of the dashboard, with another server on another port of this machine.
import { createServer, request } from "node:http";
import { same } from "./expect.mjs";

/** Sends a request under a host name of the dashboard, which only the browser resolves; returns the status. */
const statusOf = (origin, method, path, headers) => new Promise((done, failed) => {
  const { host, port } = new URL(origin);
  const sent = request({ host: "127.0.0.1", port, method, path, headers: { Host: host, "Content-Type": "application/json", ...headers } }, (answer) => {
    answer.resume();
    done(answer.statusCode);
  });
  sent.on("error", failed);
  sent.end(method === "GET" ? undefined : JSON.stringify({ agent: "thief", scope: "write" }));
});

export async function otherPort({ page, origin, plain }) {
  const seen = [];
  const other = createServer((asked, answer) => {
    seen.push(asked.headers.cookie ?? "");
    answer.setHeader("Content-Type", "text/html");
    answer.end("<title>Other</title>another server");
  });
  await new Promise((done) => other.listen(0, "127.0.0.1", done));
  const { port } = other.address();
  try {
    for (const host of ["127.0.0.1", "localhost", "other.localhost"]) await page.goto(`http://${host}:${port}/`);
    same(seen.length >= 3 && seen.every((cookie) => cookie === ""), true, "no cookie goes to another port");

    await page.goto(`${plain}/memories`);
    await page.waitForURL(`${origin}/memories`);
    same(await page.title(), "Memories · Quipu", "the plain address leads to the dashboard");

    // A server that had found out the name would get the cookie, and could change nothing with it.
    const mine = await page.evaluate(() => localStorage.getItem("form-token"));
    seen.length = 0;
    await page.goto(`http://${new URL(origin).hostname}:${port}/`);
    const cookie = seen.find((cookie) => cookie.includes("quipu_session="));
    same(await page.evaluate(() => localStorage.length), 0, "what the other port finds in the storage");
    same(await statusOf(origin, "POST", "/v1/keys", { Cookie: cookie }), 403, "a key with the cookie alone");
    same(await statusOf(origin, "POST", "/v1/keys", { Cookie: cookie, "X-Form-Token": mine }), 200, "a key with both");
    same(await statusOf(plain, "GET", "/v1/memories", { Cookie: cookie }), 401, "the cookie at the plain address");
  } finally {
    other.closeAllConnections();
    other.close();
  }
}
