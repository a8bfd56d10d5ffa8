// Below the figure: its numbers, the command that repeats it, and its data, which come only when asked for.
function render({ model, el }) {
  const numbers = document.createElement("details"); // stays open while the numbers change
  numbers.className = "live-numbers";
  const summary = document.createElement("summary");
  summary.textContent = "Numbers";
  const rows = document.createElement("div");
  rows.tabIndex = 0; // a wide table scrolls
  rows.setAttribute("role", "region");
  rows.setAttribute("aria-label", "Numbers behind the figure");
  numbers.append(summary, rows);
  const line = document.createElement("div");
  line.className = "live-command";
  const code = document.createElement("code");
  code.tabIndex = 0; // a long command scrolls
  code.setAttribute("aria-label", "Command that runs the notebook with these settings");
  const copy = button("Copy as parameters", () => navigator.clipboard.writeText(model.get("command")).then(
    () => say("Copied."),
    () => { getSelection().selectAllChildren(code); say("Selected: copy it with Ctrl+C."); },
  ));
  const table = button("Table as CSV", () => model.send({ ask: "table" }));
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  line.append(code, copy, table, said);
  el.append(numbers, line);

  function button(label, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "jupyter-button widget-button";
    made.textContent = label;
    made.addEventListener("click", act);
    return made;
  }
  function say(text) {
    said.textContent = text;
    setTimeout(() => { said.textContent = ""; }, 3000);
  }
  function show() {
    rows.innerHTML = model.get("numbers");
    code.textContent = model.get("command");
    copy.disabled = !model.get("command");
    table.disabled = !model.get("has_table");
  }
  function save(message) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([message.text], { type: "text/csv" }));
    link.download = message.name;
    link.click();
    URL.revokeObjectURL(link.href);
    say(`Saved ${message.name}`);
  }
  // Plotly follows the window's size only, and a panel of the notebook can change without it
  const follow = new ResizeObserver(() => window.dispatchEvent(new Event("resize")));
  follow.observe(el);
  model.on("change", show);
  model.on("msg:custom", save);
  show();
  return () => { follow.disconnect(); model.off("change", show); model.off("msg:custom", save); };
}

export default { render };
