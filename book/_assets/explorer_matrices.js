/* The score matrices of the explorer: which rows, columns and cells a draw takes, and scores that change places. */
(() => {
  "use strict";

  const book = window.bookExplorer;
  const { element, range, fixed } = window.bookTools;
  const { tally } = book.words;

  const SWAP = 520; // ms; scores change places

  /** Tables of a study; `show` takes a draw, or null for the data. */
  book.makeMatrices = ({ data, standard, nSystems, nDocuments, isBoot, methodNow }) => {
    const makeMatrix = (key, name) => {
      const head = (scope, label) => {
        const mark = element("span", { className: "explorer-times" });
        const letter = element("span", { className: "explorer-letter", textContent: label[0] });
        return { mark, cell: element("th", { scope }, element("span", {}, letter, label.slice(1)), mark) };
      };
      const columns = range(nDocuments).map((j) => head("col", `D${j + 1}`));
      const rows = range(nSystems).map((i) => head("row", `S${i + 1}`));
      const cells = rows.map(() => range(nDocuments).map(() => element("td", {}, element("span"))));
      const table = element(
        "table",
        { className: `explorer-matrix hue-${key}` },
        element("caption", { textContent: name }),
        element("thead", {}, element("tr", {}, element("td"), ...columns.map(({ cell }) => cell))),
        element("tbody", {}, ...rows.map(({ cell }, i) => element("tr", {}, cell, ...cells[i]))),
      );
      return { key, table, rows, columns, cells };
    };

    const matrices = [makeMatrix("a", "Metric A"), makeMatrix("b", "Metric B"), makeMatrix("people", "People")];

    const limits = Object.fromEntries(
      Object.entries({ ...data, standard: [...standard.a, ...standard.b] }).map(([key, matrix]) => {
        const cells = matrix.flat();
        return [key, [Math.min(...cells), Math.max(...cells)]];
      }),
    );

    const setMark = (mark, text) => {
      mark.textContent = text;
      mark.dataset.kind = text === "×0" ? "none" : text && text !== "×1" ? "more" : "";
    };

    const show = (draw) => {
      const boot = isBoot();
      const rowCounts = boot && draw ? tally(draw.systems, nSystems) : null;
      const columnCounts = boot && draw ? tally(draw.documents, nDocuments) : null;
      const { what } = methodNow();
      const marks = {
        rows: range(nSystems).map((i) => {
          if (!draw) return "";
          if (boot) return what === "inputs" ? "" : `×${rowCounts[i]}`;
          return what === "systems" && draw[i][0] ? "⇄" : "";
        }),
        columns: range(nDocuments).map((j) => {
          if (!draw) return "";
          if (boot) return what === "systems" ? "" : `×${columnCounts[j]}`;
          return what === "inputs" && draw[0][j] ? "⇄" : "";
        }),
      };
      for (const { key, table, rows, columns, cells } of matrices) {
        table.hidden = boot && key === "b";
        if (table.hidden) continue;
        const isMetric = key !== "people";
        const other = key === "a" ? "b" : "a";
        rows.forEach(({ mark }, i) => setMark(mark, boot || isMetric ? marks.rows[i] : ""));
        columns.forEach(({ mark }, j) => setMark(mark, boot || isMetric ? marks.columns[j] : ""));
        const [low, high] = limits[boot || !isMetric ? key : "standard"];
        cells.forEach((row, i) =>
          row.forEach((cell, j) => {
            const swapped = !boot && isMetric && Boolean(draw?.[i][j]);
            const source = swapped ? other : key;
            const value = (boot || !isMetric ? data : standard)[source][i][j];
            const count = rowCounts ? rowCounts[i] * columnCounts[j] : 1;
            cell.className = `hue-${source}`;
            cell.dataset.count = count > 1 ? "more" : String(count);
            cell.dataset.swapped = String(swapped);
            cell.style.setProperty("--strength", ((value - low) / (high - low)).toFixed(3));
            const digits = isMetric && boot ? 0 : 1;
            cell.firstChild.textContent = fixed(value, digits);
          }),
        );
      }
    };

    // Swapped scores fly in from the other metric's matrix.
    const fly = (draw) => {
      const [a, b] = matrices;
      draw.forEach((row, i) =>
        row.forEach((swapped, j) => {
          if (!swapped) return;
          const [here, there] = [a, b].map(({ cells }) => cells[i][j].getBoundingClientRect());
          const [dx, dy] = [there.left - here.left, there.top - here.top];
          const timing = { duration: SWAP, easing: "cubic-bezier(.4, 0, .2, 1)" };
          a.cells[i][j].animate([{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "none" }], timing);
          b.cells[i][j].animate([{ transform: `translate(${-dx}px, ${-dy}px)` }, { transform: "none" }], timing);
        }),
      );
    };

    const stopFlying = () =>
      matrices.forEach(({ cells }) => cells.flat().forEach((cell) => cell.getAnimations?.().forEach((a) => a.finish())));

    return { tables: matrices.map(({ table }) => table), show, fly, stopFlying, SWAP };
  };
})();
