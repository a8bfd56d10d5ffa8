/* Panels that a reader works without a kernel: each `.explorable` holds what a run computed as JSON.
 *
 * - The controls are native and labelled; a move recomputes or selects, and drawing, sentence and table follow at once.
 * - The state stands in the address, so a view can be linked to; what an address asks for and is not there is refused in
 *   a sentence.
 * - Here are the controls and what all panels share. explorable_KIND.js answers for one kind: what can be chosen, and what a
 *   choice shows; explorable_parts.js and explorable_chart.js are its tools.
 *
 * A kind is a function (data, {refresh, set, seen}) -> {question, controls, answer, draw}, where `set` takes new values,
 * `seen` is kept as a promise when the panel is first in view, and
 *   controls   each has a key, a label, start(state), its value where none was asked for, and one of
 *                options(state) -> [[value, words]], a list to choose from
 *                range(state) -> {low, high, step}, a slider
 *                steps(state) -> [value], a slider over these numbers
 *              sliders have says(value, state), how a value is written; what one allows may hang on those before it
 *   answer     state -> {sentence, note, caption, columns, rows}
 *   draw       (svg, width, state) -> height
 *   follow     optional, (state, key): what else changes with a control that a reader moved
 *   refuse     optional, state -> {keys, sentence} where choices that an address asks for do not go together
 *   changed    optional, (state): told of every new state
 *   actions    optional, further buttons
 *   link       optional, the words of the link to what is shown
 */
