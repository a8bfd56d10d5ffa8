/* Native inputs in place of Plotly's menus, which answer only to a mouse: they run the same steps, so mouse, touch and
 * keyboard share one control.
 */
(() => {
  "use strict";

  const { element, plain } = window.bookTools;

  let ids = 0;
  const newId = () => `figure-control-${(ids += 1)}`;

  const menuControl = (menu, take) => {
    const buttons = menu.buttons || [];
    if (!buttons.length) return null;
    const name = plain(menu.name) || "Show";
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
    const { updatemenus = [] } = state.figure.layout;
    const controls = updatemenus.map((menu) => menuControl(menu, take)).filter(Boolean);
    if (!controls.length) return;
    const group = element("div", { className: "figure-controls" }, ...controls);
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "Controls of this figure");
    state.plot.parentElement.after(group);
  };

  window.bookFigures.addControls = addControls;
})();
