/* The resampling explorer: each `.explorer` holds score matrices as JSON (helpers/publish/explorer.py).
 *
 * - A press draws at once; what moves afterwards only tells what happened. Any further press, and a reader who
 *   asks for less motion, goes straight to the end.
 * - Each method has a random stream of its own from the seed, and level and coefficient judge the same draws:
 *   nothing that a reader did before changes what a seed gives.
 * - What is computed is in explorer_statistics.js; here it is drawn and put into words.
 */
(() => {
  "use strict";

  const book = window.bookExplorer;

  const CONFIDENCE = 0.95;
  const FEW = 100; // draws below which the ends of an interval still jump
  const MOST = 10_000; // draws of one method
  const LARGEST_SEED = 999_999;
  const BIN = 0.05;
  const SPOKEN = 1000; // ms; the least time between two announcements
  const STEP = 75; // ms; a row or column is drawn
  const SWAP = 520; // ms; scores change places
  const FALL = 420; // ms; a statistic falls into the histogram
  const EACH = 260; // ms; one of ten draws: slower than three changes of the matrices in a second
  const MANY = 1200; // ms; all of a thousand

  const WHAT = ["systems", "inputs", "both"];
  const METHODS = Object.fromEntries(
    ["boot", "perm"].flatMap((kind) =>
      WHAT.map((what) => {
        const name = `${kind === "boot" ? "Boot" : "Perm"}-${what[0].toUpperCase()}${what.slice(1)}`;
        return [`${kind}-${what}`, { kind, what, name }];
      }),
    ),
  );
  const ASKS = {
    "boot-systems": "How far could the correlation move with other systems like these, on the same documents?",
    "boot-inputs": "How far could the correlation move with other documents like these, for the same systems?",
    "boot-both": "How far could the correlation move with other systems and other documents like these?",
    "perm-systems":
      "If A and B were equally good, a system’s scores could change places. Is A better on these documents, for systems like these?",
    "perm-inputs":
      "If A and B were equally good, a document’s scores could change places. Is A better for these systems, on documents like these?",
    "perm-both":
      "If A and B were equally good, the two scores of any summary could change places. Is A better, whatever the systems and documents?",
  };
  const SYMBOLS = { pearson: "r", kendall: "τ" };
  const LABELS = { pearson: "Pearson", kendall: "Kendall", system: "System", summary: "Summary" };
  const TIMES = ["not at all", "once", "twice"];
  const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

  // ---- small tools ---------------------------------------------------------------------------

  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  const shape = (tag, attributes = {}, text = "") => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== "") made.textContent = text;
    return made;
  };

  const range = (n) => Array.from({ length: n }, (_, i) => i);
  const whole = (n) => n.toLocaleString("en-US");
  const word = (n) => NUMBERS[n] ?? whole(n);
  const capital = (text) => text[0].toUpperCase() + text.slice(1);
  const times = (n) => TIMES[n] ?? `${word(n)} times`;
  const fixed = (value, digits) =>
    Number.isNaN(value) ? "–" : value.toFixed(digits).replace(/^-(?=[\d.]*[1-9])/, "−").replace(/^-/, "");
  const list = (names) =>
    names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

  const tally = (drawn, n) => {
    const counts = new Array(n).fill(0);
    for (const i of drawn) counts[i] += 1;
    return counts;
  };

  // ---- words ---------------------------------------------------------------------------------

  // "S2 three times, S4 twice, S1 and S3 not at all, the others once"
  const describeCounts = (letter, counts) => {
    const named = (count) => counts.flatMap((c, i) => (c === count ? [`${letter}${i + 1}`] : []));
    const several = [...new Set(counts)].filter((count) => count > 1).sort((one, other) => other - one);
    const parts = [...several, 0]
      .filter((count) => named(count).length)
      .map((count) => `${list(named(count))} ${times(count)}`);
    const once = named(1);
    if (once.length === counts.length) return "each of them once";
    if (once.length) parts.push(`${once.length > 1 ? "the others" : once[0]} once`);
    return parts.join(", ");
  };

  const describeSwaps = (letter, swapped) => {
    const names = swapped.flatMap((yes, i) => (yes ? [`${letter}${i + 1}`] : []));
    if (!names.length) return "none changed places: these are the data as they were";
    if (names.length === swapped.length) return "all changed places: A and B have only exchanged their names";
    return `${list(names)} changed places between A and B`;
  };

  // ---- one explorer --------------------------------------------------------------------------

  const start = (box, index) => {
    const data = JSON.parse(box.querySelector('script[type="application/json"]').textContent);
    const nSystems = data.people.length;
    const nDocuments = data.people[0].length;
    const standard = { a: book.standardise(data.a), b: book.standardise(data.b) };
    const id = (name) => `explorer-${index + 1}-${name}`;

    const state = { method: "boot-both", level: "system", coefficient: "pearson", seed: 1, shown: 0 };
    let runs = {};
    let known = new Map(); // statistics of the draws, by method, level and coefficient
    let motion = null;
    let pressed = 0; // draws of the last press

    // ---- what is computed --------------------------------------------------------------------

    const methodNow = () => METHODS[state.method];
    const isBoot = () => methodNow().kind === "boot";

    const runOf = (method) => {
      const stream = Object.keys(METHODS).indexOf(method);
      runs[method] ??= { random: book.makeRandom(state.seed, stream), draws: [] };
      return runs[method];
    };

    const drawMore = (method, n) => {
      const { kind, what } = METHODS[method];
      const draw = kind === "boot" ? book.drawBootstrap : book.drawSwaps;
      const { random, draws } = runOf(method);
      for (let i = 0; i < n; i += 1) draws.push(draw(random, nSystems, nDocuments, what));
    };

    const statisticOf = (method, draw) => {
      const { level, coefficient } = state;
      return METHODS[method].kind === "boot"
        ? book.bootstrapStatistic(data.a, data.people, draw, level, coefficient)
        : book.permutationStatistic(standard.a, standard.b, data.people, draw, level, coefficient);
    };

    const valuesOf = (method) => {
      const key = `${method} ${state.level} ${state.coefficient}`;
      if (!known.has(key)) known.set(key, []);
      const values = known.get(key);
      const { draws } = runOf(method);
      while (values.length < draws.length) values.push(statisticOf(method, draws[values.length]));
      return values;
    };

    const correlationOf = (metric) => book.correlate(metric, data.people, state.level, state.coefficient);
    const observed = () => {
      if (isBoot()) return correlationOf(data.a);
      return correlationOf(standard.a) - correlationOf(standard.b);
    };

    // The matrices that the statistic of a draw sees, or the data's for null.
    const sampleOf = (draw) => {
      if (isBoot()) {
        const all = { systems: range(nSystems), documents: range(nDocuments) };
        const { take } = book;
        return { metrics: [take(data.a, draw ?? all)], people: take(data.people, draw ?? all) };
      }
      const metrics = draw ? book.swap(standard.a, standard.b, draw) : [standard.a, standard.b];
      return { metrics, people: data.people };
    };

    // ---- controls ----------------------------------------------------------------------------

    const option = (group, value, text) => {
      const input = element("input", { type: "radio", name: id(group), value, checked: state[group] === value });
      input.addEventListener("change", () => choose(group, value));
      return element("label", { className: "explorer-option" }, input, element("span", { textContent: text }));
    };

    const chooser = (group, legend, rows) =>
      element(
        "fieldset",
        { className: `explorer-choice explorer-choice-${group}` },
        element("legend", { textContent: legend }),
        ...rows.map((values) =>
          element(
            "div",
            { className: "explorer-options" },
            ...values.map((value) => option(group, value, METHODS[value]?.name ?? LABELS[value])),
          ),
        ),
      );

    const methods = Object.keys(METHODS);
    const asks = element("p", { className: "explorer-asks", id: id("asks") });
    const controls = element(
      "div",
      { className: "explorer-controls" },
      chooser("method", "What is drawn", [methods.slice(0, 3), methods.slice(3)]),
      chooser("level", "Level", [["system", "summary"]]),
      chooser("coefficient", "Coefficient", [["pearson", "kendall"]]),
      asks,
    );

    const button = (text, name, act) => {
      const made = element("button", { type: "button", textContent: text, className: `explorer-${name}` });
      made.addEventListener("click", act);
      return made;
    };
    const drawButtons = [
      button("Draw one", "one", () => press(1)),
      button("Draw 10", "ten", () => press(10)),
      button("Draw 1,000", "many", () => press(1000)),
    ];
    const seed = element("input", {
      type: "number", id: id("seed"), min: 0, max: LARGEST_SEED, step: 1, value: state.seed, className: "explorer-seed",
    });
    seed.addEventListener("change", () => {
      const value = seed.valueAsNumber;
      if (Number.isInteger(value) && value >= 0 && value <= LARGEST_SEED) state.seed = value;
      seed.value = state.seed;
      reset(`Seed ${state.seed}: no draws yet.`);
    });
    const numbers = element("input", { type: "checkbox", className: "explorer-numbers" });
    numbers.addEventListener("change", () => {
      box.dataset.numbers = String(numbers.checked);
    });
    const actions = element(
      "div",
      { className: "explorer-actions" },
      element("div", { className: "explorer-draws" }, ...drawButtons),
      element(
        "div",
        { className: "explorer-settings" },
        button("Reset", "reset", () => reset("All draws are cleared.")),
        element("label", {}, "Seed ", seed),
        element("label", { className: "explorer-check" }, numbers, "Numbers"),
      ),
    );

    // ---- matrices ----------------------------------------------------------------------------

    const makeMatrix = (key, name) => {
      const head = (scope, label) => {
        const mark = element("span", { className: "explorer-times" });
        const letter = element("span", { className: "explorer-letter", textContent: label[0] });
        return { mark, cell: element("th", { scope }, element("span", {}, letter, label.slice(1)), mark) };
      };
      const columns = range(nDocuments).map((j) => head("col", `D${j + 1}`));
      const rows = range(nSystems).map((i) => head("row", `S${i + 1}`));
      const cells = rows.map(() => range(nDocuments).map(() => element("td", {}, element("span"))));
      const table = element(
        "table",
        { className: `explorer-matrix hue-${key}` },
        element("caption", { textContent: name }),
        element("thead", {}, element("tr", {}, element("td"), ...columns.map(({ cell }) => cell))),
        element("tbody", {}, ...rows.map(({ cell }, i) => element("tr", {}, cell, ...cells[i]))),
      );
      return { key, table, rows, columns, cells };
    };

    const matrices = [makeMatrix("a", "Metric A"), makeMatrix("b", "Metric B"), makeMatrix("people", "People")];

    const limits = Object.fromEntries(
      Object.entries({ ...data, standard: [...standard.a, ...standard.b] }).map(([key, matrix]) => {
        const cells = matrix.flat();
        return [key, [Math.min(...cells), Math.max(...cells)]];
      }),
    );

    const setMark = (mark, text) => {
      mark.textContent = text;
      mark.dataset.kind = text === "×0" ? "none" : text && text !== "×1" ? "more" : "";
    };

    const showMatrices = (draw) => {
      const boot = isBoot();
      const rowCounts = boot && draw ? tally(draw.systems, nSystems) : null;
      const columnCounts = boot && draw ? tally(draw.documents, nDocuments) : null;
      const { what } = methodNow();
      const marks = {
        rows: range(nSystems).map((i) => {
          if (!draw) return "";
          if (boot) return what === "inputs" ? "" : `×${rowCounts[i]}`;
          return what === "systems" && draw[i][0] ? "⇄" : "";
        }),
        columns: range(nDocuments).map((j) => {
          if (!draw) return "";
          if (boot) return what === "systems" ? "" : `×${columnCounts[j]}`;
          return what === "inputs" && draw[0][j] ? "⇄" : "";
        }),
      };
      for (const { key, table, rows, columns, cells } of matrices) {
        table.hidden = boot && key === "b";
        if (table.hidden) continue;
        const isMetric = key !== "people";
        const other = key === "a" ? "b" : "a";
        rows.forEach(({ mark }, i) => setMark(mark, boot || isMetric ? marks.rows[i] : ""));
        columns.forEach(({ mark }, j) => setMark(mark, boot || isMetric ? marks.columns[j] : ""));
        const [low, high] = limits[boot || !isMetric ? key : "standard"];
        cells.forEach((row, i) =>
          row.forEach((cell, j) => {
            const swapped = !boot && isMetric && Boolean(draw?.[i][j]);
            const source = swapped ? other : key;
            const value = (boot || !isMetric ? data : standard)[source][i][j];
            const count = rowCounts ? rowCounts[i] * columnCounts[j] : 1;
            cell.className = `hue-${source}`;
            cell.dataset.count = count > 1 ? "more" : String(count);
            cell.dataset.swapped = String(swapped);
            cell.style.setProperty("--strength", ((value - low) / (high - low)).toFixed(3));
            const digits = isMetric && boot ? 0 : 1;
            cell.firstChild.textContent = fixed(value, digits);
          }),
        );
      }
    };

    // Swapped scores fly in from the other metric's matrix.
    const flySwapped = (draw) => {
      const [a, b] = matrices;
      draw.forEach((row, i) =>
        row.forEach((swapped, j) => {
          if (!swapped) return;
          const [here, there] = [a, b].map(({ cells }) => cells[i][j].getBoundingClientRect());
          const [dx, dy] = [there.left - here.left, there.top - here.top];
          const timing = { duration: SWAP, easing: "cubic-bezier(.4, 0, .2, 1)" };
          a.cells[i][j].animate([{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "none" }], timing);
          b.cells[i][j].animate([{ transform: `translate(${-dx}px, ${-dy}px)` }, { transform: "none" }], timing);
        }),
      );
    };

    const stopFlying = () =>
      matrices.forEach(({ cells }) => cells.flat().forEach((cell) => cell.getAnimations?.().forEach((a) => a.finish())));

    // ---- from matrices to one number ---------------------------------------------------------

    const statistic = element("p", { className: "explorer-statistic" });
    const plot = shape("svg", { class: "explorer-plot", "aria-hidden": "true" });
    const panel = element("div", { className: "explorer-panel" }, statistic, plot);
    const PLOT_HEIGHT = 176;

    const dot = (metric, x, y, count) => {
      const size = count ? 3.2 + 1.5 * Math.sqrt(count) : 3.2;
      const name = `dot hue-${metric ? "b" : "a"}${count ? "" : " out"}`;
      if (!metric) return shape("circle", { class: name, cx: x, cy: y, r: size });
      const side = size * 1.7;
      const turn = `rotate(45 ${x} ${y})`;
      const corner = { x: x - side / 2, y: y - side / 2, width: side, height: side };
      return shape("rect", { class: name, ...corner, transform: turn });
    };

    const within = (low, value, high) => Math.min(high, Math.max(low, value));

    // System level: a mark a system, its means by metric and people.
    const plotSystems = (draw, width) => {
      const { metrics, people } = sampleOf(null);
      const original = [metrics.map(book.systemMeans), book.systemMeans(people)];
      const reach = (values, share) => {
        const [low, high] = [Math.min(...values), Math.max(...values)];
        return [low - share * (high - low), high + share * (high - low)];
      };
      const [x0, x1] = reach(original[0].flat(), isBoot() ? 0.45 : 0.3);
      const [y0, y1] = reach(original[1], 0.35);
      const [left, right, top, bottom] = [12, width - 12, 22, PLOT_HEIGHT - 26];
      const x = (value) => within(left, left + ((value - x0) / (x1 - x0)) * (right - left), right);
      const y = (value) => within(top, bottom - ((value - y0) / (y1 - y0)) * (bottom - top), bottom);
      const made = [
        shape("line", { class: "axis", x1: left, x2: right, y1: bottom + 8, y2: bottom + 8 }),
        shape("line", { class: "axis", x1: left - 8, x2: left - 8, y1: top - 4, y2: bottom + 8 }),
        shape("text", { class: "label end", x: right, y: PLOT_HEIGHT - 3 }, "metric’s mean →"),
        shape("text", { class: "label", x: left - 8, y: 11 }, "↑ people’s mean"),
      ];
      const sample = sampleOf(draw);
      const counts = isBoot() && draw ? tally(draw.systems, nSystems) : new Array(nSystems).fill(1);
      const peopleMeans = isBoot() && draw ? columnsOnly(data.people, draw) : original[1];
      sample.metrics.forEach((metric, k) => {
        const means = isBoot() && draw ? columnsOnly(data.a, draw) : book.systemMeans(metric);
        means.forEach((value, i) => {
          const [cx, cy] = [x(value), y(peopleMeans[i])];
          made.push(dot(k, cx, cy, counts[i]));
          if (sample.metrics.length === 1) {
            const name = shape("text", { class: `label${counts[i] ? "" : " out"}`, x: cx + 9, y: cy + 4 }, `S${i + 1}`);
            made.push(name);
          }
        });
      });
      return made;
    };

    const columnsOnly = (matrix, { documents }) =>
      book.systemMeans(book.take(matrix, { systems: range(nSystems), documents }));

    // Summary level: a mark a document, the correlation over systems in it.
    const plotDocuments = (draw, width) => {
      const [left, right, top, bottom] = [28, width - 12, 10, PLOT_HEIGHT - 30];
      const x = (value) => left + ((value + 1) / 2) * (right - left);
      const y = (j) => top + ((j + 0.5) / nDocuments) * (bottom - top);
      const made = [-1, 0, 1].flatMap((value) => [
        shape("line", { class: value ? "grid" : "axis", x1: x(value), x2: x(value), y1: top, y2: bottom }),
        shape("text", { class: "label middle", x: x(value), y: bottom + 13 }, fixed(value, 0)),
      ]);
      const title = `${SYMBOLS[state.coefficient]} in each document`;
      made.push(shape("text", { class: "label end", x: right, y: PLOT_HEIGHT - 3 }, title));
      const boot = isBoot();
      const counts = boot && draw ? tally(draw.documents, nDocuments) : new Array(nDocuments).fill(1);
      const rows = boot && draw ? draw.systems : range(nSystems);
      const kept = { systems: rows, documents: range(nDocuments) };
      const metrics = boot ? [book.take(data.a, kept)] : sampleOf(draw).metrics;
      const people = book.take(data.people, kept);
      range(nDocuments).forEach((j) =>
        made.push(shape("text", { class: `label${counts[j] ? "" : " out"}`, x: 0, y: y(j) + 4 }, `D${j + 1}`)),
      );
      metrics.forEach((metric, k) => {
        const values = book.byDocument(metric, people, state.coefficient);
        const exists = (j) => counts[j] && !Number.isNaN(values[j]);
        const used = range(nDocuments).filter(exists);
        const weight = used.reduce((total, j) => total + counts[j], 0);
        const mean = used.reduce((total, j) => total + counts[j] * values[j], 0) / weight;
        if (weight) {
          const ends = { x1: x(mean), x2: x(mean), y1: top, y2: bottom };
          made.push(shape("line", { class: `mean hue-${k ? "b" : "a"}`, ...ends }));
        }
        values.forEach((value, j) => {
          if (!Number.isNaN(value)) made.push(dot(k, x(value), y(j), counts[j]));
        });
      });
      return made;
    };

    const showPanel = (draw) => {
      const width = Math.max(150, panel.clientWidth);
      plot.setAttribute("viewBox", `0 0 ${width} ${PLOT_HEIGHT}`);
      plot.style.height = `${PLOT_HEIGHT}px`;
      plot.replaceChildren(...(state.level === "system" ? plotSystems : plotDocuments)(draw, width));
      const symbol = SYMBOLS[state.coefficient];
      const label = element("span", { textContent: draw ? (isBoot() ? "This sample" : "This swap") : "The data" });
      const { metrics, people } = sampleOf(draw);
      const values = metrics.map((metric) => book.correlate(metric, people, state.level, state.coefficient));
      const bold = (text) => element("strong", { textContent: text });
      if (isBoot()) statistic.replaceChildren(label, bold(`${symbol} = ${fixed(values[0], 3)}`));
      else {
        const parts = [
          element("b", { className: "hue-a", textContent: `A ${fixed(values[0], 2)}` }), " − ",
          element("b", { className: "hue-b", textContent: `B ${fixed(values[1], 2)}` }), " = ",
        ];
        statistic.replaceChildren(label, ...parts, bold(fixed(values[0] - values[1], 3)));
      }
    };

    // ---- histogram ---------------------------------------------------------------------------

    const chart = shape("svg", { class: "explorer-chart", "aria-hidden": "true" });
    const bars = shape("path", { class: "bars" });
    const strong = shape("path", { class: "bars strong", "clip-path": `url(#${id("clip")})` });
    const clip = shape("rect", { y: 0 });
    const clipPath = shape("clipPath", { id: id("clip") });
    clipPath.append(clip);
    const scale = shape("g");
    const notes = shape("g");
    const ball = shape("circle", { class: "ball", r: 5 });
    chart.append(clipPath, scale, bars, strong, notes, ball);
    const CHART = { height: 232, top: 50, bottom: 204, left: 14, right: 14, least: 8 };

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

    const showHistogram = (values, shown, latest) => {
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

    const intervalOf = (values) =>
      [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2].map((share) => book.quantile(values, share));

    // ---- text --------------------------------------------------------------------------------

    const story = element("p", { className: "explorer-story" });
    const result = element("p", { className: "explorer-result" });
    const spoken = element("p", { className: "explorer-spoken" });
    spoken.setAttribute("role", "status");
    spoken.setAttribute("aria-live", "polite");

    let lastSpoken = -Infinity;
    let waiting = 0;
    const say = (text) => {
      clearTimeout(waiting);
      const speak = () => {
        lastSpoken = performance.now();
        spoken.textContent = text;
      };
      waiting = setTimeout(speak, Math.max(0, lastSpoken + SPOKEN - performance.now()));
    };

    const tellDraw = (draw) => {
      const { what } = methodNow();
      const sentences = [];
      if (isBoot()) {
        const systems = describeCounts("S", tally(draw.systems, nSystems));
        const documents = describeCounts("D", tally(draw.documents, nDocuments));
        const [rows, columns] = [word(nSystems), word(nDocuments)];
        if (what === "systems") {
          sentences.push(`${capital(rows)} systems were drawn with replacement: ${systems}. All ${columns} documents stay.`);
        } else if (what === "inputs") {
          sentences.push(`${capital(columns)} documents were drawn with replacement: ${documents}. All ${rows} systems stay.`);
        } else {
          sentences.push(`${capital(rows)} systems were drawn with replacement: ${systems}. So were ${columns} documents: ${documents}.`);
        }
        const value = statisticOf(state.method, draw);
        sentences.push(
          Number.isNaN(value)
            ? "One side of this sample has only equal values, so it has no correlation; it is counted and left out."
            : `The correlation of this sample is ${fixed(value, 3)}; that of the data is ${fixed(observed(), 3)}.`,
        );
      } else {
        const n = draw.flat().filter(Boolean).length;
        if (what === "systems") sentences.push(`A coin was tossed for each system: ${describeSwaps("S", draw.map(([first]) => first))}.`);
        else if (what === "inputs") sentences.push(`A coin was tossed for each document: ${describeSwaps("D", draw[0])}.`);
        else sentences.push(`A coin was tossed for each of the ${nSystems * nDocuments} summaries: ${n} changed places between A and B.`);
        sentences.push(`The difference of the correlations is now ${fixed(statisticOf(state.method, draw), 3)}; in the data it is ${fixed(observed(), 3)}.`);
      }
      return sentences.join(" ");
    };

    const firstStory = () =>
      isBoot()
        ? `These are the data: ${word(nSystems)} systems, ${word(nDocuments)} documents, and for each summary a score from metric A and one from people. Draw a sample and see what its correlation is.`
        : "These are the data: two metrics, standardised so that their scores can change places, and people. Toss coins and see what difference of the correlations is left.";

    const tellStory = (draw, n) => {
      if (!draw) return firstStory();
      const lead = n > 1 ? `${whole(n)} ${isBoot() ? "samples" : "swaps"}; the matrices show the last. ` : "";
      return lead + tellDraw(draw);
    };

    // [words in bold, other words]
    const tellResult = (values) => {
      const existing = values.filter((value) => !Number.isNaN(value));
      const n = existing.length;
      const none = values.length - n;
      const left = none ? ` ${whole(none)} without a correlation ${none > 1 ? "are" : "is"} left out.` : "";
      if (isBoot()) {
        if (n < 2) return ["", `${n ? "One draw is no interval yet" : "No draws yet: here the interval forms"}.${left}`];
        const [low, high] = intervalOf(existing);
        const hint = n < FEW ? " With so few draws its ends still jump." : "";
        return [`95% interval: ${fixed(low, 3)} to ${fixed(high, 3)}`, `, the middle of ${whole(n)} samples.${hint}${left}`];
      }
      if (!n) return ["", `No draws yet: here the p-value forms.${left}`];
      const seen = observed();
      const count = book.countExtreme(seen, existing);
      const p = book.pValue(seen, existing);
      return [
        `p = ${fixed(p, 3)}`,
        ` = (${whole(count)} + 1) / (${whole(n)} + 1): in ${whole(count)} of ${whole(n)} swaps the difference was at least the observed ${fixed(seen, 3)}.${left}`,
      ];
    };

    const showResult = (values) => {
      const [bold, rest] = tellResult(values);
      result.replaceChildren(...(bold ? [element("strong", { textContent: bold })] : []), rest);
    };

    // ---- the three methods side by side ------------------------------------------------------

    const ledger = element("div", { className: "explorer-ledger" });
    const showLedger = (shownNow) => {
      const family = Object.entries(METHODS).filter(([, { kind }]) => kind === methodNow().kind);
      const rows = family.map(([key, { name }]) => {
        const all = runs[key] ? valuesOf(key) : [];
        const values = (key === state.method ? all.slice(0, shownNow) : all).filter((value) => !Number.isNaN(value));
        const row = element("li", {}, element("b", { textContent: name }));
        if (key === state.method) row.setAttribute("aria-current", "true");
        const enough = isBoot() ? values.length > 1 : values.length > 0;
        if (!enough) {
          row.append(element("span", { className: "none", textContent: "not drawn yet" }));
        } else if (isBoot()) {
          const [low, high] = intervalOf(values);
          row.append(element("span", { textContent: `${fixed(low, 3)} to ${fixed(high, 3)}` }));
          row.append(element("small", { textContent: `width ${fixed(high - low, 3)}, ${whole(values.length)} draws` }));
        } else {
          row.append(element("span", { textContent: `p = ${fixed(book.pValue(observed(), values), 3)}` }));
          row.append(element("small", { textContent: `${whole(values.length)} draws` }));
        }
        if (isBoot()) {
          const track = element("div", { className: "track" });
          track.style.setProperty("--data", `${((observed() + 1) / 2) * 100}%`);
          if (enough) {
            const [low, high] = intervalOf(values);
            const bar = element("i");
            bar.style.left = `${((low + 1) / 2) * 100}%`;
            bar.style.width = `${((high - low) / 2) * 100}%`;
            track.append(bar);
          }
          row.append(track);
        }
        return row;
      });
      const title = isBoot() ? "The three intervals, on the same axis" : "The three p-values";
      ledger.replaceChildren(
        element("p", { className: "explorer-title", textContent: title }),
        element("ul", {}, ...rows),
      );
    };

    const axisTitle = element("p", { className: "explorer-title" });
    const histogram = element("div", { className: "explorer-histogram" }, axisTitle, chart, result);

    // ---- motion ------------------------------------------------------------------------------

    // Calls frame(ms since the start) until `duration`, then end(); finish() goes to the end at once.
    const play = (duration, frame, end) => {
      const began = performance.now();
      const stop = () => {
        cancelAnimationFrame(motion.handle);
        motion = null;
        end();
        box.dataset.busy = "false";
      };
      const tick = (now) => {
        const elapsed = Math.max(0, now - began);
        if (elapsed >= duration) stop();
        else {
          frame(elapsed);
          motion.handle = requestAnimationFrame(tick);
        }
      };
      box.dataset.busy = "true";
      motion = { stop, handle: requestAnimationFrame(tick) };
    };

    const finish = () => {
      motion?.stop();
      stopFlying();
    };

    const dropBall = (value, share, landing) => {
      if (Number.isNaN(value)) return;
      ball.style.display = "";
      ball.setAttribute("cx", chartX(value));
      ball.setAttribute("cy", CHART.top - 30 + share * share * (landing - CHART.top + 30));
    };

    const showDraw = (draw, n) => {
      panel.dataset.waiting = "false";
      showMatrices(draw);
      showPanel(draw);
      story.textContent = tellStory(draw, n);
    };

    // Everything as it is when nothing moves.
    const showAll = () => {
      const values = valuesOf(state.method);
      const draw = runs[state.method].draws.at(-1) ?? null;
      state.shown = values.length;
      asks.textContent = ASKS[state.method];
      const symbol = SYMBOLS[state.coefficient];
      const level = state.level === "system" ? "system level" : "summary level";
      axisTitle.textContent = isBoot()
        ? `${symbol} of metric A with people, ${level}, in every sample so far`
        : `${symbol}(A) − ${symbol}(B), ${level}, in every swap so far`;
      showDraw(draw, pressed);
      showHistogram(values, values.length, values.at(-1));
      showResult(values);
      showLedger(values.length);
      const room = MOST - values.length;
      drawButtons.forEach((made, i) => {
        made.setAttribute("aria-disabled", String(room < [1, 10, 1000][i]));
      });
      box.dataset.draws = values.length;
    };

    const sayAll = () => {
      const words = tellResult(valuesOf(state.method)).join("");
      say(`${pressed === 1 ? `${story.textContent} ` : `${whole(pressed)} draws. `}${words}`);
    };

    const animateOne = (before) => {
      const values = valuesOf(state.method);
      const draw = runs[state.method].draws[before];
      const value = values[before];
      const { what } = methodNow();
      const boot = isBoot();
      const rows = boot && what !== "inputs" ? draw.systems.length : 0;
      const columns = boot && what !== "systems" ? draw.documents.length : 0;
      const reveal = boot ? (rows + columns + 2) * STEP : SWAP + 60;
      let step = -1;
      let landing = null;
      if (!boot) {
        showMatrices(draw);
        flySwapped(draw);
      }
      ball.style.display = "none";
      panel.dataset.waiting = "true";
      story.textContent = boot ? "Drawing …" : "Tossing coins …";
      const frame = (elapsed) => {
        if (elapsed < reveal) {
          const now = Math.floor(elapsed / STEP);
          if (!boot || now === step) return;
          step = now;
          // The rows first; columns count as all there until theirs are drawn.
          const some = (all, n) => all.slice(0, Math.max(0, n));
          showMatrices({
            systems: rows ? some(draw.systems, step) : draw.systems,
            documents: columns && step > rows ? some(draw.documents, step - rows) : range(nDocuments),
          });
          return;
        }
        if (landing === null) {
          showDraw(draw, 1);
          ({ landing } = showHistogram(values, before, value));
        }
        dropBall(value, (elapsed - reveal) / FALL, landing);
      };
      play(reveal + FALL, frame, showAll);
    };

    const animateTen = (before, n) => {
      const values = valuesOf(state.method);
      let current = -1;
      let landing = 0;
      const frame = (elapsed) => {
        const i = Math.min(n - 1, Math.floor(elapsed / EACH));
        if (i !== current) {
          current = i;
          showDraw(runs[state.method].draws[before + i], 1);
          ({ landing } = showHistogram(values, before + i, values[before + i]));
          showResult(values.slice(0, before + i));
        }
        dropBall(values[before + i], Math.min(1, (elapsed - i * EACH) / (EACH * 0.9)), landing);
      };
      play(n * EACH, frame, showAll);
    };

    const animateMany = (before, n) => {
      const values = valuesOf(state.method);
      story.textContent = `${whole(n)} ${isBoot() ? "samples" : "swaps"}, each like the ones before …`;
      const frame = (elapsed) => {
        const share = elapsed / MANY;
        state.shown = before + Math.floor(n * share * share);
        showHistogram(values, state.shown);
        showResult(values.slice(0, state.shown));
        showLedger(state.shown);
      };
      play(MANY, frame, showAll);
    };

    const press = (n) => {
      finish();
      const before = runOf(state.method).draws.length;
      if (before + n > MOST) {
        story.textContent = `${whole(before)} draws are enough for this page. Reset to begin anew.`;
        say(story.textContent);
        return;
      }
      pressed = n;
      drawMore(state.method, n);
      if (calm.matches) showAll();
      else if (n === 1) animateOne(before);
      else if (n <= 10) animateTen(before, n);
      else animateMany(before, n);
      sayAll();
    };

    const choose = (group, value) => {
      finish();
      state[group] = value;
      box.dataset[group] = value;
      box.dataset.kind = methodNow().kind;
      pressed = 1;
      showAll();
      say(`${methodNow().name}, ${state.level} level, ${LABELS[state.coefficient]}. ${tellResult(valuesOf(state.method)).join("")}`);
    };

    const reset = (words) => {
      finish();
      runs = {};
      known = new Map();
      counted = { key: "", shown: 0, counts: [] };
      pressed = 0;
      box.dataset.seed = state.seed;
      showAll();
      say(words);
    };

    // ---- on the page -------------------------------------------------------------------------

    box.querySelector(".explorer-still")?.remove();
    const stage = element("div", { className: "explorer-stage" }, ...matrices.map(({ table }) => table), panel);
    box.append(element("div", { className: "explorer-body" }, controls, stage, actions, story, histogram, ledger), spoken);
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Resampling explorer");
    Object.assign(box.dataset, { ...state, kind: methodNow().kind, numbers: "false", busy: "false" });
    showAll();
    if ("ResizeObserver" in window) {
      const widths = () => `${histogram.clientWidth} ${panel.clientWidth}`;
      let seen = widths();
      const observer = new ResizeObserver(() => {
        if (widths() === seen) return;
        seen = widths();
        finish();
        showAll();
      });
      [histogram, panel].forEach((part) => observer.observe(part));
    }
    // Time stands still for a page in the background.
    document.addEventListener("visibilitychange", () => document.hidden && finish());
    calm.addEventListener("change", finish);
    box.dataset.ready = "true";
    return {
      box,
      data,
      values: () => [...valuesOf(state.method)],
      draws: () => structuredClone(runOf(state.method).draws),
      observed,
    };
  };

  const startAll = () => {
    book.explorers = [...document.querySelectorAll(".explorer")].map(start);
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", startAll);
  else startAll();
})();
