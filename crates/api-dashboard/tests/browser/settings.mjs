// Settings: backups, dialects, keys, questions, login links, and erasing everything.
import { readFileSync } from "node:fs";
import { hides, same, shows } from "./expect.mjs";

export async function backups({ page, visit, saved }) {
  await visit("/settings");
  await shows(page, "No backup yet.");
  await page.getByRole("button", { name: "Back up now" }).click();
  await page.waitForFunction(() => document.getElementById("backup-said").textContent.startsWith("Backed up and verified"));
  await visit("/settings");
  const last = await page.locator("#backed-up").innerText();
  if (!last.includes(".db")) throw new Error(`“${last}” names no file`);
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
  await page.getByRole("button", { name: "Turn off quipu" }).click();
  await saved();
  const refused = await list();
  same([refused.status, (await refused.json()).error.message.includes("turned the dialect quipu off")], [403, true], "a dialect that is off");
  await page.getByRole("button", { name: "Turn on quipu" }).click();
  await saved();
  same((await list()).status, 200, "a dialect that is on again");

  await page.getByRole("button", { name: "Stop storing and delete these" }).click();
  await saved();
  await visit("/");
  await hides(page, "Unanswered questions");
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
  for (const place of ["memories", "records", "tables", "profile", "handoffs", "references", "vectors", ".db"]) if (!receipt.includes(place)) throw new Error(`the receipt does not name ${place}: ${receipt}`);
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
  await importFile(page, "brain.amem", Buffer.from("this is no such file"), "cannot be read");
  await importFile(page, "brain.jsonl", Buffer.from('{"no": "export"}\n'), "cannot be read");
}

async function importFile(page, name, buffer, message) {
  await page.getByLabel("File", { exact: true }).setInputFiles({ name, mimeType: "application/octet-stream", buffer });
  await page.getByRole("button", { name: "Import" }).click();
  await page.waitForFunction((message) => document.getElementById("import-said").textContent.includes(message), message);
}
