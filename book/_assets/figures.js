/* Draws the book's figures: each `.figure-plotly` holds a Plotly figure as JSON.
 *
 * - A figure is drawn when it comes near the view, and all of them before printing. Only then Plotly is loaded, and a
 *   large figure from a script of its own (`data-script`); a page that is opened from the disk may load scripts, too.
 * - Colours follow the theme; margins and legend follow the width.
 * - Here a figure is drawn, follows theme and width, and runs its steps. figures_layout.js decides on the layout,
 *   figures_controls.js makes the controls below it, figures_table.js the table of a heatmap.
 *
 * Besides Plotly, only tools.js and these two are needed. Nothing here throws: a figure that cannot be drawn says so in its place.
 */
(() => {
  "use strict";

  const { element, write } = window.bookTools;
  const { isNarrow, themeLayout, sizeLayout, withoutNames, fitNumbers, coarse, addControls, addTable } = window.bookFigures;

  const NEAR = "300px 0px"; // draw this far ahead of the view
  // Before anybody scrolls only what is well in it; until a figure is drawn its still stands there.
  const FIRST = window.matchMedia("(max-width: 575.98px)").matches ? "-150px 0px -50%" : "-150px 0px";
  const CONFIG = {
    responsive: true,
    displaylogo: false,
    plotlyServerURL: "",
  };

  const PLOTLY = new URL("plotly/plotly-cartesian.min.js", document.currentScript.src).href;

  const states = [];
  const root = document.documentElement;

  // ---- what is loaded when it is needed ------------------------------------------------------

  const kept = new Map(); // large figures by their scripts
  const loading = new Map();

  const load = (src) => {
    if (!loading.has(src)) {
      loading.set(src, new Promise((resolve, reject) => {
        document.head.append(element("script", { src, onload: resolve, onerror: reject }));
      }));
    }
    return loading.get(src);
  };

  // Between a script and its first figure, and between figures, a reader is answered.
  const pause = () => new Promise((resolve) => setTimeout(resolve));

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

  // Plotly writes the numbers of a hover with a hyphen; on its axes it writes a minus sign.
  const hovers = new MutationObserver((changes) => {
    for (const { target } of changes) {
      const texts = document.createTreeWalker(target, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const { data } = texts.currentNode;
        const written = data.replace(/(^|[^\w.)\]-])-(?=\.?\d)/g, "$1−");
        if (written !== data) texts.currentNode.data = written;
      }
    }
  });

  const draw = (state) => {
    if (state.drawing) return state.drawing;
    state.drawing = (async () => {
      try {
        const { dataset } = state.box;
        await Promise.all([load(PLOTLY), dataset.script && load(dataset.script)]);
        await pause();
        if (dataset.script) take(state, kept.get(new URL(dataset.script, document.baseURI).href));
        const started = performance.now();
        const { figure, plot } = state;
        const layout = structuredClone(figure.layout);
        delete layout.width;
        delete layout.title; // stands above the figure, where it wraps; a picture that is kept has it
        layout.autosize = true;
        (layout.updatemenus || []).forEach((control) => { control.visible = false; });
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
          // zooming needs no buttons: a drag zooms in, a double click out
          modeBarButtons: [[{ name: "Download as a picture", icon: Plotly.Icons.camera, click: () => keepPicture(state) }]],
        };
        const { frames } = figure;
        plot.querySelector(".figure-still")?.remove();
        await Plotly.newPlot(plot, { data: structuredClone(withoutNames(state)), layout, config, frames });
        describe(state);
        fitNumbers(plot);
        plot.on("plotly_afterplot", () => fitNumbers(plot));
        for (const layer of plot.querySelectorAll(".hoverlayer")) hovers.observe(layer, { childList: true, subtree: true });
        state.renewTable = addTable(state);
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

  // A picture says by itself what it shows and where it is from.
  const keepPicture = ({ box, plot, name }) => {
    const text = (kind) => box.querySelector(`.figure-${kind}`)?.textContent.trim() || "";
    const from = [document.title, text("source")].filter(Boolean).join(". ");
    const { l = 80, r = 20, t = 20, b = 80 } = plot.layout.margin || {};
    const source = { text: from, xref: "paper", yref: "paper", x: 0, y: 0, yanchor: "top", yshift: -b, xshift: 20 - l, showarrow: false, font: { size: 11 } };
    const layout = {
      ...plot.layout,
      title: { text: text("title"), subtitle: { text: text("subtitle") }, x: 0.02, y: 0.98, yanchor: "top" },
      margin: { ...plot.layout.margin, t: t + 70, b: b + 30 },
      annotations: [...(plot.layout.annotations || []), source],
    };
    const size = { width: plot.clientWidth, height: plot.clientHeight + 100 };
    return Plotly.downloadImage({ data: plot.data, layout }, { ...size, format: "png", scale: 2, filename: name });
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

  // ---- steps of the controls -----------------------------------------------------------------

  const WHOLE = /^([xyz]axis|coloraxis|legend|hoverlabel|font|modebar|annotations|shapes)\d*$/;

  const METHODS = {
    restyle: (plot, args) => Plotly.restyle(plot, ...args),
    relayout: (plot, args) => Plotly.relayout(plot, ...args),
  };

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
        if (step.method === "relayout" && Object.keys(step.args[0]).some((key) => WHOLE.test(key))) {
          await relayout(state, themeLayout(state));
        }
      } catch {
        // The step does not fit the figure: the figure stays as it was.
      }
      state.renewTable();
      state.steps += 1;
      state.box.dataset.steps = state.steps;
    }
    state.running = false;
  };

  const runLater = (state, control, step) => {
    if (!step || step.execute === false) return;
    state.waiting.set(control, step);
    if (state.drawn) run(state);
    else draw(state);
  };

  const take = (state, { data = [], layout = {}, config = {}, frames = [] }) => {
    state.figure = { data, layout, config, frames };
    addControls(state, (control, step) => runLater(state, control, step));
  };

  // ---- start ---------------------------------------------------------------------------------

  const prepare = (box) => {
    const plot = box.querySelector(".figure-plot");
    const alt = plot.getAttribute("aria-label") || "";
    const state = { box, plot, alt, waiting: new Map(), steps: 0 };
    state.name = box.closest("figure[id]")?.id || `figure-${states.length + 1}`;
    states.push(state);
    try {
      const json = box.querySelector('script[type="application/json"]');
      if (json) take(state, JSON.parse(json.textContent));
    } catch {
      state.drawing = Promise.resolve();
      fail(state);
    }
  };

  const drawAll = () => Promise.all(states.map(draw));

  const start = () => {
    document.querySelectorAll(".figure-plotly").forEach(prepare);
    if ("IntersectionObserver" in window) {
      const watch = (rootMargin) => {
        const views = new IntersectionObserver(
          (entries) => {
            for (const { isIntersecting, target } of entries) {
              if (!isIntersecting) continue;
              views.unobserve(target);
              draw(states.find(({ box }) => box === target));
            }
          },
          { rootMargin },
        );
        states.forEach((state) => state.drawing || views.observe(state.box));
      };
      watch(FIRST);
      window.addEventListener("scroll", () => watch(NEAR), { once: true, passive: true });
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

    // Paper is white whatever the screen was, and narrower.
    let screenTheme;
    const drawings = () => document.querySelectorAll(".figure-plot svg.main-svg");
    window.addEventListener("beforeprint", () => {
      for (const svg of drawings()) {
        svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`);
      }
      screenTheme = root.dataset.theme;
      root.dataset.theme = "light";
      drawAll();
      followTheme();
    });
    window.addEventListener("afterprint", () => {
      for (const svg of drawings()) svg.removeAttribute("viewBox");
      root.dataset.theme = screenTheme;
    });
  };

  window.bookFigures.drawAll = drawAll;
  window.bookFigures.keep = (figure) => kept.set(document.currentScript.src, figure);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
