// The command palette: pages and actions by name, and memories, entities and tables as one types.
import { call } from "./call.js";

const ACTIONS = [
  ["Write a memory", "/memories/new"], ["Connect an agent", "/agents"], ["Back up", "/settings"], ["Import a file", "/settings#import"],
  ["Run SQL", "/tables-console"], ["Verify the audit log", "/activity"], ["See what an agent sees", "/sees"],
];
/** Time without a key after which the memory is asked, in milliseconds. */
const PAUSE = 120;

let asked = 0;

/** Opens the palette. */
export function openPalette() {
  const dialog = document.getElementById("palette");
  if (!dialog || dialog.open) return;
  const field = document.getElementById("ask-all");
  field.value = "";
  dialog.showModal();
  field.focus();
  show([]);
  found(field.value);
}

const matches = (name, words) => words.every((word) => name.toLowerCase().includes(word));

/** Pages and actions whose names contain all words. */
function named(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const pages = [...document.querySelectorAll(".rail nav a")].map((link) => [link.dataset.name ?? link.textContent.trim(), link.getAttribute("href"), "page"]);
  const actions = ACTIONS.map(([name, address]) => [name, address, "action"]);
  return [...pages, ...actions].filter(([name]) => matches(name, words)).slice(0, words.length ? 6 : 20);
}

async function found(text) {
  const turn = ++asked;
  const question = text.trim().length < 2 ? [] : [[`Recall “${text.trim()}”`, `/memories?query=${encodeURIComponent(text.trim())}`, "Enter"]];
  const first = [...named(text), ...question];
  show(first);
  if (text.trim().length < 2) return;
  await new Promise((done) => setTimeout(done, PAUSE));
  if (turn !== asked) return;
  const [recalled, entities, tables] = await Promise.all([
    call("POST", "/v1/recall", { query: text, limit: 8 }).catch(() => ({ hits: [] })),
    call("GET", `/v1/entities?name=${encodeURIComponent(text)}&limit=5`).catch(() => ({ items: [] })),
    call("GET", "/v1/tables").catch(() => []),
  ]);
  if (turn !== asked) return;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  show([
    ...first,
    ...recalled.hits.map(({ memory }) => [memory.title ?? memory.text.slice(0, 140), `/memories/${memory.id}`, memory.kind]),
    ...entities.items.map(({ id, name, kind }) => [name, `/entities/${id}`, kind ?? "entity"]),
    ...tables.filter(({ name }) => matches(name, words)).map(({ name }) => [name, `/tables/${encodeURIComponent(name)}`, "table"]),
  ]);
}

function show(rows) {
  const list = document.getElementById("found-all");
  const before = document.querySelector("#found-all [aria-selected=true]")?.dataset.go;
  list.replaceChildren(...rows.map(([name, address, kind], at) => {
    const row = document.createElement("li");
    row.id = `found-${at}`;
    row.role = "option";
    row.dataset.go = address;
    const [text, mark] = [document.createElement("span"), document.createElement("small")];
    text.textContent = name;
    text.dir = "auto";
    mark.textContent = kind;
    row.append(text, mark);
    return row;
  }));
  mark(Math.max(0, rows.findIndex(([, address]) => address === before)));
}

function mark(at) {
  const rows = [...document.querySelectorAll("#found-all li")];
  rows.forEach((row, index) => row.setAttribute("aria-selected", String(index === at)));
  rows[at]?.scrollIntoView({ block: "nearest" });
  document.getElementById("ask-all").setAttribute("aria-activedescendant", rows[at]?.id ?? "");
}

function pressed(event) {
  const rows = [...document.querySelectorAll("#found-all li")];
  const at = rows.findIndex((row) => row.ariaSelected === "true");
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    mark((at + (event.key === "ArrowDown" ? 1 : rows.length - 1)) % Math.max(1, rows.length));
  }
  if (event.key === "Enter") {
    event.preventDefault();
    // A question that was typed fast is a question, even before its answers are here.
    const go = rows[at]?.dataset.go ?? `/memories?query=${encodeURIComponent(event.target.value)}`;
    location.assign(go);
  }
}

/** Starts the palette. */
export function startPalette() {
  const field = document.getElementById("ask-all");
  if (!field) return;
  field.addEventListener("input", () => found(field.value));
  field.addEventListener("keydown", pressed);
  document.getElementById("found-all").addEventListener("click", (event) => {
    const go = event.target.closest("li")?.dataset.go;
    if (go) location.assign(go);
  });
  document.getElementById("palette").addEventListener("click", (event) => { if (event.target.id === "palette") event.target.close(); });
  for (const opener of document.querySelectorAll("[data-palette]")) opener.addEventListener("click", openPalette);
}
