// Force-directed layout of the graph in a worker. Repulsion is approximated with a quadtree (Barnes and Hut), edges are
// springs, nodes do not overlap, and a weak gravity keeps separate parts together. The same graph gives the same layout.

/** Square of the ratio between the size of a cell and its distance below which the cell acts as one body. */
const THETA = 0.9;
const DECAY = 0.0228;
const REST = 0.006;
const FRICTION = 0.62;
// Weaker sideways, because a screen is wider than high.
const GRAVITY = { x: 0.014, y: 0.026 };
const SPACING = 3;
/** Cells of this depth hold bodies at the same place. */
const DEPTH_MAX = 26;

/** Quadtree in flat arrays. A child is 0 (none), the number of a cell, or the complement of the number of a body. */
class Quadtree {
  constructor(count) {
    this.cells = 4 * count + 64;
    this.child = new Int32Array(4 * this.cells);
    this.mass = new Float64Array(this.cells);
    this.x = new Float64Array(this.cells);
    this.y = new Float64Array(this.cells);
    this.chain = new Int32Array(count);
    this.stack = new Int32Array(512);
    this.sizes = new Float64Array(512);
  }

  build(x, y, charge) {
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < x.length; i++) {
      if (x[i] < left) left = x[i];
      if (x[i] > right) right = x[i];
      if (y[i] < top) top = y[i];
      if (y[i] > bottom) bottom = y[i];
    }
    this.size = Math.max(right - left, bottom - top, 1) * 1.001;
    this.left = left;
    this.top = top;
    this.child.fill(0, 0, 4 * (this.used ?? 1));
    this.used = 1;
    for (let i = 0; i < x.length; i++) this.insert(i, x, y);
    this.sum(x, y, charge);
  }

  insert(i, x, y) {
    const { child, chain } = this;
    let [cell, half] = [0, this.size / 2];
    let [middleX, middleY] = [this.left + half, this.top + half];
    chain[i] = -1;
    for (let depth = 0; ; depth++) {
      const slot = 4 * cell + (x[i] >= middleX ? 1 : 0) + (y[i] >= middleY ? 2 : 0);
      const held = child[slot];
      if (held === 0) { child[slot] = ~i; return; }
      if (held < 0 && (depth > DEPTH_MAX || this.used >= this.cells)) { chain[i] = ~held; child[slot] = ~i; return; }
      half /= 2;
      middleX += x[i] >= middleX ? half : -half;
      middleY += y[i] >= middleY ? half : -half;
      if (held > 0) { cell = held; continue; }
      const other = ~held;
      cell = child[slot] = this.used++;
      child.fill(0, 4 * cell, 4 * cell + 4);
      child[4 * cell + (x[other] >= middleX ? 1 : 0) + (y[other] >= middleY ? 2 : 0)] = held;
    }
  }

  /** Adds up mass and centre of each cell. Cells have higher numbers than the cells they are in. */
  sum(x, y, charge) {
    const { child, mass, chain } = this;
    for (let cell = this.used - 1; cell >= 0; cell--) {
      let [total, sumX, sumY] = [0, 0, 0];
      for (let slot = 4 * cell; slot < 4 * cell + 4; slot++) {
        const held = child[slot];
        if (held > 0) { total += mass[held]; sumX += mass[held] * this.x[held]; sumY += mass[held] * this.y[held]; }
        else if (held < 0) for (let body = ~held; body >= 0; body = chain[body]) { total += charge[body]; sumX += charge[body] * x[body]; sumY += charge[body] * y[body]; }
      }
      mass[cell] = total;
      this.x[cell] = sumX / (total || 1);
      this.y[cell] = sumY / (total || 1);
    }
  }

  /** Adds the repulsion on one body to its velocity. */
  push(i, x, y, vx, vy, charge, heat) {
    const { child, mass, chain, stack, sizes } = this;
    let count = 1;
    let [forceX, forceY] = [0, 0];
    stack[0] = 0;
    sizes[0] = this.size;
    while (count > 0) {
      const cell = stack[--count];
      const size = sizes[count];
      let away = x[i] - this.x[cell], down = y[i] - this.y[cell];
      const far = away * away + down * down;
      if (size * size < THETA * far) { const force = mass[cell] / Math.max(far, 30); forceX += away * force; forceY += down * force; continue; }
      for (let slot = 4 * cell; slot < 4 * cell + 4; slot++) {
        const held = child[slot];
        if (held > 0) { stack[count] = held; sizes[count++] = size / 2; continue; }
        if (held === 0) continue;
        for (let body = ~held; body >= 0; body = chain[body]) {
          if (body === i) continue;
          away = x[i] - x[body];
          down = y[i] - y[body];
          // Bodies at the same place part in a direction that depends on their numbers alone.
          if (away === 0 && down === 0) { away = 0.01 * ((i % 7) - 3 || 1); down = 0.01 * ((body % 5) - 2 || 1); }
          const force = charge[body] / Math.max(away * away + down * down, 30);
          forceX += away * force;
          forceY += down * force;
        }
      }
    }
    vx[i] += forceX * heat;
    vy[i] += forceY * heat;
  }
}

