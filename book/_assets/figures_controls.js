/* Native inputs in place of Plotly's sliders and menus, which answer only to a mouse: they run the same steps, so mouse,
 * touch and keyboard share one control.
 */
(() => {
  "use strict";

  const { element, plain } = window.bookTools;

  let ids = 0;
  const newId = () => `figure-control-${(ids += 1)}`;

  const sliderControl = (slider, take) => {
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
      take(slider, steps[input.value]);
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

  const menuControl = (menu, take) => {
    const buttons = (menu.buttons || []).filter((button) => button.visible !== false);
    if (!buttons.length) return null;
    const name = plain(menu.name) || "Show";
    if (menu.type === "buttons") {
      const group = element("div", { className: "figure-control figure-control-buttons" });
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", name);
      for (const button of buttons) {
        const made = element("button", { type: "button", textContent: plain(button.label) });
        made.addEventListener("click", () => take(menu, button));
        group.append(made);
      }
      return group;
    }
    const id = newId();
    const options = buttons.map(({ label }) => element("option", { textContent: plain(label) }));
    const select = element("select", { id }, ...options);
    select.selectedIndex = menu.active ?? 0;
    select.addEventListener("change", () => take(menu, buttons[select.selectedIndex]));
    return element(
      "div",
      { className: "figure-control figure-control-select" },
      element("label", { htmlFor: id, textContent: name }),
      select,
    );
  };

  /** Native controls below a figure; `take(control, step)` is called for each step that a reader asks for. */
  const addControls = (state, take) => {
    const { updatemenus = [], sliders = [] } = state.figure.layout;
    const shown = ({ visible }) => visible !== false;
    const controls = [
      ...updatemenus.filter(shown).map((menu) => menuControl(menu, take)),
      ...sliders.filter(shown).map((slider) => sliderControl(slider, take)),
    ].filter(Boolean);
    if (!controls.length) return;
    const group = element("div", { className: "figure-controls" }, ...controls);
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "Controls of this figure");
    state.plot.parentElement.after(group);
  };

  window.bookFigures.addControls = addControls;
})();
