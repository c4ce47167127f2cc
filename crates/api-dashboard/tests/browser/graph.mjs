// The graph: drawn, searched, expanded, filtered, replayed, exported; nodes pinned, inspected and merged; by mouse, keys and
// fingers; and the frame time of a large one.
import { readFileSync } from "node:fs";
import { same, shows, unfold } from "./expect.mjs";

const PHONE = { width: 390, height: 780 };
const pictured = (page, read, more) => page.evaluate(`((picture, more) => (${read})(picture, more))(document.getElementById("graph").picture, ${JSON.stringify(more ?? null)})`);
const nodes = (page) => pictured(page, "(picture) => picture.model.list.length");
const loaded = (page, count) => page.waitForFunction((count) => { const picture = document.getElementById("graph").picture; return picture?.model.list.length >= count && !picture.running; }, count);
/** Waits until something is true of the picture. Asked from outside, because the page's policy allows no evaluation in it. */
async function until(page, read) {
  const end = Date.now() + 60000;
  while (!(await pictured(page, read))) {
    if (Date.now() > end) throw new Error(`not within a minute: ${read}`);
    await page.waitForTimeout(20);
  }
}

/** The place of a node on the screen. */
async function placeOf(page, name) {
  await page.locator(".stage").evaluate((stage) => stage.scrollIntoView({ block: "start", behavior: "instant" }));
  const box = await page.locator("#graph").boundingBox();
  const at = await pictured(page, "(picture, name) => { const node = picture.model.list.find((one) => one.name === name); return picture.view.toScreen(node); }", name);
  return { x: box.x + at.x, y: box.y + at.y };
}

/** Moves the mouse onto a node that nothing covers. */
async function point(page, name) {
  const { x, y } = await placeOf(page, name);
  await page.mouse.move(x - 30, y - 30);
  await page.mouse.move(x, y);
  return { x, y };
}

export async function explored({ page, visit, saved }) {
  await visit("/graph");
  await loaded(page, 3);
  await page.locator("#legend button").first().click();
  same(await page.locator("#legend button").first().getAttribute("aria-pressed"), "false", "a type that is hidden");
  await page.locator("#graph").focus();
  const before = await pictured(page, "({ view }) => [view.scale, view.shift.x]");
  await page.keyboard.press("+");
  await page.keyboard.press("ArrowLeft");
  const [scale, shift] = await pictured(page, "({ view }) => [view.scale, view.shift.x]");
  same([scale > before[0], shift > before[1]], [true, true], "zoomed and moved by keys");

  await page.getByLabel("Name").fill("Ada");
  same(await pictured(page, "({ found }) => [...found].map((node) => node.name)"), ["Ada"], "lit while typing");
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
  same(await page.getByRole("link", { name: "Find the other one by its name" }).getAttribute("href"), "/graph#node=e1&merge=1", "the link to the search");
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
  const [memories, mentions] = await pictured(page, `({ model }) => [model.list.filter((node) => !node.entity).length, model.lines.filter((edge) => edge.kind === "mentions").length]`);
  same([memories > 0, mentions > 0], [true, true], "memories and mentions");
  await page.getByLabel("Until").fill("2001-01-01");
  await page.getByRole("button", { name: "Show" }).click();
  await page.waitForURL("**until=2001-01-01**");
  await page.waitForFunction(() => document.getElementById("drawn").textContent !== "");
  same(await nodes(page), 0, "nodes before the first memory");
}

/** Everything fits on load, and a later visit finds each node where it was. */
export async function stable({ page, visit }) {
  await visit("/graph");
  await loaded(page, 4);
  const places = "({ model }) => model.list.map(({ key, x, y }) => [key, Math.round(x), Math.round(y)])";
  const inside = "({ model, view }) => model.list.every((node) => { const { x, y } = view.toScreen(node); return x > 0 && y > 0 && x < view.width && y < view.height; })";
  same(await pictured(page, inside), true, "everything is in view");
  const first = await pictured(page, places);
  await visit("/graph");
  await loaded(page, 4);
  same(await pictured(page, places), first, "places of the second visit");
  await page.evaluate(() => localStorage.removeItem("graph-places"));
  await visit("/graph");
  await loaded(page, 4);
  same(await pictured(page, places), first, "places without the stored ones");
  await page.setViewportSize(PHONE);
  await visit("/graph");
  await loaded(page, 4);
  same(await pictured(page, inside), true, "everything is in view on a phone");
  same(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), true, "no wider than the phone");
}

