// Lists by keyboard: j and k move, x selects, e edits, Enter opens, a selects all, digits decide; shift-click selects a range.
import { call } from "./call.js";
import { refresh, toast } from "./toast.js";

const items = () => [...document.querySelectorAll("main .cards > .card, main .review")].filter((item) => item.offsetParent);
const current = () => document.querySelector("main .current");

/** Marks an item as the current one and brings it into view. */
export function select(item) {
  current()?.classList.remove("current");
  if (!item) return;
  item.classList.add("current");
  item.setAttribute("tabindex", "-1");
  item.focus({ preventScroll: true });
  const { top, bottom } = item.getBoundingClientRect();
  if (top < 60 || bottom > innerHeight - 60) item.scrollIntoView({ block: top < 60 || bottom - top > innerHeight - 120 ? "start" : "end" });
}

function move(by) {
  const all = items();
  const at = all.indexOf(current());
  select(all[Math.min(all.length - 1, Math.max(0, at < 0 ? 0 : at + by))]);
}

function pick(item) {
  const box = item?.querySelector(".pick");
  if (box) box.click();
}

/** Acts on a key that was pressed outside of any field; returns whether it meant something. */
export function listKey(key) {
  const item = current();
  const open = () => item?.querySelector(".title a, a.quiet, .about a, .side a")?.click();
  const acts = { j: () => move(1), k: () => move(-1), x: () => pick(item), o: open, Enter: open, a: selectAll, e: () => edit(item), Escape: () => { setAll(false); select(null); } };
  const choice = item?.querySelectorAll(".decide button[name=resolution]")[Number(key) - 1];
  if (choice) choice.click();
  else if (acts[key] && (items().length || key === "Escape")) acts[key]();
  else return false;
  return true;
}

function edit(item) {
  const link = item?.querySelector('a[href^="/memories/"]');
  if (link) location.assign(`${link.getAttribute("href")}#edit`);
}

const picks = () => [...document.querySelectorAll("main .pick")].filter((box) => box.offsetParent);

function setAll(on) {
  for (const box of picks()) box.checked = on;
  count();
}

function selectAll() {
  setAll(picks().some((box) => !box.checked));
}

/** Shows the number of selected items and what can be done with them. */
function count() {
  const bar = document.getElementById("bulk");
  if (!bar) return;
  const picked = document.querySelectorAll(".pick:checked").length;
  document.getElementById("picked").textContent = picked;
  bar.hidden = picked === 0;
  const all = document.getElementById("pick-all");
  if (all) {
    all.checked = picked > 0 && picked === picks().length;
    all.indeterminate = picked > 0 && !all.checked;
  }
}

let last;

/** Selects everything between the last click and this one when shift is held. */
function clicked(event) {
  const box = event.target.closest?.(".pick");
  if (!box) return;
  const all = picks();
  const [from, to] = [all.indexOf(last), all.indexOf(box)];
  if (event.shiftKey && from >= 0) for (const one of all.slice(Math.min(from, to), Math.max(from, to) + 1)) one.checked = box.checked;
  last = box;
  count();
}

/** Decides all selected review items alike. */
async function decideAll(event) {
  const resolution = event.target.closest?.("[data-decide-all]")?.dataset.decideAll;
  if (!resolution) return;
  const ids = [...document.querySelectorAll(".pick:checked")].map((box) => box.value);
  const done = [];
  const failed = [];
  for (const id of ids) await call("POST", `/v1/review/${id}`, { resolution }).then(() => done.push(id), (error) => failed.push(error.message));
  await refresh();
  const undo = done.reverse().map((id) => ({ call: `POST /v1/review/${id}/undo` }));
  toast(`${done.length === 1 ? "One item" : `${done.length} items`} decided.${failed.length ? ` ${failed.length} could not be: ${failed[0]}` : ""}`, { undo, bad: failed.length > 0 && !done.length });
}

/** Hides the items that do not contain the words of a field. */
function narrow(event) {
  if (!event.target.matches?.("[data-narrows]")) return;
  const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const item of document.querySelectorAll(event.target.dataset.narrows)) {
    const text = item.textContent.toLowerCase();
    item.hidden = !words.every((word) => text.includes(word));
  }
  for (const group of document.querySelectorAll("[data-items]")) group.hidden = ![...group.children].some((item) => item.matches(event.target.dataset.narrows) && !item.hidden);
}

/** Shows the numbers of the filters and of the navigation as the server has them now. */
async function renewNumbers() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
  if (!answer?.ok) return;
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const place of ['.rail a[href="/review"]', '.tabs a[href="/review"]', "main nav.chips"]) {
    const [shown, fresh] = [document.querySelector(place), next.querySelector(place)];
    if (shown && fresh) shown.replaceChildren(...fresh.childNodes);
  }
}

/** Starts the lists once for all pages. */
export function startLists() {
  document.addEventListener("click", clicked);
  document.addEventListener("click", decideAll);
  document.addEventListener("input", narrow);
  document.addEventListener("change", (event) => {
    if (event.target.id === "pick-all") setAll(event.target.checked);
    if (event.target.matches(".pick")) count();
  });
  document.addEventListener("removed", async ({ detail }) => {
    select(detail);
    count();
    await renewNumbers();
  });
  document.addEventListener("shown", count);
  count();
}
