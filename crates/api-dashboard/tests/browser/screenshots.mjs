// Screenshots of the pages for the documentation, in the light and the dark theme.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Name of the screenshot, path of the page, and the heading to scroll to where it is not the first. */
const PAGES = [
  ["home", "/"],
  ["memories", "/memories?query=how+are+bookings+stored&explain=1"],
  ["review", "/review"],
  ["profile", "/profile"],
  ["tables", "/tables"],
  ["graph", "/graph"],
  ["sees", "/sees?agent=codex&query=who+decides+about+firings"],
  ["sessions", "/sessions"],
  ["agents", "/agents"],
  ["settings", "/settings", "Import and export"],
];

/** Questions that agents ask while the pictures are taken, so that the first page shows tokens and events. */
const QUESTIONS = [["cursor", "who designs the app"], ["codex", "how are kiln temperatures monitored"], ["claude-code", "when does the second studio open"]];

async function ask(plain, token) {
  for (const [agent, query] of QUESTIONS) {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json", Accept: "application/json, text/event-stream", "User-Agent": `${agent}/1.0`, "Mcp-Protocol-Version": "2025-06-18" };
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "recall", arguments: { query } } };
    await fetch(`${plain}/mcp`, { method: "POST", headers, body: JSON.stringify(body) });
  }
}

export async function take({ page, visit, plain, details }) {
  mkdirSync(details.folder, { recursive: true });
  await ask(plain, details.token);
  await page.setViewportSize({ width: 1200, height: 780 });
  const pages = [...PAGES, ...(await linked(page, visit, "memory", "/memories?status=superseded", ".card a.quiet, .card .title a")), ...(await linked(page, visit, "table", "/tables", ".card .title a"))];
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    for (const [name, path, from] of pages) {
      await visit(path);
      if (from) await page.getByRole("heading", { name: from }).evaluate((heading) => heading.scrollIntoView());
      if (name === "graph") await page.waitForFunction(() => document.getElementById("graph").picture?.running === false, undefined, { timeout: 60000 });
      await page.screenshot({ path: join(details.folder, `${name}-${theme}.png`) });
      // The growth of the graph as an animated picture, for the README.
      if (name === "graph") writeFileSync(join(details.folder, `graph-growth-${theme}.svg`), await page.evaluate(() => document.getElementById("graph").picture.animated(8)));
    }
  }
  await page.setViewportSize({ width: 390, height: 780 });
  await visit("/");
  await page.screenshot({ path: join(details.folder, "home-phone.png") });
}

/** The page that the first link of a list opens. */
async function linked(page, visit, name, list, link) {
  await visit(list);
  const first = page.locator(link).first();
  return (await first.count()) ? [[name, await first.getAttribute("href")]] : [];
}
