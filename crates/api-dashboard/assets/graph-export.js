// The picture as a file: PNG as drawn, or SVG, which can also replay how the graph grew.
import { GraphView } from "./graph-view.js";
import { colourOf } from "./graph-model.js";

const SIZE = { width: 1600, height: 1000 };
const escaped = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
const round = (number) => Math.round(number * 10) / 10;

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A view of the whole graph at the size of the file. */
function wholeView(picture, density) {
  const view = new GraphView(picture.model);
  view.resize(SIZE.width, SIZE.height, density, picture.view.theme);
  const { scale, x, y } = view.whole({ side: 80, top: 70, bottom: 70 });
  Object.assign(view, { scale, shift: { x, y } });
  return view;
}

const marksOf = ({ lit, selected }) => ({ lit: selected ? lit : undefined, selected, over: undefined, rings: [] });

/** Draws the whole graph, without what the page shows around it. */
function drawn(picture) {
  const view = wholeView(picture, 2);
  const [below, above] = [0, 1].map(() => Object.assign(document.createElement("canvas"), { width: view.raster.width, height: view.raster.height }));
  const marks = marksOf(picture);
  view.dim = marks.lit ? 1 : 0;
  view.paint(marks);
  below.getContext("2d").putImageData(view.raster.image, 0, 0);
  view.write(above.getContext("2d"), marks);
  below.getContext("2d").drawImage(above, 0, 0);
  return below;
}

/** Records the texts that a view writes, as elements of an SVG. */
class TextRecorder {
  constructor(pen) {
    this.pen = pen;
    this.texts = [];
  }
  setTransform() {}
  clearRect() {}
  strokeText() {}
  set font(font) { this.current = font; this.pen.font = font; }
  measureText(text) { return this.pen.measureText(text); }
  fillText(text, x, y) {
    const [, style, weight, size] = /^(italic )?(\d+) (\d+)px/.exec(this.current) ?? [];
    this.texts.push({ text, line: `<text x="${round(x)}" y="${round(y)}" font-size="${size}" font-weight="${weight}"${style ? ' font-style="italic"' : ""}` });
  }
}

/** The graph as an SVG; with `seconds` it replays how it grew when it is opened. */
export function svgOf(picture, seconds = 0) {
  const { model } = picture;
  const view = wholeView(picture, 1);
  const { theme } = view;
  const colour = (kind) => colourOf(kind, theme.dark);
  const when = (age) => round((age / Math.max(1, model.list.length)) * seconds);
  const appear = (age) => (seconds ? ` class="a" style="animation-delay:${when(age)}s"` : "");
  const recorder = new TextRecorder(document.createElement("canvas").getContext("2d"));
  view.write(recorder, marksOf(picture));
  const byName = new Map(model.list.map((node) => [node.name.slice(0, 29), node]));
  const edges = model.lines.filter((edge) => model.isDrawn(edge)).map((edge) => {
    const [from, to] = [view.toScreen(edge.source), view.toScreen(edge.target)];
    const alpha = edge.type === "together" ? theme.faint : theme.edge;
    return `<path d="M${round(from.x)} ${round(from.y)}L${round(to.x)} ${round(to.y)}" stroke="${colour(edge.source.kind)}" stroke-opacity="${alpha}" stroke-width="${round(edge.width)}"${appear(Math.max(edge.source.age, edge.target.age))}/>`;
  });
  const nodes = model.list.filter((node) => model.isShown(node)).map((node) => {
    const [at, size] = [view.toScreen(node), round(view.size(node))];
    const rest = `fill="${colour(node.kind)}" stroke="${theme.ring}" stroke-width="1.3"${appear(node.age)}`;
    const title = `<title>${escaped(node.name)}</title>`;
    return node.entity ? `<circle cx="${round(at.x)}" cy="${round(at.y)}" r="${size}" ${rest}>${title}</circle>` : `<path d="M${round(at.x - size)} ${round(at.y)}l${size} ${-size}l${size} ${size}l${-size} ${size}z" ${rest}>${title}</path>`;
  });
  const texts = recorder.texts.map(({ text, line }) => `${line}${appear(byName.get(text.slice(0, 29))?.age ?? 0)}>${escaped(text)}</text>`);
  const style = seconds ? `<style>.a{opacity:0;animation:a .5s ease-out forwards}@keyframes a{to{opacity:1}}@media(prefers-reduced-motion:reduce){.a{opacity:1;animation:none}}</style>` : "";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif">${style}<defs><radialGradient id="g" r=".75"><stop stop-color="${theme.ground}"/><stop offset="1" stop-color="${theme.rim}"/></radialGradient></defs><rect width="100%" height="100%" fill="url(#g)"/><g fill="none">${edges.join("")}</g><g>${nodes.join("")}</g><g fill="${theme.ink}" stroke="${theme.ring}" stroke-width="3.5" stroke-linejoin="round" paint-order="stroke">${texts.join("")}</g></svg>`;
}

/** Saves the picture as a file of a format. */
export async function exportPicture(picture, format) {
  if (format === "svg") save(new Blob([svgOf(picture)], { type: "image/svg+xml" }), "quipu-graph.svg");
  else save(await new Promise((done) => drawn(picture).toBlob(done, "image/png")), "quipu-graph.png");
  picture.say(`Saved as quipu-graph.${format}.`);
}
