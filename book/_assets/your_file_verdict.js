/* Whether a metric can stand in for a rater, or beats a score that judges nothing: the answers of `metaeval report`.
 *
 * Nothing here touches the page. The numbers are those of metaeval/stats/judges.py and the words those of metaeval/reporting/verdict.py, for
 * Kendall's tau at system level, which tests/test_your_file.py holds them to. `data` is what bookYourFile.matched gives.
 */
(() => {
  "use strict";

  const { range } = window.bookTools;
  const { mean, sampledMeans, systemMeans, coefficients, makeRandom, drawCounts, DIFFERENCE_TIE } = window.bookStatistics;
  const mine = window.bookYourFile;

  const CONFIDENCE = 0.95;
  const MARGIN = 0.1; // of a rater: 5 in 100 pairs of systems
  const MIN_SYSTEMS = 6; // with fewer, draws of systems have too few orders
  const PRIOR = 10; // systems that the variance for normal scores weighs
  const HALVINGS = 36;
  const MAX_CELLS = 50000; // for which the draws take a minute

  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const squares = (values) => sum(values.map((value) => value * value));

  // ---- Student's t -----------------------------------------------------------------------------

  const logGamma = (x) => {
    if (x < 9) return logGamma(x + 1) - Math.log(x);
    return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5);
  };

  /** The regularised incomplete beta function, by its continued fraction from the far end to the near one. */
  const incompleteBeta = (x, a, b) => {
    if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
    let rest = 1;
    for (let m = 200; m > 0; m -= 1) {
      const odd = (-(a + m - 1) * (a + b + m - 1) * x) / ((a + 2 * m - 2) * (a + 2 * m - 1));
      const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
      rest = 1 + odd / (1 + even / rest);
    }
    return Math.exp(a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b)) / (a * rest);
  };

  // ---- one estimate ----------------------------------------------------------------------------

  /** Variance of the tau of n pairs of normal scores whose expected tau is given (Kendall and Gibbons 1990, section 10). */
  const normalVariance = (tau, n) => {
    const r = Math.sin((Math.PI * Math.min(1, Math.max(-1, tau))) / 2);
    const triples = 1 / 9 - (4 / Math.PI ** 2) * Math.asin(r / 2) ** 2;
    return Math.max(0, (2 / (n * (n - 1))) * (1 - Math.min(1, tau * tau) + 2 * (n - 2) * triples));
  };

  /** Unbiased variance of a mean over pairs of n systems, `products` by their rows (Sen 1960). */
  const pairVariance = (products, n) => {
    const total = sum(products.map(sum));
    const own = sum(products.map(squares));
    const rows = sum(products.map((row) => sum(row) ** 2));
    const apart = (total ** 2 - 4 * (rows - own) - 2 * own) / (n * (n - 1) * (n - 2) * (n - 3));
    return (total / (n * (n - 1))) ** 2 - apart;
  };

  /** Ends of the interval of `value`, a tau or, with a `reference`, the difference of two: values that Student's t does not reject. */
  const endsOf = ({ value, judge, reference, isSingle, parts, sizes }) => {
    const n = sizes.systems;
    const shift = (tau, by) => tau + Math.min(1, Math.max(0.5, 0.5 + 5 * (tau - 0.9))) * by;
    const prior = (at) => {
      if (isSingle) return 1.2 * normalVariance((judge + 3 * at) / 4, n);
      const sides = [shift(judge, at - value), shift(reference, value - at)];
      const tau = Math.abs(sides[0]) < Math.abs(sides[1]) ? sides[0] : sides[1];
      return (1.25 - 0.45 * Math.abs(tau)) * normalVariance(tau, n);
    };
    const isFar = (at) => {
      const systems = (PRIOR * prior(at) + (n - 1) * Math.max(0, parts.systems)) / (PRIOR + n - 1);
      const all = [systems, Math.max(0, parts.documents), Math.max(0, parts.raters)];
      const freedom = [n - 1 + PRIOR, Math.max(1, sizes.documents - 1), Math.max(1, sizes.raters - 1)];
      const total = sum(all);
      const below = sum(all.map((part, i) => part ** 2 / freedom[i]));
      const df = below > 0 ? Math.max(1, total ** 2 / below) : freedom[0];
      const squared = (value - at) ** 2;
      return total > 0 ? incompleteBeta(df / (df + squared / total), df / 2, 0.5) < 1 - CONFIDENCE : squared > 0;
    };
    return [-1, 1].map((side) => {
      let [inside, outside] = [value, isSingle ? side : 2 * side];
      for (let i = 0; i < HALVINGS; i += 1) {
        const middle = (inside + outside) / 2;
        if (isFar(middle)) outside = middle;
        else inside = middle;
      }
      return inside;
    });
  };

  const meanOfEach = (lists) => lists[0].map((_, i) => mean(lists.map((list) => list[i])));

  /** The tau of matrices minus that of references (or of nothing), averaged over pairs [judge, reference, people]: {value, low, high, ...}.
   *
   * A generator that pauses after every draw of documents.
   */
  function* estimate(pairs, random, nDraws) {
    const { kendall } = coefficients;
    const planes = [...new Set(pairs.flat().filter(Boolean))];
    const [n, nDocuments] = [planes[0].length, planes[0][0].length];
    const meansOf = new Map(planes.map((plane) => [plane, sampledMeans(plane)]));
    const means = new Map(planes.map((plane) => [plane, systemMeans(plane)]));
    const minus = (of) => pairs.map(([judge, reference, people]) => of(judge, people) - (reference ? of(reference, people) : 0));
    // what a summary's score has beyond its document's mean, as large in the mean as a system's own noise
    const noises = new Map(planes.map((plane) => {
      const centre = plane[0].map((_, j) => mean(plane.map((row) => row[j])));
      return [plane, plane.map((row) => row.map((score, j) => (score - centre[j]) * Math.sqrt(n / (n - 1))))];
    }));
    const [together, apart] = [[], []];
    for (let draw = 0; draw < nDraws; draw += 1) {
      const documents = drawCounts(random, nDocuments);
      const both = new Map(planes.map((plane) => [plane, meansOf.get(plane)(documents)]));
      together.push(mean(minus((x, z) => kendall(both.get(x), both.get(z)))));
      const own = range(n).map(() => drawCounts(random, nDocuments));
      const ownMeans = (plane) => noises.get(plane).map((row, i) =>
        means.get(plane)[i] + sum(row.map((noise, j) => (own[i][j] - 1) * noise)) / nDocuments);
      const each = new Map(planes.map((plane) => [plane, ownMeans(plane)]));
      apart.push(mean(minus((x, z) => kendall(each.get(x), each.get(z)))));
      yield;
    }
    const spread = (values) => {
      const there = values.filter((value) => !Number.isNaN(value));
      const centre = mean(there);
      return there.map((value) => (value - centre) * Math.sqrt(nDocuments / Math.max(1, nDocuments - 1) / nDraws));
    };
    // products of the signs of the differences between two systems, whose mean is tau-b
    const products = (x, z) => {
      const signs = [x, z].map((plane) => means.get(plane).map((a) => means.get(plane).map((b) => Math.sign(a - b))));
      const untied = signs.map((rows) => sum(rows.map(squares)));
      return signs[0].map((row, i) => row.map((sign, j) => (sign * signs[1][i][j] * n * (n - 1)) / Math.sqrt(untied[0] * untied[1])));
    };
    const less = (a, b) => a.map((row, i) => row.map((cell, j) => cell - b[i][j]));
    const eachProducts = pairs.map(([judge, reference, people]) =>
      (reference ? less(products(judge, people), products(reference, people)) : products(judge, people)));
    const average = meanOfEach(eachProducts.map((rows) => rows.flat()));
    const centre = range(n).map((i) => average.slice(i * n, (i + 1) * n));
    const tau = (x, z) => kendall(means.get(x), means.get(z));
    const [judge, reference] = [0, 1].map((side) => mean(pairs.map((pair) => (pair[side] ? tau(pair[side], pair[2]) : 0))));
    const values = minus(tau);
    const value = judge - reference;
    const nRaters = pairs.length > 1 ? pairs.length : 0;
    const raters = nRaters
      ? (squares(values.map((one) => one - value)) - sum(eachProducts.map((rows) => pairVariance(less(rows, centre), n)))) / (nRaters * (nRaters - 1))
      : 0;
    const parts = { systems: pairVariance(centre, n), documents: squares(spread(together)) - squares(spread(apart)), raters };
    const sizes = { systems: n, documents: nDocuments, raters: nRaters };
    const [low, high] = endsOf({ value, judge, reference, isSingle: !pairs[0][1], parts, sizes });
    return { value, low, high, judge, reference, parts };
  }

  // ---- answers ---------------------------------------------------------------------------------

  const meanOfOthers = (planes, own) => {
    const others = planes.filter((plane) => plane !== own);
    return own.map((row, i) => row.map((_, j) => mean(others.map((plane) => plane[i][j]))));
  };

  /** What is asked of a metric, and for each {word, value, low, high, against}; the generator `run` pauses between draws.
   *
   * With ratings by single raters a metric is held against a rater, else against the best score that judges nothing.
   */
  const answers = (data, { nDraws = mine.N_DRAWS, seed = mine.SEED } = {}) => {
    const { ratings, people, metrics, scores, isLength } = data;
    const [isBesideRaters, at] = [ratings.length > 1, ratings.length > 1 ? -MARGIN : 0];
    const verdicts = { values: metrics.map(() => null), at, isBesideRaters, done: false };
    verdicts.ask = (metric) => (isBesideRaters ? `Can ${metric} stand in for one more rater?` : `Is ${metric} better than a score that judges nothing?`);
    verdicts.lack = data.isWhole ? "" : "not here: some scores are missing";
    if (data.systems.length * data.documents.length > MAX_CELLS) verdicts.lack = "not here: too many scores for a page; metaeval FILE";
    if (data.systems.length < MIN_SYSTEMS) verdicts.lack = `open: ${data.systems.length} systems; it takes ${MIN_SYSTEMS}`;
    verdicts.run = (function* run() {
      const random = makeRandom(seed, 2);
      const others = ratings.map((own) => meanOfOthers(ratings, own));
      const tau = (plane) => coefficients.kendall(systemMeans(plane), systemMeans(people));
      const baselines = range(metrics.length).filter((metric) => isLength[metric] && tau(scores[metric]) > 0);
      const best = baselines.sort((i, j) => tau(scores[j]) - tau(scores[i]))[0];
      for (const [metric, plane] of scores.entries()) {
        if (verdicts.lack || isLength[metric]) continue;
        const pairs = isBesideRaters
          ? ratings.map((own, i) => [plane, own, others[i]])
          : [[plane, best === undefined ? null : scores[best], people]];
        const one = yield* estimate(pairs, random, nDraws);
        const isSure = one.low <= one.value && one.value <= one.high;
        const word = isSure && one.low > at + DIFFERENCE_TIE ? "yes" : isSure && one.high < at - DIFFERENCE_TIE ? "no" : "open";
        verdicts.values[metric] = { ...one, word, against: isBesideRaters ? "a rater" : (metrics[best] ?? "") };
        yield;
      }
      verdicts.done = true;
    })();
    return verdicts;
  };

  Object.assign(mine, { answers });
})();
