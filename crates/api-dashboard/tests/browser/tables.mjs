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
  // What was unfolded stays so.
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
  await page.getByRole("button", { name: "Delete this row?" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator("#toasts", { hasText: "Undone." }).waitFor();
  await page.locator("tbody tr", { hasText: "soup" }).locator("summary").click();
  await page.locator("tbody tr", { hasText: "soup" }).getByRole("button", { name: "Delete row" }).click();
  await page.getByRole("button", { name: "Delete this row?" }).click();
  await page.locator("#toasts .undo").waitFor();
  await hides(page, "soup");

  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "CSV" }).click()]);
  same(file.suggestedFilename(), "meals.csv", "the name of the file");
}

/** The grid: edited in the cell, by keyboard, several filters, hidden columns, several rows, pasted rows, a chart. */
export async function grid({ page, visit }) {
  await visit("/tables/meals");
  const done = async (text) => {
    await page.locator("#toasts", { hasText: text }).waitFor();
    await page.evaluate(() => document.getElementById("toasts").replaceChildren());
  };
  const cell = (row, column) => page.locator("tbody tr").nth(row).locator(`td[data-column="${column}"]`);
  await page.locator("tr", { hasText: "soup" }).locator('td[data-column="calories"]').dblclick();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("260");
  await page.keyboard.press("Enter");
  await done("Saved.");
  await shows(page, "260");

  await cell(0, "food").click();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("stew");
  await page.keyboard.press("Enter");
  await page.locator("#toasts", { hasText: "Saved." }).waitFor();
  await shows(page, "stew");
  await page.getByRole("button", { name: "Undo" }).click();
  await done("Undone.");
  await hides(page, "stew");

  await page.locator("summary", { hasText: "Columns" }).click();
  await page.locator('#columns input[value="calories"]').uncheck();
  same(await cell(0, "calories").isVisible(), false, "a hidden column");
  await page.locator('#columns input[value="calories"]').check();

  await page.locator("#chart-column").selectOption("calories");
  same(await page.locator("#chart meter").count(), 3, "bars");

  await page.getByLabel("Select row 1").check();
  await page.getByRole("button", { name: "Duplicate" }).click();
  await done("One row duplicated.");
  same(await page.locator("tbody tr").count(), 4, "rows after duplicating");
  await page.locator("#pick-all").check();
  await page.locator("#delete-rows").click();
  await page.locator("#toasts", { hasText: "4 rows deleted." }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await done("Undone.");
  same(await page.locator("tbody tr").count(), 4, "rows after undoing");

  await unfold(page, "Paste rows from a spreadsheet");
  await page.locator('textarea[name="pasted"]').fill("food\tcalories\nbread\t120\napple\t80");
  await page.getByRole("button", { name: "Add these rows" }).click();
  await done("2 rows added.");
  same(await page.locator("tbody tr").count(), 6, "rows after pasting");

  const filter = async (column, test, value) => {
    await page.locator('select[name="column"]').selectOption(column);
    await page.locator('select[name="test"]').selectOption(test);
    await page.locator('form[action] input[name="value"]').fill(value);
    await page.getByRole("button", { name: "Filter" }).click();
    await page.waitForURL(`**value=${value}**`);
    await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  };
  await filter("calories", "gte", "100");
  await filter("calories", "lte", "300");
  same(await page.locator("tbody tr").count(), 2, "rows between 100 and 300");
  await page.locator(".chips a", { hasText: "at least 100" }).click();
  await page.waitForURL((url) => !url.search.includes("value="));
  same(await page.locator("tbody tr").count(), 3, "rows of at most 300");
}
