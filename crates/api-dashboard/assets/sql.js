// The SQL console: highlighting, Ctrl+Enter, a history in this browser, the result as a file, and a chart of a numeric column.

const WORDS = /('(?:[^']|'')*'|"[^"]*")|(--[^\n]*)|\b(select|from|where|group|order|by|having|limit|offset|join|left|inner|on|as|and|or|not|in|is|null|like|between|case|when|then|else|end|distinct|union|all|asc|desc|with|count|sum|avg|min|max)\b|\b(\d+(?:\.\d+)?)\b/gi;
const CLASSES = ["text", "comment", "word", "number"];
const KEY = "sql-history";

/** Fills the layer behind the field with the coloured text. */
function highlight(field, layer) {
  const parts = [];
  let at = 0;
  for (const match of field.value.matchAll(WORDS)) {
    parts.push(field.value.slice(at, match.index));
    const part = document.createElement("span");
    part.className = `sql-${CLASSES[match.slice(1).findIndex((group) => group !== undefined)]}`;
    part.textContent = match[0];
    parts.push(part);
    at = match.index + match[0].length;
  }
  layer.replaceChildren(...parts, `${field.value.slice(at)}\n`);
  layer.scrollTop = field.scrollTop;
}

function history(field) {
  const place = document.getElementById("sql-history");
  const known = JSON.parse(localStorage.getItem(KEY) ?? "[]");
  const shown = field.defaultValue.trim();
  if (shown && document.querySelector("table[data-result]")) localStorage.setItem(KEY, JSON.stringify([shown, ...known.filter((one) => one !== shown)].slice(0, 20)));
  const list = JSON.parse(localStorage.getItem(KEY) ?? "[]");
  place.closest("details").hidden = list.length === 0;
  place.replaceChildren(...list.map((sql) => {
    const [item, button] = [document.createElement("li"), document.createElement("button")];
    button.type = "button";
    button.className = "plain code";
    button.textContent = sql;
    button.addEventListener("click", () => { field.value = sql; field.dispatchEvent(new Event("input")); field.focus(); });
    item.append(button);
    return item;
  }));
}

const csv = (text) => {
  // A text that a spreadsheet would run as a formula gets a leading apostrophe.
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

function download(table) {
  const lines = [...table.rows].map((row) => [...row.cells].map((cell) => csv(cell.dataset.name ?? cell.textContent)).join(","));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`${lines.join("\r\n")}\r\n`], { type: "text/csv" }));
  link.download = "result.csv";
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Draws a column as bars, labelled by the first column of text. */
function draw(table, column, place) {
  const rows = [...table.tBodies[0].rows].slice(0, 60);
  const values = rows.map((row) => Number(row.cells[column].dataset.raw ?? row.cells[column].textContent) || 0);
  const label = [...rows[0]?.cells ?? []].findIndex((cell) => cell.dataset.type === "text");
  const most = Math.max(...values.map(Math.abs), 1e-9);
  place.replaceChildren(...rows.map((row, at) => {
    const [item, name, bar, value] = ["li", "span", "meter", "span"].map((tag) => document.createElement(tag));
    name.textContent = label >= 0 ? row.cells[label].textContent : `#${at + 1}`;
    [bar.min, bar.max, bar.value] = [0, most, Math.abs(values[at])];
    bar.ariaLabel = `${name.textContent}: ${values[at]}`;
    value.textContent = values[at];
    item.append(name, bar, value);
    return item;
  }));
}

/** Offers a chart of each numeric column of the table on the page. */
function charts() {
  const choice = document.getElementById("chart-column");
  const table = document.querySelector("table[data-result], table[data-grid]");
  if (!choice || !table) return;
  const heads = [...table.tHead.rows[0].cells];
  const numeric = heads.map((head, at) => [head, at]).filter(([head]) => ["integer", "number"].includes(head.dataset.type));
  choice.closest(".charting").hidden = numeric.length === 0;
  for (const [head, at] of numeric) choice.append(new Option(head.dataset.name ?? head.dataset.column, at));
  const place = document.getElementById("chart");
  choice.addEventListener("change", () => (choice.value === "" ? place.replaceChildren() : draw(table, Number(choice.value), place)));
}

/** Starts the console, and the charts of a table. */
export function startSql() {
  charts();
  const field = document.getElementById("sql");
  if (!field) return;
  const layer = document.getElementById("sql-colours");
  const show = () => highlight(field, layer);
  field.addEventListener("input", show);
  field.addEventListener("scroll", show);
  field.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); field.form.requestSubmit(); } });
  show();
  history(field);
  const table = document.querySelector("table[data-result]");
  document.getElementById("export-result")?.addEventListener("click", () => download(table));
}
