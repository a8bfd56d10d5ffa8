/* From matrices to one number: the marks that the statistic of a draw is computed from, and the statistic. */
(() => {
  "use strict";

  const book = window.bookExplorer;
  const { element, shape, range, within, SYMBOLS, fixed } = window.bookTools;
  const { coefficients, sampledMeans, systemMeans, correlate } = window.bookStatistics;
  const { tally } = book.words;

  const PLOT_HEIGHT = 176; // px

  /** The panel of a study; `show` takes a draw, or null for the data. */
  book.makePanel = ({ data, state, nSystems, nDocuments, isBoot, sampleOf }) => {
    const statistic = element("p", { className: "explorer-statistic" });
    const plot = shape("svg", { class: "explorer-plot", "aria-hidden": "true" });
    const panel = element("div", { className: "explorer-panel" }, statistic, plot);
    const dot = (metric, x, y, count) => {
      const size = count ? 3.2 + 1.5 * Math.sqrt(count) : 3.2;
      const name = `dot hue-${metric ? "b" : "a"}${count ? "" : " out"}`;
      if (!metric) return shape("circle", { class: name, cx: x, cy: y, r: size });
      const side = size * 1.7;
      const turn = `rotate(45 ${x} ${y})`;
      const corner = { x: x - side / 2, y: y - side / 2, width: side, height: side };
      return shape("rect", { class: name, ...corner, transform: turn });
    };

    // System level: a mark a system, its means by metric and people.
    const plotSystems = (draw, width) => {
      const { metrics, people } = sampleOf(null);
      const original = [metrics.map((metric) => systemMeans(metric)), systemMeans(people)];
      const reach = (values, share) => {
        const [low, high] = [Math.min(...values), Math.max(...values)];
        return [low - share * (high - low), high + share * (high - low)];
      };
      const [x0, x1] = reach(original[0].flat(), isBoot() ? 0.45 : 0.3);
      const [y0, y1] = reach(original[1], 0.35);
      const [left, right, top, bottom] = [12, width - 12, 22, PLOT_HEIGHT - 26];
      const x = (value) => within(left, left + ((value - x0) / (x1 - x0)) * (right - left), right);
      const y = (value) => within(top, bottom - ((value - y0) / (y1 - y0)) * (bottom - top), bottom);
      const made = [
        shape("line", { class: "axis", x1: left, x2: right, y1: bottom + 8, y2: bottom + 8 }),
        shape("line", { class: "axis", x1: left - 8, x2: left - 8, y1: top - 4, y2: bottom + 8 }),
        shape("text", { class: "label end", x: right, y: PLOT_HEIGHT - 3 }, "metric’s mean →"),
        shape("text", { class: "label", x: left - 8, y: 11 }, "↑ people’s mean"),
      ];
      const shown = isBoot() ? [data.a] : sampleOf(draw).metrics;
      const counts = isBoot() && draw ? tally(draw.systems, nSystems) : new Array(nSystems).fill(1);
      const documents = isBoot() && draw ? tally(draw.documents, nDocuments) : undefined;
      const peopleMeans = sampledMeans(data.people)(documents);
      shown.forEach((metric, k) => {
        sampledMeans(metric)(documents).forEach((value, i) => {
          const [cx, cy] = [x(value), y(peopleMeans[i])];
          made.push(dot(k, cx, cy, counts[i]));
          if (isBoot()) made.push(shape("text", { class: `label${counts[i] ? "" : " out"}`, x: cx + 9, y: cy + 4 }, `S${i + 1}`));
        });
      });
      return made;
    };

    // Summary level: a mark a document, the correlation over systems in it.
    const plotDocuments = (draw, width) => {
      const [left, right, top, bottom] = [28, width - 12, 10, PLOT_HEIGHT - 30];
      const x = (value) => left + ((value + 1) / 2) * (right - left);
      const y = (j) => top + ((j + 0.5) / nDocuments) * (bottom - top);
      const made = [-1, 0, 1].flatMap((value) => [
        shape("line", { class: value ? "grid" : "axis", x1: x(value), x2: x(value), y1: top, y2: bottom }),
        shape("text", { class: "label middle", x: x(value), y: bottom + 13 }, fixed(value, 0)),
      ]);
      const title = `${SYMBOLS[state.coefficient]} in each document`;
      made.push(shape("text", { class: "label end", x: right, y: PLOT_HEIGHT - 3 }, title));
      const boot = isBoot();
      const counts = boot && draw ? tally(draw.documents, nDocuments) : new Array(nDocuments).fill(1);
      const rows = boot && draw ? draw.systems : range(nSystems);
      const kept = { systems: rows, documents: range(nDocuments) };
      const metrics = boot ? [book.take(data.a, kept)] : sampleOf(draw).metrics;
      const people = book.take(data.people, kept);
      range(nDocuments).forEach((j) =>
        made.push(shape("text", { class: `label${counts[j] ? "" : " out"}`, x: 0, y: y(j) + 4 }, `D${j + 1}`)),
      );
      metrics.forEach((metric, k) => {
        const column = (matrix, j) => matrix.map((row) => row[j]);
        const values = range(nDocuments).map((j) => coefficients[state.coefficient](column(metric, j), column(people, j)));
        const exists = (j) => counts[j] && !Number.isNaN(values[j]);
        const used = range(nDocuments).filter(exists);
        const weight = used.reduce((total, j) => total + counts[j], 0);
        const mean = used.reduce((total, j) => total + counts[j] * values[j], 0) / weight;
        if (weight) {
          const ends = { x1: x(mean), x2: x(mean), y1: top, y2: bottom };
          made.push(shape("line", { class: `mean hue-${k ? "b" : "a"}`, ...ends }));
        }
        values.forEach((value, j) => {
          if (!Number.isNaN(value)) made.push(dot(k, x(value), y(j), counts[j]));
        });
      });
      return made;
    };

    const show = (draw) => {
      const width = Math.max(150, panel.clientWidth);
      plot.setAttribute("viewBox", `0 0 ${width} ${PLOT_HEIGHT}`);
      plot.style.height = `${PLOT_HEIGHT}px`;
      plot.replaceChildren(...(state.level === "system" ? plotSystems : plotDocuments)(draw, width));
      const symbol = SYMBOLS[state.coefficient];
      const label = element("span", { textContent: draw ? (isBoot() ? "This sample" : "This swap") : "The data" });
      const { metrics, people } = sampleOf(draw);
      const values = metrics.map((metric) => correlate(metric, people, state.level, state.coefficient));
      const bold = (text) => element("strong", { textContent: text });
      if (isBoot()) statistic.replaceChildren(label, bold(`${symbol} = ${fixed(values[0], 3)}`));
      else {
        const parts = [
          element("b", { className: "hue-a", textContent: `A ${fixed(values[0], 2)}` }), " − ",
          element("b", { className: "hue-b", textContent: `B ${fixed(values[1], 2)}` }), " = ",
        ];
        statistic.replaceChildren(label, ...parts, bold(fixed(values[0] - values[1], 3)));
      }
    };

    return { panel, show };
  };
})();
