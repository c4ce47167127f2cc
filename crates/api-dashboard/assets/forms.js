// Forms that call an operation of /v1. A form names the operation in data-call ("PATCH /v1/memories/7"), the next page
// in data-go (names in braces come from the response), the confirmation in data-say, and the operation that takes it back in
// data-undo. Without data-go the page is shown anew in place; data-vanish removes only the item that the form was about.
import { call } from "./call.js";
import { copyButton } from "./copy.js";
import { confirmation, filled, undoOf } from "./outcome.js";
import { announce, refresh, toast, toastNext } from "./toast.js";

export { call };

const READERS = {
  text: (value) => (value === "" ? null : value),
  number: (value) => { if (Number.isNaN(Number(value))) throw new Error(`“${value}” is not a number.`); return value === "" ? null : Number(value); },
  json: (value) => (value.trim() === "" ? null : JSON.parse(value)),
  loose: (value) => { try { return READERS.json(value); } catch { return value; } },
  list: (value) => value.split(",").map((part) => part.trim()).filter(Boolean),
  ids: (value) => [Number(value)],
  patch: (value, field) => patchBetween(JSON.parse(field.defaultValue), JSON.parse(value)),
  truth: (value) => { const at = ["no", "yes"].indexOf(value.trim().toLowerCase()); if (at < 0) throw new Error("Write yes or no."); return at === 1; },
  group: (value) => Object.fromEntries(value.split(",").map((part) => { const [name, ...rest] = part.split(":"); if (!rest.length || !name.trim()) throw new Error("Write each field as name: value, with commas between."); return [name.trim(), rest.join(":").trim()]; })),
};

const isGroup = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** The merge patch that makes one value of another: a removed field of a group is null. */
function patchBetween(before, after) {
  if (!isGroup(before) || !isGroup(after)) return after;
  const gone = Object.keys(before).filter((name) => !(name in after)).map((name) => [name, null]);
  const changed = Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]));
  return Object.fromEntries([...gone, ...changed.map(([name, value]) => [name, patchBetween(before[name], value)])]);
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
    const value = (READERS[field.dataset.as] ?? ((text) => (text === "" ? undefined : text)))(field.value, field);
    const changed = field.type === "hidden" || field.value !== initial(field);
    if (form.dataset.keepEmpty) {
      if (changed) fields[field.name] = value ?? "";
      continue;
    }
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
  if (pair) return { [pair]: { [fields.name]: READERS[fields.value_kind ?? "loose"](fields.value) } };
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

/** A sentence with links to memories. */
function listed(sentence, memories) {
  const part = document.createElement("p");
  part.append(sentence);
  for (const [id, text] of memories) part.append(" ", Object.assign(document.createElement("a"), { href: `/memories/${id}`, textContent: text.slice(0, 200), dir: "auto" }));
  return part;
}

/** Words for places of the store that a receipt names otherwise. */
const PLACES = {
  uses: "use counts", shown: "notes of who was shown it", records: "table rows", reviews: "review items", episodes: "summaries of sessions", view: "search index", "view snapshot": "stored search index",
  dropped_records: "numbers of deleted rows", relation_memories: "sources of relations", contexts: "sources of workspaces", idempotency: "answers kept for repeated calls", usage: "usage counts",
};

function showReceipt({ memories, places, owed = [], backups = [], newer_value_stays: stays = [], also_say_this: same = [] }) {
  const gone = Array.isArray(memories) ? memories.length : memories;
  const list = document.createElement("dl");
  list.className = "pairs";
  for (const { name, count } of places.filter(({ count }) => count > 0)) {
    const [term, detail] = [document.createElement("dt"), document.createElement("dd")];
    term.textContent = PLACES[name] ?? name.replaceAll("_", " ");
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
  if (stays.length) receipt.append(listed("The newer value stays:", stays.map(({ id, text }) => [id, text])));
  if (same.length) receipt.append(listed("These contain the same text and stay:", same.map((id) => [id, `#${id}`])));
  // The page still shows what was forgotten: only the receipt stays.
  const title = document.createElement("h1");
  title.textContent = "Forgotten";
  const back = document.createElement("p");
  back.append(Object.assign(document.createElement("a"), { href: "/memories", textContent: "Back to the memories" }));
  document.title = "Forgotten · Quipu";
  const main = document.getElementById("main");
  main.replaceChildren(title, receipt, back);
  main.focus();
  announce(receipt.textContent);
}

/** Asks for a second click within a few seconds, instead of a modal dialog. */
function isSure(form, button) {
  if (!form.dataset.sure || form.dataset.armed) return true;
  const before = button.textContent;
  form.dataset.armed = "true";
  button.textContent = form.dataset.sure;
  announce(form.dataset.sure);
  setTimeout(() => { delete form.dataset.armed; button.textContent = before; }, 6000);
  return false;
}

/** Shows a value of the response where the form says, with a button that copies it. */
function tell(form, answer) {
  const place = document.querySelector(form.dataset.told);
  place.textContent = answer.path ? location.origin + answer.path : answer.summary ?? Object.values(answer).join(", ");
  if (place.nextElementSibling?.matches(".copy")) place.nextElementSibling.remove();
  if (answer.path) place.after(copyButton(place.textContent));
}

/** Removes the item that a form was about, and moves on to the next. */
function removeItem(form) {
  const item = form.closest(form.dataset.vanish);
  const items = [...document.querySelectorAll(`main ${form.dataset.vanish}`)];
  const at = items.indexOf(item);
  const next = items[at + 1] ?? items[at - 1];
  const group = item.closest("[data-items]");
  item.remove();
  if (group && !group.querySelector(form.dataset.vanish)) group.remove();
  document.dispatchEvent(new CustomEvent("removed", { detail: next }));
  return items.length > 1 ? undefined : refresh();
}

async function send(form, submitter) {
  const body = bodyOf(form, submitter);
  const [[method, path], sent] = operationOf(form, body);
  const answer = await call(method, path, sent, form.dataset.match);
  if (form.dataset.receipt) return showReceipt(answer);
  if (form.dataset.told) return tell(form, answer);
  if (form.dataset.leave) return location.assign(answer[form.dataset.leave]);
  const { text, links } = confirmation(form, answer, sent[form.dataset.picked]?.length ?? 1);
  const options = { undo: undoOf(form, sent, answer), links };
  const go = form.dataset.table ? `/tables/${encodeURIComponent(answer.table)}` : form.dataset.go && filled(form.dataset.go, answer, encodeURIComponent);
  if (go) {
    toastNext(text, options);
    return location.assign(go);
  }
  await (form.dataset.vanish ? removeItem(form) : refresh());
  toast(text, options);
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
    if (problem) { problem.textContent = error.message; problem.hidden = false; } else toast(error.message, { bad: true });
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
