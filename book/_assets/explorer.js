/* The resampling explorer: each `.explorer` holds score matrices as JSON (bookbuild/site/explorer.py).
 *
 * - A press draws at once; what moves afterwards only tells what happened. Any further press, and a reader who
 *   asks for less motion, goes straight to the end.
 * - Here are the controls, what a press does, and motion. explorer_draws.js draws, explorer_study.js keeps what
 *   was drawn, explorer_words.js tells it, explorer_matrices.js, explorer_panel.js and explorer_histogram.js draw it.
 */
(() => {
  "use strict";

  const book = window.bookExplorer;
  const { element, range, SYMBOLS, whole, fixed } = window.bookTools;
  const { pValue } = window.bookStatistics;
  const { METHODS, ASKS, LABELS, tellStory, tellResult } = book.words;

  const MOST = 10_000; // draws of one method
  const LARGEST_SEED = 999_999;
  const SPOKEN = 1000; // ms; the least time between two announcements
  const STEP = 75; // ms; a row or column is drawn
  const FALL = 420; // ms; a statistic falls into the histogram
  const EACH = 260; // ms; one of ten draws: slower than three changes of the matrices in a second
  const MANY = 1200; // ms; all of a thousand

  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

  const start = (box, index) => {
    const data = JSON.parse(box.querySelector('script[type="application/json"]').textContent);
    const id = (name) => `explorer-${index + 1}-${name}`;
    const study = book.makeStudy(data);
    const { state, nDocuments, methodNow, isBoot, runOf, wasDrawn, drawMore, valuesOf, observed, intervalOf } = study;
    const matrices = book.makeMatrices(study);
    const panel = book.makePanel(study);
    const histogram = book.makeHistogram(study, id("clip"));

    let motion = null;
    let pressed = 0; // draws of the last press

    // ---- controls ----------------------------------------------------------------------------

    const option = (group, value, text) => {
      const input = element("input", { type: "radio", name: id(group), value, checked: state[group] === value });
      input.addEventListener("change", () => choose(group, value));
      return element("label", { className: "explorer-option" }, input, element("span", { textContent: text }));
    };

    const chooser = (group, legend, rows) =>
      element(
        "fieldset",
        { className: `explorer-choice explorer-choice-${group}` },
        element("legend", { textContent: legend }),
        ...rows.map((values) =>
          element(
            "div",
            { className: "explorer-options" },
            ...values.map((value) => option(group, value, METHODS[value]?.name ?? LABELS[value])),
          ),
        ),
      );

    const methods = Object.keys(METHODS);
    const asks = element("p", { className: "explorer-asks", id: id("asks") });
    const controls = element(
      "div",
      { className: "explorer-controls" },
      chooser("method", "What is drawn", [methods.slice(0, 3), methods.slice(3)]),
      chooser("level", "Level", [["system", "summary"]]),
      chooser("coefficient", "Coefficient", [["pearson", "kendall"]]),
      asks,
    );

    const button = (text, name, act) => {
      const made = element("button", { type: "button", textContent: text, className: `explorer-${name}` });
      made.addEventListener("click", act);
      return made;
    };
    const drawButtons = [
      button("Draw one", "one", () => press(1)),
      button("Draw 10", "ten", () => press(10)),
      button("Draw 1,000", "many", () => press(1000)),
    ];
    const seed = element("input", {
      type: "number", id: id("seed"), min: 0, max: LARGEST_SEED, step: 1, value: state.seed, className: "explorer-seed",
    });
    seed.addEventListener("change", () => {
      const value = seed.valueAsNumber;
      if (Number.isInteger(value) && value >= 0 && value <= LARGEST_SEED) state.seed = value;
      seed.value = state.seed;
      reset(`Seed ${state.seed}: no draws yet.`);
    });
    const numbers = element("input", { type: "checkbox", className: "explorer-numbers" });
    numbers.addEventListener("change", () => {
      box.dataset.numbers = String(numbers.checked);
    });
    const actions = element(
      "div",
      { className: "explorer-actions" },
      element("div", { className: "explorer-draws" }, ...drawButtons),
      element(
        "div",
        { className: "explorer-settings" },
        button("Reset", "reset", () => reset("All draws are cleared.")),
        element("label", {}, "Seed ", seed),
        element("label", { className: "explorer-check" }, numbers, "Numbers"),
      ),
    );

    // ---- what is shown -----------------------------------------------------------------------

    const story = element("p", { className: "explorer-story" });
    const result = element("p", { className: "explorer-result" });
    const spoken = element("p", { className: "explorer-spoken" });
    spoken.setAttribute("role", "status");
    spoken.setAttribute("aria-live", "polite");

    let lastSpoken = -Infinity;
    let waiting = 0;
    const say = (text) => {
      clearTimeout(waiting);
      const speak = () => {
        lastSpoken = performance.now();
        spoken.textContent = text;
      };
      waiting = setTimeout(speak, Math.max(0, lastSpoken + SPOKEN - performance.now()));
    };

    const showResult = (values) => {
      const [bold, rest] = tellResult(study, values);
      result.replaceChildren(...(bold ? [element("strong", { textContent: bold })] : []), rest);
    };

    // ---- the three methods side by side ------------------------------------------------------

    const ledger = element("div", { className: "explorer-ledger" });
    const showLedger = (shownNow) => {
      const family = Object.entries(METHODS).filter(([, { kind }]) => kind === methodNow().kind);
      const rows = family.map(([key, { name }]) => {
        const all = wasDrawn(key) ? valuesOf(key) : [];
        const values = (key === state.method ? all.slice(0, shownNow) : all).filter((value) => !Number.isNaN(value));
        const row = element("li", {}, element("b", { textContent: name }));
        if (key === state.method) row.setAttribute("aria-current", "true");
        const enough = isBoot() ? values.length > 1 : values.length > 0;
        if (!enough) {
          row.append(element("span", { className: "none", textContent: "not drawn yet" }));
        } else if (isBoot()) {
          const [low, high] = intervalOf(values);
          row.append(element("span", { textContent: `${fixed(low, 3)} to ${fixed(high, 3)}` }));
          row.append(element("small", { textContent: `width ${fixed(high - low, 3)}, ${whole(values.length)} draws` }));
        } else {
          row.append(element("span", { textContent: `p = ${fixed(pValue(observed(), values), 3)}` }));
          row.append(element("small", { textContent: `${whole(values.length)} draws` }));
        }
        if (isBoot()) {
          const track = element("div", { className: "track" });
          track.style.setProperty("--data", `${((observed() + 1) / 2) * 100}%`);
          if (enough) {
            const [low, high] = intervalOf(values);
            const bar = element("i");
            bar.style.left = `${((low + 1) / 2) * 100}%`;
            bar.style.width = `${((high - low) / 2) * 100}%`;
            track.append(bar);
          }
          row.append(track);
        }
        return row;
      });
      const title = isBoot() ? "The three intervals, on the same axis" : "The three p-values";
      ledger.replaceChildren(
        element("p", { className: "explorer-title", textContent: title }),
        element("ul", {}, ...rows),
      );
    };

    const axisTitle = element("p", { className: "explorer-title" });
    const distribution = element("div", { className: "explorer-histogram" }, axisTitle, histogram.chart, result);

    // ---- motion ------------------------------------------------------------------------------

    // Calls frame(ms since the start) until `duration`, then end(); finish() goes to the end at once.
    const play = (duration, frame, end) => {
      const began = performance.now();
      const stop = () => {
        cancelAnimationFrame(motion.handle);
        motion = null;
        end();
        box.dataset.busy = "false";
      };
      const tick = (now) => {
        const elapsed = Math.max(0, now - began);
        if (elapsed >= duration) stop();
        else {
          frame(elapsed);
          motion.handle = requestAnimationFrame(tick);
        }
      };
      box.dataset.busy = "true";
      motion = { stop, handle: requestAnimationFrame(tick) };
    };

    const finish = () => {
      motion?.stop();
      matrices.stopFlying();
    };

    const showDraw = (draw, n) => {
      panel.panel.dataset.waiting = "false";
      matrices.show(draw);
      panel.show(draw);
      story.textContent = tellStory(study, draw, n);
    };

    // Everything as it is when nothing moves.
    const showAll = () => {
      const values = valuesOf(state.method);
      const draw = runOf(state.method).draws.at(-1) ?? null;
      asks.textContent = ASKS[state.method];
      const symbol = SYMBOLS[state.coefficient];
      const level = state.level === "system" ? "system level" : "summary level";
      axisTitle.textContent = isBoot()
        ? `${symbol} of metric A with people, ${level}, in every sample so far`
        : `${symbol}(A) − ${symbol}(B), ${level}, in every swap so far`;
      showDraw(draw, pressed);
      histogram.show(values, values.length, values.at(-1));
      showResult(values);
      showLedger(values.length);
      const room = MOST - values.length;
      drawButtons.forEach((made, i) => {
        made.setAttribute("aria-disabled", String(room < [1, 10, 1000][i]));
      });
      box.dataset.draws = values.length;
    };

    const sayAll = () => {
      const words = tellResult(study, valuesOf(state.method)).join("");
      say(`${pressed === 1 ? `${story.textContent} ` : `${whole(pressed)} draws. `}${words}`);
    };

    const animateOne = (before) => {
      const values = valuesOf(state.method);
      const draw = runOf(state.method).draws[before];
      const value = values[before];
      const { what } = methodNow();
      const boot = isBoot();
      const rows = boot && what !== "inputs" ? draw.systems.length : 0;
      const columns = boot && what !== "systems" ? draw.documents.length : 0;
      const reveal = boot ? (rows + columns + 2) * STEP : matrices.SWAP + 60;
      let step = -1;
      let landing = null;
      if (!boot) {
        matrices.show(draw);
        matrices.fly(draw);
      }
      histogram.hideBall();
      panel.panel.dataset.waiting = "true";
      story.textContent = boot ? "Drawing …" : "Tossing coins …";
      const frame = (elapsed) => {
        if (elapsed < reveal) {
          const now = Math.floor(elapsed / STEP);
          if (!boot || now === step) return;
          step = now;
          // The rows first; columns count as all there until theirs are drawn.
          const some = (all, n) => all.slice(0, Math.max(0, n));
          matrices.show({
            systems: rows ? some(draw.systems, step) : draw.systems,
            documents: columns && step > rows ? some(draw.documents, step - rows) : range(nDocuments),
          });
          return;
        }
        if (landing === null) {
          showDraw(draw, 1);
          ({ landing } = histogram.show(values, before, value));
        }
        histogram.dropBall(value, (elapsed - reveal) / FALL, landing);
      };
      play(reveal + FALL, frame, showAll);
    };

    const animateTen = (before, n) => {
      const values = valuesOf(state.method);
      let current = -1;
      let landing = 0;
      const frame = (elapsed) => {
        const i = Math.min(n - 1, Math.floor(elapsed / EACH));
        if (i !== current) {
          current = i;
          showDraw(runOf(state.method).draws[before + i], 1);
          ({ landing } = histogram.show(values, before + i, values[before + i]));
          showResult(values.slice(0, before + i));
        }
        histogram.dropBall(values[before + i], Math.min(1, (elapsed - i * EACH) / (EACH * 0.9)), landing);
      };
      play(n * EACH, frame, showAll);
    };

    const animateMany = (before, n) => {
      const values = valuesOf(state.method);
      story.textContent = `${whole(n)} ${isBoot() ? "samples" : "swaps"}, each like the ones before …`;
      const frame = (elapsed) => {
        const share = elapsed / MANY;
        const shown = before + Math.floor(n * share * share);
        histogram.show(values, shown);
        showResult(values.slice(0, shown));
        showLedger(shown);
      };
      play(MANY, frame, showAll);
    };

    const press = (n) => {
      finish();
      const before = runOf(state.method).draws.length;
      if (before + n > MOST) {
        story.textContent = `${whole(before)} draws are enough for this page. Reset to begin anew.`;
        say(story.textContent);
        return;
      }
      pressed = n;
      drawMore(state.method, n);
      if (calm.matches) showAll();
      else if (n === 1) animateOne(before);
      else if (n <= 10) animateTen(before, n);
      else animateMany(before, n);
      sayAll();
    };

    const choose = (group, value) => {
      finish();
      state[group] = value;
      box.dataset[group] = value;
      box.dataset.kind = methodNow().kind;
      pressed = 1;
      showAll();
      say(`${methodNow().name}, ${state.level} level, ${LABELS[state.coefficient]}. ${tellResult(study, valuesOf(state.method)).join("")}`);
    };

    const reset = (words) => {
      finish();
      study.clear();
      histogram.forget();
      pressed = 0;
      box.dataset.seed = state.seed;
      showAll();
      say(words);
    };

    // ---- on the page -------------------------------------------------------------------------

    box.querySelector(".explorer-still")?.remove();
    const stage = element("div", { className: "explorer-stage" }, ...matrices.tables, panel.panel);
    box.append(element("div", { className: "explorer-body" }, controls, stage, actions, story, distribution, ledger), spoken);
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Resampling explorer");
    Object.assign(box.dataset, { ...state, kind: methodNow().kind, numbers: "false", busy: "false" });
    showAll();
    if ("ResizeObserver" in window) {
      const widths = () => `${distribution.clientWidth} ${panel.panel.clientWidth}`;
      let seen = widths();
      const observer = new ResizeObserver(() => {
        if (widths() === seen) return;
        seen = widths();
        finish();
        showAll();
      });
      [distribution, panel.panel].forEach((part) => observer.observe(part));
    }
    // Time stands still for a page in the background.
    document.addEventListener("visibilitychange", () => document.hidden && finish());
    calm.addEventListener("change", finish);
    box.dataset.ready = "true";
    return {
      box,
      data,
      values: () => [...valuesOf(state.method)],
      draws: () => structuredClone(runOf(state.method).draws),
      observed,
    };
  };

  const startAll = () => {
    book.explorers = [...document.querySelectorAll(".explorer")].map(start);
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", startAll);
  else startAll();
})();
