// Mouse, fingers, trackpad and keys on the graph.

/** How long a node must be held over another one before letting it go asks whether to merge them. */
const DWELL = 250;

class Input {
  constructor(picture) {
    this.picture = picture;
    this.pointers = new Map();
    const { canvas } = picture;
    const on = (name, action) => canvas.addEventListener(name, action, { passive: false });
    on("wheel", (event) => this.wheel(event));
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", (event) => this.up(event, true));
    on("pointerleave", () => { if (this.pointers.size === 0) picture.hover(undefined); });
    on("dblclick", (event) => { const node = this.under(event); if (node?.entity) picture.expand(node); else if (!node) { picture.view.zoom(1.6, ...this.at(event)); picture.steer(); } });
    on("keydown", (event) => this.key(event));
  }

  at({ clientX, clientY }) {
    const box = this.picture.canvas.getBoundingClientRect();
    return [clientX - box.left, clientY - box.top];
  }

  under(event, except) {
    return this.picture.view.under(...this.at(event), event.pointerType === "touch" ? 14 : 6, except);
  }

  /** A wheel and a pinch zoom at the pointer; two fingers on a trackpad move the picture. */
  wheel(event) {
    event.preventDefault();
    const { view } = this.picture;
    const trackpad = event.deltaMode === 0 && (event.deltaX !== 0 || !Number.isInteger(event.deltaY) || Math.abs(event.deltaY) < 30);
    if (event.ctrlKey || event.metaKey) view.zoom(Math.exp(-event.deltaY * 0.01), ...this.at(event));
    else if (trackpad) { view.shift.x -= event.deltaX; view.shift.y -= event.deltaY; }
    else view.zoom(event.deltaY < 0 ? 1.16 : 1 / 1.16, ...this.at(event));
    this.picture.steer();
  }

  down(event) {
    if (event.button > 0) return;
    this.picture.canvas.focus({ preventScroll: true });
    this.picture.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, event);
    if (this.pointers.size === 1) {
      this.node = this.under(event);
      this.from = event;
      this.moved = false;
      if (this.node) this.origin = { x: this.node.x, y: this.node.y, pinned: this.node.pinned };
    } else this.giveUpNode();
  }

  /** A second finger turns a drag into a pinch: the node goes back. */
  giveUpNode() {
    if (this.node && this.moved) this.putBack();
    this.node = this.picture.held = this.picture.goal = undefined;
    this.moved = true;
  }

  putBack() {
    Object.assign(this.node, this.origin);
    this.picture.hold(this.node, this.origin.x, this.origin.y, 0);
    this.picture.pin(this.node, this.origin.pinned === true);
  }

  move(event) {
    const { picture } = this;
    const before = this.pointers.get(event.pointerId);
    if (!before) { if (event.pointerType === "mouse") picture.hover(this.under(event)); return; }
    this.pointers.set(event.pointerId, event);
    if (this.pointers.size > 1) return this.pinch(before, event);
    if (Math.hypot(event.clientX - this.from.clientX, event.clientY - this.from.clientY) > (event.pointerType === "touch" ? 8 : 4)) this.moved = true;
    if (!this.moved) return;
    if (this.node) return this.drag(event);
    picture.view.shift.x += event.clientX - before.clientX;
    picture.view.shift.y += event.clientY - before.clientY;
    picture.steer();
  }

  drag(event) {
    const { picture, node } = this;
    const { x, y } = picture.view.toGraph(...this.at(event));
    picture.held = node;
    picture.following = false;
    picture.hold(node, x, y, 0.25);
    const goal = node.entity ? this.under(event, node) : undefined;
    if (goal !== this.near) { this.near = goal; this.since = performance.now(); picture.goal = undefined; setTimeout(() => this.aim(goal), DWELL); }
    picture.draw();
  }

  /** Marks the node that the held one would be merged into. */
  aim(goal) {
    if (!goal?.entity || goal !== this.near || !this.picture.held) return;
    this.picture.goal = goal;
    this.picture.hint(`Let go to merge ${this.picture.held.name} into ${goal.name}.`);
    this.picture.draw();
  }

  /** Zooms by the distance of two fingers and moves by the point between them. */
  pinch(before, event) {
    const other = [...this.pointers.values()].find((one) => one.pointerId !== event.pointerId);
    const span = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
    const middle = (one) => this.at({ clientX: (one.clientX + other.clientX) / 2, clientY: (one.clientY + other.clientY) / 2 });
    const [from, to] = [middle(before), middle(event)];
    const { view } = this.picture;
    view.zoom(span(event) / span(before), ...from);
    view.shift.x += to[0] - from[0];
    view.shift.y += to[1] - from[1];
    this.picture.steer();
  }

  up(event, cancelled) {
    const { picture, node } = this;
    if (!this.pointers.delete(event.pointerId) || this.pointers.size > 0) return;
    const goal = picture.goal;
    picture.held = picture.goal = this.near = undefined;
    if (!this.moved && !cancelled) picture.select(node);
    else if (node && goal) { this.putBack(); picture.panel.merge(node, goal); }
    else if (node) { picture.say(`${node.name} stays where you put it.`, () => picture.pin(node, false)); picture.model.remember(); }
    this.node = undefined;
    picture.draw();
  }

  key(event) {
    const { picture } = this;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.shiftKey ? 160 : 48;
    const shift = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[event.key];
    if (shift) { picture.view.shift.x += shift[0]; picture.view.shift.y += shift[1]; picture.steer(); }
    const action = {
      "+": () => { picture.view.zoom(1.25); picture.steer(); }, "=": () => { picture.view.zoom(1.25); picture.steer(); },
      "-": () => { picture.view.zoom(1 / 1.25); picture.steer(); }, 0: () => picture.fit(),
      j: () => this.walk(1), k: () => this.walk(-1), Escape: () => picture.select(undefined),
      Enter: () => picture.panel.focus(), p: () => { const node = picture.selected; if (node) picture.pin(node, !node.pinned); },
    }[event.key];
    if (action) action();
    if (shift || action) { event.preventDefault(); event.stopPropagation(); }
  }

  /** Selects the next node in the order of mentions. */
  walk(by) {
    const { picture } = this;
    const shown = picture.model.list.filter((node) => picture.model.isShown(node));
    if (shown.length === 0) return;
    const at = picture.selected ? shown.indexOf(picture.selected) + by : by > 0 ? 0 : -1;
    const node = shown.at(at % shown.length);
    picture.select(node, { centre: true });
    picture.hint(`${node.name}, ${node.kind}, ${node.edges.length} ${node.edges.length === 1 ? "connection" : "connections"}`);
  }
}

/** Starts the input of a picture. */
export function startInput(picture) {
  picture.input = new Input(picture);
}