/** The point under the pointer stays there; a trackpad moves the picture. */
export async function zoomed({ page, visit }) {
  await visit("/graph");
  await loaded(page, 4);
  const { x, y } = await point(page, "Ada");
  await page.mouse.wheel(0, -120);
  await page.mouse.wheel(0, -120);
  const after = await placeOf(page, "Ada");
  same([Math.abs(after.x - x) < 1, Math.abs(after.y - y) < 1], [true, true], "the node under the pointer stays");
  const before = await pictured(page, "({ view }) => ({ ...view.shift, scale: view.scale })");
  await page.mouse.wheel(12, 7);
  const moved = await pictured(page, "({ view }) => ({ ...view.shift, scale: view.scale })");
  same([Math.round(moved.x - before.x), Math.round(moved.y - before.y), moved.scale === before.scale], [-12, -7, true], "two fingers on a trackpad");
  await page.getByRole("button", { name: "Fit" }).click();
  same(await pictured(page, "({ following }) => following"), true, "fits again");
}

/** Relations are said as a person says them: on the edges, in the panel, and on the page of an entity. */
export async function inWords({ page, visit }) {
  await visit("/graph");
  await loaded(page, 3);
  same(await pictured(page, "({ model }) => model.lines.filter((edge) => edge.type === 'relation').map((edge) => edge.label).sort()"), ["eats with", "lives in"], "the names of the edges");
  const panel = page.locator("#node");
  await page.goto(`${page.url().split("#")[0]}#node=e2`);
  await page.reload();
  await panel.getByRole("heading", { name: "Porto" }).waitFor();
  const line = panel.locator("li", { has: page.locator(".relation") });
  same((await line.innerText()).replace(/\s+/g, " "), "You live in Porto", "the panel of the place");
  await visit("/entities/3");
  await shows(page, "Relations");
  same((await page.locator("li", { has: page.locator(".relation") }).innerText()).replace(/\s+/g, " "), "You eat with Marta", "the page of the person");
}

/** Hovering lights up neighbours, a click opens the panel, whose entries lead on. */
export async function inspected({ page, visit, details }) {
  if (details.phone) await page.setViewportSize(PHONE);
  await visit("/graph");
  await loaded(page, 4);
  const lit = "({ lit }) => [...(lit?.nodes ?? [])].map((node) => node.name).sort()";
  const { x, y } = await point(page, "Ada");
  if (!details.phone) {
    await until(page, "({ view }) => view.dim === 1");
    same(await pictured(page, lit), ["Ada", "Bo", "Kiln House"], "lit around Ada");
    await page.mouse.move(x - 200, y);
    await page.mouse.move(5, 5);
    await until(page, "({ view }) => view.dim === 0");
  }
  await page.mouse.click(x, y);
  const panel = page.locator("#node");
  await panel.getByRole("heading", { name: "Ada" }).waitFor();
  await panel.getByText("works at").waitFor();
  await panel.getByText("Ada fires the kiln").waitFor();
  same(new URL(page.url()).hash, "#node=e1", "the address names the node");
  await panel.getByRole("button", { name: "Kiln House" }).click();
  await panel.getByRole("heading", { name: "Kiln House" }).waitFor();
  const link = page.url();
  await visit("/");
  await page.goto(link);
  await panel.getByRole("heading", { name: "Kiln House" }).waitFor();
  same(await pictured(page, "({ selected }) => selected.name"), "Kiln House", "the link leads to the node");
  await panel.getByRole("button", { name: "Close" }).click();
  same(await panel.isHidden(), true, "the panel is closed");
  await page.locator("#graph").focus();
  await page.keyboard.press("j");
  same(await panel.isHidden(), false, "a key selects the first node");
  await page.keyboard.press("Enter");
  same(await page.evaluate(() => document.getElementById("node").contains(document.activeElement)), true, "Enter leads into the panel");
  await page.keyboard.press("Escape");
  same(await panel.isHidden(), true, "Escape closes it");
}

