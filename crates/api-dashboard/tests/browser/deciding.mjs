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
  await page.locator("nav.chips a", { hasText: `All ${before}` }).waitFor();
  if (before < 3) throw new Error(`only ${before} items`);
  await page.keyboard.press("j");
  const first = await page.locator(".review.current h2").getAttribute("id");
  await page.keyboard.press("1");
  same(await saved(), "Decided.", "the confirmation");
  same(await items.count(), before - 1, "items after the first decision");
  await page.locator("nav.chips a", { hasText: `All ${before - 1}` }).waitFor();
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
  await page.getByRole("button", { name: "Save", exact: true }).click();
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

/** Lists and groups of the profile have editors; the size is a desktop or a phone. */
export async function profileEditors({ page, visit, saved }) {
  await visit("/profile");
  const likes = page.locator('[data-tree="likes"]');
  await likes.getByRole("button", { name: "Add an item" }).click();
  await page.keyboard.type("miso");
  await page.keyboard.press("Enter");
  await page.keyboard.type("soba");
  await likes.getByRole("button", { name: "Move up item 2" }).click();
  await likes.getByRole("button", { name: "Remove item 3" }).click();
  const home = page.locator('[data-tree="home"]');
  await home.getByLabel("home, city").fill("Porto");
  await home.getByRole("button", { name: "Remove zip" }).click();
  await home.getByLabel("New field of home", { exact: true }).fill("floors");
  await home.getByLabel("Kind of the new field of home", { exact: true }).selectOption("number");
  await home.getByRole("button", { name: "Add the field to home" }).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("3");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  same(await saved(), "Saved as a new version.", "the confirmation");
  const stored = async () => JSON.parse(await page.getByLabel("The whole profile").inputValue());
  same(await stored(), { home: { city: "Porto", floors: 3, pets: ["cat"] }, likes: ["rice", "tofu", "soba"], name: "Ines" }, "the profile");
  await page.getByLabel("New field", { exact: true }).fill("langs");
  await page.locator("select[name=value_kind]").selectOption("list");
  await page.getByLabel("Value", { exact: true }).fill("de, pt");
  await page.getByRole("button", { name: "Add", exact: true }).last().click();
  await saved();
  same((await stored()).langs, ["de", "pt"], "a new list");
  await page.locator('[data-tree="langs"]').getByRole("button", { name: "Remove this field" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await saved();
  same("langs" in (await stored()), false, "a removed list is there");
  if (await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth) > 1) throw new Error("the page is too wide");
}

/** A proposed change of the profile is in words in Review, stands at its field, and is decided there. */
export async function waitingChange({ page, visit, saved }) {
  await visit("/review");
  const proposed = page.locator(".review", { hasText: "would change your profile: home › city" });
  same(await proposed.locator("dl.diff").innerText(), "home › city\nBonn\nLisbon", "the change in Review");
  await hides(page, "{");
  await visit("/profile");
  const city = page.locator('[data-tree="home"] li[data-path="home.city"] .waiting');
  await city.getByText("Lisbon").waitFor();
  const name = page.locator('.waiting[data-path="name"]');
  await name.getByRole("button", { name: "Reject" }).waitFor();
  await city.getByRole("button", { name: "Accept" }).click();
  same(await saved(), "Decided.", "the confirmation");
  same(await page.getByLabel("home, city").inputValue(), "Lisbon", "the accepted value");
  same(await page.locator(".waiting").count(), 1, "changes that still wait");
  await name.getByRole("button", { name: "Reject" }).click();
  await page.locator("#toasts .undo").waitFor();
  same([await page.locator(".waiting").count(), await page.getByLabel("name", { exact: true }).inputValue()], [0, "Ines"], "after rejecting");
  await page.locator("#toasts").getByRole("button", { name: "Undo" }).click();
  await page.locator('.waiting[data-path="name"]').waitFor();
}
