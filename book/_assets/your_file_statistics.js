/* What a reader's own scores say: correlations, Boot-Both intervals, the best systems, the closest pairs.
 *
 * Nothing here touches the page. The numbers are those of helpers/experiments: intervals, topk and margins, which
 * tests/test_your_file.py and tests/browser/test_your_file.py hold them to. A bootstrap sample is how often each system and
 * document is in it, so that nothing is copied; it is drawn a slice at a time, so that the page stays awake.
 *
 * `data` is what bookYourFile.matched gives.
 */
(() => {
  "use strict";

  const book = window.bookExplorer;
  const { MEAN_TIE, SMALLEST_SCALE, WINDOW_TIE } = book.ties;

  const N_DRAWS = 1999;
  const SEED = 2021;
  const MIN_SYSTEMS = 3;
  const MOST_WINDOWS = 10;

  const range = (n) => Array.from({ length: n }, (_, i) => i);

  // ---- what is not drawn -----------------------------------------------------------------------

  /** The correlation of one metric with people. */
  const estimate = (data, metric, level, coefficient) =>
    book.correlate(data.scores[metric], data.people, level, coefficient);

  /** Systems by people's means, best first; of equal means the name that sorts first. */
  const ranking = (data) => {
    const means = book.systemMeans(data.people);
    const { systems } = data;
    return range(systems.length).sort((i, j) => means[j] - means[i] || (systems[i] < systems[j] ? -1 : 1));
  };

  /** From 3 systems to all: system-level correlation of each metric on the k best, {k, values by metric}, one by one. */
  function* topK(data, coefficient) {
    const ranked = ranking(data);
    for (let k = MIN_SYSTEMS; k <= ranked.length; k += 1) {
      const best = ranked.slice(0, k);
      const [people, ...scores] = [data.people, ...data.scores].map((matrix) => best.map((system) => matrix[system]));
      yield { k, values: scores.map((one) => book.systemLevel(one, people, coefficient)) };
    }
  }

  const pairsOf = (n) => range(n).flatMap((i) => range(i).map((j) => [j, i]));

  /** How metric and people order the pairs of systems whose means differ by at most `upper`: {n, tau, agreement}. */
  const countPairs = (x, z, upper, slack) => {
    let [n, agreeing, opposed, tiedX, tiedZ] = [0, 0, 0, 0, 0];
    for (let i = 0; i < x.length; i += 1) {
      for (let j = 0; j < i; j += 1) {
        const [dx, dz] = [x[i] - x[j], z[i] - z[j]];
        if (!(Math.abs(dx) <= upper + slack) || Number.isNaN(dz)) continue;
        n += 1;
        const product = Math.sign(dx) * Math.sign(dz);
        agreeing += product > 0;
        opposed += product < 0;
        tiedX += dx === 0 && dz !== 0;
        tiedZ += dx !== 0 && dz === 0;
      }
    }
    const ordered = agreeing + opposed;
    return {
      n,
      tau: (agreeing - opposed) / Math.sqrt((ordered + tiedX) * (ordered + tiedZ)),
      agreement: (agreeing + (n - ordered) / 2) / n,
    };
  };

  /** How many of the closest pairs the first of some equal shares hold: see helpers/stats/windows.py, pairs_up_to. */
  const pairsUpTo = (nShares, nPairs, nWindows) => {
    const step = Math.ceil(nPairs / nWindows);
    const each = step * (nWindows - 1) >= nPairs ? nPairs / nWindows : step;
    return Math.min(nPairs, Math.ceil(each * nShares - 1e-9 * nPairs));
  };

  const windowsOf = (data) => Math.min(MOST_WINDOWS, (data.systems.length * (data.systems.length - 1)) / 2);

  /** The growing shares of the pairs that a metric puts closest together, [{percent, upper, n, tau, agreement}]. */
  const closest = (data, metric) => {
    const [x, z] = [book.systemMeans(data.scores[metric]), book.systemMeans(data.people)];
    const distances = pairsOf(x.length).map(([i, j]) => Math.abs(x[i] - x[j])).sort((a, b) => a - b);
    const slack = WINDOW_TIE * distances.at(-1);
    const nWindows = windowsOf(data);
    return range(nWindows).map((i) => {
      const upper = distances[pairsUpTo(i + 1, distances.length, nWindows) - 1];
      return { percent: (100 * (i + 1)) / nWindows, upper, ...countPairs(x, z, upper, slack) };
    });
  };

  // ---- correlations of a sample, from how often each unit is in it ------------------------------

  const pearsonOf = (x, z, weights, tieX, tieZ) => {
    let [total, meanX, meanZ] = [0, 0, 0];
    let [lowX, highX, lowZ, highZ] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < weights.length; i += 1) {
      const weight = weights[i];
      const [a, b] = [x[i], z[i]];
      if (!weight || Number.isNaN(a + b)) continue;
      total += weight;
      meanX += weight * a;
      meanZ += weight * b;
      if (a < lowX) lowX = a;
      if (a > highX) highX = a;
      if (b < lowZ) lowZ = b;
      if (b > highZ) highZ = b;
    }
    if (!(highX - lowX > tieX && highZ - lowZ > tieZ)) return NaN;
    meanX /= total;
    meanZ /= total;
    let [xx, zz, xz] = [0, 0, 0];
    for (let i = 0; i < weights.length; i += 1) {
      const weight = weights[i];
      const [a, b] = [x[i] - meanX, z[i] - meanZ];
      if (!weight || Number.isNaN(a + b)) continue;
      xx += weight * a * a;
      zz += weight * b * b;
      xz += weight * a * b;
    }
    return Math.min(1, Math.max(-1, xz / (Math.sqrt(xx) * Math.sqrt(zz))));
  };

  const kendallOf = (x, z, weights, tieX, tieZ) => {
    let [agreement, untiedX, untiedZ] = [0, 0, 0];
    for (let i = 0; i < weights.length; i += 1) {
      if (!weights[i]) continue;
      for (let j = 0; j < i; j += 1) {
        const weight = weights[i] * weights[j];
        const [dx, dz] = [x[i] - x[j], z[i] - z[j]];
        if (!weight || Number.isNaN(dx + dz)) continue;
        const signX = (dx > tieX) - (dx < -tieX);
        const signZ = (dz > tieZ) - (dz < -tieZ);
        agreement += weight * signX * signZ;
        untiedX += weight * Math.abs(signX);
        untiedZ += weight * Math.abs(signZ);
      }
    }
    return agreement / Math.sqrt(untiedX * untiedZ);
  };

  const WEIGHTED = { pearson: pearsonOf, kendall: kendallOf };

  // Of one metric: what a sample's correlation is computed from, made ready once.
  const atSystemLevel = (x, z, coefficient) => {
    const there = x.map((row, i) => row.map((value, j) => !Number.isNaN(value + z[i][j])));
    const filled = (matrix) => matrix.map((row, i) => Float64Array.from(row, (value, j) => (there[i][j] ? value : 0)));
    const [fx, fz] = [filled(x), filled(z)];
    const largest = [fx, fz].map((matrix) => Math.max(...matrix.map((row) => book.largestOf([...row]))));
    const whole = there.every((row) => row.every(Boolean));
    const [mx, mz] = [new Float64Array(x.length), new Float64Array(x.length)];
    const tolerance = (means, most) => MEAN_TIE * Math.max(book.largestOf([...means]), SMALLEST_SCALE * most);
    return (systems, documents) => {
      for (let i = 0; i < x.length; i += 1) {
        let [sumX, sumZ, n] = [0, 0, 0];
        const [rowX, rowZ, has] = [fx[i], fz[i], there[i]];
        for (let j = 0; j < documents.length; j += 1) {
          const weight = documents[j];
          sumX += weight * rowX[j];
          sumZ += weight * rowZ[j];
          if (whole || has[j]) n += weight;
        }
        mx[i] = sumX / n;
        mz[i] = sumZ / n;
      }
      return WEIGHTED[coefficient](mx, mz, systems, tolerance(mx, largest[0]), tolerance(mz, largest[1]));
    };
  };

  const atSummaryLevel = (x, z, coefficient) => {
    const nDocuments = x[0].length;
    const columns = (matrix) => range(nDocuments).map((j) => Float64Array.from(matrix, (row) => row[j]));
    const [cx, cz] = [columns(x), columns(z)];
    return (systems, documents) => {
      let [total, n] = [0, 0];
      for (let j = 0; j < nDocuments; j += 1) {
        if (!documents[j]) continue;
        const value = WEIGHTED[coefficient](cx[j], cz[j], systems, 0, 0);
        if (Number.isNaN(value)) continue;
        total += documents[j] * value;
        n += documents[j];
      }
      return total / n;
    };
  };

  const PREPARED = { system: atSystemLevel, summary: atSummaryLevel };

  // ---- intervals, a slice at a time ------------------------------------------------------------

  const countsOf = (random, n) => {
    const counts = new Float64Array(n);
    for (let i = 0; i < n; i += 1) counts[Math.floor(random() * n)] += 1;
    return counts;
  };

  /** Boot-Both of all metrics at one level, {values by metric, nDraws, done}; the generator `run` pauses after every value.
   *
   * All levels, coefficients and metrics see the same draws.
   */
  const bootstrap = (data, level, coefficient, { nDraws = N_DRAWS, seed = SEED } = {}) => {
    const random = book.makeRandom(seed);
    const found = { values: data.metrics.map(() => []), nDraws, done: false };
    found.run = (function* run() {
      const computed = data.scores.map((x) => PREPARED[level](x, data.people, coefficient));
      for (let draw = 0; draw < nDraws; draw += 1) {
        const [systems, documents] = [countsOf(random, data.systems.length), countsOf(random, data.documents.length)];
        for (let metric = 0; metric < computed.length; metric += 1) {
          found.values[metric].push(computed[metric](systems, documents));
          yield;
        }
      }
      found.done = true;
    })();
    return found;
  };

  /** Boot-Inputs of people's agreement on the pairs that a metric puts within `upper`, {values, done}; as `bootstrap`. */
  const bootstrapPairs = (data, metric, upper, { nDraws = N_DRAWS, seed = SEED } = {}) => {
    const random = book.makeRandom(seed);
    const found = { values: [], nDraws, done: false };
    found.run = (function* run() {
      const matrices = [data.scores[metric], data.people];
      const largest = matrices.map((matrix) => Math.max(...matrix.map(book.largestOf)));
      for (let draw = 0; draw < nDraws; draw += 1) {
        const documents = countsOf(random, data.documents.length);
        const [x, z] = matrices.map((matrix, which) => {
          const means = matrix.map((row) => {
            let [sum, n] = [0, 0];
            for (let j = 0; j < row.length; j += 1) {
              if (!documents[j] || Number.isNaN(row[j])) continue;
              sum += documents[j] * row[j];
              n += documents[j];
            }
            return sum / n;
          });
          return book.tiedMeans(means, largest[which]);
        });
        const spread = Math.max(...book.defined(x)) - Math.min(...book.defined(x));
        found.values.push(countPairs(x, z, upper, WINDOW_TIE * spread).agreement);
        yield;
      }
      found.done = true;
    })();
    return found;
  };

  /** Monte-Carlo standard error of a quantile of draws, as helpers/stats/monte_carlo.py has it. */
  const quantileError = (values, share) => {
    const step = Math.sqrt((share * (1 - share)) / book.defined(values).length);
    return (book.quantile(values, Math.min(1, share + step)) - book.quantile(values, Math.max(0, share - step))) / 2;
  };

  Object.assign(window.bookYourFile, {
    N_DRAWS, SEED, MIN_SYSTEMS, estimate, topK, closest, countPairs, windowsOf, bootstrap, bootstrapPairs, quantileError,
  });
})();
