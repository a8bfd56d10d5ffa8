/* What the house decides about the layout of a figure: colours by the theme, margins and legend by the width.
 *
 * Nothing here draws. A state is {box, plot, figure}: the element around a figure, Plotly's own, and what it draws.
 */
(() => {
  "use strict";

  const { plain, read } = window.bookTools;

  const NARROW = 576; // px; below it a legend beside the plot leaves no plot
  const LINE = 20; // px; a line of text above or below a panel
  const LEGEND_LINE = 29; // px; a line of a legend
  const NAME = 150; // px; a longer name of a row takes two lines on a phone
  const TWO_LINES = 36; // px; a row whose name takes two lines
  const LETTER = 7; // px; about the width of a letter at 12 or 13 px
  const MARGINS = 110; // px; about what numbers and titles take beside the panels
  const MOST_SLANTED = 8; // columns of a heatmap on a phone whose slanted names do not meet
  const [SMALLEST, LARGEST] = [9, 13]; // px; of the numbers in cells
  const DEFAULT_HEIGHT = 420; // as in bookbuild/site/mime.py
  const WITHOUT_AXES = new Set([
    "pie", "table", "sunburst", "treemap", "icicle", "funnelarea", "indicator", "sankey",
    "parcoords", "parcats", "scatterpolar", "barpolar", "scatter3d", "surface", "mesh3d",
  ]);

  const root = document.documentElement;
  const coarse = window.matchMedia("(pointer: coarse)");

  const isNarrow = ({ box }) => (box.clientWidth || window.innerWidth) < NARROW;

  const axesOf = ({ data, layout }) => {
    const names = Object.keys(layout).filter((key) => /^[xy]axis\d*$/.test(key));
    for (const trace of data) {
      if (WITHOUT_AXES.has(trace.type)) continue;
      names.push((trace.xaxis || "x").replace("x", "xaxis"));
      names.push((trace.yaxis || "y").replace("y", "yaxis"));
    }
    return [...new Set(names)];
  };

  // Titles of columns and rows of panels, and one that all horizontal axes share, are annotations.
  const HEADS = new Set(["column", "row"]);

  // A title that is longer than its axis goes on below.
  const halved = (text, width) => {
    const places = [...text.matchAll(/ |(?<=_)/g)].map(({ index }) => index);
    if (text.length * LETTER <= width || text.includes("<") || !places.length) return text;
    const off = (at) => Math.abs(at - text.length / 2);
    const middle = places.reduce((best, at) => (off(at) < off(best) ? at : best));
    return `${text.slice(0, middle)}<br>${text.slice(middle).trimStart()}`;
  };

  const titleOf = (layout, axis) => read(layout, `${axis}.title.text`) ?? "";

  // Panels from left to right and from top to bottom, by their axes.
  const panelsOf = (layout) =>
    Object.keys(layout)
      .filter((key) => /^xaxis\d*$/.test(key) && layout[key].domain && layout[key].anchor)
      .map((x) => {
        const y = layout[x].anchor.replace("y", "yaxis");
        const [[left, right], [bottom, top]] = [layout[x].domain, layout[y].domain];
        return { x, y, left, right, bottom, top };
      })
      .sort((a, b) => b.top - a.top || a.left - b.left);

  const namedRows = (data) => data.filter(({ y }) => Array.isArray(y) && typeof y[0] === "string");
  const namesOf = (data) => [...new Set(namedRows(data).flatMap(({ y }) => y))];
  const widthOfNames = (data) =>
    namesOf(data).reduce((most, name) => Math.max(most, name.length * LETTER), 0);

  // What names below a panel take when they are too long to stand side by side, and Plotly turns them.
  const turned = (data, width) => {
    const names = [...new Set(data.flatMap(({ x }) => (Array.isArray(x) && typeof x[0] === "string" ? x : [])))];
    const longest = names.reduce((most, name) => Math.max(most, name.length * LETTER), 0);
    const room = width / names.length;
    return longest <= room ? 0 : LINE / 2 + longest * (room > 2 * LINE ? 0.5 : 1.05);
  };

  // How much higher a figure has to be for names on two lines not to touch each other.
  const stretch = ({ data, layout }, panels) => {
    const full = layout.height - layout.margin.t - layout.margin.b;
    const rows = (y) => namesOf(data.filter((trace) => trace.visible !== false && (trace.yaxis ?? "y").replace("y", "yaxis") === y)).length;
    return Math.max(1, ...panels.map(({ y, bottom, top }) => (TWO_LINES * rows(y)) / (full * (top - bottom))));
  };

  const near = (a, b) => Math.abs(a - b) < 1e-6;

  // On a phone panels side by side would be slivers or lie behind the edge: there they stand below each other.
  const stacked = ({ data, layout }, panels, width) => {
    const named = new Set(namedRows(data).map(({ yaxis }) => (yaxis ?? "y").replace("y", "yaxis")));
    const left = Math.min(NAME, widthOfNames(data));
    const full = layout.height - layout.margin.t - layout.margin.b;
    const heads = (layout.annotations ?? []).filter(({ name }) => HEADS.has(name));
    const shared = (layout.annotations ?? []).find(({ name }) => name === "x")?.text;
    const last = panels.at(-1);
    const lowest = panels.filter(({ bottom }) => near(bottom, last.bottom));
    const titles = new Set(lowest.map(({ x }) => titleOf(layout, x)));
    const gap = (titles.size > 1 ? 3.3 : 2.3) * LINE + turned(data, width - left - 2 * LINE);
    const heights = panels.map(({ y, bottom, top }) => Math.max(150, full * (top - bottom) * (named.has(y) ? 1 : 0.75)));
    const total = heights.reduce((sum, height) => sum + height) + gap * (panels.length - 1);
    const wanted = {};
    const others = (layout.annotations ?? []).filter(({ name }) => !HEADS.has(name) && name !== "x");
    // The words of a vertical line stand at its foot, where no title is.
    const annotations = others.map((note) => (note.name === "rule" && note.y === 1 ? { ...note, y: 0 } : note));
    let above = 0;
    panels.forEach((panel, i) => {
      const { x, y, bottom, top } = panel;
      const domain = [Math.max(0, 1 - (above + heights[i]) / total), 1 - above / total];
      const below = lowest.find((other) => near(other.left, panel.left));
      const title = titles.size > 1 ? titleOf(layout, below.x) : panel === last ? shared ?? titleOf(layout, x) : "";
      const first = panels.find((other) => near(other.top, top));
      wanted[`${x}.domain`] = [0, 1];
      wanted[`${y}.domain`] = domain;
      for (const axis of [x, y]) wanted[`${axis}.showticklabels`] = true;
      wanted[`${x}.title.text`] = halved(title, width - Math.max(MARGINS, left + 2 * LINE));
      wanted[`${y}.title.text`] = halved(titleOf(layout, first.y), heights[i]);
      const mine = heads.filter((head) => (head.name === "column" ? near(head.x, (panel.left + panel.right) / 2) : near(head.y, top)));
      const text = mine.sort((a, b) => (a.name < b.name ? 1 : -1)).map((head) => head.text.replace(/,?<br>(?=\()/g, " ").replace(/<br>/g, " ")).join(", ");
      const place = { x: 0, xanchor: "left", xshift: -0.75 * left, y: domain[1], yanchor: "bottom", yshift: 2 };
      if (text) annotations.push({ ...mine[0], text, ...place });
      above += heights[i] + gap;
    });
    return { wanted, annotations, height: total };
  };

  const sideBySide = ({ data, layout }, panels, width) => {
    const beside = Math.max(MARGINS, Math.min(width / 2, widthOfNames(data)) + 2 * LINE);
    const full = layout.height - layout.margin.t - layout.margin.b;
    const wanted = {};
    for (const { x, y, left, right, bottom, top } of panels) {
      for (const axis of [x, y]) {
        wanted[`${axis}.domain`] = layout[axis].domain;
        wanted[`${axis}.showticklabels`] = layout[axis].showticklabels ?? true;
      }
      wanted[`${x}.title.text`] = halved(titleOf(layout, x), (right - left) * (width - beside));
      wanted[`${y}.title.text`] = halved(titleOf(layout, y), (top - bottom) * full);
    }
    return { wanted, annotations: layout.annotations ?? [], height: full };
  };

  const themeLayout = ({ figure }) => {
    const style = getComputedStyle(root);
    const colour = (name, otherwise) => style.getPropertyValue(name).trim() || otherwise;
    const text = colour("--figure-text", "#1f2933");
    const muted = colour("--figure-muted", "#5b6670");
    const grid = colour("--figure-grid", "#dfe3e8");
    const surface = colour("--figure-surface", "#ffffff");
    const nothing = "rgba(0,0,0,0)";
    const layout = {
      paper_bgcolor: nothing,
      plot_bgcolor: nothing,
      "font.color": text,
      "font.family": getComputedStyle(document.body).fontFamily,
      "legend.bgcolor": nothing,
      "legend.bordercolor": grid,
      "hoverlabel.bgcolor": surface,
      "hoverlabel.bordercolor": muted,
      "hoverlabel.font.color": text,
      "modebar.bgcolor": nothing,
      "modebar.color": muted,
      "modebar.activecolor": text,
    };
    for (const axis of axesOf(figure)) {
      layout[`${axis}.gridcolor`] = grid;
      layout[`${axis}.zerolinecolor`] = colour("--figure-zero", muted);
      layout[`${axis}.linecolor`] = muted;
      layout[`${axis}.tickcolor`] = muted;
    }
    if (figure.layout.coloraxis) layout["coloraxis.colorbar.outlinecolor"] = nothing;
    // Plotly's own default here is dark grey, which a dark page swallows.
    (figure.layout.shapes || []).forEach((shape, i) => {
      if (!read(shape, "line.color")) layout[`shapes[${i}].line.color`] = muted;
    });
    return layout;
  };

  // On a phone names beside points, or beside the last of several panels, have no room: a legend has them.
  const isName = ({ meta }) => meta === "rows" || meta === "lines";
  const hasLegend = ({ data }, columns) => data.some((trace) => isName(trace) && (columns > 1 || trace.meta === "rows"));
  const withoutNames = (state) =>
    (isNarrow(state) && hasLegend(state.figure, new Set(panelsOf(state.figure.layout).map(({ left }) => left)).size)
      ? state.figure.data.map((trace) => (isName(trace) ? { ...trace, text: [] } : trace))
      : state.figure.data);

  // Rows that a horizontal legend needs at a width, roughly: 7 px a letter, 50 for the symbol.
  const legendRows = ({ data, layout }, width, inLegend) => {
    const named = data.filter((trace) => trace.name && trace.showlegend !== false);
    if ((layout.showlegend === false && !inLegend) || (named.length < 2 && !layout.showlegend)) return 0;
    const names = [...new Set(named.map((trace) => plain(trace.name)))];
    const widest = Math.max(0, ...names.map((name) => name.length * 7 + 50));
    return Math.ceil(names.length / Math.max(1, Math.floor((width - 20) / widest)));
  };

  const sizeLayout = (state) => {
    const { figure, plot } = state;
    const { layout } = figure;
    const narrow = isNarrow(state);
    const panels = panelsOf(layout);
    const columns = new Set(panels.map(({ left }) => left)).size;
    const width = plot.clientWidth || window.innerWidth;
    const laid = panels.length && layout.margin
      ? (narrow && columns > 1 ? stacked : sideBySide)(figure, panels, width)
      : { wanted: {}, annotations: layout.annotations ?? [], height: null };
    const names = namesOf(figure.data);
    const long = names.some((name) => name.includes("<br>") || halved(name, NAME) !== name);
    if (narrow && long && laid.height) laid.height *= stretch(figure, panels);
    const titled = Boolean(layout.title && (layout.title.text ?? layout.title));
    const headed = laid.annotations.some(({ name }) => HEADS.has(name));
    const inLegend = narrow && hasLegend(figure, columns);
    const rows = narrow ? legendRows(figure, width, inLegend) : 0;
    const ends = inLegend ? [] : figure.data.filter(({ mode, textposition }) => mode === "text" && textposition?.endsWith("right"));
    const beside = Math.max(0, ...ends.flatMap(({ text }) => text).map((name) => plain(name).length * LETTER));
    const isAbove = layout.legend?.yanchor === "top";
    const wrapped = Object.entries(laid.wanted).some(([path, text]) => path.startsWith("x") && String(text).includes("<br>"));
    const margin = narrow
      ? { l: 8, r: 8 + beside, t: titled ? 56 : headed ? 36 : 16, b: rows && !isAbove ? 2.5 * LINE + rows * LINE + wrapped * 16 : 8 }
      : { l: 56, r: 16, t: titled ? 56 : 24, b: 48, ...layout.margin };
    if (narrow && isAbove) margin.t += rows * LEGEND_LINE;
    if (!narrow) margin.b += wrapped * 16;
    const across = { orientation: "h", x: 0, xanchor: "left", yref: "container" };
    const legend = rows ? { ...across, y: Number(isAbove), yanchor: isAbove ? "top" : "bottom" } : layout.legend || {};
    const height = narrow && laid.height ? margin.t + laid.height + Math.max(margin.b, 3 * LINE) : Number(layout.height) || DEFAULT_HEIGHT;
    const wanted = {
      ...laid.wanted,
      height,
      showlegend: inLegend || (layout.showlegend ?? null),
      "font.size": read(layout, "font.size") ?? (narrow ? 12 : 13),
      // A finger that drags over a figure means to scroll the page.
      dragmode: layout.dragmode ?? (narrow || coarse.matches ? false : "zoom"),
    };
    for (const [side, size] of Object.entries(margin)) wanted[`margin.${side}`] = size;
    for (const key of ["orientation", "x", "xanchor", "y", "yanchor", "yref"]) {
      wanted[`legend.${key}`] = legend[key] ?? null;
    }
    wanted.annotations = laid.annotations.map((annotation) =>
      (HEADS.has(annotation.name) ? { ...annotation, font: { size: narrow ? 12 : 13 } } : annotation));
    const named = namedRows(figure.data).map(({ yaxis }) => (yaxis ?? "y").replace("y", "yaxis"));
    for (const axis of long ? new Set(named) : []) {
      wanted[`${axis}.tickmode`] = narrow ? "array" : read(layout, `${axis}.tickmode`) ?? null;
      wanted[`${axis}.tickvals`] = narrow ? names : read(layout, `${axis}.tickvals`) ?? null;
      wanted[`${axis}.ticktext`] = narrow ? names.map((name) => halved(name, NAME)) : read(layout, `${axis}.ticktext`) ?? null;
    }
    // Of a heatmap with names on both sides the cells get the room, and every column its name.
    const grids = figure.data.filter(({ type, x, y }) => type === "heatmap" && [x, y].every((names) => names?.length && Number.isNaN(Number(names[0]))));
    const many = grids.some(({ x }) => x.length > MOST_SLANTED);
    for (const { xaxis = "x", yaxis = "y" } of grids) {
      const [across, down] = [xaxis.replace("x", "xaxis"), yaxis.replace("y", "yaxis")];
      for (const axis of [across, down]) wanted[`${axis}.tickfont.size`] = narrow && many ? 10 : null;
      wanted[`${across}.dtick`] = narrow ? 1 : read(layout, `${across}.dtick`) ?? null;
      wanted[`${across}.tickangle`] = narrow && many ? -90 : read(layout, `${across}.tickangle`) ?? null;
    }
    for (const axis of axesOf(figure)) {
      wanted[`${axis}.title.font.size`] = narrow ? 11 : 13;
      // Names that do not fit lean to the side where there is room: the names of the rows leave it.
      if (axis.startsWith("x")) wanted[`${axis}.autotickangles`] = narrow ? [0, -45, -90] : read(layout, `${axis}.autotickangles`) ?? null;
      if (axis.startsWith("y")) wanted[`${axis}.title.standoff`] = 8; // beside the names of rows, not on them
      wanted[`${axis}.automargin`] = read(layout, `${axis}.automargin`) ?? true;
    }
    return wanted;
  };

  // The numbers of a heatmap are as large as its cells allow; what nobody could read is in the table below.
  const fitNumbers = (plot) => {
    for (const cells of plot.querySelectorAll(".hm")) {
      const labels = [...cells.querySelectorAll(".heatmap-label text")];
      if (!labels.length) continue;
      const { trace } = cells.__data__[0];
      const [width, height] = ["x", "y"].map((letter) => {
        const axis = plot._fullLayout[trace[`${letter}axis`].replace(letter, `${letter}axis`)];
        const [first, second] = trace[letter];
        return (second === undefined ? axis._length : Math.abs(axis.d2p(second) - axis.d2p(first))) - 2;
      });
      for (const label of labels) label.style.fontSize = `${LARGEST}px`;
      const lengths = labels.map((label) => label.getComputedTextLength());
      const size = Math.max(SMALLEST, Math.min(LARGEST, height, Math.floor(LARGEST * width / Math.max(...lengths))));
      labels.forEach((label, i) => {
        label.style.fontSize = `${size}px`;
        label.style.display = size <= height && (size * lengths[i]) / LARGEST <= width ? "" : "none";
      });
    }
  };

  window.bookFigures = { isNarrow, themeLayout, sizeLayout, withoutNames, fitNumbers, coarse };
})();
