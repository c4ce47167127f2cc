// The graph on its canvas: drawing a layout, and dragging, zooming and clicking. Redrawn only while something moves.
import { Layout } from "./layout.js";

const COLOURS = ["#c8563b", "#4f78b8", "#c98a1b", "#4d8f5f", "#8a5fa8", "#3d8f94", "#b0527c", "#7d7466"];
const FEW = 60;

class Picture {
  constructor(canvas, problem) {
    this.canvas = canvas;
    this.problem = problem;
    this.layout = new Layout();
    this.scale = 1;
    this.shift = { x: 0, y: 0 };
    this.hidden = new Set();
    this.kinds = [];
    this.frames = [];
    this.ticks = [];
    this.listen();
    new ResizeObserver(() => this.fit()).observe(canvas.parentElement);
  }

  fit() {
    const { clientWidth, clientHeight } = this.canvas;
    this.canvas.width = clientWidth * devicePixelRatio;
    this.canvas.height = clientHeight * devicePixelRatio;
    this.ink = undefined;
    this.paint();
  }

  async load(query, around) {
    try {
      const { since, until } = this.canvas.dataset;
      const parameters = Object.entries({ ...query, since, until }).filter(([, value]) => value !== undefined);
      const answer = await fetch(`/v1/graph?${new URLSearchParams(parameters)}`, { headers: { Accept: "application/json" } });
      const graph = await answer.json();
      if (!answer.ok) throw new Error(graph.error?.message ?? "The graph cannot be loaded.");
      this.layout.add(graph, around);
      this.legend();
      this.run();
    } catch (error) {
      this.problem.textContent = `${error.message} Reload the page to try again.`;
      this.problem.hidden = false;
    }
  }

  /** A button for each kind, with its colour; pressing it hides or shows the kind. */
  legend() {
    const counts = new Map();
    for (const { kind } of this.layout.nodes.values()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    this.kinds = [...counts].sort((a, b) => b[1] - a[1]).map(([kind]) => kind);
    document.getElementById("drawn").textContent = `${this.layout.nodes.size} shown, ${this.layout.edges.size} connections`;
    document.getElementById("legend").replaceChildren(...this.kinds.slice(0, 12).map((kind) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "plain swatch";
      button.textContent = `${kind} ${counts.get(kind)}`;
      button.style.setProperty("--swatch", this.colour(kind));
      button.setAttribute("aria-pressed", String(!this.hidden.has(kind)));
      button.addEventListener("click", () => {
        this.hidden.has(kind) ? this.hidden.delete(kind) : this.hidden.add(kind);
        button.setAttribute("aria-pressed", String(!this.hidden.has(kind)));
        this.paint();
      });
      return button;
    }));
  }

  colour(kind) {
    const at = this.kinds.indexOf(kind);
    return COLOURS[at >= 0 && at < COLOURS.length ? at : COLOURS.length - 1];
  }

