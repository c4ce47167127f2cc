// Review and profile: the owner has the last word.
import { hides, same, shows, unfold } from "./expect.mjs";

export async function bothSides({ page, visit, saved }) {
  await visit("/");
  await page.getByRole("link", { name: /^Review 1/ }).first().click();
  await page.locator(".side").first().waitFor();
  same(await page.locator(".side").count(), 2, "sides");
  if (!(await page.locator(".side mark").allTextContents()).join(" ").includes("not")) throw new Error("the difference is not marked");
  await page.getByRole("button", { name: "Keep the newer" }).click();
  await saved();
  await shows(page, "Nothing to review");
  await visit("/review?decided=1");
  await shows(page, "Decided:");
  await visit("/memories");
  same(await page.locator(".card").count(), 1, "memories that are still active");

  await visit("/review?decided=1");
  await page.getByRole("button", { name: "Undo" }).click();
  await saved();
  await visit("/memories");
  same(await page.locator(".card").count(), 2, "memories once the decision is undone");
  await visit("/review");
  await page.getByRole("button", { name: "Keep both" }).click();
  await saved();
  await visit("/memories");
  same(await page.locator(".card").count(), 2, "memories that are both active");
}

/** Several items by keyboard, without a reload: decided, undone, grouped, narrowed, and all at once. */
export async function byKeys({ page, visit, saved }) {
  await visit("/review");
  await page.evaluate(() => { window.kept = true; });
  const items = page.locator(".review");
  const before = await items.count();
  if (before < 3) throw new Error(`only ${before} items`);
  await page.keyboard.press("j");
  const first = await page.locator(".review.current h2").getAttribute("id");
  await page.keyboard.press("1");
  same(await saved(), "Decided.", "the confirmation");
  same(await items.count(), before - 1, "items after the first decision");
  same(await page.locator(".review.current").count(), 1, "the next item");
  await page.keyboard.press("3");
  await page.locator("#toasts .undo").waitFor();
  await page.keyboard.press("u");
  await page.locator("#toasts", { hasText: "Undone." }).waitFor();
  same(await items.count(), before - 1, "items after undoing");
  same(await page.evaluate(() => window.kept), true, "the page was not loaded again");
  same(await page.locator(`#${first}`).count(), 0, "the decided item")

  await page.getByPlaceholder("Only items with these words").fill("Vienna");
  same(await page.locator(".review:visible").count(), 1, "items about Vienna");
  await page.getByPlaceholder("Only items with these words").fill("");
  await page.getByRole("link", { name: /^Flags/ }).click();
  await page.waitForURL("**kind=flag");
  await shows(page, "Nothing to review");
  await visit("/review");
  await page.locator("#pick-all").check();
  await page.locator("#bulk").getByRole("button", { name: "Keep both" }).click();
  await page.locator("#toasts", { hasText: "decided." }).waitFor();
  await shows(page, "Nothing to review");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator("#toasts", { hasText: "Undone." }).waitFor();
  same(await items.count(), before - 1, "items after undoing all");
}

export async function aboutMe({ page, visit, saved }) {
  await visit("/profile");
  await shows(page, "Nothing about you yet");
  await page.getByLabel("New field").fill("name");
  await page.getByLabel("Value").fill("Ines");
  await page.getByRole("button", { name: "Add" }).click();
  await saved();
  await page.getByLabel("name", { exact: true }).fill("Inés");
  await page.getByRole("button", { name: "Save" }).click();
  await saved();
  await unfold(page, "As JSON");
  await page.getByLabel("The whole profile").fill('{"name": "Inés", "diet": {"vegan": true}}');
  await page.getByRole("button", { name: "Replace" }).click();
  await saved();
  await shows(page, "version 3");
  await page.locator("li", { hasText: "version 1" }).getByRole("button", { name: "Restore this version" }).click();
  await saved();
  same(await page.getByLabel("name", { exact: true }).inputValue(), "Ines", "the name of version 1");
  await hides(page, "vegan\": true");
  await unfold(page, "As JSON");
  await page.getByLabel("The whole profile").fill("{ not json");
  await page.getByRole("button", { name: "Replace" }).click();
  await page.locator(".problem:visible").waitFor();
}
