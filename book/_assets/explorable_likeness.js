/* Benchmarks with a known truth, drawn in the page, and confidence intervals of their correlations.
 *
 * The model is that of metaeval/simulation/model.py, the intervals those of metaeval/stats/intervals.py at system level;
 * tests/browser/test_moving.py holds both against Python's.
 */
(() => {
  "use strict";

  const { range } = window.bookTools;
  const { correlate, sampled, drawCounts, quantile } = window.bookStatistics;

  const PLACES = 5; // of a continuous score, relative to its spread: metaeval/simulation/model.py
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

  /** How many systems of each type, as metaeval.simulation.model splits a number. */
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

  /** One benchmark of a likeness: matrices of a metric (x) and of people (z), n systems by m documents. */
  const drawBenchmark = (likeness, metric, n, m, random) => {
    const normal = makeNormal(random);
    const planes = [likeness.planes.indexOf(metric), 0];
    const [x, z] = [[], []];
    const documents = range(m).map(() => ({
      effect: effects(likeness.document, planes, normal), units: unitsOf(likeness.units, random),
    }));
    countsOf(likeness.types, n).forEach((count, kind) => {
      const { offset, system, residual } = likeness.types[kind];
      for (let k = 0; k < count; k += 1) {
        const [rowX, rowZ] = [new Float64Array(m), new Float64Array(m)];
        const own = effects(system, planes, normal).map((value, p) => value + offset[planes[p]]);
        for (let j = 0; j < m; j += 1) {
          const rest = effects(residual, planes, normal);
          const [a, b] = rest.map((value, p) => value + own[p] + documents[j].effect[p]);
          rowX[j] = scored(likeness.marginals[planes[0]], a, documents[j].units);
          rowZ[j] = scored(likeness.marginals[0], b, documents[j].units);
        }
        x.push(rowX);
        z.push(rowZ);
      }
    });
    return { x, z };
  };

  // ---- intervals -----------------------------------------------------------------------------

  /** Correlations in bootstrap samples of systems, of documents ("inputs") or of both. */
  const bootstrap = (x, z, coefficient, what, nResamples, random) => {
    const inSample = sampled(x, z, "system", coefficient);
    return range(nResamples).map(() => {
      const systems = what === "inputs" ? undefined : drawCounts(random, x.length);
      return inSample(systems, what === "systems" ? undefined : drawCounts(random, x[0].length));
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
  const intervalOf = ({ x, z }, method, coefficient, nResamples, random) => {
    if (METHODS[method] === null) return fisher(correlate(x, z, "system", coefficient), x.length, coefficient);
    const values = bootstrap(x, z, coefficient, METHODS[method], nResamples, random);
    return [quantile(values, 0.025), quantile(values, 0.975)];
  };

  window.bookExplorable.likeness = { drawBenchmark, intervalOf, METHODS };
})();
