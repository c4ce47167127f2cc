// Lines and discs with smooth edges, blended into the pixels of an image. Without a graphics card this is several times
// faster than the paths of a canvas, and a colour can change along a line at no cost.

/** A colour "#rrggbb" as the pixel of an image. */
export function pixel(colour) {
  const value = parseInt(colour.slice(1), 16);
  return (0xff000000 | ((value & 255) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

/** An image that the graph is drawn into. */
export class Raster {
  resize(width, height) {
    this.width = width;
    this.height = height;
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.ground = new Uint32Array(width * height);
  }

  /** Sets the ground: one colour in the middle that turns into another at the rim. */
  setGround(middle, rim) {
    const { ground, width, height } = this;
    const part = (colour, shift) => (colour >> shift) & 255;
    const [red, green, blue] = [0, 8, 16].map((shift) => part(middle, shift));
    const [toRed, toGreen, toBlue] = [0, 8, 16].map((shift) => part(rim, shift) - part(middle, shift));
    // The few bits of noise keep the slow change of colour from showing bands.
    let noise = 1;
    for (let y = 0, at = 0; y < height; y++) for (let x = 0; x < width; x++, at++) {
      const away = (2 * x) / width - 1, down = (2 * y) / height - 1;
      noise = (noise * 1103515245 + 12345) & 0x7fffffff;
      const share = Math.min(1, (away * away + down * down) / 1.8), grain = noise / 0x7fffffff;
      const r = Math.min(255, red + toRed * share + grain), g = Math.min(255, green + toGreen * share + grain), b = Math.min(255, blue + toBlue * share + grain);
      ground[at] = 0xff000000 | (b << 16) | (g << 8) | r;
    }
  }

  begin() {
    this.pixels.set(this.ground);
  }

  /** Draws a line whose colour turns from one end to the other. */
  line(x0, y0, x1, y1, width, from, to, alpha) {
    const steep = Math.abs(y1 - y0) > Math.abs(x1 - x0);
    let swap;
    if (steep) { swap = x0; x0 = y0; y0 = swap; swap = x1; x1 = y1; y1 = swap; }
    if (x0 > x1) { swap = x0; x0 = x1; x1 = swap; swap = y0; y0 = y1; y1 = swap; swap = from; from = to; to = swap; }
    const along = steep ? this.height : this.width, across = steep ? this.width : this.height;
    const length = x1 - x0 || 1, slope = (y1 - y0) / length;
    let thick = width * Math.sqrt(1 + slope * slope), opacity = alpha * 256;
    if (thick < 1) { opacity *= thick; thick = 1; }
    const half = thick / 2;
    let first = Math.max(0, Math.floor(x0)), last = Math.min(along - 1, Math.floor(x1));
    const low = -half - y0, high = across + half - y0;
    if (slope > 0) { first = Math.max(first, Math.floor(x0 + low / slope)); last = Math.min(last, Math.ceil(x0 + high / slope)); }
    else if (slope < 0) { first = Math.max(first, Math.floor(x0 + high / slope)); last = Math.min(last, Math.ceil(x0 + low / slope)); }
    else if (y0 < -half || y0 > across + half) return;
    this.sweep(first, last, across, half, opacity, steep, from, to, x0, y0, length, slope);
  }

  sweep(first, last, across, half, opacity, steep, from, to, x0, y0, length, slope) {
    const { pixels, width } = this;
    const stepA = steep ? width : 1, stepB = steep ? 1 : width;
    const red = (to & 255) - (from & 255), green = ((to >> 8) & 255) - ((from >> 8) & 255), blue = ((to >> 16) & 255) - ((from >> 16) & 255);
    let outer = from & 0xff00ff, inner = from & 0xff00;
    for (let a = first; a <= last; a++) {
      if (from !== to) {
        const share = (a - x0) / length;
        outer = ((from & 255) + red * share) | 0 | ((((from >> 16) & 255) + blue * share) << 16);
        inner = (((from >> 8) & 255) + green * share) << 8;
      }
      const middle = y0 + (a + 0.5 - x0) * slope;
      const low = Math.max(0, middle - half), high = Math.min(across, middle + half);
      for (let b = Math.floor(low); b < high; b++) {
        // Whole, because two channels are multiplied at once.
        const cover = (((b + 1 < high ? b + 1 : high) - (b > low ? b : low)) * opacity) | 0;
        const at = a * stepA + b * stepB, under = pixels[at], rb = under & 0xff00ff, g = under & 0xff00;
        pixels[at] = 0xff000000 | ((rb + (((outer - rb) * cover) >> 8)) & 0xff00ff) | ((g + (((inner - g) * cover) >> 8)) & 0xff00);
      }
    }
  }

  /** Draws a disc, or a square that stands on its corner. */
  disc(x, y, radius, colour, alpha, pointed) {
    const { pixels, width, height } = this;
    const reach = radius + 0.5, opacity = alpha * 256, full = Math.max(0, radius - 0.5);
    const left = Math.max(0, Math.floor(x - reach)), right = Math.min(width - 1, Math.ceil(x + reach));
    const top = Math.max(0, Math.floor(y - reach)), bottom = Math.min(height - 1, Math.ceil(y + reach));
    const outer = colour & 0xff00ff, inner = colour & 0xff00;
    for (let row = top; row <= bottom; row++) {
      const down = row + 0.5 - y;
      for (let column = left; column <= right; column++) {
        const away = column + 0.5 - x;
        let cover = opacity;
        if (pointed) {
          const far = Math.abs(away) + Math.abs(down);
          if (far >= reach) continue;
          if (far > full) cover *= reach - far;
        } else {
          const far = away * away + down * down;
          if (far >= reach * reach) continue;
          if (far > full * full) cover *= reach - Math.sqrt(far);
        }
        cover |= 0;
        const at = row * width + column, under = pixels[at], rb = under & 0xff00ff, g = under & 0xff00;
        pixels[at] = 0xff000000 | ((rb + (((outer - rb) * cover) >> 8)) & 0xff00ff) | ((g + (((inner - g) * cover) >> 8)) & 0xff00);
      }
    }
  }

  /** Draws a soft light that fades towards its rim. */
  glow(x, y, radius, colour, alpha) {
    const { pixels, width, height } = this;
    const left = Math.max(0, Math.floor(x - radius)), right = Math.min(width - 1, Math.ceil(x + radius));
    const top = Math.max(0, Math.floor(y - radius)), bottom = Math.min(height - 1, Math.ceil(y + radius));
    const outer = colour & 0xff00ff, inner = colour & 0xff00, whole = radius * radius;
    for (let row = top; row <= bottom; row++) for (let column = left; column <= right; column++) {
      const away = column + 0.5 - x, down = row + 0.5 - y;
      const near = 1 - (away * away + down * down) / whole;
      if (near <= 0) continue;
      const cover = (near * near * alpha * 256) | 0;
      const at = row * width + column, under = pixels[at], rb = under & 0xff00ff, g = under & 0xff00;
      pixels[at] = 0xff000000 | ((rb + (((outer - rb) * cover) >> 8)) & 0xff00ff) | ((g + (((inner - g) * cover) >> 8)) & 0xff00);
    }
  }
}
