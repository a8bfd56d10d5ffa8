/* Correlations of two score matrices, of samples of them and of windows of their pairs: all that a page computes, once.
 *
 * Nothing here touches the page. The numbers are those of metaeval/stats; tests/browser and tests/test_your_file.py feed both the
 * same matrices and draws and compare.
 *
 * A matrix is an array of rows: a row is a system, a column a document. What does not exist is NaN; a summary that lacks
 * either score is left out of both sides. `counts` say how often each unit is in a sample; without them each is in it once.
 */
(() => {
  "use strict";

  const { range } = window.bookTools;

  // What differs by less is equal but for rounding; the numbers are those of metaeval/stats/ties.py.
  const MEAN_TIE = 1e-12; // means of systems, of the largest
  const DIFFERENCE_TIE = 1e-9; // differences of correlations, observed and drawn
  const WINDOW_TIE = 1e-9; // distances of two means against the end of a window, of the largest distance
  const SMALLEST_SCALE = 0.01; // of the largest score

  const mean = (values) => values.reduce((total, value) => total + value, 0) / values.length;
  /** Standard deviation of a sample; NaN of fewer than two values. */
  const deviation = (values) => {
    const centre = mean(values);
    return values.length < 2 ? NaN : Math.sqrt(values.reduce((total, value) => total + (value - centre) ** 2, 0) / (values.length - 1));
  };
  const defined = (values) => values.filter((value) => !Number.isNaN(value));
  const largestOf = (values) => values.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0);

  // ---- coefficients --------------------------------------------------------------------------

  // Units of a sample that have both values, and how often each is in it.
  const paired = (one, other, counts) => {
    const [x, z, times] = [[], [], []];
    for (let i = 0; i < one.length; i += 1) {
      const n = counts ? counts[i] : 1;
      if (!n || Number.isNaN(one[i] + other[i])) continue;
      x.push(one[i]);
      z.push(other[i]);
      times.push(n);
    }
    return [x, z, times];
  };

  const deviations = (values, times) => {
    let [total, n, low, high] = [0, 0, Infinity, -Infinity];
    for (let i = 0; i < values.length; i += 1) {
      total += times[i] * values[i];
      n += times[i];
      if (values[i] < low) low = values[i];
      if (values[i] > high) high = values[i];
    }
    // The mean of equal values need not equal them: a constant is known by its range.
    if (low === high) return values.map(() => 0);
    const centre = total / n;
    const largest = Math.max(high - centre, centre - low);
    return values.map((value) => (value - centre) / largest);
  };

  const product = (x, z, times) => x.reduce((total, value, i) => total + times[i] * value * z[i], 0);

  /** Pearson's r of two equally long arrays; NaN where either is constant or has fewer than two values. */
  const pearson = (one, other, counts) => {
    const [x, z, times] = paired(one, other, counts);
    const [dx, dz] = [deviations(x, times), deviations(z, times)];
    const squares = product(dx, dx, times) * product(dz, dz, times);
    return Math.min(1, Math.max(-1, product(dx, dz, times) / Math.sqrt(squares)));
  };

  /** Kendall's tau-b: (concordant - discordant) / sqrt(pairs untied in x * pairs untied in z). */
  const kendall = (one, other, counts) => {
    const [x, z, times] = paired(one, other, counts);
    let [agreement, untiedX, untiedZ] = [0, 0, 0];
    for (let i = 0; i < x.length; i += 1) {
      for (let j = 0; j < i; j += 1) {
        const n = times[i] * times[j];
        const [signX, signZ] = [Math.sign(x[i] - x[j]), Math.sign(z[i] - z[j])];
        agreement += n * signX * signZ;
        untiedX += n * Math.abs(signX);
        untiedZ += n * Math.abs(signZ);
      }
    }
    return agreement / Math.sqrt(untiedX * untiedZ);
  };

  const coefficients = { pearson, kendall };

  /** Average ranks, from 1. */
  const ranks = (values) => {
    const sorted = Float64Array.from(values).sort();
    return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2 + 1);
  };

  // ---- levels --------------------------------------------------------------------------------

  /** Neighbours in size that differ by no more than `tolerance` made equal, as in metaeval/stats/ties.py; NaN stays. */
  const equalised = (values, tolerance) => {
    const sorted = Float64Array.from(values).sort();
    if (!sorted.some((value, i) => value - sorted[i - 1] <= tolerance)) return values;
    const order = range(values.length).filter((i) => !Number.isNaN(values[i])).sort((i, j) => values[i] - values[j]);
    const tied = [...values];
    for (let place = 1; place < order.length; place += 1) {
      const [before, here] = [order[place - 1], order[place]];
      if (values[here] - values[before] <= tolerance) tied[here] = tied[before];
    }
    return tied;
  };

  /** Row means over what exists, NaN for a row without any: a function of the counts of documents.
   *
   * Those that differ by rounding errors only are equal.
   */
  const sampledMeans = (matrix) => {
    const largestScore = Math.max(...matrix.map(largestOf));
    const once = new Float64Array(matrix[0].length).fill(1);
    // without a branch in the loop, which is where most of a page's computing is done
    const scores = matrix.map((row) => Float64Array.from(row, (value) => value || 0));
    const there = matrix.map((row) => Float64Array.from(row, (value) => Number(!Number.isNaN(value))));
    return (documents = once) => {
      const means = scores.map((row, i) => {
        const has = there[i];
        let [sum, n] = [0, 0];
        for (let j = 0; j < row.length; j += 1) {
          sum += documents[j] * row[j];
          n += documents[j] * has[j];
        }
        return sum / n;
      });
      return equalised(means, MEAN_TIE * Math.max(largestOf(means), SMALLEST_SCALE * largestScore));
    };
  };

  const systemMeans = (matrix) => sampledMeans(matrix)();

  // A matrix without the cells that another one lacks.
  const masked = (matrix, other) =>
    matrix.map((row, i) => Float64Array.from(row, (value, j) => (Number.isNaN(other[i][j]) ? NaN : value)));

  // The correlation of the systems' means.
  const atSystemLevel = (x, z, coefficient) => {
    const both = [masked(x, z), masked(z, x)].map(sampledMeans);
    const whole = both.map((means) => means());
    return (systems, documents) => coefficient(...(documents ? both.map((means) => means(documents)) : whole), systems);
  };

  // The mean, over the documents where it exists, of the correlation over systems.
  const atSummaryLevel = (x, z, coefficient) => {
    const columns = range(x[0].length).map((j) => [x, z].map((matrix) => Float64Array.from(matrix, (row) => row[j])));
    return (systems, documents) => {
      let [total, n] = [0, 0];
      columns.forEach(([a, b], j) => {
        const times = documents ? documents[j] : 1;
        const value = times ? coefficient(a, b, systems) : NaN;
        if (Number.isNaN(value)) return;
        total += times * value;
        n += times;
      });
      return total / n;
    };
  };

  const levels = { system: atSystemLevel, summary: atSummaryLevel };

  /** The correlation of two matrices in samples of them: a function of the counts of systems and of documents. */
  const sampled = (x, z, level, coefficient) => levels[level](x, z, coefficients[coefficient]);

  const correlate = (x, z, level, coefficient) => sampled(x, z, level, coefficient)();

  // ---- windows of pairs ----------------------------------------------------------------------

  /** Distances of all pairs by a metric, the shortest first. */
  const distancesOf = (x) => x.flatMap((value, i) => x.slice(0, i).map((other) => Math.abs(value - other))).sort((a, b) => a - b);

  /** How many of the closest pairs a share stands for: metaeval/stats/windows.py, pairs_up_to. */
  const pairsUpTo = (percent, nPairs, nWindows) => {
    let step = Math.ceil(nPairs / nWindows);
    if (step * (nWindows - 1) >= nPairs) step = nPairs / nWindows;
    return Math.min(nPairs, Math.ceil((step * nWindows * percent) / 100 - 1e-9 * nPairs));
  };

  /** Whether a distance of two means is in a window, {lower, upper, lowerOpen}, of a metric whose means are `x`. */
  const windowOf = (x, { lower = 0, upper, lowerOpen = false }) => {
    const there = defined(x);
    const slack = WINDOW_TIE * (Math.max(...there) - Math.min(...there));
    return (distance) => distance <= upper + slack && (lowerOpen ? distance > lower + slack : distance >= lower - slack);
  };

  // What a coefficient is a sum of products of, over pairs: signs, or differences of scores or of their ranks.
  const same = (value) => value;
  const SUMS = { kendall: [same, Math.sign], pearson: [same, same], spearman: [ranks, same] };

  /** What a window's pairs say, {n, agree, disagree, tied, value, agreement}: how metric and people order them, the correlation
   * over them, and the share ordered alike, a tie counting half.
   */
  const judge = (x, z, window, coefficient = "kendall") => {
    const [of, weigh] = SUMS[coefficient];
    const [a, b] = [of(x), of(z)];
    const holds = windowOf(x, window);
    let [n, agree, disagree, both, squareA, squareB] = [0, 0, 0, 0, 0, 0];
    for (let i = 0; i < x.length; i += 1) {
      for (let j = 0; j < i; j += 1) {
        const [dx, dz] = [x[i] - x[j], z[i] - z[j]];
        if (!holds(Math.abs(dx)) || Number.isNaN(dz)) continue;
        n += 1;
        const way = Math.sign(dx) * Math.sign(dz);
        if (way > 0) agree += 1;
        else if (way < 0) disagree += 1;
        const [da, db] = [weigh(a[i] - a[j]), weigh(b[i] - b[j])];
        both += da * db;
        squareA += da * da;
        squareB += db * db;
      }
    }
    const tied = n - agree - disagree;
    const value = Math.min(1, Math.max(-1, both / Math.sqrt(squareA * squareB)));
    return { n, agree, disagree, tied, value, agreement: (agree + tied / 2) / n };
  };

  // ---- draws ---------------------------------------------------------------------------------

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

  /** How often each of n units is in a bootstrap sample. */
  const drawCounts = (random, n) => {
    const counts = new Float64Array(n);
    for (let i = 0; i < n; i += 1) counts[Math.floor(random() * n)] += 1;
    return counts;
  };

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

  window.bookStatistics = {
    mean, deviation, defined, coefficients, sampledMeans, systemMeans, sampled, correlate, distancesOf, pairsUpTo, windowOf, judge,
    makeRandom, drawCounts, quantile, countExtreme, pValue, DIFFERENCE_TIE,
  };
})();
