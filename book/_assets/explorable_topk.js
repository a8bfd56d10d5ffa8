/* The best systems, moved: correlations of every metric on the k best, selected from the run's table, and the systems that they
 * rest on.
 */
(() => {
  "use strict";

  const book = window.bookExplorable;
  const { shape, SYMBOLS, missing, fixed, percentOf } = window.bookTools;
  const { rowsOf, distinct, makePlot, span } = book;

  const SIDE = 620; // px; from here two plots stand side by side
  const HEIGHT = 236;

  book.kinds.topk = (data) => {
    const table = rowsOf(data.tables.topk);
    const means = rowsOf(data.tables.means);
    const { words, colours } = data;
    const datasets = distinct(table, "dataset");
    const named = (column, value) => words[column]?.[value] ?? value;

    const of = ({ dataset }) => table.filter((row) => row.dataset === dataset);
    const ofGroup = (state) => of(state).filter((row) => row.group === state.group);
    const ofCoefficient = (state) => ofGroup(state).filter((row) => row.coefficient === state.coefficient);
    const ks = (state) => distinct(ofGroup(state), "k");
    const sizeOf = (state) => Math.max(...ks(state));
    const choices = (column, rows) => distinct(rows, column).map((value) => [value, named(column, value)]);

    // Which values one choice has hangs on those before it.
    const controls = [
      { key: "dataset", label: "Data", options: () => choices("dataset", table), start: () => datasets[0] },
      { key: "group", label: "Systems", options: (state) => choices("group", of(state)), start: () => data.start.group },
      { key: "k", label: "Best systems, k", range: (state) => ({ low: Math.min(...ks(state)), high: sizeOf(state), step: 1 }),
        start: () => data.start.k, says: (k, state) => `${k} of ${sizeOf(state)}` },
      { key: "metric", label: "Metric", options: (state) => choices("metric", of(state)), start: () => data.start.metric },
      { key: "coefficient", label: "Coefficient", options: (state) => choices("coefficient", of(state)),
        start: () => table[0].coefficient },
    ];

    // The systems of a group, best first, as Benchmark.best puts them.
    const systemsOf = (state) => {
      const belongs = ({ system_type: type }) =>
        state.group === "all" || state.group === type || (state.group === "mix" && ["abs", "ext"].includes(type));
      return means
        .filter((row) => row.dataset === state.dataset && row.metric === state.metric && belongs(row))
        .sort((one, other) => other.human - one.human || (one.system < other.system ? -1 : 1));
    };

    const answer = (state) => {
      const n = sizeOf(state);
      const all = ofCoefficient(state);
      const whole = new Map(all.filter(({ k }) => k === n).map((row) => [row.metric, row.value]));
      const rows = all
        .filter(({ k }) => k === state.k)
        .map((row) => ({ ...row, all: whole.get(row.metric), current: row.metric === state.metric }));
      const two = (value) => fixed(value, 2);
      const signed = (value) => (value > 0.005 ? "+" : "") + two(value);
      const columns = [
        { key: "metric", label: "Metric", text: true },
        { key: "value", label: `${SYMBOLS[state.coefficient]} on the ${state.k} best`, show: two },
        { key: "all", label: `on all ${n}`, show: two },
        { key: "change", label: "change", show: signed },
        { key: "change_low", label: "from", show: signed },
        { key: "change_high", label: "to", show: signed },
      ].filter(({ key }) => !key.startsWith("change_") || rows.some((row) => !missing(row[key])));
      return { sentence: say(state, rows.find(({ current }) => current), n), columns, rows,
        caption: `Correlation with people on the ${state.k} best of ${n} systems`,
        note: `The ends are ${percentOf(data.confidence_level)} bootstrap intervals over systems and documents (Boot-Both), of the ` +
          "change in the table and of the correlation in the drawing. They were computed by the run; filled systems are the best." };
    };

    // Whole sentences, one for each case; their words go by the numbers that are read beside them.
    const say = ({ k, metric, group, coefficient }, row, n) => {
      const best = `the ${k} best of ${n} systems (${named("group", group)})`;
      if (missing(row.value)) return `Among ${best} ${metric} has no correlation with people: one side is constant.`;
      const here = `${metric} correlates with people at ${SYMBOLS[coefficient]}\u00a0=\u00a0${fixed(row.value)}`;
      if (k === n) return `Among all ${n} systems (${named("group", group)}) ${here}.`;
      if (missing(row.change)) return `Among ${best} ${here}.`;
      const change = Number(row.value.toFixed(2)) - Number(row.all.toFixed(2));
      const compared = Math.abs(change) < 0.005 ? `Among ${best} ${here}, as among all ${n}.`
        : change < 0 ? `Among ${best} ${here}, ${fixed(-change)} lower than among all ${n} (${fixed(row.all)}).`
          : `Among ${best} ${here}, ${fixed(change)} higher than among all ${n} (${fixed(row.all)}).`;
      if (missing(row.change_low)) return compared;
      const ends = `with other systems and documents the change could be ${fixed(row.change_low)} to ${fixed(row.change_high)}`;
      if (row.change_high < -0.005) return `${compared} A fall is shown: ${ends}.`;
      if (row.change_low > 0.005) return `${compared} A rise is shown: ${ends}.`;
      return `${compared} No change is shown: ${ends}.`;
    };

    const drawSystems = (state, box) => {
      const systems = systemsOf(state)
        .map((row, place) => ({ ...row, best: place < state.k })) // before those without a mean go: they have a place too
        .filter(({ human, value }) => !missing(human) && !missing(value));
      const [x, y] = [span(systems.map(({ value }) => value)), span(systems.map(({ human }) => human))];
      const plot = makePlot({ ...box, x: { from: x[0], to: x[1], title: state.metric },
        y: { from: y[0], to: y[1], title: "People’s mean score" } });
      systems.forEach(({ human, value, system, best }) => {
        const dot = plot.dot(value, human, best ? "dot" : "dot out");
        dot.style.setProperty("--hue", colours[state.metric]);
        dot.append(shape("title", {}, `${named("system", system)}: ${fixed(value, 3)}, people ${fixed(human, 3)}`));
      });
      return plot.group;
    };

    const drawCurve = (state, box) => {
      const rows = ofCoefficient(state);
      const values = rows.flatMap((row) => [row.value, ...(row.metric === state.metric ? [row.low, row.high] : [])]);
      const lowest = Math.min(...values.filter(Number.isFinite));
      const from = lowest < -0.5 ? -1 : lowest < 0 ? -0.5 : 0;
      const [low, high] = [Math.min(...ks(state)), sizeOf(state)];
      const plot = makePlot({ ...box, x: { from: low - 0.5, to: high + 0.5, title: "best systems, k" },
        y: { from: from - 0.03, to: 1.03, title: `Correlation (${SYMBOLS[state.coefficient]})` } });
      const mine = rows.filter(({ metric }) => metric === state.metric);
      const hue = (made) => made?.style.setProperty("--hue", colours[state.metric]);
      plot.line(low - 0.5, 0, high + 0.5, 0, "zero");
      hue(plot.band(mine.map(({ k, low: l, high: h }) => [k, l ?? NaN, h ?? NaN]), "band"));
      for (const metric of distinct(rows, "metric")) {
        const points = rows.filter((row) => row.metric === metric).map(({ k, value }) => [k, value ?? NaN]);
        const line = plot.path(points, metric === state.metric ? "curve" : "curve faint");
        line.style.setProperty("--hue", colours[metric]);
        line.append(shape("title", {}, metric));
      }
      plot.line(state.k, from - 0.03, state.k, 1.03, "marker");
      const here = mine.find(({ k }) => k === state.k);
      if (!missing(here?.value)) hue(plot.dot(state.k, here.value, "dot", 6));
      return plot.group;
    };

    const draw = (svg, width, state) => {
      const beside = width >= SIDE;
      const half = beside ? width / 2 : width;
      const inner = { top: 34, left: 44, width: half - 58, height: HEIGHT };
      const second = beside ? { ...inner, left: half + 44 } : { ...inner, top: 34 + HEIGHT + 84 };
      svg.append(drawSystems(state, inner), drawCurve(state, second));
      return second.top + HEIGHT + 44;
    };

    return { question: "How well do metrics rank the best systems?", controls, answer, draw };
  };
})();
