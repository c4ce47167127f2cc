// Runs one scenario in headless Chromium as a person would. Reads { link, module, scenario, details } from stdin;
// a failed step, a script error or a violation of the page's content security policy ends it with an error.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const plan = JSON.parse(readFileSync(0, "utf8"));
const packages = createRequire(pathToFileURL(`${process.env.CLIENT_PACKAGES}/`));
const { chromium } = packages("playwright-core");

const profile = mkdtempSync(join(tmpdir(), "quipu-browser-"));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: "/usr/bin/chromium",
  headless: true,
  colorScheme: plan.theme ?? "light",
  reducedMotion: "reduce",
  viewport: plan.details?.phone ? { width: 390, height: 780 } : { width: 1280, height: 900 },
  acceptDownloads: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const faults = [];
try {
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(20000);
  page.on("pageerror", (error) => faults.push(`script fault: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && /Content Security Policy/.test(message.text()) && faults.push(message.text()));
  page.on("dialog", (dialog) => { faults.push(`a dialog opened: ${dialog.message()}`); dialog.dismiss(); });
  await page.goto(plan.link);
  // The link leads from the plain address to the host of the dashboard, and from there to its first page.
  await page.waitForURL((url) => url.pathname !== "/login");
  const [plain, origin] = [new URL(plan.link).origin, new URL(page.url()).origin];
  const visit = async (path) => {
    const answer = await page.goto(origin + path);
    await ready(page);
    return answer;
  };
  await ready(page);
  const scenarios = await import(pathToFileURL(join(import.meta.dirname, `${plan.module}.mjs`)));
  const report = await scenarios[plan.scenario]({ page, visit, origin, plain, packages, details: plan.details ?? {}, saved: () => saved(page) });
  if (faults.length) throw new Error(faults.join("\n"));
  console.log(JSON.stringify(report ?? {}));
} finally {
  await context.close();
  rmSync(profile, { recursive: true, force: true });
}

/** Waits until our own scripts have run. */
async function ready(page) {
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
}

/** Waits until a form was sent and its confirmation is in view; returns and clears it, to wait for the next. */
async function saved(page) {
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true" && document.querySelector("#toasts .said"));
  const shown = page.locator("#toasts .toast").last();
  const { y, height } = await shown.boundingBox();
  const { height: whole } = page.viewportSize();
  if (y < 0 || y + height > whole) throw new Error("the confirmation is out of view");
  return page.evaluate(() => {
    const said = [...document.querySelectorAll("#toasts .said")].at(-1).textContent;
    document.getElementById("toasts").replaceChildren();
    return said;
  });
}
