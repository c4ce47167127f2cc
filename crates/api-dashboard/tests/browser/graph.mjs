// The graph: drawn, searched, expanded, filtered; entities renamed, merged and deleted; and the frame time of a large one.
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
  await page.getByRole("button", { name: "Show" }).click();
  await page.waitForURL("**name=Ada**");
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
  await page.getByLabel("ID of the entity that stays").fill("3");
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await saved();
  await unfold(page, "Delete");
  await page.getByRole("button", { name: "Delete entity" }).click();
  await saved();
  await page.waitForURL("**/graph");
}

/** Memories next to the entities, and only those of a period. */
export async function withMemories({ page, visit }) {
  await visit("/graph");
  await loaded(page, 2);
  const without = await nodes(page);
  await page.getByLabel("Include memories").check();
  await page.getByRole("button", { name: "Show" }).click();
  await page.waitForURL("**memories=1**");
  await loaded(page, without + 1);
  const [memories, mentions] = await page.evaluate(() => {
    const { nodes, edges } = document.getElementById("graph").picture.layout;
    return [[...nodes.values()].filter((node) => node.square).length, [...edges.values()].filter((edge) => edge.kind === "mentions").length];
  });
  same([memories > 0, mentions > 0], [true, true], "memories and mentions");
  await page.getByLabel("Until").fill("2001-01-01");
  await page.getByRole("button", { name: "Show" }).click();
  await page.waitForURL("**until=2001-01-01**");
  await page.waitForFunction(() => document.getElementById("drawn").textContent !== "");
  same(await nodes(page), 0, "nodes before the first memory");
}

/** Time per frame of 2,000 moving nodes, and the interval between frames, in milliseconds. */
export async function large({ page, visit }) {
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await visit("/graph?memories=1");
  await loaded(page, 2000);
  await page.waitForFunction(() => document.getElementById("graph").picture.frames.length >= 60);
  const [frames, ticks] = await page.evaluate(() => { const { frames, ticks } = document.getElementById("graph").picture; return [frames.slice(), ticks.slice()]; });
  const middle = (list) => Math.round(list.sort((a, b) => a - b)[Math.floor(list.length / 2)] * 10) / 10;
  return { nodes: await nodes(page), work_ms: middle(frames), slowest_ms: Math.max(...frames), apart_ms: middle(ticks) };
}