/** A kind is hidden and shown, edges between what is named together come on demand, and the address keeps both. */
export async function filtered({ page, visit }) {
  await visit("/graph");
  await loaded(page, 4);
  const drawn = "({ model }) => [model.list.filter((node) => model.isShown(node)).length, model.lines.filter((edge) => model.isDrawn(edge) && edge.type === 'together').length]";
  const together = page.getByRole("button", { name: "Named together" });
  if ((await together.getAttribute("aria-pressed")) === "false") await together.click();
  const [all, pairs] = await pictured(page, drawn);
  same(pairs > 0, true, "pairs that are named together");
  await together.click();
  same((await pictured(page, drawn))[1], 0, "pairs when they are not wanted");
  const person = page.locator('#legend button[data-kind="person"]');
  await person.click();
  const [rest] = await pictured(page, drawn);
  same(rest < all, true, "people are hidden");
  const link = page.url();
  await visit("/");
  await page.goto(link);
  await loaded(page, 4);
  await page.waitForFunction(() => document.querySelector('#legend [data-kind="person"]')?.getAttribute("aria-pressed") === "false");
  same(await pictured(page, drawn), [rest, 0], "the address keeps what is hidden");
  await person.click({ modifiers: ["Shift"] });
  same(await pictured(page, "({ model }) => model.list.filter((node) => model.isShown(node)).every(({ kind }) => kind === 'person')"), true, "people alone");
  await person.click({ modifiers: ["Shift"] });
  same((await pictured(page, drawn))[0], all, "all kinds again");
}

/** The slider shows the graph as it was, and the replay ends with all of it. */
export async function grown({ page, visit, details }) {
  if (details.phone) await page.setViewportSize(PHONE);
  await visit("/graph");
  await loaded(page, 4);
  const shown = "({ model }) => model.list.filter((node) => model.isShown(node)).length";
  const all = await nodes(page);
  const slider = page.getByLabel("Growth");
  await slider.focus();
  await page.keyboard.press("Home");
  same(await pictured(page, shown), 0, "before the first");
  await page.keyboard.press("ArrowRight");
  same(await pictured(page, shown), 1, "the first node");
  same(/, 1 of \d+$/.test(await slider.getAttribute("aria-valuetext")), true, "the slider says the date and the number");
  await page.keyboard.press("End");
  same(await pictured(page, shown), all, "all of it");
  await page.getByRole("button", { name: "Replay" }).click();
  await until(page, "({ model }) => model.grown < model.list.length");
  await until(page, "({ playing, model }) => !playing && model.grown === Infinity");
  same(await pictured(page, shown), all, "all of it after the replay");
}

/** A dragged node stays where it was put, also at the next visit, until it is unpinned. */
export async function pinned({ page, visit }) {
  await visit("/graph");
  await loaded(page, 4);
  const { x, y } = await point(page, "Bo");
  await page.mouse.down();
  const free = await pictured(page, "({ view }) => [60, view.height - 120]");
  const box = await page.locator("#graph").boundingBox();
  await page.mouse.move(x + 10, y + 10, { steps: 3 });
  await page.mouse.move(box.x + free[0], box.y + free[1], { steps: 6 });
  await page.mouse.up();
  const put = "({ model }) => { const { x, y, pinned } = model.list.find((node) => node.name === 'Bo'); return [Math.round(x), Math.round(y), pinned === true]; }";
  const place = await pictured(page, put);
  same(place[2], true, "a dragged node is pinned");
  await visit("/graph");
  await loaded(page, 4);
  same(await pictured(page, put), place, "it stays at the next visit");
  await point(page, "Bo");
  await page.mouse.down();
  await page.mouse.up();
  await page.locator("#node").getByRole("button", { name: "Unpin" }).click();
  same((await pictured(page, put))[2], false, "unpinned");
}

/** One entity is dragged onto another; the dialog says what happens before it does. */
export async function mergedByDragging({ page, visit }) {
  await visit("/graph");
  await loaded(page, 4);
  await page.getByRole("button", { name: "Fit" }).click();
  const from = await point(page, "Ada L.");
  const to = await placeOf(page, "Ada");
  await page.mouse.down();
  await page.mouse.move(from.x + 8, from.y + 8, { steps: 3 });
  await page.mouse.move(to.x, to.y, { steps: 6 });
  await until(page, "({ goal }) => goal?.name === 'Ada'");
  await page.mouse.up();
  const dialog = page.locator("#merge");
  await dialog.getByRole("heading", { name: "Merge Ada L. into Ada?" }).waitFor();
  await dialog.getByText("of Ada L. move over").waitFor();
  await dialog.getByRole("button", { name: "The other way round" }).click();
  await dialog.getByRole("heading", { name: "Merge Ada into Ada L.?" }).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  same(await nodes(page), 4, "nothing is merged when one cancels");
}

