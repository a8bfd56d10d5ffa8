/* What the resampling explorer draws: bootstrap samples of systems and documents, scores that change places, and the statistic
 * of each.
 *
 * Nothing here touches the page; matrices and coefficients are those of statistics.js.
 */
(() => {
  "use strict";

  const { range } = window.bookTools;
  const { mean, correlate } = window.bookStatistics;

  /** Mean 0 and variance 1 over all cells. */
  const standardise = (matrix) => {
    const cells = matrix.flat();
    const centre = mean(cells);
    const deviation = Math.sqrt(mean(cells.map((value) => (value - centre) ** 2)));
    return matrix.map((row) => row.map((value) => (value - centre) / deviation));
  };

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

  window.bookExplorer = {
    standardise, drawBootstrap, drawSwaps, take, swap, bootstrapStatistic, permutationStatistic,
  };
})();
