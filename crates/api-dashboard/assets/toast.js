// Messages about what happened: always in view, announced by screen readers, with Undo where the action can be undone.
import { call } from "./call.js";

/** Time that a message stays, in milliseconds: longer when it offers Undo. */
const STAYS = { plain: 9000, undo: 25000 };

/** Shows a message. `undo` is a list of operations that take the action back: { call, body }, or { act } where the page itself does. `links` are [text, address]. */
export function toast(text, { undo, links = [], bad = false } = {}) {
  const region = document.getElementById("toasts");
  if (!region || !text) return;
  const one = document.createElement("div");
  one.className = bad ? "toast bad" : "toast";
  const said = document.createElement("p");
  said.className = "said";
  said.textContent = text;
  for (const [name, address] of links) {
    const link = document.createElement("a");
    link.href = address;
    link.textContent = name;
    said.append(" ", link);
  }
  one.append(said);
  if (undo?.length) one.append(button("Undo", "undo", () => takeBack(one, undo)));
  one.append(button("×", "plain close", () => one.remove(), "Dismiss"));
  region.append(one);
  while (region.children.length > 3) region.firstElementChild.remove();
  leaveLater(one, undo?.length ? STAYS.undo : STAYS.plain);
}

function button(text, name, act, label) {
  const one = document.createElement("button");
  one.type = "button";
  one.className = name;
  one.textContent = text;
  if (label) one.setAttribute("aria-label", label);
  one.addEventListener("click", act);
  return one;
}

/** Removes a message after a time in which nobody pointed at it. */
function leaveLater(one, time) {
  let timer = setTimeout(() => one.remove(), time);
  const stay = () => clearTimeout(timer);
  const leave = () => { clearTimeout(timer); timer = setTimeout(() => one.remove(), time); };
  for (const name of ["pointerenter", "focusin"]) one.addEventListener(name, stay);
  for (const name of ["pointerleave", "focusout"]) one.addEventListener(name, leave);
}

async function takeBack(one, undo) {
  one.remove();
  const failed = [];
  for (const { call: operation, body, act } of undo) {
    if (act) { await Promise.resolve(act()).catch((error) => failed.push(error.message)); continue; }
    const [method, path] = operation.split(" ", 2);
    await call(method, path, body ?? {}).catch((error) => failed.push(error.message));
  }
  if (undo.some(({ act }) => !act)) await refresh();
  if (failed.length) toast(`Not everything could be undone: ${failed[0]}`, { bad: true });
  else toast("Undone.");
}

/** Shows a message on the next page. */
export function toastNext(text, options = {}) {
  sessionStorage.setItem("toast", JSON.stringify([text, options]));
}

/** Shows the message that the page before left. */
export function showLeftToast() {
  const left = sessionStorage.getItem("toast");
  sessionStorage.removeItem("toast");
  if (left) toast(...JSON.parse(left));
}

/** Takes the newest action back, as its button does. */
export function undoNewest() {
  [...document.querySelectorAll("#toasts .undo")].at(-1)?.click();
}

/** Says something to screen readers only. */
export function announce(text) {
  const place = document.getElementById("announce");
  if (place) place.textContent = text;
}

/** Shows the page anew in place: the messages, the position and opened parts stay. */
export async function refresh() {
  const main = document.getElementById("main");
  // A canvas holds a state that its script built up.
  if (!main || main.querySelector("canvas")) return reload();
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
  if (!answer?.ok || answer.redirected) return reload();
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
  const opened = [...main.querySelectorAll("details[open] > summary")].map((one) => one.textContent);
  const focused = document.activeElement?.id;
  const position = scrollY;
  main.replaceChildren(...next.getElementById("main").childNodes);
  document.querySelector(".rail nav ul")?.replaceWith(next.querySelector(".rail nav ul"));
  document.title = next.title;
  for (const one of main.querySelectorAll("details > summary")) if (opened.includes(one.textContent) && !one.closest("td")) one.parentElement.open = true;
  document.dispatchEvent(new Event("shown"));
  scrollTo(0, position);
  ((focused && document.getElementById(focused)) || main).focus({ preventScroll: true });
}

/** Reloads the page; messages that are in view are shown again. */
function reload() {
  const said = document.querySelector("#toasts .said")?.textContent;
  if (said) toastNext(said);
  location.reload();
}
