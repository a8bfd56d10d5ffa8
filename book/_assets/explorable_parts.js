/* What the panels that a reader works share: tables, CSV, SVG, downloads, and a state in the address.
 *
 * Nothing here knows of a panel. Loaded after tools.js and tables.js; used by explorable.js and its kinds, and by whatever else on a page
 * shows numbers that a reader chose.
 */
(() => {
  "use strict";

  const { element, missing } = window.bookTools;

  // ---- tables, as Python writes them, as text and on the page --------------------------------

  /** Objects of a table {columns, rows}, as Python writes it. */
  const rowsOf = ({ columns, words, rows }) =>
    rows.map((row) =>
      Object.fromEntries(columns.map((name, i) => [name, words[name] ? words[name][row[i]] : row[i]])),
    );

  /** What a column of objects holds, each value once. */
  const distinct = (rows, key) => [...new Set(rows.map((row) => row[key]))];

  /** CSV (RFC 4180) of objects: a column is {key, label}; what does not exist is an empty cell.
   *
   * A text that a spreadsheet would run as a formula stands behind an apostrophe, as in metaeval/reporting/answer.py.
   */
  const csv = (columns, rows) => {
    const cell = (value) => {
      const given = missing(value) ? "" : String(value);
      const text = typeof value === "string" && /^[=+\-@\t\r]/.test(given) ? `'${given}` : given;
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const lines = [columns.map(({ key }) => cell(key)), ...rows.map((row) => columns.map(({ key }) => cell(row[key])))];
    return `${lines.map((line) => line.join(",")).join("\n")}\n`;
  };

  /** A table in the book's frame: a column is {key, label, show(value, row), text}, a row an object; `current` marks it.
   *
   * A column that is `hidden` is in the CSV only.
   */
  const table = (caption, all, rows) => {
    const columns = all.filter(({ hidden }) => !hidden);
    const words = ({ text }) => (text ? "text" : "");
    const cell = (column, row, i) => {
      const { key, show = String } = column;
      const given = { className: words(column), textContent: missing(row[key]) ? "–" : show(row[key], row) };
      const made = element(i === 0 ? "th" : "td", given);
      if (i === 0) made.scope = "row";
      return made;
    };
    const line = (row) => {
      const made = element("tr", {}, ...columns.map((column, i) => cell(column, row, i)));
      if (row.current) made.setAttribute("aria-current", "true");
      return made;
    };
    const heads = columns.map((column, i) =>
      element("th", { scope: "col", className: i === 0 ? "text" : words(column), textContent: column.label }),
    );
    const made = element(
      "table",
      { className: "book-table" },
      element("caption", { textContent: caption }),
      element("thead", {}, element("tr", {}, ...heads)),
      element("tbody", {}, ...rows.map(line)),
    );
    const frame = element("div", { className: "table-scroll", tabIndex: 0 }, made);
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", caption);
    window.bookTables.watch(frame);
    return frame;
  };

  // ---- files ---------------------------------------------------------------------------------

  const STYLES = [
    "fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity",
    "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline",
  ];

  /** A drawing as a file of its own: its styles are written into it, on the ground that it stands on. */
  const svgText = (svg) => {
    const copy = svg.cloneNode(true);
    const [drawn, copied] = [svg, copy].map((one) => [one, ...one.querySelectorAll("*")]);
    drawn.forEach((node, i) => {
      const style = getComputedStyle(node);
      const rules = STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`);
      copied[i].setAttribute("style", rules.join(";"));
      copied[i].removeAttribute("class");
    });
    const { width, height } = svg.viewBox.baseVal;
    const ground = document.createElementNS(svg.namespaceURI, "rect");
    const surface = getComputedStyle(document.documentElement).getPropertyValue("--pst-color-background");
    for (const [name, value] of Object.entries({ width, height, fill: surface.trim() || "#ffffff" })) {
      ground.setAttribute(name, value);
    }
    copy.prepend(ground);
    copy.setAttribute("xmlns", svg.namespaceURI);
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    return new XMLSerializer().serializeToString(copy);
  };

  /** A button that saves a text, made when it is asked for, under a name. */
  const download = (label, name, type, makeText) => {
    const button = element("button", { type: "button", textContent: label, className: "explorable-download" });
    button.addEventListener("click", () => {
      const href = URL.createObjectURL(new Blob([makeText()], { type }));
      element("a", { href, download: typeof name === "function" ? name() : name }).click();
      setTimeout(() => URL.revokeObjectURL(href), 10_000);
    });
    return button;
  };

  // ---- a state in the address ----------------------------------------------------------------

  /** What an address asks for, key by key, or null where its part after # is no state but a place on the page. */
  const readAddress = (hash = window.location.hash) =>
    hash.includes("=") ? new Map(new URLSearchParams(hash.replace(/^#/, ""))) : null;

  /** The part of an address that restores a state. */
  const addressOf = (state) => `#${new URLSearchParams(Object.entries(state))}`;

  window.bookExplorable = { kinds: {}, rowsOf, distinct, csv, table, svgText, download, readAddress, addressOf };
})();
