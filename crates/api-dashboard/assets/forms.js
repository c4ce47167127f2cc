// Forms that call an operation of /v1. A form names the operation in data-call ("PATCH /v1/memories/7"), the next page
// in data-go (names in braces come from the response), and the confirmation in data-say. Without data-go the page reloads.
import { flashNext } from "./app.js";
import { formToken } from "./entry.js";

const READERS = {
  text: (value) => (value === "" ? null : value),
  number: (value) => (value === "" ? null : Number(value)),
  json: (value) => (value.trim() === "" ? null : JSON.parse(value)),
  loose: (value) => { try { return READERS.json(value); } catch { return value; } },
  list: (value) => value.split(",").map((part) => part.trim()).filter(Boolean),
  ids: (value) => [Number(value)],
};

/** Calls an operation and returns its response; throws the message of a failure. */
export async function call(method, path, body, match) {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  const token = formToken();
  if (token) headers["X-Form-Token"] = token;
  if (match) headers["If-Match"] = match;
  const answer = await fetch(path, { method, headers, body: method === "GET" ? undefined : JSON.stringify(body) });
  const result = await answer.json().catch(() => ({}));
  if (answer.ok) return result;
  const { message = "The server did not answer.", hint = "Is it still running?" } = result.error ?? {};
  throw new Error(`${message}. ${hint}`);
}

/** The fields of a form by name, without empty and unchanged ones. */
function fieldsOf(form, submitter) {
  const grouped = form.dataset.group;
  const fields = form.dataset.nested ? { [form.dataset.nested]: {} } : {};
  for (const field of form.elements) {
    if (!field.name || field === submitter || field.tagName === "BUTTON" || field.type === "file") continue;
    if (field.dataset.nest !== undefined) {
      if (field.dataset.nest === "always" || field.value !== initial(field)) fields[form.dataset.nested][field.name] = field.value;
      continue;
    }
    const value = (READERS[field.dataset.as] ?? ((text) => (text === "" ? undefined : text)))(field.value);
    const changed = field.type === "hidden" || field.value !== initial(field);
    if (value === undefined || (grouped && !changed)) continue;
    if (value === null && !grouped) continue;
    fields[field.name] = value;
  }
  if (submitter?.name) fields[submitter.name] = submitter.value;
  return fields;
}

function initial(field) {
  if (field.tagName !== "SELECT") return field.defaultValue;
  return [...field.options].find((option) => option.defaultSelected)?.value ?? field.options[0]?.value;
}

/** The request body of a form: its fields, nested under a name where the operation expects that. */
function bodyOf(form, submitter) {
  const { pair, group, picked } = form.dataset;
  const fields = fieldsOf(form, submitter);
  if (pair) return { [pair]: { [fields.name]: READERS.loose(fields.value) } };
  if (group) return { [group]: fields };
  if (picked) fields[picked] = [...document.querySelectorAll(".pick:checked")].map((pick) => Number(pick.value));
  return fields;
}

/** The operation of a form; a new table is named in a field. */
function operationOf(form, fields) {
  if (!form.dataset.table) return [form.dataset.call.split(" ", 2), fields];
  const { table, column, value } = fields;
  return [["POST", `/v1/tables/${encodeURIComponent(table)}/rows`], { data: { [column]: READERS.loose(value) } }];
}

const filled = (text, answer) => text.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(answer[name] ?? ""));

function showReceipt(place, { memories, places, owed = [], backups = [] }) {
  const gone = Array.isArray(memories) ? memories.length : memories;
  const list = document.createElement("dl");
  list.className = "pairs";
  for (const { name, count } of places) {
    const [term, detail] = [document.createElement("dt"), document.createElement("dd")];
    term.textContent = name;
    detail.textContent = count;
    list.append(term, detail);
  }
  const summary = document.createElement("p");
  summary.textContent = `Forgotten: ${gone === 1 ? "one memory" : `${gone} memories`}. Removed from each place:`;
  const receipt = document.createElement("div");
  receipt.className = "receipt";
  receipt.append(summary, list);
  if (owed.length) {
    const later = document.createElement("p");
    later.textContent = `Unused bytes may still contain it while another process reads; they are cleared without further action: ${owed.join(", ")}`;
    receipt.append(later);
  }
  if (backups.length) {
    const remaining = document.createElement("p");
    remaining.textContent = `These backups still contain it; delete them if you want it gone there too: ${backups.join(", ")}`;
    receipt.append(remaining);
  }
  place.replaceChildren(receipt);
}

/** Asks for a second click within a few seconds, instead of a modal dialog. */
function isSure(form, button) {
  if (!form.dataset.sure || form.dataset.armed) return true;
  const before = button.textContent;
  form.dataset.armed = "true";
  button.textContent = form.dataset.sure;
  setTimeout(() => { delete form.dataset.armed; button.textContent = before; }, 6000);
  return false;
}

async function send(form, submitter) {
  const [[method, path], body] = operationOf(form, bodyOf(form, submitter));
  const answer = await call(method, path, body, form.dataset.match);
  if (form.dataset.receipt) {
    form.hidden = true;
    showReceipt(document.querySelector(form.dataset.receipt), answer);
    return;
  }
  if (form.dataset.told) {
    document.querySelector(form.dataset.told).textContent = answer.path ? location.origin + answer.path : answer.summary ?? Object.values(answer).join(", ");
    return;
  }
  if (form.dataset.leave) {
    location.assign(answer[form.dataset.leave]);
    return;
  }
  if (form.dataset.say) flashNext([form.dataset.say, ...(answer.notes ?? [])].join(" "));
  if (form.dataset.table) location.assign(`/tables/${encodeURIComponent(answer.table)}`);
  else if (form.dataset.go) location.assign(filled(form.dataset.go, answer));
  else location.reload();
}

async function submitted(event) {
  const form = event.target;
  if (!form.dataset.call && !form.dataset.table) return;
  event.preventDefault();
  const button = event.submitter ?? form.querySelector("button");
  if (!isSure(form, button)) return;
  const problem = form.querySelector(".problem");
  if (problem) problem.hidden = true;
  button.disabled = true;
  try {
    await send(form, event.submitter);
  } catch (error) {
    if (problem) { problem.textContent = error.message; problem.hidden = false; }
  } finally {
    button.disabled = false;
  }
}

/** Copies a selected file into the text field, and its name into the path field. */
async function chosen(event) {
  const { into, name } = event.target.dataset;
  const file = event.target.files?.[0];
  if (!into || !file) return;
  const { elements } = event.target.form;
  elements[into].value = await file.text();
  elements[name].value ||= file.name;
}

/** Makes the forms of the page call their operations. */
export function startForms() {
  document.addEventListener("submit", submitted);
  document.addEventListener("change", chosen);
}
