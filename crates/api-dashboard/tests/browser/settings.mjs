// Settings: backups, dialects, keys, questions, login links, and erasing everything.
import { readFileSync } from "node:fs";
import { hides, same, shows } from "./expect.mjs";

export async function backups({ page, visit, saved }) {
  await visit("/settings");
  await shows(page, "No backup yet.");
  await page.getByRole("button", { name: "Back up now" }).click();
  await page.locator("#toasts", { hasText: "Backed up just now" }).waitFor();
  const last = await page.locator("#backed-up").innerText();
  if (!/^Backed up just now, [\d.]+ [KM]B: .*\.db/.test(last)) throw new Error(`“${last}” does not say when, how large and where`);
  await page.locator("#backed-up .copy").waitFor();
  await page.getByLabel("Automatic").selectOption("24");
  await page.getByLabel("Keep the last").fill("3");
  await page.locator("form", { hasText: "Keep the last" }).getByRole("button", { name: "Save" }).click();
  await saved();
  same([await page.getByLabel("Automatic").inputValue(), await page.getByLabel("Keep the last").inputValue()], ["24", "3"], "the schedule");
}

export async function switched({ page, visit, saved, plain, details }) {
  const list = () => fetch(`${plain}/mcp`, { method: "POST", headers: { Authorization: `Bearer ${details.token}`, "Content-Type": "application/json", Accept: "application/json, text/event-stream" }, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }) });
  same((await list()).status, 200, "a dialect that is on");
  await visit("/settings");
  await page.getByRole("button", { name: "Turn off Quipu" }).click();
  await saved();
  const refused = await list();
  same([refused.status, (await refused.json()).error.message.includes("turned the dialect quipu off")], [403, true], "a dialect that is off");
  await page.getByRole("button", { name: "Turn on Quipu" }).click();
  await saved();
  same((await list()).status, 200, "a dialect that is on again");

  await page.getByRole("button", { name: "Stop storing and delete these" }).click();
  await saved();
  await visit("/");
  await hides(page, "Questions without a sure answer");
  await visit("/settings");
  await page.getByRole("button", { name: "Store them" }).click();
  await saved();

  const created = await fetch(`${plain}/v1/keys`, { method: "POST", headers: { Authorization: `Bearer ${details.token}`, "Content-Type": "application/json" }, body: JSON.stringify({ agent: "codex", label: "laptop", scope: "read" }) });
  const { secret } = await created.json();
  const opens = async () => (await fetch(`${plain}/mcp`, { method: "POST", headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json", Accept: "application/json, text/event-stream" }, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }) })).status;
  same(await opens(), 200, "a key that was just created");
  await visit("/settings");
  const key = page.locator("#keys li", { hasText: "laptop" });
  await key.getByRole("link", { name: "codex" }).waitFor();
  await key.getByRole("button", { name: "Revoke" }).click();
  same(await opens(), 200, "a key before the second click");
  await key.getByRole("button", { name: "Revoke it for good?" }).click();
  await saved();
  same([await opens(), await page.locator("#keys li").count()], [401, 0], "a key that was revoked");

  await page.getByRole("button", { name: "Create a link" }).click();
  await page.waitForFunction(() => document.getElementById("new-link").textContent.includes("/login?link="));
  const link = await page.locator("#new-link").textContent();
  await page.context().clearCookies();
  await page.goto(link);
  await page.waitForURL((url) => url.pathname === "/");
}

export async function erased({ page, visit, details }) {
  await visit("/settings");
  await page.locator("summary", { hasText: "Erase everything" }).click();
  await page.getByPlaceholder("erase everything").fill("yes");
  await page.getByRole("button", { name: "Erase everything" }).click();
  await page.locator(".problem:visible").waitFor();
  await page.getByPlaceholder("erase everything").fill("erase everything");
  await page.getByRole("button", { name: "Erase everything" }).click();
  await page.locator(".receipt").waitFor();
  const receipt = await page.locator(".receipt").innerText();
  for (const place of ["memories", "table rows", "tables", "profile", "handoffs", "references", "vectors", ".db"]) if (!receipt.includes(place)) throw new Error(`the receipt does not name ${place}: ${receipt}`);
  for (const path of details.pages) {
    await visit(path);
    await hides(page, "marinara");
    await hides(page, "Ines");
  }
}

/** Exports and imports a file, each with its progress. */
export async function exportAndImport({ page, visit }) {
  for (const format of ["jsonl", "amem"]) {
    await visit("/settings");
    await page.getByLabel("Format").selectOption(format);
    const fetched = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    const download = await fetched;
    const name = download.suggestedFilename();
    if (!name.startsWith("quipu-me-") || !name.endsWith(`.${format}`)) throw new Error(`the file is called ${name}`);
    await importFile(page, name, readFileSync(await download.path()), "already existed");
  }
  await importFile(page, "facts.md", Buffer.from("- The glaze is celadon.\n- The wheel is by the window.\n"), "2 memories");
  for (const [name, content, message] of [
    ["brain.amem", "this is no such file", "The .amem file cannot be read"],
    ["brain.jsonl", '{"type": "quipu"}\n', "The export of Quipu cannot be read"],
    ["list.json", "{broken", "The file list.json cannot be imported"],
    ["memories.db", "SQLite format 3\0 and more", "This is a database"],
    ["export.zip", "PK\x03\x04 and more", "This is a ZIP archive"],
  ]) {
    await importFile(page, name, Buffer.from(content), message);
    const [colour, red] = await page.evaluate(() => [getComputedStyle(document.getElementById("import-said")).color, getComputedStyle(document.querySelector("button.danger")).color]);
    same(colour, red, `the colour of the error about ${name}`);
  }
}

/** The progress of a large import says percent, size, rate and the time that is left. */
export async function progress({ page, visit, details }) {
  if (details.phone) await page.setViewportSize({ width: 390, height: 780 });
  await visit("/settings");
  const { progressText } = await page.evaluate(async () => {
    const { progressText } = await import("/assets/work.js");
    return { progressText: [progressText("in progress", 5e6, 20e6, 10, "bytes"), progressText("in progress", 100, 400, 2, "items")] };
  });
  same(progressText, ["in progress: 25 %, 5.0 MB of 20.0 MB, 0.5 MB per second, 30 s left", "in progress: 25 %, 100 of 400, 50 per second, 6 s left"], "the words");
  const seen = page.evaluate(() => new Promise((done) => {
    const said = document.getElementById("import-said");
    const watch = new MutationObserver(() => { if (/\d+ %/.test(said.textContent)) done(said.textContent); });
    watch.observe(said, { childList: true, characterData: true, subtree: true });
  }));
  const lines = Array.from({ length: 400 }, (_, at) => `- Kiln ${at} was fired to ${1000 + at} degrees on shelf ${at % 7}.`);
  await importFile(page, "firings.md", Buffer.from(lines.join("\n")), "memories");
  if (!/ %/.test(await seen)) throw new Error("no percent was shown");
}

async function importFile(page, name, buffer, message) {
  await page.getByLabel("File", { exact: true }).setInputFiles({ name, mimeType: "application/octet-stream", buffer });
  await page.getByRole("button", { name: "Import" }).click();
  try {
    await page.waitForFunction((message) => document.getElementById("import-said").textContent.includes(message), message);
  } catch (error) {
    throw new Error(`${name}: "${await page.locator("#import-said").textContent()}" instead of "${message}"`, { cause: error });
  }
}

export async function members({ page, visit, saved }) {
  await page.locator("details.memories summary").click();
  await page.getByRole("button", { name: "team-x" }).click();
  await page.waitForFunction(() => document.querySelector("meta[name=memory]")?.content === "team-x");
  await visit("/settings");
  const list = page.locator("#members li");
  same(await list.count(), 1, "the admin who looks at it");
  const add = page.locator("#members form", { hasText: "Name of the person" });
  await add.getByLabel("Name of the person").fill("nobody");
  await add.getByRole("button", { name: "Add" }).click();
  await add.locator(".problem:visible").waitFor();
  await add.getByLabel("Name of the person").fill("bo");
  await add.getByRole("button", { name: "Add" }).click();
  same(await saved(), "bo may read and write this memory.", "what was done");
  const bo = page.locator("#members li", { hasText: "bo" });
  await bo.getByLabel("bo may do").selectOption("read");
  await bo.getByRole("button", { name: "Change bo" }).click();
  same(await saved(), "bo may read this memory.", "what was changed");
  same(await bo.getByLabel("bo may do").inputValue(), "read", "the part of Bo");
  await bo.getByRole("button", { name: "Remove bo" }).click();
  same(await list.count(), 2, "members before the second click");
  await bo.getByRole("button", { name: "Remove bo with all their grants?" }).click();
  await saved();
  same(await list.count(), 1, "members after it");
  await page.locator("#members li").getByRole("button", { name: "Remove me" }).click();
  await page.getByRole("button", { name: "Remove me with all their grants?" }).click();
  await shows(page, "me is the only admin");
}
