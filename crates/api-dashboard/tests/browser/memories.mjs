// Memories: written, recalled, explained, corrected, flagged, forgotten; one at a time and several at once.
import { hides, same, shows, unfold } from "./expect.mjs";

export async function lifeOfAMemory({ page, visit, saved }) {
  await visit("/");
  await page.getByRole("link", { name: "Write a memory" }).click();
  await page.getByLabel("What to remember").fill("The glaze kiln fires at 1240 degrees.");
  await page.getByLabel("Kind").selectOption("decision");
  await page.getByLabel("Tags, comma-separated").fill("kiln, glaze");
  await page.getByRole("button", { name: "Remember" }).click();
  same(await saved(), "Remembered.", "the confirmation");
  await shows(page, "The glaze kiln fires at 1240 degrees.");

  await unfold(page, "Correct");
  await page.getByLabel("Corrected text").fill("The glaze kiln fires at 1260 degrees.");
  await page.getByLabel("Why").fill("new cones");
  await page.getByRole("button", { name: "Correct", exact: true }).click();
  await saved();
  await shows(page, "Version history");
  await shows(page, "Because: new cones");

  await page.keyboard.press("/");
  await page.keyboard.type("how hot is the kiln");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/memories?query=**");
  await shows(page, "1260 degrees");
  await hides(page, "1240 degrees");
  await page.getByLabel("Explain the ranking").check();
  await page.getByRole("button", { name: "Recall" }).click();
  await page.locator(".explain").first().waitFor();

  await page.locator(".card a.quiet").first().click();
  await unfold(page, "Flag as wrong");
  await page.getByLabel("What is wrong with it?").fill("I never said that");
  await page.getByRole("button", { name: "Flag", exact: true }).click();
  await saved();
  await shows(page, "I never said that");

  await unfold(page, "Forget");
  await page.getByRole("button", { name: "Forget permanently" }).click();
  await page.locator(".receipt").waitFor();
  await shows(page, "Forgotten: 2 memories");
  await visit("/memories?status=any");
  await hides(page, "degrees");
}

export async function manyAtOnce({ page, visit, saved }) {
  await visit("/memories");
  same(await page.locator(".card").count(), 3, "memories");
  same(await page.locator("#bulk").isVisible(), false, "the bar before anything is selected");
  await page.getByLabel("Select memory 1").check();
  await page.getByLabel("Select memory 2").check();
  same(await page.locator("#picked").textContent(), "2", "how many are selected");
  await page.locator("#bulk").getByPlaceholder("tag").fill("studio");
  await page.getByRole("button", { name: "Tag" }).click();
  await saved();
  await visit("/memories?tag=studio");
  same(await page.locator(".card").count(), 2, "tagged memories");
  await page.getByLabel("Select memory 1").check();
  await page.getByRole("button", { name: "Retire" }).click();
  await saved();
  await visit("/memories?status=retired");
  same(await page.locator(".card").count(), 1, "retired memories");
  await page.locator(".card a.quiet").click();
  await page.getByRole("button", { name: "Restore" }).click();
  await saved();
  await visit("/memories");
  await page.getByLabel("Select memory 3").check();
  await page.getByRole("button", { name: "Forget" }).click();
  await page.getByRole("button", { name: "Forget permanently?" }).click();
  await saved();
  await visit("/memories?status=any");
  same(await page.locator(".card").count(), 2, "memories that are left");
}

export async function nothingFound({ page, visit, saved }) {
  await visit("/memories?query=" + encodeURIComponent("what is the wifi password of the annex"));
  await shows(page, "Nothing found");
  await page.getByRole("link", { name: "Write this memory" }).click();
  same(await page.getByLabel("What to remember").inputValue(), "what is the wifi password of the annex", "the text to begin with");
  await page.getByLabel("What to remember").fill("The annex has no wifi.");
  await page.getByRole("button", { name: "Remember" }).click();
  await saved();
  await visit("/memories?kind=decision");
  await shows(page, "None matches these filters");
}
