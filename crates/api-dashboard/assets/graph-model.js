// The loaded part of the graph: nodes, edges, what is hidden, and the order in which it grew.

/** Colours of well-known kinds in the light and the dark theme; each other kind gets one of the rest by its name. */
const KINDS = {
  person: ["#c4492f", "#ff8a6b"], organization: ["#7f55ad", "#b994f0"], place: ["#2f8a57", "#6fd39a"], tool: ["#2b6cb3", "#6fb1f5"],
  name: ["#b5851a", "#f0c25c"], project: ["#c2427f", "#f58abf"], file: ["#5d7484", "#9fb6c6"], function: ["#1f8f93", "#5fd3d6"],
  type: ["#5262c4", "#97a4fa"], module: ["#83772f", "#d0c46a"], command: ["#9a6233", "#dba873"], url: ["#6f7f3a", "#b7ca78"],
  food: ["#c96a1d", "#ffab66"], activity: ["#3a8f3d", "#86d98a"], memory: ["#8d857a", "#8b8796"], entity: ["#a37b45", "#d9b37c"],
};
const OTHERS = [["#a84a6b", "#f091b2"], ["#3f7f9e", "#7fc4e6"], ["#8a6a2a", "#e0bd74"], ["#6a5fb0", "#aaa1f2"], ["#4b8a72", "#8bd6ba"], ["#b0563d", "#f59e84"]];

/** A number that depends on a text alone, between 0 and 1. */
function fraction(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  hash = Math.imul(hash ^ (hash >>> 15), 2246822507);
  return ((hash ^ (hash >>> 13)) >>> 0) / 4294967296;
}

/** The colour of a kind in a theme. */
export function colourOf(kind, dark) {
  const pair = Object.hasOwn(KINDS, kind) ? KINDS[kind] : OTHERS[Math.floor(fraction(kind) * OTHERS.length)];
  return pair[dark ? 1 : 0];
}

const PLACES = "graph-places";

/** Nodes and edges by key, and everything that follows from them. */
export class GraphModel {
  constructor() {
    this.nodes = new Map();
    this.edges = new Map();
    this.list = [];
    this.lines = [];
    this.hidden = new Set();
    this.together = false;
    this.grown = Infinity;
    try { this.places = JSON.parse(localStorage.getItem(PLACES)) ?? {}; } catch { this.places = {}; }
  }

  /** Adds a part of the graph; returns the number of nodes whose place is not known from an earlier visit. */
  add({ entities, relations, memories = [], mentions = [], links = [], co_mentions: together = [] }, around) {
    const added = [];
    const put = (node) => {
      const known = this.nodes.get(node.key);
      if (known) return Object.assign(known, node);
      this.nodes.set(node.key, node);
      added.push(node);
    };
    for (const { id, kind, name, mentions: count, first_seen: at } of entities) put({ key: `e${id}`, id, entity: true, kind, name, count, at: Date.parse(at), radius: 3.6 + Math.min(17, 2.1 * Math.sqrt(count)), page: `/entities/${id}` });
    for (const { id, name, created_at: at } of memories) put({ key: `m${id}`, id, entity: false, kind: "memory", name, count: 0, at: Date.parse(at), radius: 3.4, page: `/memories/${id}` });
    const named = new Map(together.map(({ source, target, mentions: count }) => [`${source} ${target}`, count]));
    const counted = ({ source, target, weight }) => Math.max(weight, named.get(`${Math.min(source, target)} ${Math.max(source, target)}`) ?? 0);
    for (const one of relations) this.connect(`e${one.source}`, `e${one.target}`, one.kind, { type: "relation", label: one.label, count: counted(one), at: Date.parse(one.first_seen) });
    for (const { memory, entity } of mentions) this.connect(`m${memory}`, `e${entity}`, "mentions", { type: "mention", count: 1 });
    for (const one of links) this.connect(`m${one.source}`, `m${one.target}`, one.kind, { type: "link", label: one.label, count: one.weight });
    for (const one of together) this.connect(`e${one.source}`, `e${one.target}`, "together", { type: "together", count: one.mentions, at: Date.parse(one.first_seen) });
    this.arrange();
    return this.place(added, around);
  }

