/* What a reader's own scores say: correlations, Boot-Both intervals, the best systems, the closest pairs.
 *
 * Nothing here touches the page. The numbers are those of helpers/experiments/intervals.py and metaeval/analysis: topk and margins, which
 * tests/test_your_file.py and tests/browser/test_your_file.py hold them to. Draws are made a slice at a
 * time, so that the page stays awake.
 *
 * `data` is what bookYourFile.matched gives.
 */
(() => {
  "use strict";

  const { range } = window.bookTools;
  const {
    defined, sampledMeans, systemMeans, sampled, correlate, distancesOf, pairsUpTo, judge, makeRandom, drawCounts, quantile,
  } = window.bookStatistics;

  const N_DRAWS = 1999;
  const SEED = 2021;
  const MIN_SYSTEMS = 3;
  const MOST_WINDOWS = 10;

  // ---- what is not drawn -----------------------------------------------------------------------

  /** The correlation of one metric with people. */
  const estimate = (data, metric, level, coefficient) =>
    correlate(data.scores[metric], data.people, level, coefficient);

  /** Systems by people's means, best first; of equal means the name that sorts first. */
  const ranking = (data) => {
    const means = systemMeans(data.people);
    const { systems } = data;
    return range(systems.length).sort((i, j) => means[j] - means[i] || (systems[i] < systems[j] ? -1 : 1));
  };

  /** From 3 systems to all: system-level correlation of each metric on the k best, {k, values by metric}, one by one. */
  function* topK(data, coefficient) {
    const ranked = ranking(data);
    for (let k = MIN_SYSTEMS; k <= ranked.length; k += 1) {
      const best = ranked.slice(0, k);
      const [people, ...scores] = [data.people, ...data.scores].map((matrix) => best.map((system) => matrix[system]));
      yield { k, values: scores.map((one) => correlate(one, people, "system", coefficient)) };
    }
  }

  const windowsOf = (data) => Math.min(MOST_WINDOWS, (data.systems.length * (data.systems.length - 1)) / 2);

  /** The growing shares of the pairs that a metric puts closest together, [{percent, upper, n, value, agreement}]. */
  const closest = (data, metric) => {
    const [x, z] = [systemMeans(data.scores[metric]), systemMeans(data.people)];
    const distances = distancesOf(x);
    const nWindows = windowsOf(data);
    return range(nWindows).map((i) => {
      const percent = (100 * (i + 1)) / nWindows;
      const upper = distances[pairsUpTo(percent, distances.length, nWindows) - 1];
      return { percent, upper, ...judge(x, z, { upper }) };
    });
  };

  // ---- intervals, a slice at a time ------------------------------------------------------------

  /** Boot-Both of all metrics at one level, {values by metric, nDraws, done}; the generator `run` pauses after every value.
   *
   * All levels, coefficients and metrics see the same draws.
   */
  const bootstrap = (data, level, coefficient, { nDraws = N_DRAWS, seed = SEED } = {}) => {
    const random = makeRandom(seed);
    const found = { values: data.metrics.map(() => []), nDraws, done: false };
    found.run = (function* run() {
      const inSample = data.scores.map((x) => sampled(x, data.people, level, coefficient));
      for (let draw = 0; draw < nDraws; draw += 1) {
        const [systems, documents] = [drawCounts(random, data.systems.length), drawCounts(random, data.documents.length)];
        for (const [metric, values] of found.values.entries()) {
          values.push(inSample[metric](systems, documents));
          yield;
        }
      }
      found.done = true;
    })();
    return found;
  };

  /** Boot-Inputs of people's agreement on the pairs that a metric puts within `upper`, {values, done}; as `bootstrap`. */
  const bootstrapPairs = (data, metric, upper, { nDraws = N_DRAWS, seed = SEED } = {}) => {
    const random = makeRandom(seed);
    const found = { values: [], nDraws, done: false };
    found.run = (function* run() {
      const both = [data.scores[metric], data.people].map(sampledMeans);
      for (let draw = 0; draw < nDraws; draw += 1) {
        const documents = drawCounts(random, data.documents.length);
        found.values.push(judge(...both.map((means) => means(documents)), { upper }).agreement);
        yield;
      }
      found.done = true;
    })();
    return found;
  };

  /** Monte-Carlo standard error of a quantile of draws, as metaeval/stats/monte_carlo.py has it. */
  const quantileError = (values, share) => {
    const step = Math.sqrt((share * (1 - share)) / defined(values).length);
    return (quantile(values, Math.min(1, share + step)) - quantile(values, Math.max(0, share - step))) / 2;
  };

  Object.assign(window.bookYourFile, {
    N_DRAWS, SEED, MIN_SYSTEMS, estimate, topK, closest, windowsOf, bootstrap, bootstrapPairs, quantileError,
  });
})();
