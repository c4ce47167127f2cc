// Agents: connected, granted, watched, previewed and revoked.
import { hides, same, shows } from "./expect.mjs";

export async function connected({ page, visit, saved, plain }) {
  await visit("/agents");
  await page.getByLabel("Client").selectOption("codex");
  await page.getByLabel("Tools").selectOption("Epitome");
  await page.getByRole("button", { name: "Create key" }).click();
  const line = page.locator("#line");
  await page.waitForFunction(() => document.getElementById("line").textContent.includes("QUIPU_KEY="));
  const key = (await line.textContent()).match(/QUIPU_KEY=([^;]+);/)[1];
  same((await line.textContent()).includes(`${plain}/mcp/epitome `), true, "the address of the tools");
  const asked = await fetch(`${plain}/v1/memories`, { headers: { Authorization: `Bearer ${key}` } });
  same(asked.status, 403, "what an agent without grants gets");
  await page.waitForFunction(() => document.getElementById("waiting").textContent === "✓ connected");

  await page.getByRole("link", { name: "Choose what it may access" }).click();
  await page.getByLabel("What it may do with memories of every collection", { exact: true }).selectOption("read");
  await page.getByRole("button", { name: "Save the rules" }).click();
  await saved();
  same(await page.getByLabel("What it may do with memories of every collection", { exact: true }).inputValue(), "read", "the rule");
  const again = await fetch(`${plain}/v1/memories`, { headers: { Authorization: `Bearer ${key}` } });
  same(again.status, 200, "what it gets once granted");

  const rows = (table) => fetch(`${plain}/v1/tables/${table}/query`, { method: "POST", headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }, body: "{}" });
  same([(await rows("meals")).status, (await rows("books")).status], [403, 403], "tables before a rule");
  await page.getByLabel("What it may do with the table meals", { exact: true }).selectOption("read");
  await page.getByRole("button", { name: "Save the rules" }).click();
  await saved();
  same([(await rows("meals")).status, (await rows("books")).status], [200, 403], "one table of two");
  await page.getByLabel("What it may do with the collection diary", { exact: true }).selectOption("none");
  await page.getByRole("button", { name: "Save the rules" }).click();
  await saved();
  const seen = await fetch(`${plain}/v1/memories`, { headers: { Authorization: `Bearer ${key}` } }).then((answer) => answer.text());
  if (seen.includes("Dear diary") || !seen.includes("Clay comes")) throw new Error(`one collection is closed, and ${seen} is read`);
  await visit("/agents");
  const card = await page.locator(".card", { hasText: "codex" }).innerText();
  if (!/\d calls/.test(card) || !/\d+ tokens served/.test(card) || !card.includes("last seen")) throw new Error(`the card says only “${card}”`);
  await visit("/agents/one?agent=codex");
  await shows(page, "Tokens served");

  await page.getByRole("link", { name: "What it sees" }).click();
  await page.getByLabel("Question").fill("when does clay come");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.waitForURL("**query=**");
  await shows(page, "Clay comes on Tuesdays");
  await shows(page, "tokens");

  await visit("/activity?agent=codex");
  await page.locator("tbody tr").first().waitFor();
  await page.getByRole("button", { name: "Verify the chain" }).click();
  await page.waitForFunction(() => document.getElementById("chain").textContent.startsWith("The log is intact"));

  await visit("/agents/one?agent=codex");
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke it for good?" }).click();
  await saved();
  await shows(page, "Revoked");
  const out = await fetch(`${plain}/v1/memories`, { headers: { Authorization: `Bearer ${key}` } });
  same(out.status, 401, "what a revoked key gets");
}

export async function retired({ page, visit, saved }) {
  await visit("/agents/one?agent=cursor");
  await page.getByRole("button", { name: "Retire its memories" }).click();
  await saved();
  await visit("/memories");
  await hides(page, "The van is stolen");
  await visit("/agents/one?agent=cursor");
  await page.getByRole("button", { name: "Undo the last retirement" }).click();
  await saved();
  await visit("/memories");
  await shows(page, "The van is stolen");
}