/** The other entity is found by its name. */
export async function mergedBySearch({ page, visit, details }) {
  if (details.phone) await page.setViewportSize(PHONE);
  await visit("/graph");
  await loaded(page, 4);
  await point(page, "Ada L.");
  await page.mouse.down();
  await page.mouse.up();
  await page.locator("#node").getByRole("button", { name: "Merge…" }).click();
  const dialog = page.locator("#merge");
  await dialog.getByLabel("Merge into").fill("Ada");
  await dialog.getByRole("button", { name: "Ada person" }).click();
  await dialog.getByText("becomes another name of it").waitFor();
  await dialog.getByRole("button", { name: "Merge", exact: true }).click();
  await until(page, "({ model }) => model.list.length === 3");
  await page.locator("#node").getByRole("heading", { name: "Ada", exact: true }).waitFor();
  await page.locator("#node .tag", { hasText: "Ada L." }).waitFor();
  await shows(page, "Ada L. is now another name of Ada");
  await page.locator("#toasts").getByRole("button", { name: "Undo" }).click();
  await until(page, "({ model }) => model.list.length === 4");
  await page.locator("#node").getByRole("heading", { name: "Ada L." }).waitFor();
  await page.locator("#toasts").getByText("Undone.").waitFor();
}

/** A merge is undone from the page of the entity, after its toast is gone, and from the panel. */
export async function parted({ page, visit, saved, details }) {
  if (details.phone) await page.setViewportSize(PHONE);
  const [keeps, goes] = details.ids;
  const merge = async () => {
    await visit(`/entities/${goes}`);
    await unfold(page, "Merge into another");
    await page.getByLabel("ID of the entity that stays").fill(String(keeps));
    await page.getByRole("button", { name: "Merge", exact: true }).click();
    await page.waitForURL(`**/entities/${keeps}`);
  };
  await merge();
  await page.locator("#toasts").getByRole("button", { name: "Undo" }).click();
  await page.locator("#toasts").getByText("Undone.").waitFor();
  await merge();
  await saved();
  await page.getByRole("button", { name: "Undo the merge" }).click();
  same(await saved(), "Undone; both are there again.", "what the page says");
  await merge();
  await visit(`/graph#node=e${keeps}`);
  await loaded(page, 3);
  await page.locator("#node").getByRole("button", { name: "Undo the merge" }).click();
  await until(page, "({ model }) => model.list.length === 4");
  await page.locator("#node").getByRole("heading", { name: "Ada L." }).waitFor();
  await visit(`/entities/${goes}`);
  await page.getByRole("heading", { name: "Ada L." }).waitFor();
}

