/* What the house decides about the layout of a figure: colours by the theme, margins and legend by the width.
 *
 * Nothing here draws. A state is {box, plot, figure}: the element around a figure, Plotly's own, and what it draws.
 */
(() => {
  "use strict";

  const { plain, read } = window.bookTools;

  const NARROW = 576; // px; below it a legend beside the plot leaves no plot
  const PANEL = 155; // px; the least width of a panel
  const LETTER = 6.5; // px; about the width of a letter at 12 px
  const DEFAULT_HEIGHT = 420; // as in helpers/publish/mime.py
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

  // Titles of panels are annotations at the top of the paper.
  const isPanelTitle = ({ yref, y, showarrow, textangle }) =>
    yref === "paper" && y >= 1 && !showarrow && !textangle;

  // Panels side by side that would be slivers on a phone keep their width and scroll.
  const fitWidth = (state) => {
    const { data, layout } = state.figure;
    const axes = axesOf(state.figure).filter((name) => name.startsWith("x"));
    const panels = new Set(axes.map((name) => read(layout, `${name}.domain`)?.[0] ?? 0)).size;
    const titles = (layout.annotations || []).filter(isPanelTitle);
    const panel = Math.max(PANEL, ...titles.map(({ text }) => plain(text).length * LETTER + 16));
    const names = data.flatMap(({ y }) => (Array.isArray(y) && typeof y[0] === "string" ? y : []));
    const left = names.reduce((most, name) => Math.max(most, name.length * LETTER + 20), 50);
    const wanted = isNarrow(state) && panels > 1 ? left + panels * panel : 0;
    state.plot.style.width = wanted > state.box.clientWidth ? `${wanted}px` : "";
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
    // Plotly's own defaults here are dark grey, which a dark page swallows.
    (figure.layout.annotations || []).forEach((annotation, i) => {
      if (!annotation.arrowcolor) layout[`annotations[${i}].arrowcolor`] = muted;
    });
    (figure.layout.shapes || []).forEach((shape, i) => {
      if (!read(shape, "line.color")) layout[`shapes[${i}].line.color`] = muted;
    });
    return layout;
  };

  // Rows that a horizontal legend needs at a width, roughly: 7 px a letter, 50 for the symbol.
  const legendRows = ({ data, layout }, width) => {
    const named = data.filter((trace) => trace.name && trace.showlegend !== false);
    if (layout.showlegend === false || (named.length < 2 && !layout.showlegend)) return 0;
    const names = [...new Set(named.map((trace) => plain(trace.name)))];
    const widest = Math.max(0, ...names.map((name) => name.length * 7 + 50));
    return Math.ceil(names.length / Math.max(1, Math.floor((width - 20) / widest)));
  };

  const sizeLayout = (state) => {
    const { figure, plot } = state;
    const { layout } = figure;
    const narrow = isNarrow(state);
    const titled = Boolean(layout.title && (layout.title.text ?? layout.title));
    const headed = (layout.annotations || []).some(isPanelTitle);
    const margin = narrow
      ? { l: 8, r: 8, t: titled ? 56 : headed ? 32 : 16, b: 8 }
      : { l: 56, r: 16, t: titled ? 56 : 24, b: 48, ...layout.margin };
    const rows = narrow ? legendRows(figure, plot.clientWidth) : 0;
    const below = { orientation: "h", x: 0, xanchor: "left", yref: "container", y: 0 };
    const legend = rows ? { ...below, yanchor: "bottom" } : layout.legend || {};
    const wanted = {
      height: (Number(layout.height) || DEFAULT_HEIGHT) + rows * 20,
      "font.size": read(layout, "font.size") ?? (narrow ? 12 : 13),
      // A finger that drags over a figure means to scroll the page.
      dragmode: layout.dragmode ?? (narrow || coarse.matches ? false : "zoom"),
    };
    for (const [side, size] of Object.entries(margin)) wanted[`margin.${side}`] = size;
    for (const key of ["orientation", "x", "xanchor", "y", "yanchor", "yref"]) {
      wanted[`legend.${key}`] = legend[key] ?? null;
    }
    (layout.annotations || []).forEach((annotation, i) => {
      if (isPanelTitle(annotation)) wanted[`annotations[${i}].font.size`] = narrow ? 12 : 13;
    });
    for (const axis of axesOf(figure)) {
      wanted[`${axis}.title.font.size`] = narrow ? 11 : 13;
      wanted[`${axis}.automargin`] = read(layout, `${axis}.automargin`) ?? true;
    }
    return wanted;
  };

  window.bookFigures = { isNarrow, fitWidth, themeLayout, sizeLayout, coarse };
})();
