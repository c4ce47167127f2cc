// The graph page: loads the graph, runs its layout, and draws a frame whenever something changes.
import { exportPicture, svgOf } from "./graph-export.js";
import { startInput } from "./graph-input.js";
import { GraphModel, colourOf } from "./graph-model.js";
import { GraphPanel } from "./graph-panel.js";
import { GraphView, themeOf } from "./graph-view.js";
import { announce, toast } from "./toast.js";

const FADE = 160;
const REPLAY = 9000;
/** Number of edges that are drawn while something moves, and the time after which all are, in milliseconds. */
const EDGES_MOVING = 5000;
const SETTLE = 180;
const element = (id) => document.getElementById(id);
const isNarrow = () => matchMedia("(max-width: 40rem)").matches;
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The picture on the page, with everything one can do to it. */
export class Picture {
  constructor(canvas) {
    this.canvas = canvas;
    this.text = element("graph-text");
    this.model = new GraphModel();
    this.view = new GraphView(this.model);
    this.worker = new Worker("/assets/layout.js", { type: "module" });
    this.worker.addEventListener("message", ({ data }) => this.moved(data));
    /** Durations of the last frames and the intervals between them, in milliseconds. */
    this.frames = [];
    this.ticks = [];
    this.run = 0;
    this.running = false;
    this.following = true;
    this.panel = new GraphPanel(this);
    new ResizeObserver(() => this.resize()).observe(canvas);
    new MutationObserver(() => this.resize()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.resize());
    this.resize();
    startInput(this);
    this.controls();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0) return;
    this.view.resize(width, height, Math.min(2, devicePixelRatio), themeOf(document.documentElement));
    for (const canvas of [this.canvas, this.text]) { canvas.width = this.view.raster.width; canvas.height = this.view.raster.height; }
    if (this.following) this.fit(true);
    this.legend();
    this.draw();
  }

  // Data.

  async fetch(query) {
    const { since, until } = this.canvas.dataset;
    const parameters = Object.entries({ ...query, since, until }).filter(([, value]) => value !== undefined && value !== "");
    const answer = await fetch(`/v1/graph?${new URLSearchParams(parameters)}`, { headers: { Accept: "application/json" } });
    const graph = await answer.json();
    if (!answer.ok) throw new Error(graph.error?.message ?? "The graph cannot be loaded.");
    return graph;
  }

  /** The query of the whole picture, by the fields of the page. */
  query() {
    const { entity, name, memories } = this.canvas.dataset;
    const most = { limit: 10000, co_mentions: 20000, memories: memories ? 2000 : undefined };
    if (entity) return { entity, ...most, limit: 300 };
    return name ? { name, ...most, limit: 300 } : { depth: 2, ...most };
  }

  async load() {
    try {
      const graph = await this.fetch(this.query());
      this.model.keepOnly(graph);
      this.show(graph);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Adds the neighbours of an entity. */
  async expand(node) {
    try {
      this.show(await this.fetch({ entity: node.id, depth: 1, limit: 80, co_mentions: 400, memories: this.canvas.dataset.memories ? 60 : undefined }), node.key);
    } catch (error) {
      this.fail(error);
    }
  }

  show(graph, around) {
    const unknown = this.model.add(graph, around);
    const relations = this.model.lines.filter((edge) => edge.type !== "together").length;
    // A graph with few relations would be a cloud of dots, so it starts with the edges between what is named together.
    if (!this.chosen && relations < this.model.list.length / 2) this.setTogether(true);
    this.legend();
    this.slider();
    this.layOut(unknown === 0 ? 0 : unknown < this.model.list.length / 4 ? 0.25 : 1);
    element("drawn").textContent = `${this.model.list.length} shown, ${relations} connections${graph.cut_short ? "; there are more, search for a name to see them" : ""}`;
  }

  fail(error) {
    element("graph-problem").textContent = `${error.message} Reload the page to try again.`;
    element("graph-problem").hidden = false;
  }

  // Layout.

  layOut(heat) {
    this.run++;
    if (heat === 0) { this.running = this.ready = false; if (this.following) this.fit(true); return this.draw(); }
    this.running = true;
    this.worker.postMessage({ type: "graph", run: this.run, heat, still: calm(), ...this.model.arrays() });
    this.ready = true;
  }

  /** The layout has moved: nodes glide to their new places over the next frame. */
  moved({ run, x, y, moving }) {
    if (run !== this.run) return;
    for (const node of this.model.list) if (node !== this.held) { node.x = x[node.index]; node.y = y[node.index]; }
    this.running = moving;
    if (moving) this.asked = false;
    else this.model.remember();
    if (this.following) this.fit(!moving && calm());
    this.draw();
  }

  /** Keeps a node where it is, or lets it go. */
  hold(node, x, y, heat) {
    Object.assign(node, { x, y, pinned: true });
    this.wake(heat, { type: "hold", index: node.index, x, y, heat });
  }

  pin(node, pinned) {
    node.pinned = pinned;
    const { index, x, y } = node;
    this.wake(pinned ? 0 : 0.15, pinned ? { type: "hold", index, x, y, heat: 0 } : { type: "free", index, heat: 0.15 });
    this.model.remember();
    this.draw();
  }

  /** Hands a change to the layout, which may be at rest or not have been started at all. */
  wake(heat, message) {
    if (!this.ready) { if (calm() || heat === 0) return; this.layOut(heat); }
    this.worker.postMessage(message);
    if (calm() || heat === 0) return;
    this.running = true;
    this.asked = false;
  }

  // Camera and frames.

  fit(now) {
    this.following = true;
    const target = this.view.whole(this.view.width < 500 ? { side: 26, top: 92, bottom: 74 } : undefined);
    if (now || calm()) Object.assign(this.view, { scale: target.scale, shift: { x: target.x, y: target.y } });
    this.target = now || calm() ? undefined : target;
    this.draw();
  }

  /** Moves the camera to a node; on a phone above the panel that covers the lower half. */
  centre(node) {
    const scale = Math.max(this.view.scale, 1.1);
    this.following = false;
    this.target = { scale, x: -node.x * scale, y: -node.y * scale - (isNarrow() ? this.view.height * 0.22 : 0) };
    if (calm()) { Object.assign(this.view, { scale, shift: { x: this.target.x, y: this.target.y } }); this.target = undefined; }
    this.draw();
  }

  /** The viewer moves the camera, so it no longer follows the layout. */
  steer() {
    this.following = false;
    this.target = undefined;
    this.steered = performance.now();
    this.draw();
  }

  draw() {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame((tick) => this.frame(tick));
  }

  frame(tick) {
    this.drawing = false;
    const begun = performance.now();
    const before = this.tick;
    this.tick = tick;
    if (this.running && !this.asked) { this.asked = true; this.worker.postMessage({ type: "next" }); }
    const moving = this.advance(Math.min(250, tick - (before ?? tick)));
    this.paint(moving || this.running || begun - (this.steered ?? -SETTLE) < SETTLE);
    this.frames.push(performance.now() - begun);
    if (this.frames.length > 600) this.frames.shift();
    if (moving || this.running) {
      if (this.continued && before !== undefined) this.ticks.push(tick - before);
      if (this.ticks.length > 600) this.ticks.shift();
      this.draw();
    }
    this.continued = moving || this.running;
  }

  /** Moves what changes with time: the camera, the dimming, the replay and new nodes. Returns whether anything still moves. */
  advance(passed) {
    let moving = false;
    const wanted = this.marked() ? 1 : 0;
    if (this.view.dim !== wanted) {
      const step = calm() ? 1 : passed / FADE;
      this.view.dim = wanted > this.view.dim ? Math.min(1, this.view.dim + step) : Math.max(0, this.view.dim - step);
      moving = this.view.dim !== wanted;
      if (this.view.dim === 0) this.lit = undefined;
    }
    if (this.target) {
      const share = 1 - Math.pow(0.001, passed / 600), { scale, x, y } = this.target;
      this.view.scale += (scale - this.view.scale) * share;
      this.view.shift.x += (x - this.view.shift.x) * share;
      this.view.shift.y += (y - this.view.shift.y) * share;
      if (Math.abs(scale / this.view.scale - 1) < 0.002 && Math.hypot(x - this.view.shift.x, y - this.view.shift.y) < 0.5) this.target = undefined;
      else moving = true;
    }
    return this.replay(passed) || moving;
  }

  /** Paints a frame. While something moves, a large graph shows a part of its edges, and all of them soon after. */
  paint(moving) {
    const coarse = moving && this.model.lines.length > EDGES_MOVING;
    clearTimeout(this.settling);
    if (coarse) this.settling = setTimeout(() => this.draw(), SETTLE);
    const { dark } = this.view.theme;
    const ring = dark ? "#ffffff" : "#24201b";
    const rings = [...(this.selected ? [[this.selected, ring, 2]] : []), ...(this.goal ? [[this.goal, dark ? "#f0937a" : "#a63d24", 4]] : [])];
    const marks = { lit: this.lit, selected: this.selected, over: this.over, rings };
    this.view.paint(marks, coarse ? EDGES_MOVING : Infinity);
    this.canvas.getContext("2d").putImageData(this.view.raster.image, 0, 0);
    this.view.write(this.text.getContext("2d"), marks);
  }

  // What is lit, selected and hidden.

  marked() {
    return this.over ?? this.kindOver ?? this.found ?? this.selected;
  }

  /** Lights up a node with its neighbours, a kind, what was found, or the selected node. */
  light() {
    const node = this.over ?? (this.kindOver || this.found ? undefined : this.selected);
    if (node) this.lit = this.model.around(node);
    else if (this.kindOver) this.lit = { nodes: new Set(this.model.list.filter(({ kind }) => kind === this.kindOver)), edges: new Set() };
    else if (this.found) this.lit = { nodes: this.found, edges: new Set() };
    this.draw();
  }

  hover(node) {
    if (node === this.over) return;
    this.over = node;
    this.steered = performance.now();
    this.canvas.style.cursor = node ? "pointer" : "";
    this.light();
  }

  select(node, { centre = false, keep = false } = {}) {
    this.selected = node;
    this.over = undefined;
    if (node && (centre || isNarrow())) this.centre(node);
    if (node && isNarrow()) this.canvas.parentElement.scrollIntoView({ block: "start", behavior: calm() ? "auto" : "smooth" });
    this.light();
    this.panel.show(node);
    if (!keep) this.saveAddress();
  }

  setTogether(on) {
    this.model.together = on;
    element("together").setAttribute("aria-pressed", String(on));
    if (this.marked()) this.light();
    this.draw();
  }

  /** A button for each kind: pressing it hides or shows the kind, with Shift it shows no other kind. */
  legend() {
    const counts = new Map();
    for (const { kind } of this.model.list) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const kinds = [...counts].sort((a, b) => b[1] - a[1]).map(([kind]) => kind);
    element("legend").replaceChildren(...kinds.map((kind) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "plain swatch";
      button.dataset.kind = kind;
      button.title = "Hide or show; with Shift, show only this";
      button.append(kind.replaceAll("_", " "), Object.assign(document.createElement("small"), { textContent: counts.get(kind) }));
      button.style.setProperty("--swatch", colourOf(kind, this.view.theme.dark));
      button.setAttribute("aria-pressed", String(!this.model.hidden.has(kind)));
      button.addEventListener("click", (event) => this.toggle(kind, event.shiftKey ? kinds : undefined));
      for (const [name, over] of [["pointerenter", kind], ["pointerleave", undefined]]) button.addEventListener(name, (event) => { if (event.pointerType === "mouse") { this.kindOver = over; this.light(); } });
      return button;
    }));
  }

  toggle(kind, kinds) {
    const { hidden } = this.model;
    if (kinds) { const only = hidden.size === kinds.length - 1 && !hidden.has(kind); hidden.clear(); if (!only) for (const other of kinds) if (other !== kind) hidden.add(other); }
    else hidden.has(kind) ? hidden.delete(kind) : hidden.add(kind);
    for (const button of element("legend").children) button.setAttribute("aria-pressed", String(!hidden.has(button.dataset.kind)));
    this.saveAddress();
    this.draw();
  }

  // Growth.

  slider() {
    const slider = element("grown");
    slider.max = this.model.list.length;
    if (this.model.grown === Infinity) slider.value = slider.max;
    this.sayGrown();
  }

  /** Shows the graph as it was when it had this many nodes. */
  grow(count) {
    const all = count >= this.model.list.length;
    this.model.grown = all ? Infinity : Math.max(0, Math.round(count));
    element("grown").value = all ? this.model.list.length : this.model.grown;
    this.sayGrown();
    this.draw();
  }

  sayGrown() {
    const { grown, growth } = this.model;
    const [count, at] = [Math.min(grown, growth.length), new Date(grown === Infinity ? growth.at(-1)?.at : this.model.moment())];
    const day = Number.isNaN(at.getTime()) ? "" : at.toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" });
    element("grown-at").textContent = `${day} · ${count}`;
    element("grown").setAttribute("aria-valuetext", `${day}, ${count} of ${growth.length}`);
  }

  play(on) {
    this.playing = on;
    element("replay").textContent = on ? "Pause" : "Replay";
    element("replay").setAttribute("aria-pressed", String(on));
    if (on && this.model.grown === Infinity) { this.progress = 0; this.grow(0); }
    else if (on) this.progress = this.model.grown;
    this.draw();
  }

  /** Moves the replay on; new nodes grow from nothing. Without motion it goes in a few jumps. */
  replay(passed) {
    const size = this.model.list.length;
    let growing = false;
    if (this.playing) {
      this.progress += (passed / REPLAY) * size;
      const jump = calm() ? Math.max(1, size / 12) : 1;
      const count = Math.floor(this.progress / jump) * jump;
      if (count >= size) this.play(false);
      if (count !== this.model.grown) this.grow(count);
    }
    for (const node of this.model.list) {
      const shown = node.age < this.model.grown;
      if (this.model.grown === Infinity && !(node.grow < 1)) { node.grow = 1; continue; }
      if (!shown) node.grow = calm() ? 1 : 0;
      else if (node.grow < 1) { node.grow = Math.min(1, (node.grow ?? 1) + passed / 350); growing = true; }
    }
    return growing || this.playing;
  }

  // Controls and address.

  controls() {
    const on = (id, action) => element(id).addEventListener("click", action);
    on("zoom-in", () => { this.view.zoom(1.35); this.steer(); });
    on("zoom-out", () => { this.view.zoom(1 / 1.35); this.steer(); });
    on("fit", () => this.fit());
    on("together", () => { this.chosen = true; this.setTogether(!this.model.together); this.saveAddress(); });
    on("replay", () => this.play(!this.playing));
    on("relayout", () => { this.model.forgetPlaces(); this.following = true; this.layOut(1); });
    on("copy-link", () => this.copyLink());
    for (const format of ["png", "svg"]) on(`export-${format}`, () => exportPicture(this, format));
    element("grown").addEventListener("input", ({ target }) => { this.play(false); this.grow(Number(target.value)); });
    element("graph-name").addEventListener("input", ({ target }) => this.find(target.value));
    document.addEventListener("click", ({ target }) => { const menu = element("more"); if (menu.open && !menu.contains(target)) menu.open = false; });
  }

  /** Lights up the nodes whose name contains a text. */
  find(text) {
    const part = text.trim().toLowerCase();
    const found = part === "" ? [] : this.model.list.filter((node) => node.name.toLowerCase().includes(part));
    this.found = found.length ? new Set(found) : undefined;
    this.light();
  }

  /** The picture as an SVG that replays its growth in some seconds. */
  animated(seconds) {
    return svgOf(this, seconds);
  }

  /** Says what was done, in a message; `undo` takes it back. */
  say(text, undo) {
    toast(text, { undo: undo ? [{ act: undo }] : [] });
  }

  /** Says what one is at, to screen readers and below the picture. */
  hint(text) {
    announce(text);
    element("drawn").textContent = text;
  }

  async copyLink() {
    this.saveAddress();
    try { await navigator.clipboard.writeText(location.href); this.say("Link copied."); } catch { this.say(`Copy the link from the address bar: ${location.href}`); }
  }

  /** Writes selection, hidden kinds and edges into the address, so that it can be shared with oneself. */
  saveAddress() {
    const parts = new URLSearchParams();
    if (this.selected) parts.set("node", this.selected.key);
    if (this.model.hidden.size) parts.set("hide", [...this.model.hidden].join(","));
    if (this.chosen) parts.set("together", this.model.together ? "1" : "0");
    const hash = parts.toString();
    history.replaceState(null, "", location.pathname + location.search + (hash ? `#${hash}` : ""));
  }

  async openAddress() {
    const parts = new URLSearchParams(location.hash.slice(1));
    for (const kind of (parts.get("hide") ?? "").split(",").filter(Boolean)) this.model.hidden.add(kind);
    if (parts.has("together")) { this.chosen = true; this.setTogether(parts.get("together") === "1"); }
    this.legend();
    const key = parts.get("node") ?? (this.canvas.dataset.entity ? `e${this.canvas.dataset.entity}` : undefined);
    if (!key) return;
    if (!this.model.nodes.has(key) && /^e\d+$/.test(key)) await this.expand({ id: key.slice(1), key });
    const node = this.model.nodes.get(key);
    if (!node) return;
    this.select(node, { keep: true });
    if (parts.has("merge") && node.entity) this.panel.merge(node);
  }
}

/** Draws the graph of the page. */
export async function startGraph() {
  const canvas = element("graph");
  if (!canvas) return;
  const picture = new Picture(canvas);
  canvas.picture = picture;
  await picture.load();
  await picture.openAddress();
}
