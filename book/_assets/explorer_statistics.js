/* Correlations of two score matrices, and random draws of them: what the resampling explorer and a reader's own file need.
 *
 * Nothing here touches the page. The numbers are those of helpers/stats; tests/browser/test_explorer.py feeds
 * both the same matrices and draws and compares.
 *
 * A matrix is an array of rows: a row is a system, a column a document. What does not exist is NaN; a summary that lacks
 * either score is left out of both sides.
 */
(() => {
  "use strict";

  // What differs by less is equal but for rounding; the numbers are those of helpers/stats/ties.py.
  const MEAN_TIE = 1e-12; // means of systems, of the largest
  const DIFFERENCE_TIE = 1e-9; // differences of correlations, observed and drawn
  const WINDOW_TIE = 1e-9; // distances of two means against the end of a window, of the largest distance
  const SMALLEST_SCALE = 0.01; // of the largest score

  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const mean = (values) => sum(values) / values.length;
  const defined = (values) => values.filter((value) => !Number.isNaN(value));
  const largestOf = (values) => values.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0);
  const column = (matrix, j) => matrix.map((row) => row[j]);

  // ---- coefficients --------------------------------------------------------------------------

  const deviations = (values) => {
    // The mean of equal values need not equal them: a constant is known by its range.
    if (Math.max(...values) === Math.min(...values)) return values.map(() => 0);
    const centre = mean(values);
    const moved = values.map((value) => value - centre);
    const largest = Math.max(...moved.map(Math.abs));
    return moved.map((value) => value / largest);
  };

  const bothDefined = (x, y) => {
    const keep = x.map((value, i) => !Number.isNaN(value) && !Number.isNaN(y[i]));
    return keep.every(Boolean) ? [x, y] : [x.filter((_, i) => keep[i]), y.filter((_, i) => keep[i])];
  };

  /** Pearson's r of two equally long arrays; NaN where either is constant or has fewer than two values. */
  const pearson = (one, other) => {
    const [x, y] = bothDefined(one, other);
    if (x.length < 2) return NaN;
    const [dx, dy] = [deviations(x), deviations(y)];
    const product = sum(dx.map((value, i) => value * dy[i]));
    const squares = sum(dx.map((value) => value * value)) * sum(dy.map((value) => value * value));
    return Math.min(1, Math.max(-1, product / Math.sqrt(squares)));
  };

  /** Kendall's tau-b: (concordant - discordant) / sqrt(pairs untied in x * pairs untied in y). */
  const kendall = (one, other) => {
    const [x, y] = bothDefined(one, other);
    let agreement = 0;
    let untiedX = 0;
    let untiedY = 0;
    for (let i = 0; i < x.length; i += 1) {
      for (let j = i + 1; j < x.length; j += 1) {
        const signX = Math.sign(x[i] - x[j]);
        const signY = Math.sign(y[i] - y[j]);
        agreement += signX * signY;
        untiedX += Math.abs(signX);
        untiedY += Math.abs(signY);
      }
    }
    return agreement / Math.sqrt(untiedX * untiedY);
  };

  const coefficients = { pearson, kendall };

  // ---- levels --------------------------------------------------------------------------------

  /** Neighbours in size that differ by no more than `tolerance` made equal, as in helpers/stats/ties.py; NaN stays. */
  const equalised = (values, tolerance) => {
    const order = values.map((_, i) => i).filter((i) => !Number.isNaN(values[i])).sort((i, j) => values[i] - values[j]);
    const tied = [...values];
    for (let place = 1; place < order.length; place += 1) {
      const [before, here] = [order[place - 1], order[place]];
      if (values[here] - values[before] <= tolerance) tied[here] = tied[before];
    }
    return tied;
  };

  /** Means of systems of which the largest score is known, with those that differ by rounding errors only made equal. */
  const tiedMeans = (means, largestScore) =>
    equalised(means, MEAN_TIE * Math.max(largestOf(means), SMALLEST_SCALE * largestScore));

  /** Row means over what exists; NaN for a row without any. */
  const systemMeans = (matrix) =>
    tiedMeans(matrix.map((row) => mean(defined(row))), Math.max(...matrix.map(largestOf)));

  /** A matrix without the cells that another one lacks. */
  const masked = (matrix, other) =>
    matrix.map((row, i) => row.map((value, j) => (Number.isNaN(other[i][j]) ? NaN : value)));

  /** Correlation of the systems' means. */
  const systemLevel = (x, z, coefficient) =>
    coefficients[coefficient](systemMeans(masked(x, z)), systemMeans(masked(z, x)));

  /** Correlation over the systems for each document. */
  const byDocument = (x, z, coefficient) =>
    x[0].map((_, j) => coefficients[coefficient](column(x, j), column(z, j)));

  /** Mean, over the documents where it exists, of the correlation over systems. */
  const summaryLevel = (x, z, coefficient) =>
    mean(defined(byDocument(x, z, coefficient)));

  const levels = { system: systemLevel, summary: summaryLevel };

  const correlate = (x, z, level, coefficient) => levels[level](x, z, coefficient);

  // ---- draws ---------------------------------------------------------------------------------

  /** Mean 0 and variance 1 over all cells. */
  const standardise = (matrix) => {
    const cells = matrix.flat();
    const centre = mean(cells);
    const deviation = Math.sqrt(mean(cells.map((value) => (value - centre) ** 2)));
    return matrix.map((row) => row.map((value) => (value - centre) / deviation));
  };

  /** Uniform numbers in [0, 1) from two whole numbers: sfc32, started by splitmix32. */
  const makeRandom = (seed, stream = 0) => {
    let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) | 0;
    const split = () => {
      state = (state + 0x9e3779b9) | 0;
      let t = state ^ (state >>> 16);
      t = Math.imul(t, 0x21f0aaad);
      t ^= t >>> 15;
      t = Math.imul(t, 0x735a2d97);
      return (t ^ (t >>> 15)) | 0;
    };
    let [a, b, c, d] = [split(), split(), split(), split()];
    const next = () => {
      const t = (((a + b) | 0) + d) | 0;
      d = (d + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (c << 21) | (c >>> 11);
      c = (c + t) | 0;
      return (t >>> 0) / 2 ** 32;
    };
    for (let i = 0; i < 12; i += 1) next();
    return next;
  };

  const range = (n) => Array.from({ length: n }, (_, i) => i);

  /** Rows and columns of one bootstrap sample; `what` is "systems", "inputs" or "both". */
  const drawBootstrap = (random, nSystems, nDocuments, what) => {
    const draw = (n) => range(n).map(() => Math.floor(random() * n));
    return {
      systems: what === "inputs" ? range(nSystems) : draw(nSystems),
      documents: what === "systems" ? range(nDocuments) : draw(nDocuments),
    };
  };

  /** Which cells change places: whole rows ("systems"), whole columns ("inputs") or each for itself. */
  const drawSwaps = (random, nSystems, nDocuments, what) => {
    const coins = (n) => range(n).map(() => random() < 0.5);
    if (what === "systems") return coins(nSystems).map((coin) => range(nDocuments).map(() => coin));
    if (what === "inputs") {
      const row = coins(nDocuments);
      return range(nSystems).map(() => row);
    }
    return range(nSystems).map(() => coins(nDocuments));
  };

  const take = (matrix, { systems, documents }) => systems.map((i) => documents.map((j) => matrix[i][j]));

  const swap = (a, b, swaps) => [
    a.map((row, i) => row.map((value, j) => (swaps[i][j] ? b[i][j] : value))),
    b.map((row, i) => row.map((value, j) => (swaps[i][j] ? a[i][j] : value))),
  ];

  /** Correlation of metric and people in one bootstrap sample. */
  const bootstrapStatistic = (x, z, draw, level, coefficient) =>
    correlate(take(x, draw), take(z, draw), level, coefficient);

  /** Difference of two metrics' correlations with people after a swap; both metrics standardised. */
  const permutationStatistic = (a, b, z, swaps, level, coefficient) => {
    const [first, second] = swap(a, b, swaps);
    return correlate(first, z, level, coefficient) - correlate(second, z, level, coefficient);
  };

  // ---- what a thousand draws say -------------------------------------------------------------

  /** Quantile with linear interpolation, NumPy's default; NaN values are left out. */
  const quantile = (values, share) => {
    const sorted = Float64Array.from(defined(values)).sort();
    if (!sorted.length) return NaN;
    const place = share * (sorted.length - 1);
    const low = Math.floor(place);
    const high = Math.min(low + 1, sorted.length - 1);
    return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
  };

  /** How many draws are at least as large as what was observed. */
  const countExtreme = (observed, values) =>
    defined(values).filter((value) => value >= observed - DIFFERENCE_TIE).length;

  /** One-sided p-value, (count + 1) / (draws + 1); NaN without draws or without an observed value. */
  const pValue = (observed, values) => {
    const draws = defined(values).length;
    if (Number.isNaN(observed) || !draws) return NaN;
    return (countExtreme(observed, values) + 1) / (draws + 1);
  };

  window.bookExplorer = {
    ties: { MEAN_TIE, WINDOW_TIE, SMALLEST_SCALE },
    defined, largestOf, pearson, kendall, tiedMeans, systemMeans, systemLevel, byDocument, summaryLevel, correlate, standardise,
    makeRandom, drawBootstrap, drawSwaps, take, swap, bootstrapStatistic, permutationStatistic, quantile,
    countExtreme, pValue,
  };
})();
