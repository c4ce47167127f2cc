// Live updates while a page is open: progress and audit events from the server.
import { call } from "./forms.js";

function embedding(bar) {
  const source = new EventSource(bar.dataset.events);
  source.addEventListener("progress", (event) => {
    const { done, total } = JSON.parse(event.data);
    bar.max = Math.max(1, total);
    bar.value = done;
    document.getElementById("embedded").textContent = `${done} of ${total} memories`;
  });
  source.addEventListener("done", () => source.close());
  source.addEventListener("error", () => source.close());
}

/** Inserts new events above the existing ones. */
function tail(body) {
  const source = new EventSource(body.dataset.events);
  source.addEventListener("events", (event) => {
    for (const { at, agent, client, dialect, tool, resource, outcome, note } of JSON.parse(event.data).reverse()) {
      const row = document.createElement("tr");
      for (const text of [new Date(at).toLocaleTimeString(), `${agent} ${client ?? ""}`, `${dialect} ${tool}`, resource, outcome, note]) row.insertCell().textContent = text;
      row.className = "fresh";
      body.prepend(row);
    }
    while (body.rows.length > 300) body.lastElementChild.remove();
  });
  source.addEventListener("error", () => source.close());
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
      document.getElementById("line").textContent = line.replaceAll("{url}", `${form.dataset.origin ?? location.origin}${form.elements.path.value}`).replaceAll("{key}", secret);
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
  const source = new EventSource(`/v1/events/keys/${id}`);
  source.addEventListener("connected", () => {
    source.close();
    waiting.textContent = "connected";
    waiting.dataset.status = "active";
  });
  source.addEventListener("failed", (event) => { source.close(); waiting.textContent = event.data; });
}

/** Starts the live updates of the page. */
export function startLive() {
  const bar = document.getElementById("embedding");
  if (bar) embedding(bar);
  const events = document.querySelector("#events[data-events]");
  if (events) tail(events);
  const form = document.getElementById("connect");
  if (form) connecting(form);
}
