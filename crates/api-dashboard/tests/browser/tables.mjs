// Tables: created, filled, sorted, filtered, edited, exported.
import { hides, same, shows, unfold } from "./expect.mjs";

export async function meals({ page, visit, saved }) {
  await visit("/tables");
  await shows(page, "No tables yet");
  await page.getByLabel("Table", { exact: true }).fill("Meals");
  await page.getByLabel("First column").fill("food");
  await page.getByLabel("First value").fill("pizza");
  await page.getByRole("button", { name: "Create" }).click();
  await page.waitForURL("**/tables/meals");
  await saved();

  await unfold(page, "Add a row");
  await page.getByLabel("New column").fill("calories");
  await page.locator("form", { hasText: "New column" }).getByLabel("Value").fill("300");
  await page.getByRole("button", { name: "Add with a new column" }).click();
  await saved();
  await unfold(page, "Add a row");
  const add = page.locator('form[data-group="data"]');
  await add.getByLabel("food").fill("soup");
  await add.getByLabel("calories").fill("250");
  await add.getByRole("button", { name: "Add" }).click();
  await saved();
  same(await page.locator("tbody tr").count(), 3, "rows");

  await page.locator("tbody tr", { hasText: "pizza" }).locator("summary").click();
  const edit = page.locator('tbody tr', { hasText: "pizza" }).locator('form[data-group="patch"]');
  await edit.getByLabel("calories").fill("800");
  await edit.getByRole("button", { name: "Save" }).click();
  await saved();
  await shows(page, "800");

  await page.locator("thead").getByRole("link", { name: "calories" }).click();
  await page.waitForURL("**order=calories**");
  const column = () => page.locator('td[data-type="integer"]').allTextContents();
  same(await column(), ["250", "300", "800"], "ascending");
  await page.locator("thead").getByRole("link", { name: "calories" }).click();
  await page.waitForURL("**down=1**");
  same(await column(), ["800", "300", "250"], "descending");

  await page.locator('select[name="column"]').selectOption("calories");
  await page.locator('select[name="test"]').selectOption("gte");
  await page.locator('form[action] input[name="value"]').fill("300");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.waitForURL("**value=300**");
  same(await page.locator("tbody tr").count(), 2, "rows of 300 or more");
  await page.getByRole("link", { name: "Clear" }).click();
  await page.waitForURL("**/tables/meals");

  await page.locator("tbody tr", { hasText: "soup" }).locator("summary").click();
  await page.locator("tbody tr", { hasText: "soup" }).getByRole("button", { name: "Delete row" }).click();
  await saved();
  await hides(page, "soup");

  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "CSV" }).click()]);
  same(file.suggestedFilename(), "meals.csv", "the name of the file");
}
