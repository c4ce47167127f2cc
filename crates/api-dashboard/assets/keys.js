// Keys for those who know them: "/" asks, "g" and a letter goes, "n" writes, "?" shows them all.

const PLACES = { h: "/", m: "/memories", r: "/review", p: "/profile", t: "/tables", e: "/graph", s: "/sessions", o: "/handoffs", f: "/references", a: "/agents", w: "/sees", l: "/activity", c: "/settings" };

const writes = (target) => target.closest?.("input, textarea, select, dialog, [contenteditable]");

/** Listens to the keys of the page. */
export function startKeys() {
  let going = false;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || writes(event.target)) return;
    if (going && PLACES[event.key]) location.assign(PLACES[event.key]);
    going = event.key === "g";
    if (event.key === "/") { event.preventDefault(); (document.getElementById("query") ?? document.getElementById("ask"))?.focus(); }
    if (event.key === "n") location.assign("/memories/new");
    if (event.key === "?") document.getElementById("keys")?.showModal();
  });
}
