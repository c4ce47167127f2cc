// Review and profile: the owner has the last word.
import { hides, same, shows, unfold } from "./expect.mjs";

export async function bothSides({ page, visit, saved }) {
  await visit("/");
  await page.getByRole("link", { name: /^Review 1/ }).first().click();
  await page.locator(".side").first().waitFor();
  same(await page.locator(".side").count(), 2, "sides");
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
