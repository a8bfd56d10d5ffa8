/* The state of one explorer: what is chosen, what was drawn, and the statistics of the draws.
 *
 * Each method has a random stream of its own from the seed, and level and coefficient judge the same draws: nothing
 * that a reader did before changes what a seed gives. Touches no page.
 */
(() => {
  "use strict";

  const book = window.bookExplorer;
  const { range } = window.bookTools;
  const { makeRandom, correlate, quantile } = window.bookStatistics;
  const { METHODS } = book.words;

  const CONFIDENCE = 0.95;

  /** An explorer of `{a, b, people}`, matrices of one shape. */
  book.makeStudy = (data) => {
    const nSystems = data.people.length;
    const nDocuments = data.people[0].length;
    const standard = { a: book.standardise(data.a), b: book.standardise(data.b) };
    const state = { method: "boot-both", level: "system", coefficient: "pearson", seed: 1 };
    let runs = {};
    let known = new Map(); // statistics of the draws, by method, level and coefficient

    const methodNow = () => METHODS[state.method];
    const isBoot = () => methodNow().kind === "boot";

    const runOf = (method) => {
      const stream = Object.keys(METHODS).indexOf(method);
      runs[method] ??= { random: makeRandom(state.seed, stream), draws: [] };
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

    const correlationOf = (metric) => correlate(metric, data.people, state.level, state.coefficient);
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

    const intervalOf = (values) =>
      [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2].map((share) => quantile(values, share));

    const wasDrawn = (method) => method in runs;
    const clear = () => {
      runs = {};
      known = new Map();
    };

    return {
      data, standard, nSystems, nDocuments, state, methodNow, isBoot, runOf, wasDrawn, drawMore, statisticOf, valuesOf,
      observed, sampleOf, intervalOf, clear,
    };
  };
})();
