// The panel beside the graph: what is known of the selected node, its memories, and merging it with another.
import { call } from "./forms.js";
import { colourOf } from "./graph-model.js";

const SHOWN = 12;
const element = (id) => document.getElementById(id);

/** An element with its class, text or children, and attributes. */
function make(tag, content = "", attributes = {}) {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) name.startsWith("on") ? one.addEventListener(name.slice(2), value) : one.setAttribute(name, value);
  one.append(...(Array.isArray(content) ? content : [content]));
  return one;
}

const button = (text, onclick, attributes = {}) => make("button", text, { type: "button", onclick, ...attributes });
const day = (at) => new Date(at).toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" });
const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

/** The panel, and the dialog for merging. */
export class GraphPanel {
  constructor(picture) {
    this.picture = picture;
    this.place = element("node");
    this.dialog = element("merge");
    this.place.addEventListener("keydown", (event) => { if (event.key === "Escape") { picture.select(undefined); picture.canvas.focus(); } });
    element("merge-name").addEventListener("input", ({ target }) => this.search(target.value));
    element("merge-swap").addEventListener("click", () => this.preview(this.stays, this.goes));
    element("merge-cancel").addEventListener("click", () => this.dialog.close());
    element("merge-form").addEventListener("submit", (event) => this.confirm(event));
  }

  focus() {
    if (!this.place.hidden) this.place.querySelector("a, button")?.focus();
  }

  async show(node) {
    this.place.hidden = !node;
    this.picture.canvas.closest(".graph").classList.toggle("chosen", Boolean(node));
    if (!node) return this.place.replaceChildren();
    this.place.replaceChildren(...this.head(node));
    this.place.setAttribute("aria-label", node.name);
    try {
      const rest = node.entity ? this.entity(node, await call("GET", `/v1/entities/${node.id}`)) : this.memory(await call("GET", `/v1/memories/${node.id}`));
      if (this.picture.selected === node) this.place.append(...rest);
    } catch (error) {
      if (this.picture.selected === node) this.place.append(make("p", error.message, { class: "problem", role: "alert" }));
    }
  }

  head(node) {
    const badge = make("span", node.kind.replaceAll("_", " "), { class: "swatch kind" });
    badge.style.setProperty("--swatch", colourOf(node.kind, this.picture.view.theme.dark));
    const pin = button(node.pinned ? "Unpin" : "Pin", () => { this.picture.pin(node, !node.pinned); pin.textContent = node.pinned ? "Unpin" : "Pin"; });
    const does = [make("a", "Open", { href: node.page, class: "button" }), pin];
    if (node.entity) does.push(button("Expand", () => this.picture.expand(node)), button("Merge…", () => this.merge(node)));
    const close = button("×", () => { this.picture.select(undefined); this.picture.canvas.focus(); }, { class: "plain close", "aria-label": "Close" });
    return [close, make("h2", node.name, { dir: "auto" }), make("p", [badge], { class: "about" }), make("div", does, { class: "actions" })];
  }

  entity(node, { entity, observations, relations, latest = [], merged = [] }) {
    const { aliases, mentions, first_seen: first, last_seen: last } = entity;
    const parts = [make("p", `${counted(mentions, "mention", "mentions")} · first seen ${day(first)} · last seen ${day(last)}`, { class: "note" })];
    if (aliases.length) parts.push(make("p", ["Also ", ...aliases.map((name) => make("span", name, { class: "tag", dir: "auto" }))], { class: "about" }));
    if (merged.length) parts.push(this.merged(merged));
    if (relations.length) parts.push(make("h3", "Relations"), make("ul", relations.slice(0, SHOWN).map((one) => this.relation(node, one)), { class: "plain" }));
    if (observations.length) parts.push(make("h3", "Observations"), make("ul", observations.slice(0, SHOWN).map(({ text }) => make("li", text, { dir: "auto" })), { class: "plain" }));
    parts.push(make("h3", "Memories"));
    if (latest.length === 0) parts.push(make("p", "No active memory mentions it.", { class: "note" }));
    parts.push(make("ul", latest.map(({ id, text, created_at: at }) => make("li", [make("a", text, { href: `/memories/${id}`, class: "quiet", dir: "auto" }), " ", make("small", day(at))])), { class: "plain memories" }));
    if (mentions > latest.length) parts.push(make("p", [make("a", `All ${mentions}`, { href: node.page })], { class: "note" }));
    return parts;
  }