(() => {
  "use strict";

  const book = window.bookExplorable;
  const { element, shape, within, some } = window.bookTools;
  const { kinds, csv, table, svgText, download, readAddress, addressOf } = book;

  const SPOKEN = 700; // ms of rest before a new sentence is read aloud
  const WRITTEN = 200; // ms of rest before the address is written: browsers refuse to be asked at every step of a slider
  const SIMULATED = "Simulated data: this book was built without the released files. ";
  const MEASURE = "explorable"; // a move, from its event to what is drawn

  const digitsOf = (step) => (String(step).split(".")[1] ?? "").length;

  const dataOf = (box) => JSON.parse(box.querySelector('script[type="application/json"]').textContent);

  /** Put a panel into a box whose kind is known; ids on the page begin with its number or name. -> what takes it off again. */
  const start = (box, name, data = dataOf(box)) => {
    const id = (part) => `explorable-${name}-${part}`;
    const state = {};
    const seen = new Promise((resolve) => {
      if (!("IntersectionObserver" in window)) return resolve();
      const views = new IntersectionObserver((entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        views.disconnect();
        resolve();
      });
      views.observe(box);
    });
    const kind = kinds[box.dataset.kind](data, { refresh: () => show({ aloud: false }), set: (values) => move(values), seen });
    // Lists first and sliders last, right above what they move.
    const onPage = [...kind.controls.filter(({ options }) => options), ...kind.controls.filter(({ options }) => !options)];

    // ---- what can be chosen ------------------------------------------------------------------

    const allowed = (control) => {
      if (control.options) return { values: control.options(state).map(([value]) => value) };
      return control.steps ? { values: control.steps(state) } : control.range(state);
    };

    // The value that a text stands for, or undefined where it is none of the choices.
    const parsed = (control, text) => {
      const { values, low, high, step } = allowed(control);
      if (values) return values.find((value) => String(value).toLowerCase() === text.trim().toLowerCase());
      const number = text.trim() === "" ? NaN : Number(text);
      const on = Math.abs((number - low) / step - Math.round((number - low) / step)) < 1e-6;
      return number >= low - 1e-9 && number <= high + 1e-9 && on ? number : undefined;
    };

    const rounded = (value, { low, high, step }) =>
      Number(within(low, low + Math.round((value - low) / step) * step, high).toFixed(digitsOf(step)));

    // Every control gets a value that it has: its own where that is possible, else its start or the first.
    const settleOne = (control) => {
      const choice = allowed(control);
      const first = control.start(state);
      const value = state[control.key] ?? first;
      if (!choice.values) state[control.key] = rounded(value, choice);
      else state[control.key] = [value, first].find((one) => choice.values.includes(one)) ?? choice.values.at(control.steps ? -1 : 0);
    };
    const settle = () => kind.controls.forEach(settleOne);

    const describe = (control) => {
      const { values, low, high, step } = allowed(control);
      if (values) return some(values.map(String));
      return `${low} to ${high}${step === 1 ? "" : ` in steps of ${step}`}`;
    };

    // ---- the address -------------------------------------------------------------------------

    const refusal = element("p", { className: "explorable-refusal", hidden: true });
    refusal.setAttribute("role", "alert");

    let came = true; // whether the address is what the reader came with, and not what was chosen here
    const restore = () => {
      const asked = readAddress();
      if (!asked) return false;
      came = true;
      const refused = [];
      for (const control of kind.controls) {
        const { key, label } = control;
        delete state[key];
        if (asked.has(key)) {
          const value = parsed(control, asked.get(key));
          if (value === undefined) refused.push([label, key, asked.get(key), describe(control)]);
          else state[key] = value;
        }
        settleOne(control);
      }
      const impossible = kind.refuse?.(state);
      impossible?.keys.forEach((key) => delete state[key]);
      settle();
      const keys = kind.controls.map(({ key }) => key);
      const unknown = [...asked.keys()].filter((key) => !keys.includes(key));
      const sentences = refused.map(
        ([label, key, text, choices]) =>
          `The address asks for ${key}=${text}, which is not there; ${label} can be ${choices}. Shown is ${state[key]}.`,
      );
      if (impossible) sentences.push(impossible.sentence);
      if (unknown.length) {
        sentences.push(`The address names ${some(unknown)}; what can be set here is ${some(keys)}.`);
      }
      refusal.textContent = sentences.join(" ");
      refusal.hidden = !sentences.length;
      return true;
    };

    const link = element("a", { className: "explorable-link", textContent: kind.link ?? "Link to this view" });
    let writing = 0;
    const write = () => {
      clearTimeout(writing);
      came = false;
      writing = setTimeout(() => window.history.replaceState(null, "", addressOf(state)), WRITTEN);
    };

    // ---- controls ----------------------------------------------------------------------------

    const make = (control) => {
      const { key, label } = control;
      const name = element("label", { htmlFor: id(key), textContent: label });
      if (control.options) {
        const select = element("select", { id: id(key) });
        select.addEventListener("change", (event) => {
          const [value] = control.options(state)[select.selectedIndex];
          move({ [key]: value }, event);
        });
        const follow = () => {
          const options = control.options(state);
          const now = options.map(([value, words]) => `${value}\t${words}`).join("\n");
          if (select.dataset.options !== now) {
            select.replaceChildren(...options.map(([value, words]) => element("option", { value, textContent: words })));
            select.dataset.options = now;
          }
          select.value = state[key];
        };
        const field = element("div", { className: "explorable-control explorable-control-select" }, name, select);
        return { field, follow };
      }
      const input = element("input", { type: "range", id: id(key) });
      const output = element("output", { htmlFor: id(key) });
      const { says = String, steps } = control;
      input.addEventListener("input", (event) => {
        const place = input.valueAsNumber;
        move({ [key]: steps ? steps(state)[place] : place }, event);
      });
      const follow = () => {
        const values = steps?.(state);
        const { low, high, step } = values ? { low: 0, high: values.length - 1, step: 1 } : control.range(state);
        const place = values ? values.indexOf(state[key]) : state[key];
        Object.assign(input, { min: low, max: high, step });
        input.value = place;
        output.textContent = says(state[key], state);
        // room for the longest value, so that the slider keeps its length while it moves
        const longest = (values ?? [low, high]).map((value) => says(value, state).length);
        output.style.minWidth = `${Math.max(...longest)}ch`;
        input.setAttribute("aria-valuetext", output.textContent);
        input.style.setProperty("--share", `${high > low ? (100 * (place - low)) / (high - low) : 0}%`);
      };
      const field = element("div", { className: "explorable-control explorable-control-slider" }, name, input, output);
      return { field, follow };
    };

    const made = onPage.map(make);
    const row = (kept) =>
      element("div", { className: "explorable-row" }, ...made.filter((_, i) => kept(onPage[i])).map(({ field }) => field));
    const [lists, sliders] = [row(({ options }) => options), row(({ options }) => !options)];
    const fields = element("div", { className: "explorable-controls" }, lists, sliders);
    fields.setAttribute("role", "group");
    fields.setAttribute("aria-label", "Controls");

    // ---- what is shown -----------------------------------------------------------------------

    const sentence = element("p", { className: "explorable-sentence" });
    const note = element("p", { className: "explorable-note" });
    const spoken = element("p", { className: "explorable-spoken" });
    spoken.setAttribute("role", "status");
    const drawing = shape("svg", { class: "explorable-drawing", role: "img" });
    const figure = element("div", { className: "explorable-figure" }, drawing);
    const numbers = element("div", { className: "explorable-numbers" });

    let speaking = 0;
    let drawnWidth = 0;
    let last = null;

    const drawNow = () => {
      const width = Math.max(280, figure.clientWidth);
      drawnWidth = figure.clientWidth;
      drawing.replaceChildren();
      const height = kind.draw(drawing, width, state);
      drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
      drawing.style.height = `${height}px`;
    };

    const show = ({ aloud = true } = {}) => {
      last = kind.answer(state);
      sentence.textContent = last.sentence;
      note.textContent = `${data.simulated ? SIMULATED : ""}${last.note ?? ""}`;
      made.forEach(({ follow }) => follow());
      const scrolled = numbers.firstChild?.scrollTop ?? 0;
      numbers.replaceChildren(table(last.caption, last.columns, last.rows));
      numbers.firstChild.scrollTop = scrolled;
      drawing.setAttribute("aria-label", `${kind.question} ${last.sentence}`);
      drawNow();
      link.href = addressOf(state);
      clearTimeout(speaking);
      if (aloud) speaking = setTimeout(() => { spoken.textContent = last.sentence; }, SPOKEN);
    };

    const move = (values, event) => {
      const began = event?.timeStamp ?? performance.now();
      Object.assign(state, values);
      Object.keys(values).forEach((key) => kind.follow?.(state, key));
      settle();
      refusal.hidden = true;
      kind.changed?.(state);
      show();
      write();
      performance.measure(MEASURE, { start: began });
    };

    // ---- files -------------------------------------------------------------------------------

    const fileName = (ending) =>
      `${box.dataset.kind}-${kind.controls.map(({ key }) => state[key]).join("-")}`
        .replace(/[^\w.-]+/g, "_").slice(0, 80) + ending;
    const csvText = () => {
      const keys = kind.controls.map(({ key }) => key);
      const own = new Set(last.columns.map(({ key }) => key));
      const chosen = keys.filter((key) => !own.has(key));
      const rows = last.rows.map((row) => ({ ...state, ...row }));
      return csv([...chosen.map((key) => ({ key })), ...last.columns], rows);
    };
    const files = element(
      "div",
      { className: "explorable-files" },
      download("CSV", () => fileName(".csv"), "text/csv", csvText),
      download("SVG", () => fileName(".svg"), "image/svg+xml", () => svgText(drawing)),
      link,
    );
    files.children[0].setAttribute("aria-label", "Download the numbers as CSV");
    files.children[1].setAttribute("aria-label", "Download the drawing as SVG");

    // ---- on the page -------------------------------------------------------------------------

    const asked = restore();
    settle();
    box.querySelector(".explorable-still")?.remove();
    const parts = [element("p", { className: "explorable-question", textContent: kind.question }), fields];
    if (kind.actions) parts.push(element("div", { className: "explorable-actions" }, ...kind.actions));
    parts.push(refusal, sentence, element("div", { className: "explorable-body" }, figure, numbers), note, files, spoken);
    box.append(...parts);
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", kind.question);
    kind.changed?.(state);
    show({ aloud: false });
    if ("ResizeObserver" in window) {
      new ResizeObserver(() => figure.clientWidth !== drawnWidth && drawNow()).observe(figure);
    }
    // Links on the page and the reader's own edits of the address.
    const follow = () => {
      if (!restore()) return;
      settle();
      kind.changed?.(state);
      show();
    };
    window.addEventListener("hashchange", follow);
    if (asked) box.scrollIntoView({ block: "start", behavior: "instant" });
    box.dataset.ready = "true";
    return () => {
      window.removeEventListener("hashchange", follow);
      clearTimeout(writing);
      clearTimeout(speaking);
      // what was chosen here is not asked of the next file
      if (!came) window.history.replaceState(null, "", window.location.pathname + window.location.search);
      box.remove();
    };
  };

  book.start = start; // for panels that a page gets later
  const startAll = () => document.querySelectorAll(".explorable").forEach((box, i) => start(box, i + 1));
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", startAll);
  else startAll();
})();