/** The picture is saved as a file, and no stored text becomes markup in it. */
export async function exported({ page, visit }) {
  await visit("/graph");
  await loaded(page, 4);
  const saved = async (name) => {
    await page.locator("#more summary").click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
    await page.locator("#more summary").click();
    return [download.suggestedFilename(), readFileSync(await download.path())];
  };
  const [svgName, svg] = await saved("Save as SVG");
  same(svgName, "quipu-graph.svg", "name of the SVG");
  const text = svg.toString();
  same([text.startsWith("<svg"), (text.match(/<circle/g) ?? []).length, text.includes("Kiln House")], [true, await nodes(page), true], "content of the SVG");
  same(await page.evaluate((text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror") === null, text), true, "the SVG is well-formed");
  const [pngName, png] = await saved("Save as PNG");
  same([pngName, png.subarray(1, 4).toString(), png.readUInt32BE(16)], ["quipu-graph.png", "PNG", 3200], "the PNG");
  await page.locator("#more summary").click();
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.locator("#toasts").getByText(/link/i).waitFor();
}

/** Two fingers zoom and move; one finger moves the picture; a tap selects. */
export async function byFingers({ page, visit }) {
  await page.setViewportSize(PHONE);
  await visit("/graph");
  await loaded(page, 4);
  const touch = await page.context().newCDPSession(page);
  await touch.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 2 });
  await placeOf(page, "Ada");
  const box = await page.locator("#graph").boundingBox();
  const fingers = (type, ...points) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x: box.x + x, y: box.y + y, id })) });
  const camera = "({ view }) => ({ scale: view.scale, x: view.shift.x, y: view.shift.y })";
  const before = await pictured(page, camera);
  await fingers("touchStart", [10, 200]);
  await fingers("touchMove", [30, 230]);
  await fingers("touchMove", [50, 260]);
  await fingers("touchEnd");
  const moved = await pictured(page, camera);
  same([moved.x > before.x + 10, moved.y > before.y + 10, moved.scale === before.scale], [true, true, true], "moved by one finger");
  await fingers("touchStart", [150, 250], [250, 250]);
  await fingers("touchMove", [120, 250], [280, 250]);
  await fingers("touchMove", [100, 250], [300, 250]);
  await fingers("touchEnd");
  const pinched = await pictured(page, camera);
  same(Math.round((pinched.scale / moved.scale) * 10) / 10, 2, "twice as large by two fingers");
  await fingers("touchStart", [100, 250], [300, 250]);
  await fingers("touchMove", [100, 290], [300, 290]);
  await fingers("touchEnd");
  same(Math.round((await pictured(page, camera)).y - pinched.y), 40, "moved by two fingers");
  await page.getByRole("button", { name: "Fit" }).click();
  const at = await placeOf(page, "Ada");
  await fingers("touchStart", [at.x - box.x, at.y - box.y]);
  await fingers("touchEnd");
  await page.locator("#node").getByRole("heading", { name: "Ada" }).waitFor();
}

/** Nothing moves by itself where the visitor asked for less motion, and the layout runs where not. */
export async function moving({ page, visit }) {
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await visit("/graph");
  await loaded(page, 4);
  const seen = await pictured(page, "({ frames }) => frames.length");
  await page.locator("#more summary").click();
  await page.getByRole("button", { name: "Lay out anew" }).click();
  await until(page, "({ running }) => running");
  await until(page, "({ running }) => !running");
  same((await pictured(page, "({ frames }) => frames.length")) > seen + 10, true, "frames of the moving layout");
}

/** Runs an action; returns the CPU time of each frame meanwhile, in milliseconds. Other programs on the machine do not count. */
async function frameTimes(page, action) {
  const session = await page.context().newCDPSession(page);
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await session.send("Tracing.start", { transferMode: "ReportEvents", categories: "devtools.timeline" });
  await action();
  const complete = new Promise((done) => session.once("Tracing.tracingComplete", done));
  await session.send("Tracing.end");
  await complete;
  const times = (name) => events.filter((event) => event.name === name && event.tdur).map((event) => event.tdur / 1000);
  // Handing a frame over to the compositor is part of it.
  const commits = times("Commit");
  const commit = commits.reduce((sum, one) => sum + one, 0) / (commits.length || 1);
  return times("FireAnimationFrame").map((time) => time + commit).sort((a, b) => a - b);
}

/** CPU time of the frames of a graph while its layout moves and while one zooms, in milliseconds. */
export async function large({ page, visit, details }) {
  await page.emulateMedia({ reducedMotion: "no-preference" });
  const moving = await frameTimes(page, async () => {
    await visit("/graph");
    await page.waitForFunction((count) => document.getElementById("graph").picture?.model.list.length >= count, details.nodes);
    await page.waitForFunction(() => { const { running, frames } = document.getElementById("graph").picture; return !running || frames.length > 300; }, undefined, { timeout: 240000 });
  });
  const zooming = await frameTimes(page, () => pictured(page, `(picture) => new Promise((done) => {
    let left = 80;
    const step = () => { picture.view.zoom(left > 40 ? 1.04 : 1 / 1.04, 300, 200); picture.steer(); left-- ? requestAnimationFrame(step) : done(); };
    step();
  })`));
  // The frames that only wait for the next step of the layout are none.
  const share = (list, part) => { const drawn = list.filter((time) => time > 1.5); return Math.round(drawn[Math.floor(drawn.length * part)] * 10) / 10; };
  const [nodes, edges] = await pictured(page, "({ model }) => [model.list.length, model.lines.length]");
  return { nodes, edges, moving_median_ms: share(moving, 0.5), moving_p95_ms: share(moving, 0.95), zooming_median_ms: share(zooming, 0.5), zooming_p95_ms: share(zooming, 0.95) };
}
