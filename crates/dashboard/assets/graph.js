// The graph on its canvas: a layout by forces that cools down, drawn anew only while something moves. Repulsion acts
// between neighbouring cells of a grid, so that a frame of 2,000 nodes stays far below what an eye notices.

const COLOURS = ["#c8563b", "#4f78b8", "#c98a1b", "#4d8f5f", "#8a5fa8", "#3d8f94", "#b0527c", "#7d7466"];
const CELL = 90;
const REST = 70;

/** Nodes, edges, and the forces between them. */
class Layout {
  constructor() {
    this.nodes = new Map();
    this.edges = new Map();
    this.heat = 0;
  }

  add({ entities, relations }, around) {
    const centre = around ? this.nodes.get(around) : undefined;
    entities.forEach((entity, at) => {
      if (this.nodes.has(entity.id)) return;
      const [turn, far] = [at * 2.399963, 16 * Math.sqrt(at + 1)];
      const radius = 4 + Math.min(14, 2.2 * Math.sqrt(entity.mentions));
      this.nodes.set(entity.id, { ...entity, radius, x: (centre?.x ?? 0) + far * Math.cos(turn), y: (centre?.y ?? 0) + far * Math.sin(turn), vx: 0, vy: 0 });
    });
    for (const one of relations) {
      const [source, target] = [this.nodes.get(one.source), this.nodes.get(one.target)];
      if (source && target) this.edges.set(`${one.source} ${one.kind} ${one.target}`, { source, target, kind: one.kind });
    }
    this.heat = 1;
  }

  /** One step; false once it has come to rest. */
  step() {
    if (this.heat < 0.02) return false;
    const cells = new Map();
    for (const node of this.nodes.values()) {
      const key = `${Math.floor(node.x / CELL)} ${Math.floor(node.y / CELL)}`;
      cells.has(key) ? cells.get(key).push(node) : cells.set(key, [node]);
    }
    for (const [key, members] of cells) {
      const [column, row] = key.split(" ").map(Number);
      for (let dx = 0; dx <= 1; dx++) for (let dy = dx === 0 ? 0 : -1; dy <= 1; dy++) {
        const others = cells.get(`${column + dx} ${row + dy}`);
        if (others) this.repel(members, others);
      }
    }
    for (const { source, target } of this.edges.values()) this.pull(source, target);
    for (const node of this.nodes.values()) this.move(node);
    this.heat *= 0.985;
    return true;
  }

  repel(members, others) {
    for (let i = 0; i < members.length; i++) for (let j = members === others ? i + 1 : 0; j < others.length; j++) {
      const [a, b] = [members[i], others[j]];
      let [x, y] = [a.x - b.x, a.y - b.y];
      if (x === 0 && y === 0) [x, y] = [0.1 * (i + 1), 0.1 * (j + 1)];
      const square = Math.max(16, x * x + y * y);
      const force = 1400 / square / Math.sqrt(square);
      a.vx += x * force; a.vy += y * force; b.vx -= x * force; b.vy -= y * force;
    }
  }

  pull(a, b) {
    const [x, y] = [b.x - a.x, b.y - a.y];
    const length = Math.hypot(x, y) || 1;
    const force = (0.04 * (length - REST)) / length;
    a.vx += x * force; a.vy += y * force; b.vx -= x * force; b.vy -= y * force;
  }

  move(node) {
    node.vx = (node.vx - node.x * 0.004) * 0.82;
    node.vy = (node.vy - node.y * 0.004) * 0.82;
    if (node.held) return;
    const speed = Math.hypot(node.vx, node.vy);
    const bound = speed > 24 ? 24 / speed : 1;
    node.x += node.vx * bound * this.heat;
    node.y += node.vy * bound * this.heat;
  }
}

/** The canvas: what is seen of a layout, and what the hand does to it. */
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
    this.listen();
    new ResizeObserver(() => this.fit()).observe(canvas.parentElement);
  }

  fit() {
    const { clientWidth, clientHeight } = this.canvas;
    this.canvas.width = clientWidth * devicePixelRatio;
    this.canvas.height = clientHeight * devicePixelRatio;
    this.paint();
  }

  async load(query, around) {
    try {
      const answer = await fetch(`/v1/graph?${new URLSearchParams(query)}`, { headers: { Accept: "application/json" } });
      const told = await answer.json();
      if (!answer.ok) throw new Error(told.error?.message ?? "The graph cannot be read.");
      this.layout.add(told, around);
      this.legend();
      this.run();
    } catch (error) {
      this.problem.textContent = `${error.message} Reload the page to try again.`;
      this.problem.hidden = false;
    }
  }

  /** A button for each type, with its colour; pressing it hides and shows the type. */
  legend() {
    const counts = new Map();
    for (const { kind } of this.layout.nodes.values()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    this.kinds = [...counts].sort((a, b) => b[1] - a[1]).map(([kind]) => kind);
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

  run() {
    if (this.running) return;
    this.running = true;
    const frame = () => {
      const begun = performance.now();
      this.running = this.layout.step();
      this.paint();
      this.frames.push(performance.now() - begun);
      if (this.frames.length > 240) this.frames.shift();
      if (this.running) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  paint() {
    const [pen, { canvas, scale, shift }] = [this.canvas.getContext("2d"), this];
    const ink = getComputedStyle(document.documentElement);
    const [text, line] = [ink.getPropertyValue("--ink"), ink.getPropertyValue("--line")];
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    const zoom = scale * devicePixelRatio;
    pen.setTransform(zoom, 0, 0, zoom, canvas.width / 2 + shift.x * devicePixelRatio, canvas.height / 2 + shift.y * devicePixelRatio);
    const shown = (node) => !this.hidden.has(node.kind);
    pen.strokeStyle = line;
    pen.lineWidth = 1 / scale;
    pen.beginPath();
    for (const { source, target } of this.layout.edges.values()) if (shown(source) && shown(target)) { pen.moveTo(source.x, source.y); pen.lineTo(target.x, target.y); }
    pen.stroke();
    for (const node of this.layout.nodes.values()) if (shown(node)) {
      pen.fillStyle = this.colour(node.kind);
      pen.beginPath();
      pen.arc(node.x, node.y, node.radius, 0, 7);
      pen.fill();
    }
    pen.fillStyle = text;
    pen.font = `${12 / scale}px system-ui, sans-serif`;
    const few = this.layout.nodes.size <= 60;
    for (const node of this.layout.nodes.values()) if (shown(node) && (few || node === this.over || node.radius * scale > 9)) pen.fillText(node.name.slice(0, 40), node.x + node.radius + 3 / scale, node.y + 4 / scale);
  }

  /** The place of a pointer in the layout. */
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
    canvas.addEventListener("dblclick", (event) => { const node = this.under(event); if (node) location.assign(`/entities/${node.id}`); });
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
    if (this.held && !this.moved) this.load({ entity: this.held.id, depth: 1, limit: 60 }, this.held.id);
    if (this.held) this.held.held = false;
    this.held = this.from = undefined;
  }
}

/** Draws the graph of the page. */
export function startGraph() {
  const canvas = document.getElementById("graph");
  if (!canvas) return;
  const picture = new Picture(canvas, document.getElementById("graph-problem"));
  const { entity, name } = canvas.dataset;
  picture.load(entity ? { entity, limit: 200 } : name ? { name, limit: 200 } : { depth: 2, limit: 500 });
  canvas.picture = picture;
}
