// Keyboard shortcuts: "/" searches, "g" and a letter opens a page, "n" writes a memory, "?" lists them all.

const PAGES = { h: "/", m: "/memories", r: "/review", p: "/profile", t: "/tables", e: "/graph", s: "/sessions", o: "/handoffs", f: "/references", a: "/agents", w: "/sees", l: "/activity", c: "/settings" };

const isTyping = (target) => target.closest?.("input, textarea, select, dialog, [contenteditable]");

/** Starts the keyboard shortcuts. */
export function startKeys() {
  let going = false;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (going && PAGES[event.key]) location.assign(PAGES[event.key]);
    going = event.key === "g";
    if (event.key === "/") { event.preventDefault(); (document.getElementById("query") ?? document.getElementById("ask"))?.focus(); }
    if (event.key === "n") location.assign("/memories/new");
    if (event.key === "?") document.getElementById("keys")?.showModal();
  });
}
