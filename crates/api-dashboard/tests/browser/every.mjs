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
      if (wide > 1) throw new Error(`${path} is ${wide} px too wide at ${width}: ${await page.evaluate(tooWide)}`);
    }
  }
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
