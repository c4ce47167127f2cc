// Home: news, unanswered questions, recent agents and the health of the store.
import { hides, same, shows } from "./expect.mjs";

export async function atHome({ page, visit, saved }) {
  await visit("/");
  const news = await page.locator("#news").innerText();
  for (const part of ["2 memories", "codex 1", "cursor 1", "1 to review"]) if (!news.includes(part)) throw new Error(`“${part}” is not in “${news}”`);
  same(await page.locator(".card.new").count(), 2, "memories that are marked as new");
  same(await page.locator("#empty-rate").textContent(), "67 %", "questions without a sure answer");
  await shows(page, "Recent agents");
  same(await page.locator("section[aria-labelledby=here] a").filter({ hasText: /^me$/ }).count(), 0, "the owner among the agents");
  await shows(page, "not verified yet");
  await shows(page, "never,");

  await page.locator(".card", { hasText: "“blorptang”" }).getByRole("link", { name: "Write it" }).click();
  same(await page.getByLabel("What to remember").inputValue(), "blorptang", "the text to begin with");
  await page.getByLabel("What to remember").fill("The blorptang is where it was.");
  await page.getByRole("button", { name: "Remember" }).click();
  await saved();
  await visit("/memories?query=" + encodeURIComponent("blorptang"));
  await shows(page, "The blorptang is where it was.");
  await visit("/");
  same(await page.locator("section[aria-labelledby=missing] .card", { hasText: "“blorptang”" }).count(), 0, "the question once it has an answer");
  await page.locator("#feed li", { hasText: "for “blorptang”" }).first().waitFor();
  await page.locator(".card", { hasText: "quizzlefrob" }).getByRole("button", { name: "Dismiss" }).click();
  await saved();
  await hides(page, "Questions without a sure answer");

  await visit("/settings");
  await page.getByRole("button", { name: "Back up now" }).click();
  await page.locator("#toasts", { hasText: "Backed up just now" }).waitFor();
  await visit("/activity");
  await page.getByRole("button", { name: "Verify the chain" }).click();
  await page.waitForFunction(() => document.getElementById("chain").textContent.startsWith("The log is intact"));
  await visit("/");
  await shows(page, "intact");
  await hides(page, "never,");
}

/** Weak answers, the weakest first, each with the best match and its score; questions with a sure answer are none. */
export async function weakestFirst({ page, visit, details }) {
  if (details.phone) await page.setViewportSize({ width: 390, height: 780 });
  await visit("/");
  same(await page.locator("#empty-rate").textContent(), "40 %", "questions without a sure answer");
  const cards = page.locator("section[aria-labelledby=missing] .card");
  same(await cards.count(), 2, "weak answers");
  same((await cards.first().innerText()).includes("blorptang"), true, "the weakest first");
  const van = cards.filter({ hasText: "who insured the van" });
  await van.getByRole("link", { name: "The van is in the yard." }).waitFor();
  const score = Number(await van.locator("meter").getAttribute("value"));
  same([score > 0, score < 65], [true, true], `the score of the best match, ${score}`);
  await shows(page, `${score} %`);
}

export async function recalledBy({ page, visit }) {
  await visit("/memories/1");
  const recalls = await page.locator("#told-to").innerText();
  if (!recalls.includes("cursor") || !recalls.includes("recall")) throw new Error(`“${recalls}” does not say who recalled it`);
  same(await page.locator("#told-to li").count(), 1, "recalls, without those of the owner");
  await page.getByRole("link", { name: "Ada Lovelace" }).click();
  await page.waitForURL("**/entities/**");
  await shows(page, "Mentioned in");
}

/** Number of lines of an element's text. */
function lineCount(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  return new Set([...range.getClientRects()].map(({ top }) => top)).size;
}

