// Editors for the lists and groups of the profile, and proposed changes at the field that they would change. The form sends
// one hidden field for each list or group, which follows what is edited here.

const isGroup = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const words = (path) => path.replaceAll("_", " ").replaceAll(".", ", ");

function make(tag, properties = {}, ...children) {
  const one = Object.assign(document.createElement(tag), properties);
  one.append(...children);
  return one;
}

function action(text, label, act) {
  const button = make("button", { type: "button", className: "plain", textContent: text });
  if (label) button.setAttribute("aria-label", label);
  button.addEventListener("click", act);
  return button;
}

/** Tells the hidden field that something below a node changed. */
const changed = (node) => node.dispatchEvent(new Event("input", { bubbles: true }));

/** An editor for one value; its `read` returns the value, undefined when it is empty. */
function editor(value, path) {
  if (Array.isArray(value)) return list(value, path);
  if (isGroup(value)) return group(value, path);
  const field = scalar(value);
  field.setAttribute("aria-label", words(path));
  field.dir = "auto";
  return field;
}

function scalar(value) {
  if (typeof value === "boolean") {
    const select = make("select", {}, ...["yes", "no"].map((text) => make("option", { textContent: text, value: text })));
    select.value = value ? "yes" : "no";
    select.read = () => select.value === "yes";
    return select;
  }
  const text = String(value ?? "");
  const isLong = text.length > 80 || text.includes("\n");
  const field = isLong ? make("textarea", { rows: 3, value: text }) : make("input", { value: text });
  if (typeof value === "number") Object.assign(field, { type: "number", step: "any", value: text });
  field.read = () => (field.value === "" ? undefined : typeof value === "number" ? Number(field.value) : field.value);
  return field;
}

/** A new value like another one: the same kind, without content. */
function emptyLike(value) {
  if (Array.isArray(value)) return [];
  if (isGroup(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, emptyLike(inner)]));
  return typeof value === "number" ? 0 : typeof value === "boolean" ? false : "";
}

function list(values, path) {
  const items = make("ol");
  const add = (value, after) => {
    const row = listRow(value, path, items);
    if (after) after.after(row); else items.append(row);
    number(items);
    return row;
  };
  for (const value of values) add(value);
  const next = () => {
    const before = items.lastElementChild?.editor.read() ?? values.at(-1) ?? "";
    const row = add(emptyLike(before));
    row.querySelector("input, select, textarea")?.focus();
    changed(items);
  };
  items.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target.tagName !== "INPUT" || event.target.closest("ol") !== items) return;
    event.preventDefault();
    next();
  });
  const more = make("div", { className: "add" }, action("Add an item", `Add an item to ${words(path)}`, next));
  const one = make("div", {}, items, more);
  one.read = () => {
    const read = [...items.children].map((row) => row.editor.read()).filter((value) => value !== undefined);
    return read.length ? read : undefined;
  };
  return one;
}

function listRow(value, path, items) {
  const row = make("li");
  row.editor = boxed(value, `${path} item`);
  const move = (step) => {
    const other = step < 0 ? row.previousElementSibling : row.nextElementSibling;
    if (!other) return;
    if (step < 0) other.before(row); else other.after(row);
    number(items);
    changed(items);
  };
  row.append(row.editor, action("↑", "", () => move(-1)), action("↓", "", () => move(1)), action("×", "", () => { const from = row.nextElementSibling ?? row.previousElementSibling; row.remove(); number(items); changed(items); from?.querySelector("input, select, textarea")?.focus(); }));
  return row;
}

/** Names the parts of each row of a list by its place, for screen readers. */
function number(items) {
  [...items.children].forEach((row, at) => {
    const place = `item ${at + 1}`;
    row.editor.setAttribute("aria-label", place);
    [...row.children].filter((one) => one.tagName === "BUTTON").forEach((button, which) => button.setAttribute("aria-label", `${["Move up", "Move down", "Remove"][which]} ${place}`));
  });
}

/** An editor in a frame of its own, where it is a list or a group. */
function boxed(value, path) {
  const inner = editor(value, path);
  if (inner.read === undefined || ["INPUT", "SELECT", "TEXTAREA"].includes(inner.tagName)) return inner;
  const box = make("div", { className: "tree" }, inner);
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", words(path));
  box.read = inner.read;
  return box;
}

const KINDS = { text: "", number: 0, "yes or no": false, list: [""], group: {} };

function group(values, path) {
  const rows = make("ul");
  const add = (name, value) => {
    const row = make("li");
    row.dataset.path = `${path}.${name}`;
    row.name = name;
    row.editor = boxed(value, row.dataset.path);
    row.append(make("span", { className: "name", textContent: name.replaceAll("_", " "), dir: "auto" }), row.editor, action("×", `Remove ${name}`, () => { row.remove(); changed(rows); }));
    rows.append(row);
    return row;
  };
  for (const [name, value] of Object.entries(values)) add(name, value);
  const one = make("div", {}, rows, newField(path, rows, add));
  one.read = () => {
    const read = [...rows.children].filter((row) => row.editor).map((row) => [row.name, row.editor.read()]).filter(([, value]) => value !== undefined);
    return read.length ? Object.fromEntries(read) : undefined;
  };
  return one;
}

/** The line that adds a field to a group. */
function newField(path, rows, add) {
  const name = make("input", { placeholder: "new field", maxLength: 200, dir: "auto" });
  name.setAttribute("aria-label", `New field of ${words(path)}`);
  const kind = make("select", {}, ...Object.keys(KINDS).map((text) => make("option", { textContent: text })));
  kind.setAttribute("aria-label", `Kind of the new field of ${words(path)}`);
  const act = () => {
    const wanted = name.value.trim();
    const known = [...rows.children].find((row) => row.name === wanted);
    if (!wanted) return name.focus();
    const row = known ?? add(wanted, KINDS[kind.value]);
    name.value = "";
    row.querySelector("input, select, textarea")?.focus();
    changed(rows);
  };
  name.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); act(); } });
  return make("div", { className: "add" }, name, kind, action("Add", `Add the field to ${words(path)}`, act));
}

/** Moves proposed changes to the innermost field that they are about. */
function placeWaiting(main) {
  for (const waiting of main.querySelectorAll(".waiting")) {
    const rows = [...main.querySelectorAll("[data-tree] [data-path]")].filter((row) => row.tagName === "LI");
    const above = rows.filter((row) => waiting.dataset.path === row.dataset.path || waiting.dataset.path.startsWith(`${row.dataset.path}.`));
    above.sort((one, other) => other.dataset.path.length - one.dataset.path.length)[0]?.append(waiting);
  }
}

/** The button that removes a whole list or group with the next save, and takes that back. */
function removal(field, stored, root) {
  const button = action("Remove this field", "", () => {
    root.hidden = !root.hidden;
    stored.value = root.hidden ? "null" : JSON.stringify(root.read() ?? null);
    button.textContent = root.hidden ? "Removed when you save; keep it" : "Remove this field";
  });
  return button;
}

/** Builds the editors of the page. */
export function startProfile() {
  for (const field of document.querySelectorAll("fieldset[data-tree]:not([data-built])")) {
    field.dataset.built = "true";
    const stored = field.querySelector("textarea[hidden]");
    const value = JSON.parse(stored.defaultValue);
    const root = editor(value, field.dataset.tree);
    field.append(root, removal(field, stored, root));
    field.addEventListener("input", () => { stored.value = JSON.stringify(root.read() ?? null); });
    field.addEventListener("change", () => { stored.value = JSON.stringify(root.read() ?? null); });
  }
  placeWaiting(document.getElementById("main"));
}
