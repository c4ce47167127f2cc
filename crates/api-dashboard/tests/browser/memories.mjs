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
  await page.locator("#palette[open]").waitFor();
  await page.keyboard.type("how hot is the kiln");
  await page.locator("#found-all li", { hasText: "1260 degrees" }).waitFor();
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
  await shows(page, "search index");
  if (/\b(shown|uses|view)\b|\b0\b/.test(await page.locator(".receipt dl").innerText())) throw new Error("the receipt has names for programs");
  await hides(page, "degrees");
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
  same(await saved(), "Tagged 2 memories.", "the confirmation");
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
  await page.getByLabel("Select memory 1").check();
  await page.getByRole("button", { name: "Retire" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator("#toasts", { hasText: "Undone." }).waitFor();
  same(await page.locator(".card").count(), 3, "memories after undoing");
  await page.locator("#toasts .close").last().click();
  await page.getByLabel("Select memory 3").check();
  await page.getByRole("button", { name: "Forget" }).click();
  await page.getByRole("button", { name: "Forget permanently?" }).click();
  await saved();
  await visit("/memories?status=any");
  same(await page.locator(".card").count(), 2, "memories that are left");
}

/** The list by keyboard: moving, selecting one, a range and all, editing; and the order. */
export async function byKeys({ page, visit }) {
  await visit("/memories");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  same(await page.locator("#picked").textContent(), "1", "selected by x");
  await page.keyboard.press("a");
  same(await page.locator("#picked").textContent(), "3", "selected by a");
  await page.keyboard.press("Escape");
  same(await page.locator("#bulk").isVisible(), false, "nothing is selected");
  await page.getByLabel("Select memory 3").click();
  await page.getByLabel("Select memory 1").click({ modifiers: ["Shift"] });
  same(await page.locator("#picked").textContent(), "3", "a range");
  await page.locator("#pick-all").uncheck();
  await page.keyboard.press("j");
  await page.keyboard.press("e");
  await page.waitForURL("**/memories/*#edit");
  await page.locator("#edit[open]").waitFor();
  await visit("/memories?sort=oldest");
  same(await page.locator(".card .text").first().innerText(), "The studio opens at nine.", "the oldest first");
}

/** The results of a search go on past fifty, and are sorted. */
export async function manyResults({ page, visit }) {
  await visit("/memories?query=kiln");
  same(await page.locator(".card").count(), 50, "results at first");
  await page.getByRole("link", { name: "Show more" }).click();
  await page.waitForURL("**shown=100**");
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  same(await page.locator(".card").count(), 60, "all results");
  await visit("/memories?query=kiln&sort=oldest&shown=100");
  same((await page.locator(".card .text").first().innerText()).trim(), "Kiln number 0 was fired on shelf 0.", "the oldest first");
}

/** Writing a memory tells what happened, and can be undone. */
export async function outcomes({ page, visit, saved }) {
  const write = async (text) => {
    await visit("/memories/new");
    await page.getByLabel("What to remember").fill(text);
    await page.getByRole("button", { name: "Remember" }).click();
    await page.waitForURL(/memories\/\d+/);
  };
  await write("The annex has no wifi.");
  same((await saved()).startsWith("Remembered."), true, "a new memory");
  await write("The annex has no wifi.");
  same(await saved(), "You knew this already: it is memory #1.", "a duplicate");
  await write("The deposit of the flat is 500 euros.");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator("#toasts", { hasText: "Undone." }).waitFor();
  await shows(page, "This was retired");
  await visit("/memories/new");
  await page.getByLabel("What to remember").fill("The key is ghp_16C7e42F292c6912E7710c838347Ae178B4a.");
  await page.getByRole("button", { name: "Remember" }).click();
  await page.locator(".problem", { hasText: "secret" }).waitFor();
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

/** The page of a memory: Markdown, every detail edited and undone, links, and a conflict decided in place. */
export async function edited({ page, visit, saved }) {
  await visit("/memories/1");
  await page.locator(".whole th", { hasText: "cone" }).waitFor();
  await page.locator(".whole strong", { hasText: "hot" }).waitFor();
  await page.locator(".whole pre .copy").waitFor();
  await unfold(page, "Edit details");
  await page.getByLabel("Title").fill("Firing");
  await page.getByLabel("Kind").selectOption("decision");
  await page.getByLabel("Tags, comma-separated").fill("kiln, glaze");
  await page.getByLabel("Project").fill("studio");
  await page.getByLabel("Priority").selectOption("1");
  await page.getByLabel("Valid until").fill("2031-05-03");
  await page.getByRole("button", { name: "Save details" }).click();
  await page.locator("#toasts", { hasText: "Saved." }).waitFor();
  same(await page.locator("h1").innerText(), "Firing", "the title");
  const facts = await page.locator("aside .pairs").first().innerText();
  for (const part of ["decision", "studio", "1"]) if (!facts.includes(part)) throw new Error(`“${part}” is not in ${facts}`);
  await page.locator("a.tag", { hasText: "glaze" }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator("#toasts", { hasText: "Undone." }).waitFor();
  same(await page.locator("h1").innerText(), "Memory 1", "the title after undoing");
  await page.locator("#toasts .close").last().click();

  await unfold(page, "Link to another memory");
  await page.getByLabel("Memory number").fill("2");
  await page.getByRole("button", { name: "Link", exact: true }).click();
  await saved();
  await page.locator(".link-line", { hasText: "Clay comes" }).getByRole("button", { name: "Remove" }).click();
  await saved();
  same(await page.locator(".link-line").count(), 0, "links");

  await visit("/memories/4");
  await page.locator("#conflicts").getByRole("button", { name: "Keep the newer" }).click();
  await saved();
  same(await page.locator("#conflicts").count(), 0, "conflicts");
  await visit("/review");
  await shows(page, "Nothing to review");
}

/** Forgetting an earlier value says which newer one stays. */
export async function newerStays({ page, visit, details }) {
  await visit(`/memories/${details.memory}`);
  await unfold(page, "Forget");
  await page.getByRole("button", { name: "Forget" }).click();
  await page.locator(".receipt").waitFor();
  const receipt = await page.locator(".receipt").innerText();
  if (!receipt.includes("The newer value stays: I live in Munich")) throw new Error(`the receipt says ${receipt}`);
}
