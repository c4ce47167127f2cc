// A program of another site sends the browser here, and the owner decides what it may do.
import { readFileSync } from "node:fs";
import { same, shows, unfold } from "./expect.mjs";

const CALLBACK = "http://127.0.0.1:4711/callback";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** Another site with a link by which a registered program sends its user here; the redirect back to it is caught. */
async function program(page, plain, name) {
  const registered = await fetch(`${plain}/oauth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ client_name: name, redirect_uris: [CALLBACK] }),
  }).then((answer) => answer.json());
  const asked = new URL(`${plain}/oauth/authorize`);
  const parameters = { response_type: "code", client_id: registered.client_id, redirect_uri: CALLBACK, code_challenge: CHALLENGE, code_challenge_method: "S256", scope: "read write", state: "a&b=<c>", resource: `${plain}/mcp` };
  for (const [name, value] of Object.entries(parameters)) asked.searchParams.set(name, value);
  const html = { contentType: "text/html" };
  const link = asked.href.replaceAll("&", "&amp;");
  await page.route("http://app.example/**", (route) => route.fulfill({ ...html, body: `<title>App</title><a href="${link}">Connect</a>` }));
  await page.route(`${CALLBACK}**`, (route) => route.fulfill({ ...html, body: "<title>Back</title>back" }));
  return asked;
}

async function connect(page) {
  await page.goto("http://app.example/");
  await page.getByRole("link", { name: "Connect" }).click();
}

const back = async (page) => {
  await page.waitForURL(`${CALLBACK}**`);
  return new URL(page.url()).searchParams;
};

export async function allowed({ page, visit, plain, packages, saved }) {
  await program(page, plain, "Kiln watcher");
  await connect(page);
  // The other site's link led to the plain address, and our own page from there to the dashboard with its session.
  await page.waitForURL("**/oauth/consent?**");
  await shows(page, "Allow Kiln watcher to access your memory?");
  await shows(page, CALLBACK);
  const axe = readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8");
  const found = await page.evaluate(`${axe}; axe.run(document, { resultTypes: ["violations"] })`);
  same(found.violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id }) => id), [], "what axe finds");

  same(await page.locator("form select[data-nest=always]").evaluateAll((all) => [...new Set(all.map(({ value }) => value))]), ["read"], "what is chosen before");
  await page.getByLabel("What it may do with the profile").selectOption("none");
  await page.getByLabel("What it may do with every table").selectOption("write");
  await page.getByLabel("What it may do with memories of every collection").selectOption("read");
  await page.getByRole("button", { name: "Allow" }).click();
  const answer = await back(page);
  same([answer.get("state"), answer.get("iss"), answer.has("code")], ["a&b=<c>", plain, true], "the answer");

  await visit("/agents");
  await page.getByRole("link", { name: /^Kiln watcher / }).first().click();
  same(await page.getByLabel("What it may do with the profile", { exact: true }).inputValue(), "none", "the profile");
  same(await page.getByLabel("What it may do with memories of every collection", { exact: true }).inputValue(), "read", "memories");
  same(await page.getByLabel("What it may do with every table", { exact: true }).inputValue(), "write", "tables");
}

export async function toIndividualResources({ page, visit, plain }) {
  await program(page, plain, "Kiln watcher");
  await connect(page);
  await page.waitForURL("**/oauth/consent?**");
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  await unfold(page, "Individual tables and collections");
  await page.getByLabel("What it may do with every table").selectOption("none");
  const rule = (place) => page.getByLabel(`What it may do with ${place}`, { exact: true });
  same(await rule("the table books").inputValue(), "", "before it is chosen");
  await rule("the table meals").selectOption("read");
  await rule("the collection diary").selectOption("none");
  await page.getByLabel("Another").selectOption("vectors");
  await page.getByLabel("Its name").fill("dreams");
  await page.getByLabel("Its name").press("Enter");
  same([await rule("the collection dreams").inputValue(), new URL(page.url()).pathname], ["read", "/oauth/consent"], "a resource by name");
  await page.getByRole("button", { name: "Allow" }).click();
  same((await back(page)).has("code"), true, "the code");

  const chosenRules = async () => {
    await visit("/agents");
    await page.getByRole("link", { name: /^Kiln watcher / }).first().click();
    const chosen = [];
    for (const place of ["every table", "the table meals", "the table books", "the collection diary", "the collection dreams"]) chosen.push(await rule(place).inputValue());
    return chosen;
  };
  same(await chosenRules(), ["none", "read", "", "none", "read"], "the rules");

  // A second request shows what was chosen, and a rule can be removed.
  await connect(page);
  await page.waitForURL("**/oauth/consent?**");
  same(await rule("the table meals").inputValue(), "read", "what was chosen before");
  await rule("the table meals").selectOption("");
  await page.getByRole("button", { name: "Allow" }).click();
  await back(page);
  same(await chosenRules(), ["none", "", "", "none", "read"], "the rules after one was removed");
}

export async function denied({ page, plain }) {
  await program(page, plain, "Kiln watcher");
  await connect(page);
  await page.getByRole("button", { name: "Deny", exact: true }).click();
  const answer = await back(page);
  same([answer.get("error"), answer.has("code")], ["access_denied", false], "the answer");
}

export async function afterTheLogin({ page, visit, plain, details }) {
  await visit("/");
  await page.getByRole("button", { name: "Log out" }).click();
  await page.waitForURL("**/login");
  await program(page, plain, "Kiln watcher");
  await connect(page);
  await page.waitForURL("**/login?next=**");
  await page.getByLabel("Token").fill(details.token);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.waitForURL("**/oauth/consent?**");
  await page.getByRole("button", { name: "Allow" }).click();
  same((await back(page)).has("code"), true, "the code");
}