export async function live({ page, visit, plain, details }) {
  await visit("/activity");
  await page.waitForTimeout(2500);
  await fetch(`${plain}/v1/memories`, { method: "POST", headers: { Authorization: `Bearer ${details.token}`, "Content-Type": "application/json" }, body: JSON.stringify({ text: "Somebody writes while I look." }) });
  await page.locator("tr.fresh", { hasText: "Remember something" }).waitFor();
}

/** One matrix of what all agents may do; presets; and agents chosen from a list. */
export async function permissions({ page, visit, saved }) {
  await visit("/agents/one?agent=cursor");
  await page.getByRole("button", { name: "Read only" }).click();
  await page.getByLabel("What it may do with the table meals", { exact: true }).selectOption("write");
  await page.getByRole("button", { name: "Save the rules" }).click();
  await saved();
  await visit("/agents");
  const row = page.locator("#permissions tbody tr", { hasText: "cursor" });
  same(await row.locator('td[data-label="Memories"]').innerText(), "read", "memories");
  const tables = await row.locator('td[data-label="Tables"]').innerText();
  same(tables.replace(/\s+/g, " "), "read 1 exception", "tables");
  await visit("/sees?agent=cursr");
  await shows(page, "No agent is called “cursr”.");
  same(await page.locator('select[name="agent"] option').allTextContents(), ["cursor", "me"], "agents to choose from");
}

/** What an agent sees in each set of tools: the exact text with its tokens, and the memories as a list. */
export async function previews({ page, visit, details }) {
  if (details.phone) await page.setViewportSize({ width: 390, height: 780 });
  await visit("/sees?agent=codex");
  const titles = await page.getByLabel("Tools").locator("option").allTextContents();
  same(titles, ["Quipu", "Epitome", "The Librarian", "AgenticMemory", "code-memory"], "sets of tools");
  const texts = new Set();
  for (const title of titles) {
    for (const question of ["", "when does clay come"]) {
      await page.getByLabel("Tools").selectOption(title);
      await page.getByLabel("Question").fill(question);
      await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: "Preview" }).click()]);
      await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
      const refused = page.locator("main .problem:visible");
      if (await refused.count()) throw new Error(`${title} with “${question}”: ${await refused.first().innerText()}`);
      const text = await page.locator("#exact-text code").textContent();
      if (!text.includes("Clay comes on Tuesdays")) throw new Error(`${title} with “${question}” is shown as ${text}`);
      if (!/^\d+ tokens?$/.test((await page.locator("#exact-tokens").textContent()).trim())) throw new Error(`${title} says no tokens`);
      await page.getByRole("heading", { name: "As a list" }).waitFor();
      texts.add(text);
    }
    await page.locator("#read-first summary").click();
    await page.locator("#read-first code").first().waitFor();
  }
  if (texts.size < 9) throw new Error(`only ${texts.size} different texts`);
  await visit("/activity");
  const rows = await page.locator("tbody").innerText();
  if (rows.includes("the owner's preview")) throw new Error("previews are not folded away");
}

/** A key for Cursor and for VS Code comes with a link that opens the client. */
export async function deepLinks({ page, visit, plain, details }) {
  if (details.phone) await page.setViewportSize({ width: 390, height: 780 });
  for (const [client, scheme] of [["cursor", "cursor://anysphere.cursor-deeplink/mcp/install?name=quipu&config="], ["vscode", "vscode:mcp/install?"]]) {
    await visit("/agents");
    await page.getByLabel("Client").selectOption(client);
    await page.getByRole("button", { name: "Create key" }).click();
    const link = page.locator("#open-client");
    await link.waitFor();
    const href = await link.getAttribute("href");
    if (!href.startsWith(scheme)) throw new Error(`the link is ${href}`);
    const rest = decodeURIComponent(href.slice(scheme.length));
    const server = JSON.parse(client === "cursor" ? Buffer.from(rest, "base64").toString() : rest);
    same(server.url, `${plain}/mcp`, "the address in the link");
    const key = server.headers.Authorization.replace("Bearer ", "");
    await fetch(`${plain}/v1/memories`, { headers: { Authorization: `Bearer ${key}` } });
    await page.waitForFunction(() => document.getElementById("waiting").textContent === "✓ connected");
  }
}
