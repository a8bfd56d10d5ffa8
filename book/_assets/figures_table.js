/* The numbers of a heatmap as a table, for whom no mouse tells what a cell holds: it opens below the figure, and shows
 * what is in view.
 */
(() => {
  "use strict";

  const { element, fixed, missing, plain } = window.bookTools;

  // A number on an axis is called as the tick that stands at it; of a fine grid those without one are left out.
  const called = (axis, value) => (axis.tickvals ? plain(axis.ticktext[axis.tickvals.indexOf(value)]) : String(value));

  const inView = (axis, value, i) => {
    const place = typeof value === "number" ? value : i;
    const [low, high] = [...axis.range].sort((a, b) => a - b);
    return low <= place && place <= high && (!axis.tickvals || axis.tickvals.includes(value));
  };

  const held = ({ z, text, customdata }, i, j) => {
    const more = [customdata?.[i]?.[j]].flat().filter((part) => !missing(part));
    if (!missing(text?.[i]?.[j]) && text[i][j] !== "") return plain(text[i][j]);
    if (missing(z[i][j])) return "–";
    return plain((more.length ? more : [z[i][j]]).map((part) => (typeof part === "number" ? fixed(part) : part)).join(", "));
  };

  const tableOf = (trace, layout) => {
    const [across, down] = ["x", "y"].map((letter) => layout[(trace[`${letter}axis`] ?? letter).replace(letter, `${letter}axis`)]);
    const columns = [...trace.x.entries()].filter(([j, value]) => inView(across, value, j));
    const rows = [...trace.y.entries()].filter(([i, value]) => inView(down, value, i));
    const head = (text, scope) => element("th", { scope, textContent: text });
    const body = rows.map(([i, y]) =>
      element(
        "tr",
        {},
        head(called(down, y), "row"),
        ...columns.map(([j]) => element("td", { textContent: held(trace, i, j) })),
      ));
    const heads = columns.map(([, x]) => head(called(across, x), "col"));
    const titles = [[down, "rows"], [across, "columns"]].map(([{ title }, what]) => `${plain((title?.text ?? "").replaceAll("<br>", " "))} (${what})`);
    return element(
      "table",
      {},
      element("caption", { textContent: [trace.name, titles.join(", ")].filter(Boolean).join(": ") }),
      element("thead", {}, element("tr", {}, element("td"), ...heads)),
      element("tbody", {}, ...body),
    );
  };

  /** A table below a figure with cells; a function that writes it anew. */
  const addTable = ({ box, plot, figure }) => {
    if (!figure.data.some(({ type }) => type === "heatmap")) return () => {};
    const frame = element("div", { className: "table-scroll", tabIndex: 0 });
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", "Numbers of the figure");
    const details = element("details", { className: "figure-table" }, element("summary", { textContent: "The cells as a table" }), frame);
    const renew = () => {
      if (!details.open) return;
      const shown = plot.data.filter(({ type, visible }) => type === "heatmap" && visible !== false && visible !== "legendonly");
      const tables = shown.map((trace) => tableOf(trace, plot.layout));
      frame.replaceChildren(...tables.filter((table) => table.querySelector("td:not(:empty)"))); // not of traces that only lie behind
    };
    details.addEventListener("toggle", renew);
    box.append(details);
    return renew;
  };

  window.bookFigures.addTable = addTable;
})();
