/* Benchmarks with a known truth, drawn in the page, and confidence intervals of their correlations.
 *
 * The model is that of helpers/simulation/model.py, the intervals those of helpers/stats/intervals.py at system level;
 * tests/browser/test_moving.py holds both against Python's. A matrix is a Float64Array, system by system.
 */
(() => {
  "use strict";

  const { range } = window.bookTools;
  const { makeRandom, quantile } = window.bookExplorer;

  const MEAN_TIE = 1e-12; // of the largest mean: helpers/stats/ties.py
  const SMALLEST_SCALE = 0.01; // of the largest score
  const PLACES = 5; // of a continuous score, relative to its spread: helpers/simulation/model.py
  const REACH = 1.959963984540054; // of a 95 % interval, in standard errors

  // ---- draws ---------------------------------------------------------------------------------

  /** Normal numbers from uniform ones (Box and Muller). */
  const makeNormal = (random) => {
    let spare = null;
    return () => {
      if (spare !== null) {
        const kept = spare;
        spare = null;
        return kept;
      }
      const radius = Math.sqrt(-2 * Math.log(1 - random()));
      const angle = 2 * Math.PI * random();
      spare = radius * Math.sin(angle);
      return radius * Math.cos(angle);
    };
  };

  const even = (x) => {
    const down = Math.floor(x);
    const rest = x - down;
    return rest > 0.5 || (rest === 0.5 && down % 2 !== 0) ? down + 1 : down;
  };

  /** How many systems of each type, as helpers.simulation.draw splits a number. */
  const countsOf = (types, nSystems) => {
    const all = types.reduce((sum, type) => sum + type.n_systems, 0);
    let [so_far, before] = [0, 0];
    return types.map((type) => {
      so_far += type.n_systems;
      const end = even((so_far / all) * nSystems);
      const count = end - before;
      before = end;
      return count;
    });
  };

  /** One vector over some planes with a covariance of factors and unique variances. */
  const effects = ({ loadings, unique }, planes, normal) => {
    const factors = loadings[0].map(() => normal());
    return planes.map((p) => loadings[p].reduce((sum, weight, f) => sum + weight * factors[f], 0) + Math.sqrt(unique[p]) * normal());
  };

  /** A score of a latent value, bent, bounded and rounded as its scale is. */
  const scored = (marginal, latent, nUnits) => {
    const { kind, location, spread, bend, low, high, step } = marginal;
    let x = Math.abs(bend) < 1e-6 ? location + spread * latent : location + (spread / bend) * Math.expm1(bend * latent);
    x = Math.min(high ?? Infinity, Math.max(low ?? -Infinity, x));
    if (kind === "units") return even(x * nUnits) / nUnits;
    if (kind === "ratings") return Math.min(high, Math.max(low, low + even((x - low) / step) * step));
    const scale = 10 ** (PLACES - 1 - Math.floor(Math.log10(spread)));
    return even(x * scale) / scale;
  };

  const unitsOf = (units, random) => {
    if (!units.length) return 1;
    let left = random() * units.reduce((sum, [, share]) => sum + share, 0);
    for (const [n, share] of units) {
      left -= share;
      if (left < 0) return n;
    }
    return units.at(-1)[0];
  };

  /** One benchmark of a likeness: scores of a metric (x) and of people (z), n systems by m documents. */
  const drawBenchmark = (likeness, metric, n, m, random) => {
    const normal = makeNormal(random);
    const planes = [likeness.planes.indexOf(metric), 0];
    const [x, z] = [new Float64Array(n * m), new Float64Array(n * m)];
    const documents = range(m).map(() => ({
      effect: effects(likeness.document, planes, normal), units: unitsOf(likeness.units, random),
    }));
    let i = 0;
    countsOf(likeness.types, n).forEach((count, kind) => {
      const { offset, system, residual } = likeness.types[kind];
      for (let k = 0; k < count; k += 1, i += 1) {
        const own = effects(system, planes, normal).map((value, p) => value + offset[planes[p]]);
        for (let j = 0; j < m; j += 1) {
          const rest = effects(residual, planes, normal);
          const [a, b] = rest.map((value, p) => value + own[p] + documents[j].effect[p]);
          x[i * m + j] = scored(likeness.marginals[planes[0]], a, documents[j].units);
          z[i * m + j] = scored(likeness.marginals[0], b, documents[j].units);
        }
      }
    });
    return { x, z, n, m };
  };

  // ---- correlations of samples ---------------------------------------------------------------

  /** Means over documents that count as often as they were drawn; those equal but for rounding are equal. */
  const meansOf = (scores, n, m, counts) => {
    const means = new Float64Array(n);
    let [largest, largestScore] = [0, 0];
    for (let i = 0; i < n; i += 1) {
      let sum = 0;
      for (let j = 0, at = i * m; j < m; j += 1, at += 1) {
        sum += scores[at] * counts[j];
        if (Math.abs(scores[at]) > largestScore) largestScore = Math.abs(scores[at]);
      }
      means[i] = sum / m;
      if (Math.abs(means[i]) > largest) largest = Math.abs(means[i]);
    }
    const tolerance = MEAN_TIE * Math.max(largest, SMALLEST_SCALE * largestScore);
    const order = Array.from(means.keys()).sort((a, b) => means[a] - means[b]);
    let [first, before] = [means[order[0]], means[order[0]]];
    for (const i of order) {
      if (means[i] - before > tolerance) first = means[i];
      before = means[i];
      means[i] = first;
    }
    return means;
  };

  /** Pearson's r of values that count so many times. */
  const pearson = (x, z, counts) => {
    let [total, sumX, sumZ] = [0, 0, 0];
    let [lowX, highX, lowZ, highZ] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < x.length; i += 1) {
      if (!counts[i]) continue;
      total += counts[i];
      sumX += counts[i] * x[i];
      sumZ += counts[i] * z[i];
      lowX = Math.min(lowX, x[i]);
      highX = Math.max(highX, x[i]);
      lowZ = Math.min(lowZ, z[i]);
      highZ = Math.max(highZ, z[i]);
    }
    if (lowX === highX || lowZ === highZ) return NaN;
    let [product, squareX, squareZ] = [0, 0, 0];
    for (let i = 0; i < x.length; i += 1) {
      const [dx, dz] = [x[i] - sumX / total, z[i] - sumZ / total];
      product += counts[i] * dx * dz;
      squareX += counts[i] * dx * dx;
      squareZ += counts[i] * dz * dz;
    }
    return Math.min(1, Math.max(-1, product / Math.sqrt(squareX * squareZ)));
  };

  /** Kendall's tau-b of values that count so many times. */
  const kendall = (x, z, counts) => {
    let [agreement, untiedX, untiedZ] = [0, 0, 0];
    for (let i = 0; i < x.length; i += 1) {
      for (let j = i + 1; counts[i] && j < x.length; j += 1) {
        const times = counts[i] * counts[j];
        const [a, b] = [Math.sign(x[i] - x[j]), Math.sign(z[i] - z[j])];
        agreement += times * a * b;
        untiedX += times * Math.abs(a);
        untiedZ += times * Math.abs(b);
      }
    }
    return agreement / Math.sqrt(untiedX * untiedZ);
  };

  const COEFFICIENTS = { pearson, kendall };

  /** System-level correlation in a sample: `systems` and `documents` say how often each was drawn. */
  const correlationOf = ({ x, z, n, m }, coefficient, systems, documents) =>
    COEFFICIENTS[coefficient](meansOf(x, n, m, documents), meansOf(z, n, m, documents), systems);

  // ---- intervals -----------------------------------------------------------------------------

  const ones = (n) => new Float64Array(n).fill(1);
  const drawn = (n, random) => {
    const counts = new Float64Array(n);
    for (let i = 0; i < n; i += 1) counts[Math.floor(random() * n)] += 1;
    return counts;
  };

  /** Correlations in bootstrap samples of systems, of documents ("inputs") or of both. */
  const bootstrap = (benchmark, coefficient, what, nResamples, random) => {
    const { x, z, n, m } = benchmark;
    const fixed = what === "systems" ? [meansOf(x, n, m, ones(m)), meansOf(z, n, m, ones(m))] : null;
    return range(nResamples).map(() => {
      const systems = what === "inputs" ? ones(n) : drawn(n, random);
      if (fixed) return COEFFICIENTS[coefficient](...fixed, systems);
      return correlationOf(benchmark, coefficient, systems, drawn(m, random));
    });
  };

  /** Fisher's interval of a correlation of n systems; NaN where there are too few. */
  const fisher = (r, n, coefficient) => {
    const [b, c] = { pearson: [3, 1], kendall: [4, Math.sqrt(0.437)] }[coefficient];
    if (n <= b) return [NaN, NaN];
    const half = (REACH * c) / Math.sqrt(n - b);
    return [Math.tanh(Math.atanh(r) - half), Math.tanh(Math.atanh(r) + half)];
  };

  const METHODS = { "Boot-Both": "both", "Boot-Systems": "systems", "Boot-Inputs": "inputs", Fisher: null };

  /** The 95 % interval of a method, [low, high]. */
  const intervalOf = (benchmark, method, coefficient, nResamples, random) => {
    if (METHODS[method] === null) {
      const r = correlationOf(benchmark, coefficient, ones(benchmark.n), ones(benchmark.m));
      return fisher(r, benchmark.n, coefficient);
    }
    const values = bootstrap(benchmark, coefficient, METHODS[method], nResamples, random);
    return [quantile(values, 0.025), quantile(values, 0.975)];
  };

  window.bookExplorable.likeness = { makeRandom, drawBenchmark, correlationOf, intervalOf, countsOf, METHODS };
})();
