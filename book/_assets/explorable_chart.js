/* Axes and marks of the panels' drawings: plain SVG, so that a change is on the screen within a frame.
 *
 * Colours and strokes are classes of explorable.css, which follow the theme.
 */
(() => {
  "use strict";

  const { shape, range, fixed } = window.bookTools;

  /** About `n` round numbers from one value to another. */
  const niceTicks = (from, to, n = 5) => {
    const raw = Math.abs(to - from) / n || 1;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 2.5, 5, 10].map((times) => times * power).find((wide) => wide >= raw - 1e-12);
    const first = Math.ceil(Math.min(from, to) / step - 1e-9);
    const last = Math.floor(Math.max(from, to) / step + 1e-9);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9), step / power === 2.5 ? 1 - Math.floor(Math.log10(power)) : 0);
    return range(last - first + 1).map((i) => [(first + i) * step, fixed((first + i) * step, digits)]);
  };

  /** The least range that holds all values that exist, with some room on either side. */
  const span = (values, room = 0.06) => {
    const existing = values.filter((value) => Number.isFinite(value));
    if (!existing.length) return [0, 1];
    const [low, high] = [Math.min(...existing), Math.max(...existing)];
    const edge = (high - low || Math.abs(high) || 1) * room;
    return [low - edge, high + edge];
  };

  /** A plot in a box of a drawing.
   *
   * `x` and `y` are {from, to, title, ticks}: ticks are [value, label] pairs, by default round numbers.
   */
  const makePlot = ({ left, top, width, height, x, y, title = "" }) => {
    const group = shape("g", { class: "plot" });
    const place = (axis, from, to) => (value) => from + ((value - axis.from) / (axis.to - axis.from)) * (to - from);
    const [px, py] = [place(x, left, left + width), place(y, top + height, top)];
    const [bottom, right] = [top + height, left + width];

    const add = (tag, attributes, text = "") => {
      const made = shape(tag, attributes, text);
      group.append(made);
      return made;
    };
    const text = (atX, atY, words, kind = "label") => add("text", { class: kind, x: atX, y: atY }, words);
    const line = (x1, y1, x2, y2, kind) => add("line", { class: kind, x1: px(x1), y1: py(y1), x2: px(x2), y2: py(y2) });

    if (title) text(left, top - 12, title, "title");
    for (const [value, words] of y.ticks ?? niceTicks(y.from, y.to, Math.max(2, height / 45))) {
      if (y.grid !== false) add("line", { class: "grid", x1: left, x2: right, y1: py(value), y2: py(value) });
      text(left - 6, py(value) + 4, words, "label end");
    }
    for (const [value, words] of x.ticks ?? niceTicks(x.from, x.to, Math.max(2, width / 75))) {
      if (x.grid) add("line", { class: "grid", x1: px(value), x2: px(value), y1: top, y2: bottom });
      add("line", { class: "axis", x1: px(value), x2: px(value), y1: bottom, y2: bottom + 4 });
      text(px(value), bottom + 17, words, "label middle");
    }
    add("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom });
    if (x.title) text(right, bottom + 34, x.title, "label end");
    if (y.title) text(left, top - 12, y.title, "title");

    const path = (points, kind) => {
      // a point that does not exist ends a line, and the next begins another
      let open = false;
      const steps = points.map(([atX, atY]) => {
        const exists = Number.isFinite(atX) && Number.isFinite(atY);
        const step = exists ? `${open ? "L" : "M"}${px(atX).toFixed(2)} ${py(atY).toFixed(2)}` : "";
        open = exists;
        return step;
      });
      return add("path", { class: kind, d: steps.join("") });
    };
    const band = (rows, kind) => {
      const there = rows.filter((row) => row.every(Number.isFinite));
      if (there.length < 2) return null;
      const at = (atX, atY) => `${px(atX).toFixed(2)} ${py(atY).toFixed(2)}`;
      const upper = there.map(([atX, , high]) => at(atX, high));
      const lower = there.map(([atX, low]) => at(atX, low)).reverse();
      return add("path", { class: kind, d: `M${[...upper, ...lower].join("L")}Z` });
    };
    const dot = (atX, atY, kind, r = 4.5) => add("circle", { class: kind, cx: px(atX), cy: py(atY), r });
    const box = (x1, y1, x2, y2, kind) =>
      add("rect", {
        class: kind,
        x: Math.min(px(x1), px(x2)), y: Math.min(py(y1), py(y2)),
        width: Math.abs(px(x2) - px(x1)), height: Math.abs(py(y2) - py(y1)),
      });

    return { group, px, py, left, right, top, bottom, text, line, path, band, dot, box, add };
  };

  Object.assign(window.bookExplorable, { niceTicks, span, makePlot });
})();
