// Live updates while a page is open: progress and audit events from the server.
import { call } from "./call.js";
import { announce } from "./toast.js";

let sources = [];

/** Opens a stream of events, which is closed when the content of the page is replaced. */
function listen(address) {
  const source = new EventSource(address);
  sources.push(source);
  return source;
}


function embedding(bar) {
  const source = listen(bar.dataset.events);
  source.addEventListener("progress", (event) => {
    const { done, total } = JSON.parse(event.data);
    bar.max = Math.max(1, total);
    bar.value = done;
    document.getElementById("embedded").textContent = `${done} of ${total} memories`;
  });
  source.addEventListener("done", () => source.close());
  source.addEventListener("error", () => source.close());
}

/** Shows new events above the others, as the server renders them, so that they look the same. */
function tail(body) {
  const source = listen(body.dataset.events);
  source.addEventListener("events", async (event) => {
    if (JSON.parse(event.data).length === 0) return;
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
    if (!answer?.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("events");
    const known = new Set([...body.rows].map((row) => row.dataset.event));
    const rows = [...(next?.rows ?? [])];
    for (const row of rows) if (!known.has(row.dataset.event)) row.className = "fresh";
    body.replaceChildren(...rows);
    document.dispatchEvent(new Event("times"));
  });
  source.addEventListener("error", () => source.close());
}

/** Adds what happens to the list on Home, and ticks the first step of a new memory. */
function feed(list) {
  const source = listen(list.dataset.feed);
  source.addEventListener("events", (event) => {
    for (const { at, agent, actor, happened, looking } of JSON.parse(event.data).reverse()) {
      if (looking) continue;
      const item = document.createElement("li");
      const [who, what, when] = [document.createElement("a"), document.createElement("span"), document.createElement("time")];
      who.href = `/agents/one?agent=${encodeURIComponent(agent)}`;
      who.textContent = actor;
      what.textContent = happened;
      what.dir = "auto";
      when.dateTime = at;
      item.className = "fresh";
      item.append(who, " ", what, " ", when);
      list.prepend(item);
    }
    while (list.children.length > 12) list.lastElementChild.remove();
    document.dispatchEvent(new Event("times"));
  });
  source.addEventListener("error", () => source.close());
}

/** Waits for the first agent of a new memory. */
function firstAgent(place) {
  const source = listen("/v1/events/audit");
  source.addEventListener("events", (event) => {
    const first = JSON.parse(event.data).find(({ dialect }) => !["rest", "command_line", "cli", "import"].includes(dialect));
    if (!first) return;
    source.close();
    place.textContent = `✓ ${first.agent} is connected`;
    place.dataset.status = "active";
    announce(place.textContent);
  });
}

/** Shows the value of the day under the pointer below a chart. */
function hovering(event) {
  const figure = event.target.closest?.("figure.growth");
  if (figure) figure.querySelector(".hovered").textContent = event.target.closest("[data-value]")?.dataset.value ?? "";
}

/** Links that open a client and add a server to its configuration, by client. */
const DEEP_LINKS = {
  cursor: (server) => `cursor://anysphere.cursor-deeplink/mcp/install?name=quipu&config=${encodeURIComponent(btoa(JSON.stringify(server)))}`,
  vscode: (server) => `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: "quipu", type: "http", ...server }))}`,
};

function showDeepLink(client, url, key) {
  const link = document.getElementById("open-client");
  const linkOf = DEEP_LINKS[client.value];
  link.hidden = !linkOf;
  if (!linkOf) return;
  link.href = linkOf({ url, headers: { Authorization: `Bearer ${key}` } });
  link.textContent = `Open ${client.selectedOptions[0].textContent} and add it`;
}

/** Shows the command with the key of a new agent, and whether the agent has connected. */
function connecting(form) {
  const { client, agent } = form.elements;
  client.addEventListener("change", () => { agent.value = client.value; });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const problem = form.querySelector(".problem");
    try {
      const { id, secret } = await call("POST", "/v1/keys", { agent: agent.value, scope: form.elements.scope.value, grants: form.elements.grants.value });
      const line = client.selectedOptions[0].dataset.line;
      const shown = document.getElementById("line");
      const url = `${form.dataset.origin ?? location.origin}${form.elements.path.value}`;
      shown.textContent = line.replaceAll("{url}", url).replaceAll("{key}", secret);
      showDeepLink(client, url, secret);
      document.getElementById("granting").href = `/agents/one?agent=${encodeURIComponent(agent.value)}`;
      document.getElementById("connected").hidden = false;
      form.hidden = true;
      watch(id);
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
  });
}

/** Waits until the key is used. */
function watch(id) {
  const waiting = document.getElementById("waiting");
  const source = listen(`/v1/events/keys/${id}`);
  source.addEventListener("connected", () => {
    source.close();
    waiting.textContent = "✓ connected";
    waiting.dataset.status = "active";
  });
  source.addEventListener("failed", (event) => { source.close(); waiting.textContent = event.data; });
}

/** Starts the live updates of the page. */
export function startLive() {
  for (const source of sources) source.close();
  sources = [];
  const bar = document.getElementById("embedding");
  if (bar) embedding(bar);
  const events = document.querySelector("#events[data-events]");
  if (events) tail(events);
  const happening = document.querySelector("[data-feed]");
  if (happening) feed(happening);
  const first = document.getElementById("first-agent");
  if (first) firstAgent(first);
  for (const figure of document.querySelectorAll("figure.growth")) for (const name of ["pointermove", "pointerleave"]) figure.addEventListener(name, hovering);
  const form = document.getElementById("connect");
  if (form) connecting(form);
}
