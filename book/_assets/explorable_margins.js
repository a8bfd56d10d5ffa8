/* Pairs of systems that a metric finds close, moved: which pairs a window holds and how well people agree on them.
 *
 * The page gets the systems' means and forms the pairs itself, as metaeval/stats/windows.py does; intervals are those of the
 * windows that the run drew documents for.
 */
(() => {
  "use strict";

  const book = window.bookExplorable;
  const { shape, range, SYMBOLS, missing, fixed, percentOf, whole } = window.bookTools;
  const { pairsUpTo, windowOf, judge } = window.bookStatistics;
  const { rowsOf, distinct, makePlot, span } = book;

  const FEW_PAIRS = 5; // windows with fewer have no colour, as in the paper
  const MOST_WINDOWS = 20;
  const STEPS = { percent: [1, 0.5, 0.25, 0.1, 0.05, 0.01], points: [0.1, 0.05, 0.025, 0.01, 0.005, 0.001] };
  const SIDE = 620; // px; from here heatmap and curve stand side by side
  const COEFFICIENTS = ["kendall", "pearson", "spearman"];

  // ---- pairs and windows ---------------------------------------------------------------------

  /** Means of a metric (x) and people (z), and all pairs of systems, the closest by the metric first. */
  const pairsOf = (systems) => {
    const [x, z] = [systems.map(({ value }) => value), systems.map(({ human }) => human)];
    const pairs = range(x.length).flatMap((i) => range(i).map((j) => {
      const [dx, dz] = [x[j] - x[i], z[j] - z[i]];
      return { distance: Math.abs(dx), height: dx < 0 ? -dz : dz, first: systems[j].system, second: systems[i].system };
    }));
    return { x, z, pairs: pairs.sort((one, other) => one.distance - other.distance) };
  };

  /** A window in points: {lower, upper, lowerOpen}; shares of the pairs end at the largest difference within. */
  const boundsOf = ({ pairs }, { unit, lower, upper, n_windows: n }) => {
    if (unit === "points") return { lower, upper };
    const edge = (percent) => {
      const held = pairsUpTo(percent, pairs.length, n);
      return held ? pairs[held - 1].distance : 0;
    };
    return { lower: edge(lower), upper: edge(upper), lowerOpen: lower > 0 };
  };

  // ---- the panel -----------------------------------------------------------------------------

  book.kinds.margins = (data, { set }) => {
    const means = rowsOf(data.tables.means);
    const computed = rowsOf(data.tables.intervals);
    const drawn = new Map(
      computed.map((row) => [
        [row.dataset, row.metric, row.coefficient, row.n_windows, row.from_percent, row.to_percent].join("|"), row,
      ]),
    );
    const shares = distinct(computed, "n_windows").join(" or ");
    const same = (value) => [value, value];
    const named = (column, value) => data.words[column]?.[value] ?? value;

    const known = new Map();
    const pairsFor = ({ dataset, metric }) => {
      const key = `${dataset}|${metric}`;
      if (!known.has(key)) {
        const systems = means.filter(
          (row) => row.dataset === dataset && row.metric === metric && !missing(row.value) && !missing(row.human),
        );
        known.set(key, pairsOf(systems));
      }
      return known.get(key);
    };
    const judgeAt = (state, window = boundsOf(pairsFor(state), state)) => {
      const { x, z } = pairsFor(state);
      return judge(x, z, window, state.coefficient);
    };
    const metricsOf = ({ dataset }) => distinct(means.filter((row) => row.dataset === dataset), "metric");
    const onStep = (value, step) => Math.abs(value / step - Math.round(value / step)) < 1e-9;
    // the coarsest step that the start lies on
    const stepOf = (unit) => STEPS[unit].find((step) => data.start[unit].every((end) => onStep(end, step))) ?? STEPS[unit].at(-1);
    const step = { percent: stepOf("percent"), points: stepOf("points") };
    const digits = Math.max(1, String(step.points).length - 2);
    const largest = (state) => Math.ceil(pairsFor(state).pairs.at(-1).distance / STEPS.points[0]) * STEPS.points[0];
    const ends = (state) =>
      state.unit === "percent"
        ? { low: 0, high: 100, step: step.percent }
        : { low: 0, high: Number(largest(state).toFixed(1)), step: step.points };
    const writes = (value, { unit }) => (unit === "percent" ? `${value} %` : `${fixed(value, digits)} points`);
    const startOf = (end) => ({ unit }) => data.start[unit][end];

    const controls = [
      { key: "dataset", label: "Data", options: () => distinct(means, "dataset").map((name) => [name, named("dataset", name)]),
        start: () => means[0].dataset },
      { key: "metric", label: "Metric", options: (state) => metricsOf(state).map(same), start: () => means[0].metric },
      { key: "coefficient", label: "Coefficient", start: () => data.start.coefficient,
        options: () => COEFFICIENTS.map((name) => [name, data.words.coefficient[name]]) },
      { key: "unit", label: "Window in", start: () => data.start.unit,
        options: () => [["percent", "% of the pairs"], ["points", "metric points"]] },
      { key: "n_windows", label: "Number of windows", start: () => data.start.n_windows,
        range: (state) => ({ low: 2, high: Math.min(MOST_WINDOWS, pairsFor(state).pairs.length), step: 1 }) },
      { key: "lower", label: "Lower end", range: ends, start: startOf(0), says: writes },
      { key: "upper", label: "Upper end", range: ends, start: startOf(1), says: writes },
    ];

    // The ends push each other; another unit begins anew.
    const follow = (state, key) => {
      if (key === "unit") [state.lower, state.upper] = data.start[state.unit];
      const { high } = ends(state);
      const least = state.unit === "percent" ? step.percent : 0;
      if (state.upper - state.lower >= least - 1e-9) return;
      if (key === "upper") state.lower = Math.max(0, state.upper - least);
      else state.upper = Math.min(high, state.lower + least);
      if (state.upper - state.lower < least - 1e-9) {
        [state.lower, state.upper] = key === "upper" ? [0, least] : [high - least, high];
      }
    };

    const refuse = ({ unit, lower, upper }) =>
      upper < lower || (unit === "percent" && upper === lower)
        ? { keys: ["lower", "upper"], sentence: `The address asks for a window from ${lower} to ${upper}, which is none.` }
        : null;

    const intervalOf = (state, metric, from, to) =>
      drawn.get([state.dataset, metric, state.coefficient, state.n_windows, from, to].join("|"));

    const findings = (state) =>
      metricsOf(state).map((metric) => {
        const here = { ...state, metric };
        const { pairs } = pairsFor(here);
        const bounds = boundsOf(pairsFor(here), here);
        const [found, all] = [judgeAt(here), judgeAt(here, { upper: Infinity })];
        const interval = state.unit === "percent" ? intervalOf(state, metric, state.lower, state.upper) : undefined;
        return {
          metric, from: bounds.lower, to: bounds.upper, pairs: found.n, of: pairs.length, agree: found.agree,
          disagree: found.disagree, tied: found.tied, value: found.value, low: interval?.low, high: interval?.high,
          all: all.value, current: metric === state.metric,
        };
      });

    const say = (state, row) => {
      const symbol = SYMBOLS[state.coefficient];
      const apart = `Where ${row.metric} puts two systems ${fixed(row.from)} to ${fixed(row.to)} points apart`;
      if (!row.pairs) return `${apart} there is no pair.`;
      const ties = row.tied ? `, and ${whole(row.tied)} tie` : "";
      const counted = `${apart} (${whole(row.pairs)} of ${whole(row.of)} pairs), people order ${whole(row.agree)} ` +
        `as the metric does and ${whole(row.disagree)} the other way${ties}`;
      if (missing(row.value)) return `${counted}; one side ties on all of them, so there is no ${symbol}.`;
      const bounds = missing(row.low) ? "" : ` [${fixed(row.low)}, ${fixed(row.high)}]`;
      const every = row.pairs === row.of ? "" : `; over all pairs it is ${fixed(row.all)}`;
      return `${counted}: ${symbol}\u00a0=\u00a0${fixed(row.value)}${bounds}${every}.`;
    };

    const answer = (state) => {
      const rows = findings(state);
      const two = (value) => fixed(value, 2);
      const here = rows.find(({ current }) => current);
      const outside = !missing(here.low) && (here.value < here.low || here.value > here.high);
      const notes = [
        "The page forms the pairs from the systems’ means. Intervals are " +
          `${percentOf(data.confidence_level)} bootstrap intervals over documents, drawn by the run for windows between ${shares} equal shares; other windows have none.`,
        outside
          ? "This interval leaves out its own estimate: drawn documents make the means noisier and other pairs close."
          : "",
        here.pairs && here.pairs < FEW_PAIRS ? `Few pairs: one of ${here.pairs} weighs a lot.` : "",
      ];
      return {
        sentence: say(state, here), rows, note: notes.filter(Boolean).join(" "),
        caption: `Pairs of systems in this window, on ${named("dataset", state.dataset)}`,
        columns: [
          // on a phone the first columns are those that are seen
          { key: "metric", label: "Metric", text: true },
          { key: "value", label: SYMBOLS[state.coefficient], show: two },
          { key: "low", label: "low", show: two },
          { key: "high", label: "high", show: two },
          { key: "from", label: "from", show: two },
          { key: "to", label: "to points", show: two },
          { key: "pairs", label: "pairs" },
          { key: "agree", label: "agree" },
          { key: "disagree", label: "disagree" },
          { key: "tied", label: "tied" },
          { key: "all", label: "of all", show: two },
        ].filter(({ key }) => !["low", "high", "tied"].includes(key) || rows.some((row) => row[key])),
      };
    };

    // ---- drawings ------------------------------------------------------------------------------

    const drawPairs = (state, box) => {
      const known = pairsFor(state);
      const { pairs } = known;
      const bounds = boundsOf(known, state);
      const holds = windowOf(known.x, bounds);
      const [from, to] = span([0, ...pairs.map(({ height }) => height)], 0.1);
      const right = pairs.at(-1).distance * 1.02 || 1;
      const plot = makePlot({ ...box, x: { from: 0, to: right, title: `difference of two systems by ${state.metric}, points` },
        y: { from, to, title: "People’s difference; above 0 they agree with the metric" } });
      plot.box(Math.min(bounds.lower, right), from, Math.min(bounds.upper, right), to, "window");
      plot.line(0, 0, right, 0, "axis");
      // those outside are one shape: hundreds of elements a move would be slow
      const r = 3.5;
      const ring = (x, y) => `M${(x - r).toFixed(1)} ${y.toFixed(1)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
      const rings = pairs.map(({ distance, height }) => (holds(distance) ? "" : ring(plot.px(distance), plot.py(height))));
      plot.add("path", { class: "dot out", d: rings.join("") });
      pairs.filter(({ distance }) => holds(distance)).forEach(({ distance, height, first, second }) => {
        const way = height > 0 ? "agree" : height < 0 ? "disagree" : "tie";
        const title = shape("title", {}, `${named("system", first)} and ${named("system", second)}: ${fixed(distance, 2)} points`);
        plot.dot(distance, height, `dot ${way}`, r).append(title);
      });
      plot.text(plot.right, plot.top + 8, "people agree", "label end agree");
      plot.text(plot.right, plot.bottom - 6, "people disagree", "label end disagree");
      return plot.group;
    };

    const drawHeatmap = (state, { left, top, width }) => {
      const n = state.n_windows;
      const cell = (width - 4) / n;
      const group = shape("g");
      const text = (x, y, words, kind) => group.append(shape("text", { x, y, class: kind }, words));
      text(left, top - 12, `${SYMBOLS[state.coefficient]} between shares of the pairs`, "title");
      const share = (i) => (100 * i) / n;
      const every = Math.ceil((n * 34) / width);
      for (const from of range(n)) {
        for (const to of range(n).filter((i) => i >= from)) {
          const place = { ...state, unit: "percent", lower: share(from), upper: share(to + 1) };
          const found = judgeAt(place);
          const [x, y] = [left + to * cell, top + from * cell];
          const enough = found.n >= FEW_PAIRS && !missing(found.value);
          const rect = shape("rect", {
            class: `cell ${enough ? (found.value < 0 ? "negative" : "positive") : "none"}`,
            x: x + 0.75, y: y + 0.75, width: cell - 1.5, height: cell - 1.5, rx: 2,
            "fill-opacity": enough ? (0.04 + 0.52 * Math.abs(found.value)).toFixed(3) : 1,
          });
          rect.append(shape("title", {}, `${fixed(place.lower, 0)} to ${fixed(place.upper, 0)} %: ` +
            `${fixed(found.value)} over ${found.n} pairs`));
          const onSlider = [place.lower, place.upper].every((end) => onStep(end, step.percent));
          if (onSlider) {
            rect.classList.add("live");
            rect.addEventListener("click", () => set({ unit: "percent", lower: place.lower, upper: place.upper }));
          }
          group.append(rect);
          if (cell > 21) {
            const words = enough ? fixed(found.value).replace(/^(−?)0\./, "$1.") : `n=${found.n}`;
            text(x + cell / 2, y + cell / 2 + 4, words, `middle ${enough ? "in" : "few"}`);
          }
        }
      }
      for (const i of range(n).filter((k) => k % every === 0)) {
        text(left + (i + 0.5) * cell, top + n * cell + 14, fixed(share(i + 1), 0), "label middle");
        if (i > 0) text(left + i * cell - 6, top + (i + 0.5) * cell + 4, fixed(share(i), 0), "label end");
      }
      text(left + width, top + n * cell + 32, "to, % of the closest pairs", "label end");
      text(left, top + n * cell - 6, "from, %", "label");
      return group;
    };

    // The ends of the window change nothing of it but the frame: what was drawn is shown again.
    let kept = { of: "" };
    const heatmapAt = (state, box) => {
      const { dataset, metric, coefficient, n_windows: n } = state;
      const of = JSON.stringify([dataset, metric, coefficient, n, box]);
      if (kept.of !== of) kept = { of, group: drawHeatmap(state, box) };
      if (state.unit !== "percent") return [kept.group];
      const side = box.width - 4;
      const [low, high] = [state.lower, state.upper].map((percent) => (percent / 100) * side);
      const size = Math.min(side / n, high - low);
      const frame = { class: "chosen", x: box.left + high - size, y: box.top + low, width: size, height: size, rx: 2 };
      return [kept.group, shape("rect", frame)];
    };

    const drawCurve = (state, box) => {
      const n = state.n_windows;
      const points = range(n).map((i) => {
        const place = { ...state, unit: "percent", lower: 0, upper: (100 * (i + 1)) / n };
        const { value } = judgeAt(place);
        const interval = intervalOf(state, state.metric, 0, place.upper);
        return { x: place.upper, value, low: interval?.low ?? NaN, high: interval?.high ?? NaN };
      });
      const lowest = Math.min(0, ...points.flatMap(({ value, low }) => [value, low]).filter(Number.isFinite));
      const from = lowest < -0.5 ? -1 : lowest < 0 ? -0.5 : 0;
      const plot = makePlot({ ...box, x: { from: 0, to: 102, title: "up to, % of the closest pairs" },
        y: { from: from - 0.03, to: 1.03, title: `${SYMBOLS[state.coefficient]} on the closest pairs` } });
      if (state.unit === "percent") plot.box(state.lower, from - 0.03, state.upper, 1.03, "window");
      plot.line(0, 0, 102, 0, "zero");
      plot.band(points.map(({ x, low, high }) => [x, low, high]), "band");
      plot.path(points.map(({ x, value }) => [x, value]), "curve");
      points.forEach(({ x, value }) => Number.isFinite(value) && plot.dot(x, value, "dot", 3.5));
      return plot.group;
    };

    const draw = (svg, width, state) => {
      const beside = width >= SIDE;
      const top = { top: 34, left: 46, width: width - 60, height: beside ? 190 : 170 };
      const half = beside ? width / 2 : width;
      const below = top.top + top.height + 76;
      const heat = { left: 46, top: below, width: half - 66 };
      const height = heat.width - 4;
      const second = beside
        ? { top: below, left: half + 46, width: half - 60, height }
        : { top: below + height + 80, left: 46, width: width - 60, height: 190 };
      svg.append(drawPairs(state, top), ...heatmapAt(state, heat), drawCurve(state, second));
      return second.top + second.height + 44;
    };

    return { question: "Do people agree with a metric on the pairs of systems that it finds close?", controls, follow, refuse,
      answer, draw };
  };
})();
