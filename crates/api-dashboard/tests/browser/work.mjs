// Sessions, handoffs, references and the console.
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hides, same, shows, unfold } from "./expect.mjs";

export async function handoffs({ page, visit, saved, details }) {
  await visit("/sessions");
  await shows(page, "session 1");
  await visit("/handoffs");
  await page.getByRole("link", { name: "Finish the kiln driver" }).click();
  await page.locator(".document h3", { hasText: details.section }).waitFor();
  await shows(page, "claimed by");
  await page.getByRole("button", { name: "Release to others" }).click();
  await saved();
  await page.getByRole("button", { name: "Withdraw handoff" }).click();
  await saved();
  await page.getByRole("button", { name: "Reopen" }).click();
  await saved();
  same(await page.locator(".status").first().textContent(), "open", "the state in the end");
}

export async function references({ page, visit, saved }) {
  await visit("/references");
  await shows(page, "No documents yet");
  await unfold(page, "Add a document");
  const file = join(tmpdir(), `kiln-${process.pid}.md`);
  writeFileSync(file, "# Kiln manual\n\nRead this first.\n\n## Firing\n\nGlaze firing ends at cone 10.\n");
  await page.locator('input[type="file"]').setInputFiles(file);
  await page.waitForFunction(() => document.querySelector('textarea[name="text"]').value !== "");
  await page.getByLabel("Path").fill("manuals/kiln.md");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await saved();
  await shows(page, "manuals");
  await page.getByPlaceholder("Look something up").fill("when does glaze firing end");
  await page.getByRole("button", { name: "Look up" }).click();
  await page.waitForURL("**query=**");
  await page.getByRole("link", { name: /Firing/ }).first().click();
  await shows(page, "cone 10");
  await unfold(page, "Remove");
  await page.getByRole("button", { name: "Remove document" }).click();
  await saved();
  await shows(page, "No documents yet");
}

export async function sqlConsole({ page, visit }) {
  await visit("/tables");
  await page.getByRole("link", { name: "SQL console" }).click();
  await page.getByLabel("One SELECT").fill("SELECT food, sum(calories) AS total FROM meals GROUP BY food ORDER BY total DESC");
  await page.getByRole("button", { name: "Run" }).click();
  await page.waitForURL("**sql=**");
  same(await page.locator("tbody tr").first().locator("td").allTextContents(), ["pizza", "1600"], "the first row");
  await page.locator("#sql-colours .sql-word", { hasText: "SELECT" }).waitFor();
  await page.locator("#chart-column").selectOption({ label: "total" });
  same(await page.locator("#chart meter").count(), 2, "bars");
  const [file] = await Promise.all([page.waitForEvent("download"), page.locator("#export-result").click()]);
  same(readFileSync(await file.path(), "utf8"), "food,total\r\npizza,1600\r\nsoup,250\r\n", "the exported result");
  await page.getByLabel("One SELECT").fill("DELETE FROM meals");
  await page.keyboard.press("Control+Enter");
  await page.locator(".problem").waitFor();
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  await unfold(page, "History");
  await page.locator("#sql-history button", { hasText: "GROUP BY food" }).click();
  same((await page.getByLabel("One SELECT").inputValue()).startsWith("SELECT food"), true, "a statement of the history");
}

/** A session shows its topic and its summary as it is now; a correction stays in it. */
export async function sessions({ page, visit, saved, details }) {
  if (details.phone) await page.setViewportSize({ width: 390, height: 780 });
  await visit("/sessions");
  const entry = page.locator(".timeline li", { hasText: "session 1" });
  await entry.getByRole("heading", { name: "Firing the large kiln" }).waitFor();
  await entry.getByRole("link", { name: "2 memories" }).click();
  await page.locator(".card a.quiet", { hasText: "The kiln takes nine hours." }).click();
  await page.waitForURL(/memories\/\d+$/);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  await unfold(page, "Correct");
  await page.getByLabel("Corrected text").fill("The kiln takes ten hours.");
  await page.locator("#edit").getByRole("button", { name: "Correct" }).click();
  await saved();
  await visit("/memories?session=1");
  await shows(page, "The kiln takes ten hours.");
  await hides(page, "nine hours");
}
