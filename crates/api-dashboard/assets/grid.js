// The grid of a table: cells by keyboard and edited in place, hidden columns, several rows at once, rows pasted from a spreadsheet.
import { call } from "./call.js";
import { refresh, toast } from "./toast.js";

const grid = () => document.querySelector("table[data-grid]");
const address = () => `/v1/tables/${encodeURIComponent(grid().dataset.grid)}/rows`;
const cellsOf = (row) => [...row.cells].filter((cell) => cell.dataset.column !== undefined && !cell.hidden);

/** The value of a typed text for the type of a column. */
export function typed(text, kind) {
  const plain = text.trim();
  if (plain === "") return null;
  if (["integer", "number"].includes(kind) && !Number.isNaN(Number(plain))) return Number(plain);
  if (kind === "boolean" && /^(yes|true|no|false)$/i.test(plain)) return /^(yes|true)$/i.test(plain);
  if (kind === "json") { try { return JSON.parse(plain); } catch { return text; } }
  return text;
}

const rawOf = (cell) => cell.dataset.raw ?? cell.textContent;

function focusCell(cell) {
  if (!cell) return;
  for (const one of grid().querySelectorAll('td[tabindex="0"]')) one.tabIndex = -1;
  cell.tabIndex = 0;
  cell.focus();
}

function move(cell, down, right) {
  const rows = [...grid().tBodies[0].rows];
  const row = rows[rows.indexOf(cell.parentElement) + down];
  if (row) focusCell(cellsOf(row)[cellsOf(cell.parentElement).indexOf(cell) + right]);
}

/** Replaces a cell by a field until Enter saves it or Escape leaves it as it was. */
function edit(cell, start) {
  const before = rawOf(cell);
  const field = document.createElement("input");
  field.value = start ?? before;
  field.setAttribute("aria-label", `${cell.dataset.column} of row ${cell.parentElement.dataset.row}`);
  const shown = [...cell.childNodes];
  cell.replaceChildren(field);
  field.focus();
  let ended = false;
  const end = async (save, down) => {
    if (ended) return;
    ended = true;
    const text = field.value;
    cell.replaceChildren(...shown);
    if (save && text !== before) await store(cell, text, before);
    const again = grid().querySelector(`tr[data-row="${cell.parentElement.dataset.row}"] td[data-column="${CSS.escape(cell.dataset.column)}"]`);
    focusCell(again);
    if (down && again) move(again, 1, 0);
  };
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter" || event.key === "Tab") { event.preventDefault(); end(true, event.key === "Enter"); }
    if (event.key === "Escape") end(false);
  });
  field.addEventListener("blur", () => end(true));
}

async function store(cell, text, before) {
  const { row, tag } = cell.parentElement.dataset;
  const { column, type } = cell.dataset;
  const path = `${address()}/${row}`;
  try {
    await call("PATCH", path, { patch: { [column]: typed(text, type) } }, tag);
    await refresh();
    toast("Saved.", { undo: [{ call: `PATCH ${path}`, body: { patch: { [column]: typed(before, type) } } }] });
  } catch (error) {
    toast(error.message, { bad: true });
  }
}

const MOVES = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function pressed(event) {
  const cell = event.target.closest?.("td[data-column]");
  if (!cell || event.target !== cell || event.ctrlKey || event.metaKey || event.altKey) return;
  if (MOVES[event.key]) { event.preventDefault(); move(cell, ...MOVES[event.key]); }
  else if (event.key === "Enter" || event.key === "F2") { event.preventDefault(); edit(cell); }
  else if (event.key.length === 1) { event.preventDefault(); edit(cell, event.key); }
}

