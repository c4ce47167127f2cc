// The graph: seen, searched, expanded, filtered; entities renamed, merged and deleted; and large ones kept smooth.
import { same, shows, unfold } from "./expect.mjs";

const nodes = (page) => page.evaluate(() => document.getElementById("graph").picture.layout.nodes.size);
const loaded = (page, count) => page.waitForFunction((count) => document.getElementById("graph").picture?.layout.nodes.size >= count, count);

export async function explored({ page, visit, saved }) {
  await visit("/graph");
  await loaded(page, 3);
  await page.locator("#legend button").first().click();
  same(await page.locator("#legend button").first().getAttribute("aria-pressed"), "false", "a type that is hidden");
  await page.locator("#graph").focus();
  await page.keyboard.press("+");
  await page.keyboard.press("ArrowLeft");
  const [scale, shift] = await page.evaluate(() => { const { scale, shift } = document.getElementById("graph").picture; return [scale, shift.x]; });
  same([scale > 1, shift > 0], [true, true], "zoomed and moved by keys");

  await page.getByLabel("Name").fill("Ada");
  await page.getByRole("button", { name: "Find" }).click();
  await page.waitForURL("**name=Ada");
  await loaded(page, 1);
  await page.getByRole("link", { name: "Ada", exact: true }).click();
  await shows(page, "works at");
  await unfold(page, "Rename");
  await page.locator("form", { hasText: "Rename" }).getByLabel("Name").fill("Ada Lovelace");
  await page.getByRole("button", { name: "Rename" }).click();
  await saved();
  await shows(page, "Ada Lovelace");
  await unfold(page, "Merge into another");
  await shows(page, "relations and");
  await page.getByLabel("Number of the one that stays").fill("3");
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await saved();
  await unfold(page, "Delete");
  await page.getByRole("button", { name: "Delete it" }).click();
  await saved();
  await page.waitForURL("**/graph");
}

/** How long a frame of 2,000 nodes takes, in milliseconds, while it moves. */
export async function large({ page, visit }) {
  const entities = Array.from({ length: 2000 }, (_, at) => ({ id: at + 1, kind: ["person", "place", "tool", "file"][at % 4], name: `Entity ${at}`, aliases: [], mentions: 1 + (at % 40), first_seen: "", last_seen: "" }));
  const relations = Array.from({ length: 3000 }, (_, at) => ({ source: 1 + (at * 7) % 2000, target: 1 + (at * at + 13) % 2000, names: ["a", "b"], kind: "knows", weight: 1 }));
  await page.route("**/v1/graph?*", (route) => route.fulfill({ json: { entities, relations, cut_short: false } }));
  await visit("/graph");
  await loaded(page, 2000);
  await page.waitForFunction(() => document.getElementById("graph").picture.frames.length >= 60);
  const frames = await page.evaluate(() => document.getElementById("graph").picture.frames.slice());
  frames.sort((a, b) => a - b);
  return { nodes: await nodes(page), median: frames[Math.floor(frames.length / 2)], slowest: frames[frames.length - 1] };
}