/** Home while agents work: events appear, charts tell their values, and the owner's own looking counts nowhere. */
export async function live({ page, visit, plain, details }) {
  await visit("/memories?query=clay");
  await visit("/sees?agent=codex&query=clay");
  await shows(page, "Clay comes on Tuesdays.");
  await visit("/");
  const asked = await page.locator("figure", { hasText: "asked" }).locator("figcaption").innerText();
  if (!asked.includes("0 asked")) throw new Error(`the owner's questions are counted: ${asked}`);
  for (const end of await page.locator("figcaption > span:is(:first-child, :last-child)").all()) same(await end.evaluate(lineCount), 1, "lines of an end of the axis");
  await page.locator("figure.growth").first().locator("g").last().hover();
  await page.locator(".hovered", { hasText: "new memor" }).waitFor();
  await page.waitForTimeout(1500);
  const headers = { Authorization: `Bearer ${details.key}`, "Content-Type": "application/json" };
  await fetch(`${plain}/v1/recall`, { method: "POST", headers, body: JSON.stringify({ query: "when does clay come" }) });
  await fetch(`${plain}/v1/memories`, { method: "POST", headers, body: JSON.stringify({ text: "The glaze is celadon." }) });
  await page.locator("#feed li.fresh", { hasText: "cursor" }).first().waitFor();
  const lines = await page.locator("#feed").innerText();
  if (/listed|Open /.test(lines)) throw new Error(`the owner's own looking is shown: ${lines}`);
  if (!lines.includes("cursor recalled 1 memory for “when does clay come”")) throw new Error(`what happened is no sentence: ${lines}`);
  await visit("/");
  await page.locator("#feed li:not(.fresh)", { hasText: "cursor recalled 1 memory for “when does clay come”" }).waitFor();

  await visit("/activity");
  await page.locator("#own-looking").waitFor();
  same(await page.locator('#events [data-label="When"] time').first().evaluate(lineCount), 1, "lines of a time");
  const folded = await page.locator("tbody").innerText();
  if (folded.includes("Open Home")) throw new Error("the owner's own looking is not folded away");
  await page.locator("tbody tr", { hasText: "recalled 1 memory for “when does clay come”" }).waitFor();
  await page.getByRole("link", { name: "Show what I looked at" }).click();
  await page.waitForURL("**own=1**");
  await page.locator("tbody tr", { hasText: "Open" }).first().waitFor();

  await page.getByRole("link", { name: "stored beside it" }).click();
  await page.waitForURL("**/settings#questions");
  await page.locator("#questions").getByRole("button", { name: "Stop storing and delete these" }).click();
  await page.locator("#questions", { hasText: "Questions are counted but not stored." }).waitFor();
  await visit("/activity");
  await page.locator("tbody tr", { hasText: "recalled 1 memory" }).first().waitFor();
  if ((await page.locator("tbody").innerText()).includes("when does clay come")) throw new Error("the words of questions are still stored");
}

/** An empty memory: three steps, each with what to do. */
export async function firstSteps({ page, visit, plain, details }) {
  if (details.phone) await page.setViewportSize({ width: 390, height: 780 });
  await visit("/");
  same(await page.locator(".first-steps > li").count(), 3, "steps");
  await page.locator(".first-steps pre .copy").first().click();
  await page.locator(".copy", { hasText: "Copied" }).waitFor();
  for (const [name, scheme] of [["Add to Cursor", "cursor://"], ["Add to VS Code", "vscode:mcp/install?"]]) {
    const link = await page.getByRole("link", { name }).getAttribute("href");
    if (!link.startsWith(scheme)) throw new Error(`${name} leads to ${link}`);
  }
  // A client connects: the handshake alone is enough for the tick.
  const send = (body) => fetch(`${plain}/mcp`, { method: "POST", headers: { Authorization: `Bearer ${details.token}`, "Content-Type": "application/json", Accept: "application/json, text/event-stream" }, body: JSON.stringify({ jsonrpc: "2.0", ...body }) });
  await page.waitForTimeout(1500);
  await send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "cursor-vscode", version: "1" } } });
  await send({ method: "notifications/initialized" });
  await page.locator("#first-agent", { hasText: "is connected" }).waitFor();

  await page.getByRole("link", { name: "Import a file" }).click();
  await page.waitForURL("**/settings#import");

  await visit("/");
  await page.getByRole("button", { name: "Load the demo story" }).click();
  await page.locator("#demo-note").waitFor();
  await shows(page, "Clay comes on Tuesdays.");
  await page.locator("#demo-note").getByRole("button", { name: "Remove the demo" }).click();
  await page.getByRole("button", { name: "Erase everything, also what you added?" }).click();
  await page.locator(".receipt").waitFor();
  await visit("/");
  same(await page.locator(".first-steps > li").count(), 3, "steps after the demo");
}

/** A question with only a similar memory is shown with the score of that memory. */
export async function weakAnswers({ page, visit, details }) {
  if (details.phone) await page.setViewportSize({ width: 390, height: 780 });
  await visit("/");
  const card = page.locator("#missing ~ ul .card").first();
  await card.getByText(details.question).waitFor();
  const score = await card.locator("meter").getAttribute("value");
  if (!(Number(score) < 100)) throw new Error(`the score is ${score}`);
  await card.getByRole("link", { name: details.best }).click();
  await page.waitForURL(/memories\/\d+$/);
}