/** The moving graph. */
class Simulation {
  constructor({ x, y, radius, fixed, pairs, lengths, pulls, heat }) {
    const count = x.length;
    Object.assign(this, { x, y, radius, fixed, pairs, lengths, heat, count });
    this.vx = new Float64Array(count);
    this.vy = new Float64Array(count);
    this.charge = Float64Array.from(radius, (size) => 16 + 4.5 * size);
    this.tree = new Quadtree(count);
    const degree = new Float64Array(count);
    for (let i = 0; i < pairs.length; i++) degree[pairs[i]] += pulls[i >> 1];
    this.pulls = Float64Array.from(pulls, (pull, i) => pull / Math.max(1, Math.min(degree[pairs[2 * i]], degree[pairs[2 * i + 1]])));
    this.share = Float64Array.from(pulls, (_, i) => degree[pairs[2 * i]] / (degree[pairs[2 * i]] + degree[pairs[2 * i + 1]] || 1));
    this.widest = radius.reduce((most, size) => Math.max(most, size), 1);
  }

  /** Runs one step; returns false once the layout has come to rest. */
  step() {
    if (this.heat < REST || this.count === 0) return false;
    const { x, y, vx, vy, fixed, heat, count } = this;
    this.tree.build(x, y, this.charge);
    for (let i = 0; i < count; i++) this.tree.push(i, x, y, vx, vy, this.charge, heat);
    this.pull();
    this.part();
    for (let i = 0; i < count; i++) {
      if (fixed[i]) { vx[i] = vy[i] = 0; continue; }
      vx[i] = (vx[i] - x[i] * GRAVITY.x * heat) * FRICTION;
      vy[i] = (vy[i] - y[i] * GRAVITY.y * heat) * FRICTION;
      x[i] += vx[i];
      y[i] += vy[i];
    }
    this.heat -= this.heat * DECAY;
    return true;
  }

  pull() {
    const { x, y, vx, vy, pairs, lengths, pulls, share, heat } = this;
    for (let i = 0; i < pulls.length; i++) {
      const from = pairs[2 * i], to = pairs[2 * i + 1];
      const away = x[to] + vx[to] - x[from] - vx[from] || 0.01, down = y[to] + vy[to] - y[from] - vy[from] || 0.01;
      const length = Math.sqrt(away * away + down * down);
      const force = ((length - lengths[i]) / length) * heat * pulls[i];
      vx[to] -= away * force * share[i];
      vy[to] -= down * force * share[i];
      vx[from] += away * force * (1 - share[i]);
      vy[from] += down * force * (1 - share[i]);
    }
  }

  /** Moves nodes apart that would overlap, with the help of a grid. */
  part() {
    const { x, y, vx, vy, radius, count } = this;
    const cell = 2 * this.widest + 2 * SPACING;
    const grid = new Map();
    for (let i = 0; i < count; i++) {
      const key = Math.floor(x[i] / cell) * 65536 + Math.floor(y[i] / cell);
      const members = grid.get(key);
      members ? members.push(i) : grid.set(key, [i]);
    }
    for (const [key, members] of grid) for (const near of [0, 1, 65535, 65536, 65537]) {
      const others = near === 0 ? members : grid.get(key + near);
      if (!others) continue;
      for (let m = 0; m < members.length; m++) for (let o = near === 0 ? m + 1 : 0; o < others.length; o++) {
        const a = members[m], b = others[o];
        const least = radius[a] + radius[b] + SPACING;
        const away = x[a] + vx[a] - x[b] - vx[b], down = y[a] + vy[a] - y[b] - vy[b];
        const far = away * away + down * down;
        if (far >= least * least) continue;
        const length = Math.sqrt(far) || 0.01;
        const force = ((least - length) / length) * 0.4;
        vx[a] += away * force; vy[a] += down * force; vx[b] -= away * force; vy[b] -= down * force;
      }
    }
  }
}

let simulation;
let waiting = false;
/** True where nothing may move on the screen: only the layout at rest is sent. */
let still = false;
let run = 0;

function send(moving) {
  const [x, y] = [Float32Array.from(simulation.x), Float32Array.from(simulation.y)];
  postMessage({ run, x, y, moving }, [x.buffer, y.buffer]);
  waiting = false;
}

/** Runs at most so many steps, for at most so many milliseconds; returns whether the layout still moves. */
function steps(milliseconds, most = Infinity) {
  const end = performance.now() + milliseconds;
  let moving = true;
  for (let count = 0; moving && count < most && performance.now() < end; count++) moving = simulation.step();
  return moving;
}

function settle(of) {
  if (of !== run) return;
  if (steps(200)) setTimeout(() => settle(of));
  else send(false);
}

const ACTIONS = {
  graph(data) {
    simulation = new Simulation(data);
    run = data.run;
    still = data.still;
    if (still) return settle(run);
    // The first frames of a new layout would only be a burst, so they are not shown.
    send(data.heat > 0.9 ? steps(350, 60) : true);
  },
  next() {
    if (!simulation || still) return;
    const begun = performance.now();
    let moving = simulation.step();
    // Large graphs take one step per frame, small ones as many as fit without hurry.
    if (moving && performance.now() - begun < 3) moving = simulation.step();
    send(moving);
  },
  hold({ index, x, y, heat }) {
    simulation.fixed[index] = 1;
    simulation.x[index] = x;
    simulation.y[index] = y;
    if (!still) simulation.heat = Math.max(simulation.heat, heat);
  },
  free({ index, heat }) {
    simulation.fixed[index] = 0;
    simulation.heat = Math.max(simulation.heat, heat);
    if (still) settle(run);
  },
};

addEventListener("message", ({ data }) => ACTIONS[data.type](data));