  /** A relation of a node; its other end is a button that selects it in the picture. */
  relation(node, { source, target, label, sentence: [subject, said, object] }) {
    const [other, name] = source === node.id ? [target, object] : [source, subject];
    const verb = make("span", source === node.id ? label : said, { class: "relation", dir: "auto" });
    const go = button(name, async () => {
      const key = `e${other}`;
      if (!this.picture.model.nodes.has(key)) await this.picture.expand(node);
      const found = this.picture.model.nodes.get(key);
      if (found) this.picture.select(found, { centre: true });
    }, { class: "plain link", dir: "auto" });
    return make("li", source === node.id ? [verb, " ", go] : [go, " ", verb, " ", make("span", object, { dir: "auto" })]);
  }

  memory({ memory }) {
    return [make("p", `${memory.kind} · ${day(memory.created_at)} · ${memory.agent}`, { class: "note" }), make("p", memory.text.slice(0, 1200), { dir: "auto", class: "text" })];
  }

  // Merging.

  /** Opens the dialog: for two nodes with the preview, for one with the search for the other. */
  merge(goes, stays) {
    this.goes = goes;
    this.stays = undefined;
    element("merge-problem").hidden = true;
    element("merge-name").value = "";
    element("merge-found").replaceChildren();
    element("merge-preview").replaceChildren();
    element("merge-search").hidden = Boolean(stays);
    element("merge-swap").hidden = element("merge-confirm").disabled = true;
    element("merge-title").textContent = `Merge ${goes.name}`;
    this.dialog.showModal();
    if (stays) this.preview(goes, stays);
    else { element("merge-name").focus(); this.search(goes.name.split(" ")[0]); }
  }

  async search(text) {
    const asked = (this.asked = text);
    const { items } = await call("GET", `/v1/entities?limit=8&name=${encodeURIComponent(text.trim())}`);
    if (asked !== this.asked) return;
    const others = items.filter(({ id }) => id !== this.goes.id);
    element("merge-found").replaceChildren(...others.map((one) => make("li", button([make("span", one.name, { dir: "auto" }), " ", make("small", `${one.kind}, ${counted(one.mentions, "mention", "mentions")}`)], () => this.preview(this.goes, one), { class: "plain" }))));
    if (others.length === 0) element("merge-found").replaceChildren(make("li", "Nothing else has such a name.", { class: "note" }));
  }

  /** Says what a merge would do, before it is done. */
  async preview(goes, stays) {
    [this.goes, this.stays] = [goes, stays];
    const [from, into] = await Promise.all([goes, stays].map(({ id }) => call("GET", `/v1/entities/${id}`)));
    const together = new Set([...from.memories, ...into.memories]).size;
    const say = (text) => make("li", text, { dir: "auto" });
    element("merge-title").textContent = `Merge ${from.entity.name} into ${into.entity.name}?`;
    element("merge-preview").replaceChildren(
      say(`${counted(from.entity.mentions, "memory", "memories")}, ${counted(from.relations.length, "relation", "relations")} and ${counted(from.observations.length, "observation", "observations")} of ${from.entity.name} move over.`),
      say(`${into.entity.name} (${into.entity.kind}) is then mentioned in ${counted(Math.max(together, into.entity.mentions), "memory", "memories")}.`),
      say(`“${[from.entity.name, ...from.entity.aliases].join("”, “")}” ${from.entity.aliases.length ? "become other names" : "becomes another name"} of it.`),
      say("It can be undone."),
    );
    element("merge-swap").hidden = element("merge-confirm").disabled = false;
    element("merge-confirm").focus();
  }

  /** Undoes the merge that removed an entity. */
  async part(id) {
    await call("POST", `/v1/entities/${id}/merge/undo`, {});
    await this.reload(id);
  }

  async reload(id) {
    const { picture } = this;
    await picture.load();
    picture.select(picture.model.nodes.get(`e${id}`));
    picture.canvas.focus();
  }

  /** The newest merge into a node, with a button that undoes it. */
  merged([{ id, name, at }]) {
    const undo = button("Undo the merge", () => this.part(id).then(() => this.picture.say("Undone."), (error) => this.picture.say(error.message)), { class: "plain link" });
    return make("p", [make("span", name, { dir: "auto" }), ` was merged into it on ${day(at)}. `, undo], { class: "note" });
  }

  async confirm(event) {
    event.preventDefault();
    const { goes, stays, picture } = this;
    if (!stays) return;
    try {
      const answer = await call("POST", `/v1/entities/${goes.id}/merge`, { into: stays.id });
      this.dialog.close();
      if (answer.proposal) picture.say("The merge waits in Review.");
      else picture.say(`Merged. ${goes.name} is now another name of ${stays.name}.`, () => this.part(goes.id));
      await this.reload(stays.id);
    } catch (error) {
      element("merge-problem").textContent = error.message;
      element("merge-problem").hidden = false;
    }
  }
}
