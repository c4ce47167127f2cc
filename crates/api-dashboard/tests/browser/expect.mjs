// Assertions for scenarios, with readable messages.

/** Fails unless a text is somewhere on the page, or comes there within a few seconds. */
export async function shows(page, text) {
  try {
    // A click may still be on its way to the next page, so this waits instead of counting at once.
    await page.getByText(text, { exact: false }).first().waitFor({ state: "attached", timeout: 5000 });
  } catch {
    throw new Error(`“${text}” is not on ${page.url()}`);
  }
}

/** Fails if a text is anywhere on the page. */
export async function hides(page, text) {
  const body = await page.locator("main").innerText();
  if (body.includes(text)) throw new Error(`“${text}” is still on ${page.url()}`);
}

/** Fails unless two values are equal. */
export function same(actual, expected, what) {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a}, not ${b}`);
}

/** Opens the details under a heading, unless they are open. */
export async function unfold(page, name) {
  const summary = page.locator("summary", { hasText: name }).first();
  if (!(await summary.evaluate((one) => one.parentElement.open))) await summary.click();
}
