// Checks of every page: no stored text runs, nothing breaks the layout, the page is accessible, and it is small.
import { readFileSync } from "node:fs";
import { same } from "./expect.mjs";

/** Visits every page at three widths; the stored texts try to run, to reverse and to overflow. */
export async function nothingRuns({ page, visit, details }) {
  for (const path of details.pages) {
    const answer = await visit(path);
    same(answer.status(), 200, path);
    for (const width of [1280, 800, 360]) {
      await page.setViewportSize({ width, height: 800 });
      const [ran, wide, scripts] = await page.evaluate(() => [
        window.ran === true,
        document.documentElement.scrollWidth - document.documentElement.clientWidth,
        [...document.scripts].filter((script) => !script.src.startsWith(location.origin + "/assets/")).length + document.querySelectorAll("main img[onerror], main iframe, main svg [onload], main script").length,
      ]);
      same(ran, false, `${path}: a stored text ran`);
      same(scripts, 0, `${path}: foreign scripts`);
      if (width === 1280) same(await page.evaluate(uneven), "", `${path}: fields of one row with different heights`);
      if (wide > 1) throw new Error(`${path} is ${wide} px too wide at ${width}: ${await page.evaluate(tooWide)}`);
    }
  }
}

/** Fields and buttons of one row of a form that do not begin and end at the same height. */
function uneven() {
  const shown = (one) => one.getClientRects().length > 0;
  const edges = (one) => [one.getBoundingClientRect().top, one.getBoundingClientRect().bottom].map(Math.round);
  const uneven = [];
  for (const form of document.querySelectorAll("form.inline, .fields")) {
    const fields = [...form.querySelectorAll("input:not([type=checkbox], [type=file], [type=hidden]), select, button:not(.plain)")].filter(shown);
    for (const [at, one] of fields.entries()) {
      const [top, bottom] = edges(one);
      // The next field of the same row; one that overlaps is in it.
      const next = fields[at + 1] && edges(fields[at + 1]);
      if (next && next[0] < bottom && top < next[1] && (Math.abs(next[0] - top) > 1 || Math.abs(next[1] - bottom) > 1)) uneven.push(`${one.name || one.textContent} ${[top, bottom]} beside ${next}`);
    }
  }
  return uneven.join("; ");
}

/** The innermost elements that overflow the page. */
function tooWide() {
  const past = (one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1;
  const wide = [...document.querySelectorAll("main :not(.scroll *), header :not(nav *)")].filter((one) => past(one) && ![...one.children].some(past));
  return wide.slice(0, 3).map((one) => one.outerHTML.slice(0, 160)).join(" | ");
}

/** Fails on serious or critical violations that axe-core finds, on every page in both themes. */
export async function accessible({ page, visit, packages, details }) {
  const axe = readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8");
  const faults = [];
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    for (const path of details.pages) {
      await visit(path);
      await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
      const found = await page.evaluate(`${axe}; axe.run(document, { resultTypes: ["violations"] })`);
      for (const one of found.violations.filter(({ impact }) => impact === "serious" || impact === "critical")) {
        faults.push(`${path} (${theme}): ${one.id}: ${one.nodes.map((node) => `${node.html.slice(0, 120)} ${node.any[0]?.message ?? ""}`).slice(0, 3).join(" | ")}`);
      }
    }
  }
  if (faults.length) throw new Error(faults.join("\n"));
}

/** The size of each page with everything it loads, in bytes before compression. */
export async function weights({ page, visit, details }) {
  const weights = {};
  for (const path of details.pages) {
    let bytes = 0;
    const count = async (answer) => { bytes += (await answer.body().catch(() => "")).length; };
    page.on("response", count);
    await visit(path);
    await page.waitForLoadState("networkidle");
    page.off("response", count);
    weights[path] = bytes;
  }
  return weights;
}

/** Every page can be reached and left with the keyboard alone, and the focus is visible. */
export async function byKeyboard({ page, visit }) {
  await visit("/");
  for (const [key, path] of [["m", "/memories"], ["r", "/review"], ["p", "/profile"], ["t", "/tables"], ["h", "/"]]) {
    await page.locator("h1").first().click();
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await page.waitForURL(`**${path}`);
    await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  }
  await page.keyboard.press("Tab");
  same(await page.evaluate(() => document.activeElement.textContent), "Skip to content", "the first stop");
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  if (outline === "none") throw new Error("the focus cannot be seen");
}

