// Keyboard shortcuts: "/" and Ctrl-K open the palette, "g" and a letter opens a page, "n" writes a memory, "u" undoes, "?" lists them all.
import { listKey } from "./list.js";
import { openPalette } from "./palette.js";
import { undoNewest } from "./toast.js";

const PAGES = { h: "/", m: "/memories", r: "/review", p: "/profile", t: "/tables", e: "/graph", s: "/sessions", o: "/handoffs", f: "/references", a: "/agents", w: "/sees", l: "/activity", c: "/settings" };

const isTyping = (target) => target.closest?.("input:not([type=checkbox]), textarea, select, dialog, [contenteditable], [role=grid]");

/** Starts the keyboard shortcuts. */
export function startKeys() {
  let going = false;
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      return openPalette();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const { key } = event;
    if (going && PAGES[key]) return location.assign(PAGES[key]);
    going = key === "g";
    if (key === "/") { event.preventDefault(); openPalette(); }
    else if (key === "n") location.assign("/memories/new");
    else if (key === "u") undoNewest();
    else if (key === "?") document.getElementById("keys")?.showModal();
    // A focused button or link has keys of its own.
    else if (key === "Enter" && event.target.closest("a, button, summary")) return;
    else if (listKey(key)) event.preventDefault();
  });
}
