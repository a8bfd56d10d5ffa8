/* The histogram of the explorer's statistics, with the interval or the part that is as large as the observed. */
(() => {
  "use strict";

  const book = window.bookExplorer;
  const { shape, range, within, fixed, whole } = window.bookTools;

  const BIN = 0.05;
  const CHART = { height: 232, top: 50, bottom: 204, left: 14, right: 14, least: 8 };

  /** The histogram of a study; `clipId` names its clip path on the page. */
  book.makeHistogram = ({ state, isBoot, observed, intervalOf }, clipId) => {
    const chart = shape("svg", { class: "explorer-chart", "aria-hidden": "true" });
    const bars = shape("path", { class: "bars" });
    const strong = shape("path", { class: "bars strong", "clip-path": `url(#${clipId})` });
    const clip = shape("rect", { y: 0 });
    const clipPath = shape("clipPath", { id: clipId });
    clipPath.append(clip);
    const scale = shape("g");
    const notes = shape("g");
    const ball = shape("circle", { class: "ball", r: 5 });
    chart.append(clipPath, scale, bars, strong, notes, ball);

    const chartWidth = () => Math.max(240, chart.parentElement?.clientWidth ?? 0);
    const chartX = (value) => CHART.left + ((value + 1) / 2) * (chartWidth() - CHART.left - CHART.right);

    // Bins that begin at -1, or so that the observed difference is the edge of one.
    const binning = () => {
      const seen = observed();
      const first = isBoot() || Number.isNaN(seen) ? -1 : seen - Math.ceil((seen + 1) / BIN) * BIN;
      const n = Math.ceil((1 - first) / BIN - 1e-9);
      const place = (value) => within(0, Math.floor((value - first) / BIN + 1e-9), n - 1);
      return { first, n, place };
    };

    // Counts grow with `shown`; they begin anew when the statistic or the method is another.
    let counted = { key: "", shown: 0, counts: [] };
    const countUpTo = (values, shown) => {
      const key = `${state.method} ${state.level} ${state.coefficient} ${state.seed}`;
      const { n, place } = binning();
      if (counted.key !== key || counted.shown > shown) counted = { key, shown: 0, counts: new Array(n).fill(0) };
      for (; counted.shown < shown; counted.shown += 1) {
        const value = values[counted.shown];
        if (!Number.isNaN(value)) counted.counts[place(value)] += 1;
      }
      return counted.counts;
    };

    const niceStep = (most) => {
      const raw = most / 3;
      const power = 10 ** Math.floor(Math.log10(raw));
      return Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((step) => step >= raw));
    };

    const anchor = (x, text) => {
      const room = text.length * 3.4 + 4;
      if (x + room > chartWidth()) return "label end";
      return x < room ? "label" : "label middle";
    };

    const label = (value, text, kind, row) => {
      const edge = anchor(chartX(value), text);
      const shift = { "label end": 4, label: -4 }[edge] ?? 0;
      const x = within(0, chartX(value) + shift, chartWidth());
      return shape("text", { class: `${edge} ${kind}`, x, y: row }, text);
    };

    const showSeen = (value, text) => [
      shape("line", { class: "seen", x1: chartX(value), x2: chartX(value), y1: 17, y2: CHART.bottom }),
      label(value, text, "seen", 12),
    ];

    const show = (values, shown, latest) => {
      const width = chartWidth();
      chart.setAttribute("viewBox", `0 0 ${width} ${CHART.height}`);
      chart.style.height = `${CHART.height}px`;
      const counts = countUpTo(values, shown);
      const { first } = binning();
      const most = Math.max(CHART.least, ...counts);
      const y = (count) => CHART.bottom - (count / (most * 1.04)) * (CHART.bottom - CHART.top);
      const outline = counts.map((count, k) => {
        if (!count) return "";
        const from = Math.max(chartX(Math.max(-1, first + k * BIN)), CHART.left) + 0.75;
        const to = chartX(Math.min(1, first + (k + 1) * BIN)) - 0.75;
        return `M${from.toFixed(2)} ${CHART.bottom}V${y(count).toFixed(2)}H${to.toFixed(2)}V${CHART.bottom}Z`;
      });
      bars.setAttribute("d", outline.join(""));
      strong.setAttribute("d", outline.join(""));

      const step = niceStep(most);
      const levels = range(Math.floor(most / step)).map((k) => (k + 1) * step);
      scale.replaceChildren(
        ...levels.flatMap((count) => [
          shape("line", { class: "grid", x1: CHART.left, x2: width - CHART.right, y1: y(count), y2: y(count) }),
          shape("text", { class: "label", x: CHART.left, y: y(count) - 3 }, count === levels.at(-1) ? `${whole(count)} draws` : whole(count)),
        ]),
        shape("line", { class: "axis", x1: CHART.left, x2: width - CHART.right, y1: CHART.bottom, y2: CHART.bottom }),
        ...[-1, -0.5, 0, 0.5, 1].flatMap((value) => [
          shape("line", { class: "axis", x1: chartX(value), x2: chartX(value), y1: CHART.bottom, y2: CHART.bottom + 4 }),
          shape("text", { class: "label middle", x: chartX(value), y: CHART.bottom + 17 }, fixed(value, 1)),
        ]),
      );

      const seen = observed();
      const part = values.slice(0, shown);
      const marks = [];
      if (isBoot()) {
        const [low, high] = intervalOf(part);
        const exists = !Number.isNaN(low) && shown > 1;
        clip.setAttribute("x", exists ? chartX(low) : 0);
        clip.setAttribute("width", exists ? Math.max(0, chartX(high) - chartX(low)) : 0);
        if (exists) {
          const [from, to, row] = [chartX(low), chartX(high), CHART.top - 9];
          const bracket = `M${from} ${row + 5}V${row}H${to}V${row + 5}`;
          marks.push(shape("path", { class: "bound", d: bracket }));
          if (to - from > 80) marks.push(label(low, fixed(low, 2), "bound", row - 6));
          const text = to - from > 80 ? fixed(high, 2) : `${fixed(low, 2)} to ${fixed(high, 2)}`;
          marks.push(label(high, text, "bound", row - 6));
        }
        if (!Number.isNaN(seen)) marks.push(...showSeen(seen, `data ${fixed(seen, 2)}`));
      } else if (!Number.isNaN(seen)) {
        clip.setAttribute("x", chartX(seen));
        clip.setAttribute("width", Math.max(0, width - chartX(seen)));
        marks.push(...showSeen(seen, `observed ${fixed(seen, 2)}`));
        const from = chartX(seen) + 6;
        marks.push(shape("text", { class: "label extreme", x: from, y: CHART.top - 17 }, "as large →"));
      }
      clip.setAttribute("height", CHART.height);
      notes.replaceChildren(...marks);

      const { place } = binning();
      const visible = latest !== undefined && !Number.isNaN(latest);
      ball.toggleAttribute("hidden", !visible);
      ball.style.display = visible ? "" : "none";
      if (visible) {
        ball.setAttribute("cx", chartX(latest));
        ball.setAttribute("cy", y(counts[place(latest)]) - 6);
      }
      return { landing: visible ? y(counts[place(latest)] + 1) - 6 : 0 };
    };

    const dropBall = (value, share, landing) => {
      if (Number.isNaN(value)) return;
      ball.style.display = "";
      ball.setAttribute("cx", chartX(value));
      ball.setAttribute("cy", CHART.top - 30 + share * share * (landing - CHART.top + 30));
    };

    const hideBall = () => {
      ball.style.display = "none";
    };
    const forget = () => {
      counted = { key: "", shown: 0, counts: [] };
    };

    return { chart, show, dropBall, hideBall, forget };
  };
})();