/** An unknown address, and an item that does not exist, are pages with a way on. */
export async function unknown({ page, visit, origin }) {
  const answer = await page.goto(`${origin}/no-such-page`);
  same(answer.status(), 404, "the status of an unknown page");
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  await page.getByRole("link", { name: "Memories" }).click();
  await page.waitForURL("**/memories");
  const missing = await visit("/memories/999");
  same(missing.status(), 404, "the status of an unknown memory");
  await page.getByRole("heading", { name: "Not found" }).waitFor();
  const bar = page.locator(page.viewportSize().width < 600 ? ".tabs" : ".rail");
  await bar.getByRole("link", { name: "Review" }).first().waitFor();
  const text = await page.locator("main").innerText();
  if (/call again|list or search|argument/i.test(text)) throw new Error(`advice for programs: ${text}`);
}

/** The palette: by key and by button, memories as one types, entities, tables, pages and actions. */
export async function palette({ page, visit }) {
  await visit("/");
  const rows = page.locator("#found-all li");
  await page.keyboard.press("Control+k");
  await page.locator("#palette[open]").waitFor();
  for (const name of ["Review", "Settings", "Write a memory"]) await rows.filter({ hasText: name }).first().waitFor();
  await page.keyboard.type("lovelace");
  await rows.filter({ hasText: "Ada Lovelace fires the kiln on Mondays." }).waitFor();
  await rows.filter({ hasText: /^Ada Lovelace(person|name)/ }).waitFor();
  await page.locator("#ask-all").fill("meals");
  await rows.filter({ hasText: /mealstable/ }).click();
  await page.waitForURL("**/tables/meals");
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  await page.keyboard.press("/");
  await page.keyboard.type("who fires the kiln");
  await rows.filter({ hasText: "Ada Lovelace fires" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/memories\/\d+$/);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  await page.getByRole("button", { name: /Ask or find/ }).click();
  await page.keyboard.type("sett");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/settings");
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Escape");
  same(await page.locator("#palette").isVisible(), false, "the palette after Escape");
}

/** On a phone: nothing is wider than the screen, and the bar at the bottom leads everywhere. */
export async function onAPhone({ page, visit, details }) {
  await page.setViewportSize({ width: 390, height: 780 });
  for (const path of details.pages.filter((path) => !path.startsWith("/oauth"))) {
    await visit(path);
    const bar = await page.locator(".tabs").boundingBox();
    same(Math.round(bar.y + bar.height), 780, `${path}: the bar is at the bottom`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (wide > 1) throw new Error(`${path} is ${wide} px too wide`);
  }
  await visit("/");
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.waitForURL("**/settings");
  await visit("/activity");
  same(await page.locator("td[data-label]").first().evaluate((cell) => getComputedStyle(cell).display), "flex", "events are cards");
  await page.locator(".tabs").getByRole("button", { name: "Find" }).click();
  await page.locator("#palette[open]").waitFor();
}

/** Names for programs, nouns in the wrong number, and phrases that nobody says. */
const ODD_WORDS = [
  /\b(get|post|put|patch|delete)_[a-z_]+|\bvectors\/\w+|\btables\/\w+|\brest \w+|\bcli\b|call again/,
  /\b(not_found|consent_required|invalid_argument|forbidden_scope|lives_at|works_at|has_skill|temporal_next|caused_by)\b/,
  /\b1 (memories|rows|columns|keys|rules|events|calls|tokens|sections|items|relations|observations|mentions|versions|questions|entities|places)\b/,
  /\bbriefed with\b|\bmemories in (memories|profile)\b|\bme (recalled|wrote|created|listed|showed)\b/,
];

/** No page shows the name of an operation or of a resource of the API, also where it is folded. */
export async function plainWords({ page, visit, details }) {
  for (const path of details.pages.filter((path) => !path.startsWith("/oauth"))) {
    await visit(path);
    await page.evaluate(() => document.querySelectorAll("details").forEach((folded) => { folded.open = true; }));
    const text = await page.locator("main").innerText();
    for (const odd of ODD_WORDS) {
      const found = text.match(odd);
      if (found) throw new Error(`${path} says “${found[0]}”`);
    }
  }
}
