// Force-directed layout of the graph with simulated cooling. Repulsion acts between neighbouring cells of a grid only,
// so that a step of 2,000 nodes stays well below the duration of a frame.

const CELL = 90;
const REST = 70;
/** Cells are numbered by column and row in one integer; half of the range is left of and above the middle. */
const SPAN = 1 << 14;

/** Nodes, edges, and the forces between them. */
export class Layout {
  constructor() {
    this.nodes = new Map();
    this.edges = new Map();
    this.heat = 0;
  }

  /** Adds a part of the graph, near the node it is connected to. */
  add({ entities, relations, memories = [], mentions = [], links = [] }, around) {
    const centre = around ? this.nodes.get(around) : undefined;
    let at = 0;
    const put = (node) => {
      if (this.nodes.has(node.key)) return;
      const [turn, far] = [at * 2.399963, 16 * Math.sqrt(++at)];
      this.nodes.set(node.key, { ...node, x: (centre?.x ?? 0) + far * Math.cos(turn), y: (centre?.y ?? 0) + far * Math.sin(turn), vx: 0, vy: 0 });
    };
    for (const { id, kind, name, mentions } of entities) put({ key: `e${id}`, entity: id, kind, name, radius: 4 + Math.min(14, 2.2 * Math.sqrt(mentions)), page: `/entities/${id}` });
    for (const { id, name } of memories) put({ key: `m${id}`, kind: "memory", name, radius: 3.5, square: true, page: `/memories/${id}` });
    for (const one of relations) this.connect(`e${one.source}`, one.kind, `e${one.target}`);
    for (const { memory, entity } of mentions) this.connect(`m${memory}`, "mentions", `e${entity}`);
    for (const one of links) this.connect(`m${one.source}`, one.kind, `m${one.target}`);
    this.heat = 1;
  }

  connect(from, kind, to) {
    const [source, target] = [this.nodes.get(from), this.nodes.get(to)];
    if (source && target) this.edges.set(`${from} ${kind} ${to}`, { source, target, kind });
  }

  /** Runs one step; returns false once the layout has come to rest. */
  step() {
    if (this.heat < 0.02) return false;
    const cells = new Map();
    for (const node of this.nodes.values()) {
      const key = (Math.floor(node.x / CELL) + SPAN / 2) * SPAN + Math.floor(node.y / CELL) + SPAN / 2;
      const members = cells.get(key);
      members ? members.push(node) : cells.set(key, [node]);
    }
    for (const [key, members] of cells) for (const near of [0, 1, SPAN - 1, SPAN, SPAN + 1]) {
      const others = cells.get(key + near);
      if (others) this.repel(members, others);
    }
    for (const { source, target } of this.edges.values()) this.pull(source, target);
    for (const node of this.nodes.values()) this.move(node);
    this.heat *= 0.985;
    return true;
  }

  repel(members, others) {
    for (let i = 0; i < members.length; i++) {
      const a = members[i];
      for (let j = members === others ? i + 1 : 0; j < others.length; j++) {
        const b = others[j];
        let x = a.x - b.x, y = a.y - b.y;
        if (x === 0 && y === 0) { x = 0.1 * (i + 1); y = 0.1 * (j + 1); }
        const square = Math.max(16, x * x + y * y);
        const force = 1400 / square / Math.sqrt(square);
        a.vx += x * force; a.vy += y * force; b.vx -= x * force; b.vy -= y * force;
      }
    }
  }

  pull(a, b) {
    const x = b.x - a.x, y = b.y - a.y;
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
