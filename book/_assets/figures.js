/* Draws the book's figures: each `.figure-plotly` holds a Plotly figure as JSON.
 *
 * - A figure is drawn when it comes near the view, and all of them before printing.
 * - Colours follow the theme; margins and legend follow the width.
 * - Plotly's own sliders and menus answer only to a mouse. They are replaced by native inputs
 *   below the figure that run the same steps, so mouse, touch and keyboard share one control.
 *
 * Only Plotly is needed. Nothing here throws: a figure that cannot be drawn says so in its place.
 */
(() => {
  "use strict";

  const NARROW = 576; // px; below it a legend beside the plot leaves no plot
  const PANEL = 155; // px; the least width of a panel
  const LETTER = 6.5; // px; about the width of a letter at 12 px
  const NEAR = "600px 0px"; // draw this far ahead of the view
  const DEFAULT_HEIGHT = 420; // as in helpers/publish/mime.py
  const CONFIG = {
    responsive: true,
    displaylogo: false,
    modeBarButtonsToRemove: ["sendChartToCloud", "lasso2d", "select2d"],
    plotlyServerURL: "",
  };
  const WITHOUT_AXES = new Set([
    "pie", "table", "sunburst", "treemap", "icicle", "funnelarea", "indicator", "sankey",
    "parcoords", "parcats", "scatterpolar", "barpolar", "scatter3d", "surface", "mesh3d",
  ]);

  const states = [];
  const root = document.documentElement;
  const coarse = window.matchMedia("(pointer: coarse)");

  // ---- small tools ---------------------------------------------------------------------------

  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  // Plotly labels may hold its small HTML (<b>, <sub>); native controls show text.
  const plain = (label) => String(label ?? "").replace(/<\/?[a-z][^>]*>/gi, "").trim();

  const read = (object, path) =>
    path.split(".").reduce((inner, key) => (inner == null ? undefined : inner[key]), object);

  // "annotations[2].arrowcolor" or "xaxis.title.text" -> nested value
  const write = (object, path, value) => {
    const keys = path.replace(/\[(\d+)\]/g, ".$1").split(".");
    const last = keys.pop();
    let inner = object;
    for (const key of keys) {
      if (inner[key] === null || typeof inner[key] !== "object") inner[key] = {};
      inner = inner[key];
    }
    inner[last] = value;
  };

  const fail = (state) => {
    state.box.dataset.drawn = "failed";
    state.plot.style.minHeight = "0";
    if (!state.box.querySelector(".figure-error")) {
      const text = state.box.querySelector(".figure-data a")
        ? "This figure could not be drawn. Its data are in the CSV file below."
        : "This figure could not be drawn.";
      const message = element("p", { className: "figure-error", textContent: text });
      state.plot.parentElement.after(message);
    }
  };

  // ---- what the house decides about a layout -------------------------------------------------

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
      wanted[`${axis}.automargin`] = read(layout, `${axis}.automargin`) ?? true;
    }
    return wanted;
  };

  // ---- drawing -------------------------------------------------------------------------------

  // The drawing carries the description; Plotly's buttons beside it stay reachable.
  const describe = (state) => {
    const [first, ...others] = state.plot.querySelectorAll("svg.main-svg");
    if (!first) return;
    first.setAttribute("role", "img");
    first.setAttribute("aria-label", state.alt);
    others.forEach((svg) => svg.setAttribute("aria-hidden", "true"));
    state.plot.removeAttribute("role");
    state.plot.removeAttribute("aria-label");
  };

  const draw = (state) => {
    if (state.drawing) return state.drawing;
    const started = performance.now();
    state.drawing = (async () => {
      try {
        const { figure, plot } = state;
        const layout = structuredClone(figure.layout);
        delete layout.width;
        layout.autosize = true;
        for (const kind of ["sliders", "updatemenus"]) {
          (layout[kind] || []).forEach((control) => { control.visible = false; });
        }
        fitWidth(state);
        const decided = { ...sizeLayout(state), ...themeLayout(state) };
        for (const [path, value] of Object.entries(decided)) {
          if (value !== null) write(layout, path, value);
        }
        state.narrow = isNarrow(state);
        state.width = state.box.clientWidth;
        plot.style.minHeight = `${layout.height}px`;
        const config = {
          ...figure.config,
          ...CONFIG,
          displayModeBar: state.narrow || coarse.matches ? false : "hover",
          toImageButtonOptions: { filename: state.name, scale: 2 },
        };
        const { data, frames } = figure;
        await Plotly.newPlot(plot, { data: structuredClone(data), layout, config, frames });
        describe(state);
        state.drawn = true;
        state.box.dataset.drawn = "true";
        performance.measure(`figure ${state.name}`, { start: started });
        resizes.observe(state.box);
        run(state);
      } catch {
        fail(state);
      }
    })();
    return state.drawing;
  };

  const relayout = async (state, layout) => {
    try {
      await Plotly.relayout(state.plot, layout);
    } catch {
      fail(state);
    }
  };

  const followTheme = () => {
    for (const state of states) if (state.drawn) relayout(state, themeLayout(state));
  };

  // Also when the sidebar opens, which is no resize of the window.
  const resizes = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const state = states.find(({ box }) => box === target);
      const width = target.clientWidth;
      if (!state.drawn || !width || width === state.width) continue;
      state.width = width;
      fitWidth(state);
      const layout = sizeLayout(state);
      if (state.narrow !== isNarrow(state) || layout.height !== state.plot.layout.height) {
        state.narrow = isNarrow(state);
        state.plot.style.minHeight = `${layout.height}px`;
        relayout(state, { ...layout, autosize: true });
      } else {
        Promise.resolve(Plotly.Plots.resize(state.plot)).catch(() => {});
      }
    }
  });

  // ---- controls ------------------------------------------------------------------------------

  const WHOLE = /^([xyz]axis|coloraxis|legend|hoverlabel|font|modebar|annotations|shapes)\d*$/;

  const METHODS = {
    restyle: (plot, args) => Plotly.restyle(plot, ...args),
    relayout: (plot, args) => Plotly.relayout(plot, ...args),
    update: (plot, args) => Plotly.update(plot, ...args),
    animate: (plot, args) => Plotly.animate(plot, ...args),
    skip: () => null,
  };

  const layoutPart = ({ method, args }) =>
    method === "relayout" ? args[0] : method === "update" ? args[1] : null;

  // Steps run one after another; of a fast slide only the newest waits.
  const run = async (state) => {
    if (state.running || !state.drawn) return;
    state.running = true;
    while (state.waiting.size) {
      const [control, step] = state.waiting.entries().next().value;
      state.waiting.delete(control);
      try {
        // Plotly keeps what it is given, and the step must say the same the next time.
        await METHODS[step.method || "restyle"](state.plot, structuredClone(step.args || []));
        const changed = layoutPart(step);
        if (changed && Object.keys(changed).some((key) => WHOLE.test(key))) {
          await relayout(state, themeLayout(state));
        }
      } catch {
        // The step does not fit the figure: the figure stays as it was.
      }
      state.steps += 1;
      state.box.dataset.steps = state.steps;
    }
    state.running = false;
  };

  const take = (state, control, step) => {
    if (!step || step.execute === false) return;
    state.waiting.set(control, step);
    if (state.drawn) run(state);
    else draw(state);
  };

  let ids = 0;
  const newId = () => `figure-control-${(ids += 1)}`;

  const sliderControl = (state, slider) => {
    const steps = (slider.steps || []).filter((step) => step.visible !== false);
    if (!steps.length) return null;
    const current = slider.currentvalue || {};
    const name = plain(current.prefix).replace(/[\s:=]+$/, "") || plain(slider.name) || "Step";
    const suffix = String(current.suffix ?? "");
    const label = (step) => plain(step.label ?? step.value) + suffix;
    const id = newId();
    const input = element("input", { type: "range", id, min: 0, max: steps.length - 1, step: 1 });
    input.value = slider.active ?? 0;
    const output = element("output", { htmlFor: id });
    const show = () => {
      output.textContent = label(steps[input.value]);
      input.setAttribute("aria-valuetext", output.textContent);
      const share = steps.length > 1 ? (100 * input.value) / (steps.length - 1) : 0;
      input.style.setProperty("--share", `${share}%`);
    };
    show();
    input.addEventListener("input", () => {
      show();
      take(state, slider, steps[input.value]);
    });
    // Room for the longest value, so that the slider keeps its length while it moves.
    output.style.minWidth = `${Math.max(...steps.map((step) => label(step).length))}ch`;
    return element(
      "div",
      { className: "figure-control figure-control-slider" },
      element("label", { htmlFor: id, textContent: name }),
      input,
      output,
    );
  };

  const menuControl = (state, menu) => {
    const buttons = (menu.buttons || []).filter((button) => button.visible !== false);
    if (!buttons.length) return null;
    const name = plain(menu.name) || "Show";
    if (menu.type === "buttons") {
      const group = element("div", { className: "figure-control figure-control-buttons" });
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", name);
      for (const button of buttons) {
        const made = element("button", { type: "button", textContent: plain(button.label) });
        made.addEventListener("click", () => take(state, menu, button));
        group.append(made);
      }
      return group;
    }
    const id = newId();
    const options = buttons.map(({ label }) => element("option", { textContent: plain(label) }));
    const select = element("select", { id }, ...options);
    select.selectedIndex = menu.active ?? 0;
    select.addEventListener("change", () => take(state, menu, buttons[select.selectedIndex]));
    return element(
      "div",
      { className: "figure-control figure-control-select" },
      element("label", { htmlFor: id, textContent: name }),
      select,
    );
  };

  const addControls = (state) => {
    const { updatemenus = [], sliders = [] } = state.figure.layout;
    const shown = ({ visible }) => visible !== false;
    const controls = [
      ...updatemenus.filter(shown).map((menu) => menuControl(state, menu)),
      ...sliders.filter(shown).map((slider) => sliderControl(state, slider)),
    ].filter(Boolean);
    if (!controls.length) return;
    const group = element("div", { className: "figure-controls" }, ...controls);
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "Controls of this figure");
    state.plot.parentElement.after(group);
  };

  // ---- start ---------------------------------------------------------------------------------

  const prepare = (box) => {
    const plot = box.querySelector(".figure-plot");
    const alt = plot.getAttribute("aria-label") || "";
    const state = { box, plot, alt, waiting: new Map(), steps: 0 };
    state.name = box.closest("figure[id]")?.id || `figure-${states.length + 1}`;
    states.push(state);
    try {
      const json = box.querySelector('script[type="application/json"]').textContent;
      const { data = [], layout = {}, config = {}, frames = [] } = JSON.parse(json);
      state.figure = { data, layout, config, frames };
      addControls(state);
    } catch {
      state.drawing = Promise.resolve();
      fail(state);
    }
  };

  const drawAll = () => Promise.all(states.map(draw));

  const start = () => {
    document.querySelectorAll(".figure-plotly").forEach(prepare);
    if (typeof Plotly === "undefined") {
      states.forEach(fail);
      return;
    }
    if ("IntersectionObserver" in window) {
      const views = new IntersectionObserver(
        (entries) => {
          for (const { isIntersecting, target } of entries) {
            if (!isIntersecting) continue;
            views.unobserve(target);
            draw(states.find(({ box }) => box === target));
          }
        },
        { rootMargin: NEAR },
      );
      states.forEach(({ box }) => views.observe(box));
    } else {
      drawAll();
    }

    new MutationObserver(followTheme).observe(root, {
      attributeFilter: ["data-theme", "data-mode"],
    });
    // In automatic mode the theme's own listener has to run first.
    window
      .matchMedia("(prefers-color-scheme: dark)")
      .addEventListener("change", () => setTimeout(followTheme));

    // Paper is white whatever the screen was.
    let screenTheme;
    window.addEventListener("beforeprint", () => {
      screenTheme = root.dataset.theme;
      root.dataset.theme = "light";
      drawAll();
      followTheme();
    });
    window.addEventListener("afterprint", () => {
      root.dataset.theme = screenTheme;
    });
  };

  window.bookFigures = { drawAll };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
