// Drawing of the graph: a camera, the image of nodes and edges, and above it the labels on a canvas of their own.
import { colourOf } from "./graph-model.js";
import { Raster, pixel } from "./graph-raster.js";

const LABEL_CHARS = 30;
/** Number of edges above which each is drawn fainter, so that thousands do not become one surface. */
const EDGES_CLEAR = 4000;
const cut = (name) => (name.length > LABEL_CHARS ? `${name.slice(0, LABEL_CHARS - 1)}…` : name);

/** The theme of the page in colours. */
export function themeOf(element) {
  const style = getComputedStyle(element);
  const dark = style.colorScheme === "dark" || (style.colorScheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  return dark
    ? { dark, ink: "#f3eee6", soft: "#b3aaa0", ground: "#211f28", rim: "#121116", ring: "#1a191f", edge: 0.62, faint: 0.3 }
    : { dark, ink: "#2a241d", soft: "#655d52", ground: "#ffffff", rim: "#f3eee5", ring: "#ffffff", edge: 0.58, faint: 0.3 };
}

/** A picture of a model for a canvas of some size. */
export class GraphView {
  constructor(model) {
    this.model = model;
    this.raster = new Raster();
    this.scale = 1;
    this.shift = { x: 0, y: 0 };
    /** Share of the light that is taken from everything but the lit nodes, 0 to 1. */
    this.dim = 0;
    this.widths = new Map();
  }

  resize(width, height, density, theme) {
    Object.assign(this, { width, height, density, theme });
    this.raster.resize(Math.max(1, Math.round(width * density)), Math.max(1, Math.round(height * density)));
    this.raster.setGround(pixel(theme.ground), pixel(theme.rim));
    this.colours = new Map();
    this.ringPixel = pixel(theme.ring);
  }

  colour(kind) {
    let colour = this.colours.get(kind);
    if (colour === undefined) this.colours.set(kind, (colour = pixel(colourOf(kind, this.theme.dark))));
    return colour;
  }

  toScreen({ x, y }) {
    return { x: x * this.scale + this.shift.x + this.width / 2, y: y * this.scale + this.shift.y + this.height / 2 };
  }

  toGraph(x, y) {
    return { x: (x - this.shift.x - this.width / 2) / this.scale, y: (y - this.shift.y - this.height / 2) / this.scale };
  }

  /** Zooms so that the point of the graph under (x, y) stays there. */
  zoom(by, x = this.width / 2, y = this.height / 2) {
    const before = this.toGraph(x, y);
    this.scale = Math.min(8, Math.max(0.03, this.scale * by));
    this.shift.x = x - this.width / 2 - before.x * this.scale;
    this.shift.y = y - this.height / 2 - before.y * this.scale;
  }

  /** The camera that shows everything: scale and shift. */
  whole(space = { side: 44, top: 60, bottom: 84 }) {
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const node of this.model.list) {
      if (this.model.hidden.has(node.kind)) continue;
      left = Math.min(left, node.x - node.radius); right = Math.max(right, node.x + node.radius);
      top = Math.min(top, node.y - node.radius); bottom = Math.max(bottom, node.y + node.radius);
    }
    if (left === Infinity) return { scale: 1, x: 0, y: 0 };
    const scale = Math.min(2.2, Math.max(0.03, Math.min((this.width - 2 * space.side) / (right - left), (this.height - space.top - space.bottom) / (bottom - top))));
    return { scale, x: (-scale * (left + right)) / 2, y: (-scale * (top + bottom)) / 2 + (space.top - space.bottom) / 2 };
  }

  /** The node at a point of the screen; fingers need a wider margin than a mouse. */
  under(x, y, margin = 6, except) {
    const at = this.toGraph(x, y);
    let [found, nearest] = [undefined, margin / this.scale];
    for (const node of this.model.list) {
      const far = Math.hypot(node.x - at.x, node.y - at.y) - this.size(node) / this.scale;
      if (far < nearest && node !== except && this.model.isShown(node)) [found, nearest] = [node, far];
    }
    return found;
  }

  /** The radius of a node on the screen. It shrinks less than the distances, so that a large graph stays readable. */
  size(node) {
    return node.radius * (this.scale < 1 ? Math.pow(this.scale, 0.62) : Math.pow(this.scale, 0.8)) * (node.grow ?? 1);
  }

  /** Draws nodes and edges into the image, of more edges than `most` an even part. */
  paint(marks, most = Infinity) {
    const { raster, model, theme } = this;
    const { lines } = model;
    raster.begin();
    const lit = marks.lit;
    const rest = 1 - 0.84 * this.dim;
    const part = Math.min(1, most / lines.length);
    const clear = rest * Math.min(1, Math.sqrt(EDGES_CLEAR / (part * lines.length)));
    for (let at = 0; at < lines.length; at++) {
      // Multiples of the golden ratio are even whatever the order of the edges is.
      if (part < 1 && Math.imul(at, 0x9e3779b1) >>> 0 > part * 0xffffffff) continue;
      const edge = lines[at];
      if (!lit?.edges.has(edge) && model.isDrawn(edge)) this.edge(edge, (edge.type === "together" ? theme.faint : theme.edge) * clear);
    }
    const dimmed = lit ? rest : 1;
    for (const node of model.list) if (!lit?.nodes.has(node) && model.isShown(node)) this.node(node, dimmed);
    if (!lit) return;
    for (const edge of lit.edges) if (model.isDrawn(edge)) this.edge(edge, 0.95, 1.35);
    for (const node of lit.nodes) if (model.isShown(node)) this.node(node, 1);
  }

  edge({ source, target, width }, alpha, thicker = 1) {
    const d = this.density, zoom = this.scale * d;
    const left = (this.shift.x + this.width / 2) * d, top = (this.shift.y + this.height / 2) * d;
    const pen = width * thicker * Math.min(1.5, Math.max(0.55, Math.sqrt(this.scale))) * d;
    this.raster.line(source.x * zoom + left, source.y * zoom + top, target.x * zoom + left, target.y * zoom + top, pen, this.colour(source.kind), this.colour(target.kind), alpha);
  }

  node(node, alpha) {
    const [d, at, colour] = [this.density, this.toScreen(node), this.colour(node.kind)];
    const size = this.size(node);
    if (at.x < -4 * size || at.y < -4 * size || at.x > this.width + 4 * size || at.y > this.height + 4 * size) return;
    const [x, y, radius] = [at.x * d, at.y * d, Math.max(0.9, size) * d];
    if (size > 6) this.raster.glow(x, y, radius * 2.6, colour, (this.theme.dark ? 0.34 : 0.2) * alpha);
    if (size > 2.2) this.raster.disc(x, y, radius + 1.3 * d, this.ringPixel, alpha, !node.entity);
    this.raster.disc(x, y, radius, colour, alpha, !node.entity);
    if (node.pinned && size > 2) this.raster.disc(x, y, Math.max(1.2 * d, radius * 0.34), this.ringPixel, alpha, false);
  }

  /** Draws the labels and the rings of the marked nodes onto a canvas above the image. */
  write(pen, marks) {
    const d = this.density;
    pen.setTransform(d, 0, 0, d, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    for (const [node, colour, wide] of marks.rings) if (this.model.isShown(node)) this.ring(pen, node, colour, wide);
    const boxes = this.obstacles(marks);
    const taken = boxes.length;
    const first = [...(marks.selected ? [marks.selected] : []), ...(marks.over ? [marks.over] : []), ...(marks.lit ? [...marks.lit.nodes].sort((a, b) => b.count - a.count) : [])];
    const most = taken + Math.max(14, Math.round((this.width * this.height) / (this.model.list.length > 400 ? 13000 : 8500)));
    for (const node of new Set(first)) if (boxes.length < most) this.label(pen, node, boxes, node === marks.selected || node === marks.over, 1);
    if (marks.lit) this.edgeLabels(pen, marks, boxes, most);
    const rest = marks.lit ? 1 - 0.9 * this.dim : 1;
    if (rest > 0.15) this.otherLabels(pen, marks, boxes, most, rest);
  }

  /** The places of nodes that no label may cover: of those that are lit, or of all where they are few. */
  obstacles({ lit, selected }) {
    const nodes = lit ? [...lit.nodes, ...(selected ? [selected] : [])] : this.model.list.length <= 150 ? this.model.list : [];
    return nodes.filter((node) => this.model.isShown(node)).slice(0, 150).map((node) => {
      const [at, size] = [this.toScreen(node), this.size(node)];
      return [at.x - size, at.y - size, 2 * size, 2 * size];
    });
  }

  otherLabels(pen, marks, boxes, most, alpha) {
    let tried = 0;
    for (const node of this.model.list) {
      if (boxes.length >= most || ++tried > 1200) return;
      // A small dot gets a label only where there is room around it.
      if (this.size(node) < 2.6 && this.model.list.length > 60) continue;
      if (!marks.lit?.nodes.has(node)) this.label(pen, node, boxes, false, alpha);
    }
  }

  ring(pen, node, colour, wide) {
    const at = this.toScreen(node);
    pen.beginPath();
    pen.arc(at.x, at.y, this.size(node) + 3 + wide, 0, 7);
    pen.strokeStyle = colour;
    pen.lineWidth = wide;
    pen.stroke();
  }

  measure(pen, text, font) {
    const key = font + text;
    let width = this.widths.get(key);
    if (width === undefined) { pen.font = font; this.widths.set(key, (width = pen.measureText(text).width)); }
    return width;
  }

  /** Writes the name of a node below it, or beside or above it, where nothing else is written yet. */
  label(pen, node, boxes, always, alpha) {
    if (!this.model.isShown(node)) return;
    const [at, size] = [this.toScreen(node), this.size(node)];
    if (at.x < -40 || at.y < -20 || at.x > this.width + 40 || at.y > this.height + 20) return;
    const height = Math.round(Math.min(17, Math.max(11, 10 + size * 0.32)));
    const font = `${size > 9 || always ? 600 : 500} ${height}px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif`;
    const text = cut(node.name);
    const width = this.measure(pen, text, font);
    const spots = [[at.x - width / 2, at.y + size + 3], [at.x + size + 5, at.y - height / 2], [at.x - size - 5 - width, at.y - height / 2], [at.x - width / 2, at.y - size - height - 4]];
    const free = ([x, y]) => x > 2 && y > 2 && x + width < this.width - 2 && y + height + 2 < this.height && !boxes.some((box) => x < box[0] + box[2] && box[0] < x + width && y < box[1] + box[3] && box[1] < y + height);
    const spot = spots.find(free) ?? (always ? spots[0] : undefined);
    if (!spot) return;
    boxes.push([spot[0] - 4, spot[1] - 2, width + 8, height + 4]);
    this.text(pen, text, spot[0], spot[1] + height * 0.82, font, node.entity ? this.theme.ink : this.theme.soft, alpha);
  }

  text(pen, text, x, y, font, colour, alpha) {
    pen.font = font;
    pen.globalAlpha = alpha;
    pen.lineJoin = "round";
    pen.lineWidth = 3.5;
    pen.strokeStyle = this.theme.ring;
    pen.strokeText(text, x, y);
    pen.fillStyle = colour;
    pen.fillText(text, x, y);
    pen.globalAlpha = 1;
  }

  /** The names of the relations, in the middle of the edges that are lit. */
  edgeLabels(pen, marks, boxes, most) {
    const font = 'italic 500 11px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';
    for (const edge of [...marks.lit.edges].sort((a, b) => b.count - a.count)) {
      if (boxes.length >= 2 * most) return;
      if (edge.type === "mention" || !this.model.isDrawn(edge)) continue;
      const [from, to] = [this.toScreen(edge.source), this.toScreen(edge.target)];
      const text = edge.type === "together" ? `in ${edge.count} ${edge.count === 1 ? "memory" : "memories"}` : edge.label;
      const width = this.measure(pen, text, font);
      const spots = [0.5, 0.62, 0.38, 0.74].map((share) => [from.x + (to.x - from.x) * share - width / 2, from.y + (to.y - from.y) * share - 6]);
      const spot = spots.find(([x, y]) => !boxes.some((box) => x < box[0] + box[2] && box[0] < x + width && y < box[1] + box[3] && box[1] < y + 13));
      if (!spot) continue;
      boxes.push([spot[0] - 2, spot[1] - 1, width + 4, 14]);
      this.text(pen, text, spot[0], spot[1] + 10, font, this.theme.soft, this.dim);
    }
  }
}