  /** Moves and draws until the layout has come to rest. Records the duration of the last frames and their intervals. */
  run() {
    if (this.running) return;
    this.running = true;
    this.ink = undefined;
    let before;
    const frame = (tick) => {
      const begun = performance.now();
      this.running = this.layout.step();
      this.paint();
      this.frames.push(performance.now() - begun);
      if (before !== undefined) this.ticks.push(tick - before);
      before = tick;
      if (this.frames.length > 240) { this.frames.shift(); this.ticks.shift(); }
      if (this.running) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  paint() {
    const [pen, { canvas, scale, shift }] = [this.canvas.getContext("2d"), this];
    if (!this.ink) {
      const style = getComputedStyle(document.documentElement);
      this.ink = [style.getPropertyValue("--ink"), style.getPropertyValue("--line")];
    }
    const [text, line] = this.ink;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    const zoom = scale * devicePixelRatio;
    pen.setTransform(zoom, 0, 0, zoom, canvas.width / 2 + shift.x * devicePixelRatio, canvas.height / 2 + shift.y * devicePixelRatio);
    const shown = [...this.layout.nodes.values()].filter((node) => !this.hidden.has(node.kind));
    this.paintEdges(pen, line, scale);
    this.paintNodes(pen, shown);
    pen.fillStyle = text;
    pen.font = `${12 / scale}px system-ui, sans-serif`;
    const few = this.layout.nodes.size <= FEW;
    for (const node of shown) if (few || node === this.over || node.radius * scale > 12) pen.fillText(node.name.slice(0, 40), node.x + node.radius + 3 / scale, node.y + 4 / scale);
  }

  paintEdges(pen, line, scale) {
    pen.strokeStyle = line;
    pen.lineWidth = 1 / scale;
    pen.beginPath();
    for (const { source, target } of this.layout.edges.values()) if (!this.hidden.has(source.kind) && !this.hidden.has(target.kind)) { pen.moveTo(source.x, source.y); pen.lineTo(target.x, target.y); }
    pen.stroke();
  }

  /** One path for each colour: entities are round, memories are square. */
  paintNodes(pen, shown) {
    const groups = new Map();
    for (const node of shown) groups.has(node.kind) ? groups.get(node.kind).push(node) : groups.set(node.kind, [node]);
    for (const [kind, nodes] of groups) {
      pen.fillStyle = this.colour(kind);
      pen.beginPath();
      for (const { x, y, radius, square } of nodes) {
        if (square) pen.rect(x - radius, y - radius, 2 * radius, 2 * radius);
        else { pen.moveTo(x + radius, y); pen.arc(x, y, radius, 0, 7); }
      }
      pen.fill();
    }
  }

  /** Position of a pointer in the layout. */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: (event.clientX - box.left - box.width / 2 - this.shift.x) / this.scale, y: (event.clientY - box.top - box.height / 2 - this.shift.y) / this.scale };
  }

  under(event) {
    const { x, y } = this.at(event);
    let [found, nearest] = [undefined, 6 / this.scale];
    for (const node of this.layout.nodes.values()) {
      const far = Math.hypot(node.x - x, node.y - y) - node.radius;
      if (far < nearest && !this.hidden.has(node.kind)) [found, nearest] = [node, far];
    }
    return found;
  }

  zoom(by) {
    this.scale = Math.min(6, Math.max(0.08, this.scale * by));
    this.paint();
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.zoom(event.deltaY < 0 ? 1.12 : 1 / 1.12); }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => { this.held = this.under(event); this.from = event; this.moved = false; if (this.held) this.held.held = true; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    canvas.addEventListener("pointerup", () => this.drop());
    canvas.addEventListener("dblclick", (event) => { const node = this.under(event); if (node) location.assign(node.page); });
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key];
      if (step) { event.preventDefault(); this.shift = { x: this.shift.x + step[0], y: this.shift.y + step[1] }; this.paint(); }
      if (event.key === "+") this.zoom(1.2);
      if (event.key === "-") this.zoom(1 / 1.2);
    });
  }

  drag(event) {
    if (!this.from) { const over = this.under(event); if (over !== this.over) { this.over = over; this.paint(); } return; }
    if (Math.hypot(event.clientX - this.from.clientX, event.clientY - this.from.clientY) > 3) this.moved = true;
    if (this.held) { Object.assign(this.held, this.at(event)); this.layout.heat = Math.max(this.layout.heat, 0.3); this.run(); }
    else { this.shift = { x: this.shift.x + event.movementX, y: this.shift.y + event.movementY }; this.paint(); }
  }

  drop() {
    const { held } = this;
    if (held && !this.moved && held.entity) this.load({ entity: held.entity, depth: 1, limit: 60, memories: this.memories(60) }, held.key);
    if (held) held.held = false;
    this.held = this.from = undefined;
  }

  /** Number of memories to request: none unless the page shows them. */
  memories(most) {
    return this.canvas.dataset.memories ? most : undefined;
  }
}

/** Draws the graph of the page. */
export function startGraph() {
  const canvas = document.getElementById("graph");
  if (!canvas) return;
  const picture = new Picture(canvas, document.getElementById("graph-problem"));
  canvas.picture = picture;
  const { entity, name, memories } = canvas.dataset;
  if (entity) picture.load({ entity, limit: 200, memories: picture.memories(200) });
  else if (name) picture.load({ name, limit: 200, memories: picture.memories(200) });
  else picture.load({ depth: 2, limit: memories ? 1000 : 2000, memories: picture.memories(1000) });
}
