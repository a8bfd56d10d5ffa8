/* What a reader's own file says, as a panel of explorable.js: correlations with people, the best systems, the closest pairs.
 *
 * What is not drawn is there first; intervals come in slices between which the page answers. `data` is what
 * bookYourFile.matched gives, with `name`, and `closed` once another file has taken its place.
 */
(() => {
  "use strict";

  const book = window.bookExplorable;
  const { quantile } = window.bookStatistics;
  const mine = window.bookYourFile;
  const { range, SYMBOLS, missing, fixed, whole, list } = window.bookTools;
  const { makePlot, span } = book;

  const SLICE = 12; // ms of computing between two looks at the page's events
  const REPAINT = 120; // ms between two pictures of unfinished intervals
  const ENOUGH = 100; // draws below which no interval is shown
  const FEW_SYSTEMS = 6;
  const CONFIDENCE = 0.95;
  const TAILS = [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2];
  const SECOND_DIGIT = 0.01; // Monte-Carlo errors of an end, as in metaeval/tables/wording.py
  const UNSETTLED = 0.05;
  const SIDE = 620; // px; from here two plots stand side by side
  const ROW = 30; // px of a metric in the drawing
  const NAME = 24; // letters of a metric's name in the drawing

  const LEVELS = { system: "System", summary: "Summary" };
  const COEFFICIENTS = { kendall: "Kendall’s τ", pearson: "Pearson’s r" };

  book.kinds.your_file = (data, { refresh }) => {
    const { metrics, systems, documents } = data;
    const nSystems = systems.length;
    // In how many orders they can stand: chance alone ranks so few right, or wrong, too often for an interval over them.
    const nOrders = range(nSystems).reduce((product, i) => product * (i + 1), 1);
    const tooFew = 2 / nOrders > 1 - CONFIDENCE;
    const nPairs = (nSystems * (nSystems - 1)) / 2;
    const closest = metrics.map((_, metric) => mine.closest(data, metric));

    let state = {}; // what is chosen now

    // ---- what is computed, once for each choice, a slice at a time -----------------------------

    const verdicts = mine.answers(data);
    const known = new Map();
    const once = (key, make) => {
      if (!known.has(key)) known.set(key, make());
      return known.get(key);
    };
    const estimates = ({ level, coefficient }) =>
      once(`estimates ${level} ${coefficient}`, () => {
        const found = { values: metrics.map(() => NaN), done: false };
        found.run = (function* run() {
          for (const [metric] of metrics.entries()) {
            found.values[metric] = mine.estimate(data, metric, level, coefficient);
            yield;
          }
          found.done = true;
        })();
        return found;
      });
    const best = ({ coefficient }) =>
      once(`best ${coefficient}`, () => {
        const found = { rows: new Map(), done: false };
        found.run = (function* run() {
          for (const row of mine.topK(data, coefficient)) {
            found.rows.set(row.k, row.values);
            yield;
          }
          found.done = true;
        })();
        return found;
      });
    const intervals = ({ level, coefficient }) =>
      once(`intervals ${level} ${coefficient}`, () => mine.bootstrap(data, level, coefficient));
    const windowOf = (metric, { share }) => closest[metric][share - 1];
    const pairs = (metric, given) => {
      const { upper } = windowOf(metric, given);
      return once(`pairs ${metric} ${upper}`, () => mine.bootstrapPairs(data, metric, upper));
    };

    // In the order in which they matter to what is chosen now.
    const wanted = () => {
      const chosen = metrics.indexOf(state.metric);
      const others = range(metrics.length).filter((metric) => metric !== chosen);
      const agreements = [chosen, ...others].map((metric) => pairs(metric, state));
      return [estimates(state), best(state), intervals(state), verdicts, ...agreements];
    };
    const next = () => wanted().find(({ done }) => !done);

    let working = false;
    let painted = 0;
    const work = () => {
      if (data.closed) return;
      const began = performance.now();
      let job = next();
      while (job && performance.now() - began < SLICE) {
        if (job.run.next().done) job = next();
      }
      if (!job || performance.now() - painted > REPAINT) {
        refresh();
        painted = performance.now();
      }
      working = Boolean(job);
      data.onProgress?.(!working);
      if (working) setTimeout(work);
    };
    const changed = (chosen) => {
      state = chosen;
      if (working) return;
      working = true;
      data.onProgress?.(false);
      setTimeout(work);
    };

    // ---- controls ------------------------------------------------------------------------------

    const pick = (words) => () => Object.entries(words);
    const pairsHeld = (share, { metric }) => `${whole(windowOf(metrics.indexOf(metric), { share }).n)} of ${whole(nPairs)} pairs`;
    const nWindows = mine.windowsOf(data);
    const controls = [
      { key: "metric", label: "Metric", options: () => metrics.map((name) => [name, name]), start: () => metrics[0] },
      { key: "level", label: "Level", options: pick(LEVELS), start: () => "system" },
      { key: "coefficient", label: "Coefficient", options: pick(COEFFICIENTS), start: () => "kendall" },
      { key: "k", label: "Best systems, k", range: () => ({ low: mine.MIN_SYSTEMS, high: nSystems, step: 1 }),
        start: () => Math.max(mine.MIN_SYSTEMS, Math.ceil(nSystems / 2)), says: (k) => `${k} of ${nSystems}` },
      { key: "share", label: "Closest pairs", range: () => ({ low: 1, high: nWindows, step: 1 }),
        start: () => Math.ceil(nWindows / 2), says: pairsHeld },
    ];

    // ---- what a choice shows -------------------------------------------------------------------

    const ends = (values, of = quantile) =>
      values.length < ENOUGH ? [NaN, NaN] : TAILS.map((share) => of(values, share));

    const rowOf = (metric) => {
      const drawn = intervals(state).values[metric];
      const shown = tooFew && state.level === "system" ? [] : drawn;
      const [low, high] = ends(shown);
      const [low_mc_error, high_mc_error] = ends(shown, mine.quantileError);
      const current = metrics.indexOf(state.metric);
      const differences = metric === current ? [] : shown.map((value, draw) => value - intervals(state).values[current][draw]);
      const [difference_low, difference_high] = ends(differences.filter((value) => value !== undefined));
      const window = windowOf(metric, state);
      const [agreement_low, agreement_high] = ends(pairs(metric, state).values);
      return {
        metric: metrics[metric], ...verdictOf(metric), value: estimates(state).values[metric], low, high, low_mc_error, high_mc_error,
        difference: metric === current ? NaN : estimates(state).values[metric] - estimates(state).values[current], difference_low, difference_high,
        best: best(state).rows.get(state.k)?.[metric] ?? NaN,
        pairs: window.n, upper: window.upper, tau: window.value,
        agreement: window.agreement, agreement_low, agreement_high,
        draws: drawn.length, undefined: drawn.filter(Number.isNaN).length, current: metrics[metric] === state.metric,
      };
    };

    const cut = (name) => (name.length > NAME ? `${name.slice(0, NAME - 1)}…` : name);
    const two = (value) => fixed(value, 2);
    const percent = (value) => (missing(value) ? "–" : `${fixed(100 * value, 0)} %`);
    // with the digits that other draws leave alone, one or two
    const settled = (value, error) => fixed(value, error > SECOND_DIGIT ? 1 : 2);
    const interval = ({ low, high, low_mc_error, high_mc_error }) =>
      missing(low) ? "–" : `${settled(low, low_mc_error)} to ${settled(high, high_mc_error)}`;
    const shares = (low, high) => (missing(low) ? "–" : `${fixed(100 * low, 0)} to ${fixed(100 * high, 0)} %`);

    const plusOrMinus = (value) => (value > 0 ? `+${two(value)}` : two(value));
    const show = verdicts.isBesideRaters || data.isLength.some(Boolean) ? plusOrMinus : two;
    const apart = ({ apart: value, apart_low: low, apart_high: high }) => (missing(value) ? "–" : `${show(value)} [${show(low)}, ${show(high)}]`);
    const verdictOf = (metric) => {
      const { word, value, low, high, against } = verdicts.values[metric] ?? {};
      const none = data.isLength[metric] ? "a length" : verdicts.lack || "…";
      return { answer: word ?? none, against: against ?? "", apart: value ?? NaN, apart_low: low ?? NaN, apart_high: high ?? NaN };
    };
    const say = (row) => {
      const [word, from] = [row.answer[0].toUpperCase() + row.answer.slice(1), row.against ? ` from ${row.against}` : ""];
      return `${verdicts.ask(row.metric)} ${word}${missing(row.apart) ? "" : `: ${apart(row)}${from}`}.`;
    };

    const tell = (row) => {
      const missed = data.nSummaries - data.nScored;
      const parts = [
        `${data.name}: ${nSystems} systems, ${whole(documents.length)} documents, ${whole(data.nScored)} summaries with every score` +
          `${missed ? `; ${whole(missed)} that lack a metric’s or people’s are left out` : ""}.`,
        `Answers follow the rule of metaeval report, by Kendall’s τ over systems: yes where all of the interval lies above ${fixed(verdicts.at, 1)}, ` +
          "no below it, open where neither; each metric is one test at 2.5 %, one-sided.",
        `Other intervals: Boot-Both for the correlation, over systems and documents like these; Boot-Inputs for the pairs, over documents;` +
          ` ${whole(mine.N_DRAWS)} samples, seed ${mine.SEED}. A tie counts half.`,
      ];
      if (data.turned.length) parts.push(`Lower is better for ${list(data.turned)}, by the name, so the signs were turned.`);
      if (row.undefined) parts.push(`In ${whole(row.undefined)} of ${whole(row.draws)} samples the correlation does not exist.`);
      const moved = Math.max(row.low_mc_error, row.high_mc_error);
      if (row.draws === intervals(state).nDraws && moved > UNSETTLED) {
        parts.push(`Other draws move an end of the interval by about ${fixed(moved, 1)}: take more systems.`);
      }
      if (tooFew) {
        parts.push(`These are only ${nSystems} systems, and chance alone puts them into people’s order once in ${nOrders} times: ` +
          "an interval over them says nothing, and what is said of systems holds for these and no others.");
      } else if (nSystems < FEW_SYSTEMS) parts.push(`With ${nSystems} systems an interval moves with single systems: read it as rough.`);
      return parts.join(" ");
    };

    const answer = () => {
      const rows = metrics.map((_, metric) => rowOf(metric));
      const chosen = rows.find(({ current }) => current);
      const columns = [
        { key: "metric", label: "Metric", text: true },
        { key: "answer", label: "Answer", text: true },
        { key: "apart", label: verdicts.isBesideRaters ? "from a rater’s τ" : "above the best that judges nothing", show: (value, row) => apart(row) },
        { key: "apart_low", hidden: true },
        { key: "apart_high", hidden: true },
        { key: "against", hidden: true },
        { key: "value", label: `${SYMBOLS[state.coefficient]}, ${state.level} level`, show: two },
        { key: "low", label: "95 % interval", show: (low, row) => interval(row) },
        { key: "high", hidden: true },
        { key: "low_mc_error", hidden: true },
        { key: "high_mc_error", hidden: true },
        { key: "difference", label: `less ${cut(state.metric)}’s`, show: plusOrMinus },
        { key: "difference_low", label: "95 % interval", show: (low, row) => interval({ ...row, low, high: row.difference_high }) },
        { key: "difference_high", hidden: true },
        { key: "best", label: `${SYMBOLS[state.coefficient]} on the ${state.k} best`, show: two },
        { key: "pairs", label: "closest pairs", show: whole },
        { key: "upper", hidden: true },
        { key: "tau", hidden: true },
        { key: "agreement", label: "ordered alike", show: percent },
        { key: "agreement_low", label: "95 % interval", show: (low, { agreement_high: high }) => shares(low, high) },
        { key: "agreement_high", hidden: true },
        { key: "draws", hidden: true },
      ];
      return { sentence: say(chosen), note: tell(chosen), caption: `What ${data.name} says of each metric`, columns, rows };
    };

    // ---- the drawing ---------------------------------------------------------------------------

    const drawIntervals = (rows, width) => {
      const left = 16 + 7 * Math.max(...metrics.map((name) => cut(name).length));
      const [from, to] = span([0, ...rows.flatMap(({ value, low, high }) => [value, low, high])]);
      const plot = makePlot({
        left, top: 34, width: width - left - 14, height: ROW * metrics.length,
        title: `Correlation with people (${SYMBOLS[state.coefficient]}, ${state.level} level)`,
        x: { from, to, grid: true },
        y: { from: metrics.length - 0.5, to: -0.5, ticks: metrics.map((name, i) => [i, cut(name)]), grid: false },
      });
      plot.line(0, -0.5, 0, metrics.length - 0.5, "zero");
      rows.forEach(({ value, low, high, current }, i) => {
        if (Number.isFinite(low)) plot.line(low, i, high, i, current ? "curve" : "curve faint");
        if (Number.isFinite(value)) plot.dot(value, i, current ? "dot" : "dot out", current ? 6 : 4.5);
      });
      return plot;
    };

    const drawCurves = (box, rows, { x, y, at }) => {
      const plot = makePlot({ ...box, x, y });
      plot.line(x.from, y.zero, x.to, y.zero, "zero");
      rows.forEach((points, metric) => plot.path(points, metrics[metric] === state.metric ? "curve" : "curve faint"));
      plot.line(at, y.from, at, y.to, "marker");
      return plot.group;
    };

    const draw = (svg, width) => {
      const rows = metrics.map((_, metric) => rowOf(metric));
      const first = drawIntervals(rows, width);
      const beside = width >= SIDE;
      const size = { left: 44, top: first.bottom + 66, width: (beside ? width / 2 : width) - 58, height: 190 };
      const second = beside ? { ...size, left: width / 2 + 44 } : { ...size, top: size.top + size.height + 74 };
      const byK = [...best(state).rows];
      const lowest = Math.min(0, ...byK.flatMap(([, values]) => values.filter(Number.isFinite)));
      const curves = metrics.map((_, metric) => byK.map(([k, values]) => [k, values[metric]]));
      const byShare = closest.map((windows) => windows.map(({ percent: at, agreement }) => [at, 100 * agreement]));
      svg.append(
        first.group,
        drawCurves(size, curves, {
          at: state.k,
          x: { from: mine.MIN_SYSTEMS - 0.5, to: nSystems + 0.5, title: "best systems, k" },
          y: { from: Math.max(-1, lowest - 0.1) - 0.03, to: 1.03, zero: 0, title: `On the k best (${SYMBOLS[state.coefficient]}, system level)` },
        }),
        drawCurves(second, byShare, {
          at: (100 * state.share) / nWindows,
          x: { from: 0, to: 103, title: "closest pairs, %" },
          y: { from: -3, to: 103, zero: 50, title: "Pairs ordered as people do, %" },
        }),
      );
      return second.top + second.height + 44;
    };

    return { question: "How well do the metrics of this file agree with people?", controls, answer, draw, changed,
      link: "Link to this view (needs the file)" };
  };
})();