  connect(from, to, kind, rest) {
    const [source, target] = [this.nodes.get(from), this.nodes.get(to)];
    if (!source || !target || source === target) return;
    const key = `${from} ${kind} ${to}`;
    this.edges.set(key, { key, source, target, kind, label: kind, at: Math.max(source.at, target.at), width: 0.6 + Math.min(4, 0.6 * Math.sqrt(rest.count)), ...rest });
  }

  /** Removes everything that an answer no longer contains. */
  keepOnly({ entities, memories = [] }) {
    const keys = new Set([...entities.map(({ id }) => `e${id}`), ...memories.map(({ id }) => `m${id}`)]);
    for (const key of [...this.nodes.keys()]) if (!keys.has(key)) this.nodes.delete(key);
    this.edges.clear();
  }

  /** Numbers the nodes, and collects the edges of each. */
  arrange() {
    this.list = [...this.nodes.values()].sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));
    this.list.forEach((node, index) => { node.index = index; node.edges = []; });
    this.lines = [...this.edges.values()];
    for (const edge of this.lines) { edge.source.edges.push(edge); edge.target.edges.push(edge); }
    this.growth = [...this.list].sort((a, b) => a.at - b.at || a.id - b.id);
    this.growth.forEach((node, age) => { node.age = age; });
  }

  /** Gives new nodes a place: that of the last visit, beside their neighbours, or one that follows from the name. */
  place(added, around) {
    const centre = this.nodes.get(around);
    let unknown = 0;
    for (const node of added) {
      const place = this.places[node.key];
      if (place) { [node.x, node.y] = place; node.pinned = place[2] === 1; continue; }
      unknown++;
      const near = [centre, ...node.edges.map(({ source, target }) => (source === node ? target : source))].find((one) => one?.x !== undefined);
      const [turn, far] = [2 * Math.PI * fraction(node.key), 30 + (near ? 40 : 22 * Math.sqrt(this.list.length)) * Math.sqrt(fraction(`${node.key} far`))];
      node.x = (near?.x ?? 0) + far * Math.cos(turn);
      node.y = (near?.y ?? 0) + far * Math.sin(turn);
    }
    return unknown;
  }

  /** Stores the places for the next visit, those of other parts of the graph included. */
  remember() {
    for (const { key, x, y, pinned } of this.list) this.places[key] = pinned ? [Math.round(x), Math.round(y), 1] : [Math.round(x), Math.round(y)];
    const kept = Object.entries(this.places).slice(-20000);
    try { localStorage.setItem(PLACES, JSON.stringify(Object.fromEntries(kept))); } catch { /* Storage is full: the next visit lays the graph out anew. */ }
  }

  forgetPlaces() {
    this.places = {};
    localStorage.removeItem(PLACES);
    for (const node of this.list) { node.x = undefined; node.pinned = false; }
    this.place(this.list);
  }

  isShown(node) {
    return node.age < this.grown && !this.hidden.has(node.kind);
  }

  isDrawn(edge) {
    return (edge.type !== "together" || this.together) && this.isShown(edge.source) && this.isShown(edge.target) && (this.grown === Infinity || edge.at <= this.moment());
  }

  /** The time up to which the graph is shown. */
  moment() {
    return this.growth[Math.min(this.grown, this.growth.length) - 1]?.at ?? -Infinity;
  }

  /** A node with its neighbours along the drawn edges, and these edges. */
  around(node) {
    const [nodes, edges] = [new Set([node]), new Set()];
    for (const edge of node.edges) if (this.isDrawn(edge)) { edges.add(edge); nodes.add(edge.source).add(edge.target); }
    return { nodes, edges };
  }

  /** The arrays that the layout works on. Memories named together pull weakly even where their edges are not drawn. */
  arrays() {
    const { list, lines } = this;
    const PULLS = { relation: 1, mention: 0.7, link: 0.5, together: 0.22 };
    return {
      x: Float64Array.from(list, (node) => node.x), y: Float64Array.from(list, (node) => node.y),
      radius: Float64Array.from(list, (node) => node.radius), fixed: Uint8Array.from(list, (node) => (node.pinned ? 1 : 0)),
      pairs: Int32Array.from(lines.flatMap(({ source, target }) => [source.index, target.index])),
      lengths: Float64Array.from(lines, ({ source, target, type }) => (type === "mention" ? 22 : 38) + source.radius + target.radius),
      pulls: Float64Array.from(lines, ({ type, count }) => PULLS[type] * Math.min(2, 0.6 + 0.2 * Math.sqrt(count))),
    };
  }
}