/** Rows of a text copied from a spreadsheet: tabs or commas, the first line as header when it names columns. */
export function pastedRows(text, columns, types) {
  const lines = text.replace(/\r/g, "").split("\n").filter((line) => line.trim());
  const split = (line) => (line.includes("\t") ? line.split("\t") : line.match(/("([^"]|"")*"|[^,]*)(,|$)/g).slice(0, line.endsWith(",") ? undefined : -1).map((part) => part.replace(/,$/, ""))).map((part) => part.trim().replace(/^"(.*)"$/s, "$1").replaceAll('""', '"'));
  const table = lines.map(split);
  const first = table[0]?.map((name) => name.toLowerCase()) ?? [];
  const named = first.some((name) => columns.includes(name));
  const heads = named ? table[0].map((name) => columns.find((known) => known.toLowerCase() === name.toLowerCase()) ?? name) : columns;
  return table.slice(named ? 1 : 0).map((parts) => Object.fromEntries(parts.slice(0, heads.length).map((part, at) => [heads[at], typed(part, types[columns.indexOf(heads[at])] ?? (Number.isNaN(Number(part)) ? "text" : "number"))]).filter(([, value]) => value !== null)));
}

async function addRows(rows, word) {
  const made = [];
  const path = address();
  try {
    for (const data of rows) made.push((await call("POST", path, { data })).row);
  } catch (error) {
    toast(`${made.length} of ${rows.length} rows were added. ${error.message}`, { bad: true });
  }
  await refresh();
  const undo = made.map((row) => ({ call: `DELETE ${path}/${row}` }));
  if (made.length) toast(`${made.length === 1 ? "One row" : `${made.length} rows`} ${word}.`, { undo });
}

const headers = () => [...grid().tHead.rows[0].cells].filter((head) => head.dataset.column !== undefined);

function pasted(form) {
  const rows = pastedRows(form.elements.pasted.value, headers().map((head) => head.dataset.column), headers().map((head) => head.dataset.type));
  form.elements.pasted.value = "";
  return addRows(rows, "added");
}

const picked = () => [...grid().querySelectorAll(".pick:checked")].map((box) => box.closest("tr"));
const dataOf = (row) => Object.fromEntries(cellsOf(row).map((cell) => [cell.dataset.column, typed(rawOf(cell), cell.dataset.type)]).filter(([, value]) => value !== null));

async function removeRows() {
  const rows = picked();
  // Without rows there is no grid any more that knows its table.
  const path = address();
  const gone = [];
  for (const row of rows) await call("DELETE", `${path}/${row.dataset.row}`).then((answer) => gone.push(answer.data), (error) => toast(error.message, { bad: true }));
  await refresh();
  toast(`${gone.length === 1 ? "One row" : `${gone.length} rows`} deleted.`, { undo: gone.map((data) => ({ call: `POST ${path}`, body: { data } })) });
}

/** Shows only the columns that were not hidden; remembered for each table in this browser. */
function hideColumns() {
  const key = `hidden-columns ${grid().dataset.grid}`;
  const hidden = new Set(JSON.parse(localStorage.getItem(key) ?? "[]"));
  const apply = () => {
    for (const cell of grid().querySelectorAll("[data-column]")) cell.hidden = hidden.has(cell.dataset.column);
    localStorage.setItem(key, JSON.stringify([...hidden]));
  };
  for (const box of document.querySelectorAll("#columns input")) {
    box.checked = !hidden.has(box.value);
    box.addEventListener("change", () => { box.checked ? hidden.delete(box.value) : hidden.add(box.value); apply(); });
  }
  apply();
}

/** Starts the grid of the page. */
export function startGrid() {
  const table = grid();
  if (!table) return;
  table.addEventListener("keydown", pressed);
  table.addEventListener("dblclick", (event) => { const cell = event.target.closest("td[data-column]"); if (cell && !cell.querySelector("input")) edit(cell); });
  table.addEventListener("click", (event) => { const cell = event.target.closest("td[data-column]"); if (cell && event.target === cell) focusCell(cell); });
  const first = table.querySelector("td[data-column]");
  if (first) first.tabIndex = 0;
  hideColumns();
  document.getElementById("paste-rows")?.addEventListener("submit", (event) => { event.preventDefault(); pasted(event.target); });
  document.getElementById("delete-rows")?.addEventListener("click", removeRows);
  document.getElementById("duplicate-rows")?.addEventListener("click", () => addRows(picked().map(dataOf), "duplicated"));
}
