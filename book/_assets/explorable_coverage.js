/* Coverage with a known truth, moved: benchmarks are drawn here, in the page, from a likeness, and intervals of four methods are
 * asked whether they hold the correlation that is true there. Runs until it is told to stop.
 */
(() => {
  "use strict";

  const book = window.bookExplorable;
  const { element, SYMBOLS, fixed, whole } = window.bookTools;
  const { makeRandom } = window.bookStatistics;
  const { rowsOf, distinct, makePlot, likeness: model } = book;

  const SYSTEMS = [6, 8, 10, 12, 16, 20, 25, 30, 40, 50];
  const DOCUMENTS = [5, 10, 20, 30, 50, 100, 200];
  const RESAMPLES = 300; // behind each bootstrap interval
  const FIRST = 30; // trials that a new setting gets at once
  const MOST = 2000; // trials of one setting
  const SLICE = 24; // ms of computing before the page may do something else
  const PAINT = 100; // ms between two drawings
  const CALM_PAINT = 1000; // the same for readers who ask for less motion
  const SHOWN = 40; // intervals in the drawing
  const PROMISE = 0.95;
  const Z = 1.959963984540054; // of Wilson's interval, 95 %
  const SIDE = 560; // px; from here two plots stand side by side
  const HEIGHT = 250;
  const COEFFICIENTS = ["pearson", "kendall"];
  const METHODS = Object.keys(model.METHODS);

  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

  book.kinds.coverage = (data, { refresh, seen }) => {
    const likenesses = new Map(data.likenesses.map((one) => [`simulated-${one.name}`, one]));
    const truths = rowsOf(data.tables.truths);
    const truthOf = (state) =>
      truths.find((row) => ["dataset", "metric", "coefficient"].every((key) => row[key] === state[key])).value;
    const same = (value) => [value, value];
    const metricsOf = ({ dataset }) => distinct(truths.filter((row) => row.dataset === dataset), "metric");

    const controls = [
      { key: "dataset", label: "Likeness", start: () => data.start.dataset,
        options: () => [...likenesses.keys()].map((name) => [name, data.words.dataset[name]]) },
      { key: "metric", label: "Metric", start: () => data.start.metric, options: (state) => metricsOf(state).map(same) },
      { key: "coefficient", label: "Coefficient", start: () => "pearson",
        options: () => COEFFICIENTS.map((name) => [name, data.words.coefficient[name]]) },
      { key: "method", label: "Method", start: () => METHODS[0], options: () => METHODS.map(same) },
      { key: "systems", label: "Systems", start: () => 12, steps: () => SYSTEMS },
      { key: "documents", label: "Documents", start: () => 50, steps: () => DOCUMENTS },
    ];

    // ---- trials ------------------------------------------------------------------------------

    let setting = ""; // what the trials are of
    let now = {}; // the state that they are of
    let trials = []; // intervals by method
    let wanted = 0;
    let timer = 0;
    let painted = 0;

    const trial = (number) => {
      const { dataset, metric, coefficient, systems, documents } = now;
      // data and intervals have streams of their own, by the number of the trial
      const benchmark = model.drawBenchmark(likenesses.get(dataset), metric, systems, documents, makeRandom(number, 0));
      return Object.fromEntries(
        METHODS.map((method, i) => [
          method, model.intervalOf(benchmark, method, coefficient, RESAMPLES, makeRandom(number, i + 1)),
        ]),
      );
    };

    const running = () => trials.length < wanted;
    const work = () => {
      const began = performance.now();
      while (running() && performance.now() - began < SLICE) trials.push(trial(trials.length + 1));
      const rest = calm.matches ? CALM_PAINT : PAINT;
      if (!running() || performance.now() - painted >= rest) {
        painted = performance.now();
        refresh();
      }
      timer = running() ? setTimeout(work) : 0;
    };
    const run = (until) => {
      wanted = Math.min(MOST, until);
      if (!timer && running()) timer = setTimeout(work);
    };
    const stop = () => {
      wanted = trials.length;
      clearTimeout(timer);
      timer = 0;
      refresh();
    };

    const button = element("button", { type: "button", className: "strong" });
    button.addEventListener("click", () => {
      if (running()) stop();
      else {
        run(MOST);
        refresh();
      }
    });

    const changed = (state) => {
      const { method, ...others } = state;
      const asked = JSON.stringify(others);
      now = { ...state };
      if (asked === setting) return;
      setting = asked;
      trials = [trial(1)]; // there is something to see at once
      painted = performance.now();
      clearTimeout(timer);
      timer = 0;
      seen.then(() => setting === asked && run(FIRST)); // what nobody looks at keeps no phone busy
    };

    const tallied = (method, truth) => {
      const there = trials.map((one) => one[method]).filter(([low, high]) => !Number.isNaN(low + high));
      const n = there.length;
      const held = there.filter(([low, high]) => low <= truth && truth <= high).length;
      const coverage = n ? held / n : null;
      // Wilson's interval: it has a width where every trial held, or none
      const wide = Z ** 2 / n;
      const middle = (coverage + wide / 2) / (1 + wide);
      const reach = (Math.sqrt(wide * coverage * (1 - coverage) + wide ** 2 / 4)) / (1 + wide);
      const [from, to] = n ? [middle - reach, middle + reach] : [null, null];
      const width = n ? there.reduce((sum, [low, high]) => sum + high - low, 0) / n : null;
      return { method, coverage, from, to, width, held, trials: n, undefined: trials.length - n };
    };

    // ---- what is shown -----------------------------------------------------------------------

    const percent = (value) => `${fixed(100 * value, 1)}\u00a0%`;

    const say = (state, row, truth) => {
      const drawnBenchmarks = `${whole(row.trials)} simulated benchmark${row.trials === 1 ? "" : "s"}`;
      const start = `In ${drawnBenchmarks} of ${state.systems} systems and ${state.documents} documents`;
      if (!row.trials) {
        const drawn = row.undefined === 1 ? "the one simulated benchmark" : `any of ${whole(row.undefined)} simulated benchmarks`;
        return `${state.method} gives no interval in ${drawn} of ${state.systems} systems and ${state.documents} documents.`;
      }
      const held = `${start}, ${state.method}’s 95\u00a0% interval held the true ${SYMBOLS[state.coefficient]} of ${state.metric}, ` +
        `${fixed(truth)}, ${whole(row.held)} ${row.held === 1 ? "time" : "times"} (${percent(row.coverage)})`;
      if (row.trials < FIRST) return `${held}.`;
      if (row.from <= PROMISE && PROMISE <= row.to) return `${held}: too few trials to tell this from 95\u00a0%.`;
      return `${held}, ${row.to < PROMISE ? "less" : "more"} than the 95\u00a0% that it promises.`;
    };

    const answer = (state) => {
      const truth = truthOf(state);
      const rows = METHODS.map((method) => ({ ...tallied(method, truth), truth, current: method === state.method }));
      button.textContent = running() ? "Stop" : trials.length >= MOST ? "All trials are run" : `Run up to ${whole(MOST)} trials`;
      button.setAttribute("aria-disabled", String(!running() && trials.length >= MOST));
      const likeness = likenesses.get(state.dataset);
      return {
        sentence: say(state, rows.find(({ current }) => current), truth), rows,
        caption: `How often 95 % intervals held the true ${SYMBOLS[state.coefficient]}`,
        note: `Simulated, in this browser: no scores of ${likeness.source} are used. Each trial draws new systems and documents from a ` +
          "model fitted to its moments and makes four intervals. True is the correlation over all systems and documents that the " +
          `model can give. ${whole(RESAMPLES)} bootstrap samples for each interval; orange intervals missed the true value. From and to are Wilson’s 95 % interval of what this many trials can say.`,
        columns: [
          { key: "method", label: "Method", text: true },
          { key: "coverage", label: "held", show: percent },
          { key: "from", label: "from", show: percent },
          { key: "to", label: "to", show: percent },
          { key: "width", label: "mean width", show: (value) => fixed(value, 2) },
          { key: "trials", label: "trials", show: whole },
          { key: "undefined", label: "undefined", show: whole },
        ],
      };
    };

    const drawIntervals = (state, box, truth) => {
      const last = trials.map((one) => one[state.method]).slice(-SHOWN);
      const lows = last.map(([low]) => low).filter(Number.isFinite);
      const from = Math.min(0, ...lows) < -0.5 ? -1 : Math.min(0, ...lows) < 0 ? -0.5 : 0;
      const plot = makePlot({ ...box, x: { from: from - 0.02, to: 1.02, title: `${SYMBOLS[state.coefficient]}; dashed: the true one, ${fixed(truth)}` },
        y: { from: SHOWN, to: 0, ticks: [], title: `${state.method}, the last trials` } });
      last.forEach(([low, high], i) => {
        if (Number.isNaN(low + high)) return;
        plot.line(low, i + 0.5, high, i + 0.5, low <= truth && truth <= high ? "interval" : "interval missed");
      });
      plot.line(truth, 0, truth, SHOWN, "marker");
      return plot.group;
    };

    const drawCoverage = (state, box, truth) => {
      const rows = METHODS.map((method) => tallied(method, truth));
      const lowest = Math.min(...rows.map((row) => row.from ?? 1));
      const from = lowest < 0.5 ? 0 : 0.5;
      const ticks = (from ? [0.5, 0.6, 0.7, 0.8, 0.9, 1] : [0, 0.25, 0.5, 0.75, 1]).map((value) => [value, fixed(100 * value, 0)]);
      const plot = makePlot({ ...box, x: { from, to: 1.01, ticks, grid: true, title: "% of trials that held the truth" },
        y: { from: METHODS.length, to: 0, grid: false, title: "All methods",
          ticks: METHODS.map((method, i) => [i + 0.5, method]) } });
      plot.line(PROMISE, 0, PROMISE, METHODS.length, "marker");
      rows.forEach(({ method, coverage, from: low, to: high, trials: n }, i) => {
        if (!n) return;
        plot.line(low, i + 0.5, high, i + 0.5, "whisker");
        plot.dot(coverage, i + 0.5, method === state.method ? "dot" : "dot pale", method === state.method ? 6 : 4.5);
      });
      return plot.group;
    };

    const draw = (svg, width, state) => {
      const truth = truthOf(state);
      const beside = width >= SIDE;
      const half = beside ? width / 2 : width;
      const left = { top: 34, left: 14, width: half - 28, height: HEIGHT };
      const right = beside
        ? { ...left, left: half + 86, width: half - 100 }
        : { top: 34 + HEIGHT + 84, left: 92, width: width - 106, height: 160 };
      svg.append(drawIntervals(state, left, truth), drawCoverage(state, right, truth));
      return right.top + right.height + 44;
    };

    return { question: "Does a 95 % interval hold the truth in 95 % of the cases?", controls, answer, draw, changed,
      actions: [button] };
  };
})();
