/* The page of a sweep: what was swept on the axis, a line for each metric, a panel for each group. */
(() => {
  "use strict";

  const { swept, tables } = JSON.parse(document.getElementById("data").textContent);
  const names = Object.keys(tables);
  if (!names.length) return;
  const at = (id) => document.getElementById(id);
  const MOST_PANELS = 6;
  const DASHES = { solid: "", dash: "7 4", dot: "2 4", dashdot: "7 3 2 3" };
  const state = new URLSearchParams(location.hash.slice(1));
  let picked = null; // the line that the reader points out

  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const shape = (tag, attributes = {}, text = "") => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.textContent = text;
    return made;
  };
  const number = (value, digits = 2) =>
    value === null ? "–" : value.toFixed(digits).replace(/^-(0(\.0+)?)$/, "$1").replace("-", "−");

  // The axes of a table by what becomes of them: one lies along the figure, one makes lines, one makes panels, the
  // reader picks a value of each other one.
  const roles = (table) => {
    const axes = table.axes.map((axis, place) => ({ ...axis, place }));
    const along = axes.filter((axis) => swept.some(({ name }) => name === axis.name));
    const lines = axes.find((axis) => axis.name === table.lines) ?? null;
    const x = along.find((axis) => axis.name === state.get("x")) ?? along[0] ?? lines;
    const rest = axes.filter((axis) => axis !== x && axis !== lines && axis.values.length > 1);
    const many = (axis) => axis.values.length <= MOST_PANELS;
    const panels = rest.find((axis) => many(axis) && !along.includes(axis)) ?? rest.find(many) ?? null;
    return { along, x, lines: lines === x ? null : lines, panels, picks: rest.filter((axis) => axis !== panels) };
  };

  const select = (label, name, options, value) => {
    const control = element("select", { name });
    control.append(...options.map(([key, text]) => element("option", { value: key, textContent: text })));
    control.value = value;
    control.addEventListener("change", () => {
      state.set(name, control.value);
      draw();
      at("controls").elements[name]?.focus();
    });
    return element("label", { textContent: label }, control);
  };

  const chosen = (axis) => Math.max(0, axis.values.indexOf(state.get(axis.name)));

  const scale = (low, high, from, to) => (value) => from + ((value - low) / (high - low || 1)) * (to - from);

  const steps = (low, high) => {
    const rough = (high - low || 1) / 4;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map((factor) => factor * unit).find((size) => size >= rough);
    const first = Math.ceil(low / step - 1e-9);
    const last = Math.floor(high / step + 1e-9);
    return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
  };

  const panel = (title, rows, { x, lines }, range, n) => {
    const [width, height, left, right, top, bottom] = [360, 250, 44, 12, 10, 42];
    const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title} ${rows.length} values` });
    const y = scale(...range, height - bottom, top);
    const numbers = swept.find(({ name }) => name === x?.name)?.numbers;
    const known = numbers && x.values.map((text) => numbers[swept.find(({ name }) => name === x.name).values.indexOf(text)]);
    const places = known ?? (x ? x.values.map((_, i) => i) : [0]);
    const space = known ? (Math.max(...places) - Math.min(...places)) * 0.06 || 1 : 0.5;
    const across = scale(Math.min(...places) - space, Math.max(...places) + space, left, width - right);
    const digits = range[1] - range[0] < 0.1 ? 3 : range[1] - range[0] > 50 ? 0 : range[1] - range[0] > 5 ? 1 : 2;
    for (const value of steps(...range)) {
      svg.append(shape("line", { class: Math.abs(value) < 1e-9 ? "zero" : "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }));
      svg.append(shape("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, number(value, digits)));
    }
    let end = -Infinity; // labels that would overlap are left out; the table has them all
    (x?.values ?? []).forEach((text, i) => {
      const cut = text.length > 16 ? `${text.slice(0, 15)}…` : text;
      const half = cut.length * 3.4;
      const middle = Math.min(Math.max(across(places[i]), half), width - half);
      if (middle - half < end) return;
      end = middle + half + 6;
      svg.append(shape("text", { x: middle, y: height - bottom + 18, "text-anchor": "middle" }, cut));
    });
    svg.append(shape("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, x?.label ?? ""));
    const ofLine = Map.groupBy ? Map.groupBy(rows, (row) => (lines ? row[lines.place] : 0)) : rows.reduce((map, row) => {
      const key = lines ? row[lines.place] : 0;
      return map.set(key, [...(map.get(key) ?? []), row]);
    }, new Map());
    const total = lines ? lines.values.length : 1;
    for (const [i, members] of ofLine) {
      const style = lines?.styles?.[i] ?? { colour: "#0072B2", dash: "solid" };
      const nudge = n && total > 1 ? (i - (total - 1) / 2) * Math.min(4, 26 / total) : 0;
      const px = (row) => across(x ? places[row[x.place]] : 0) + nudge;
      const group = shape("g", { "data-line": i, class: picked !== null && picked !== i ? "faint" : "" });
      const inOrder = [...members].sort((a, b) => px(a) - px(b));
      if (inOrder.length > 1 && (known || lines)) {
        const d = inOrder.map((row, j) => `${j ? "L" : "M"}${px(row).toFixed(1)} ${y(row[n.value]).toFixed(1)}`).join("");
        group.append(shape("path", { class: "line", d, stroke: style.colour, "stroke-dasharray": DASHES[style.dash] ?? "", "stroke-opacity": known ? 1 : 0.35 }));
      }
      for (const row of inOrder) {
        const ends = n.ends.map((place) => row[place]);
        if (ends.length && !ends.includes(null)) {
          group.append(shape("line", { class: "whisker", x1: px(row), x2: px(row), y1: y(ends[0]), y2: y(ends[1]), stroke: style.colour }));
        }
        const dot = shape("circle", { class: "dot", cx: px(row), cy: y(row[n.value]), r: 4.5, fill: style.colour });
        const between = ends.length && !ends.includes(null) ? `, ${number(ends[0])} to ${number(ends[1])}` : "";
        const where = x ? `${x.label} ${x.values[row[x.place]]}: ` : "";
        dot.append(shape("title", {}, `${lines ? `${lines.values[i]}, ` : ""}${where}${number(row[n.value], 3)}${between}`));
        group.append(dot);
      }
      svg.append(group);
    }
    const figure = element("figure", {}, svg);
    if (title) figure.prepend(element("figcaption", { textContent: title }));
    return figure;
  };

  // What moved most along the axis, in a sentence; of what is shown and nothing else.
  const told = (rows, { x, lines, panels }, value) => {
    const axis = swept.find(({ name }) => name === x?.name);
    if (!axis) return "";
    const placeOf = (row) => axis.numbers?.[axis.values.indexOf(x.values[row[x.place]])] ?? row[x.place];
    const along = (a, b) => placeOf(a) - placeOf(b);
    const groups = new Map();
    for (const row of rows) {
      const [line, group] = [lines, panels].map((axis) => (axis ? axis.values[row[axis.place]] : ""));
      const key = line && group ? `${line} (${group})` : line || group;
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
    let most = null;
    for (const [key, members] of groups) {
      const there = members.filter((row) => row[value] !== null).sort((a, b) => a[value] - b[value]);
      if (there.length < 2) continue;
      // the two values farthest apart, in their order along the axis
      const [first, last] = [there[0], there[there.length - 1]].sort(along);
      const moved = last[value] - first[value];
      if (!most || Math.abs(moved) > Math.abs(most.moved)) most = { key, first, last, moved };
    }
    if (!most) return "No two of these values can be compared along the axis.";
    const still = Math.abs(most.moved) < 5e-7;
    const ends = still ? [...rows].sort(along) : [most.first, most.last];
    const [from, to] = [ends[0], ends[ends.length - 1]].map((row) => x.values[row[x.place]]);
    if (still) return `From ${x.label} ${from} to ${to} none of these values changes.`;
    const what = most.key || "the value";
    return `From ${x.label} ${from} to ${to}, ${groups.size > 1 ? `${what} moves most` : `${what} moves`}: from ${number(most.first[value])} to ${number(most.last[value])}.`;
  };

  const numbers = (rows, { x, lines, panels }, n) => {
    const label = (row) => [panels, lines].filter(Boolean).map((axis) => axis.values[row[axis.place]]);
    const heads = [panels, lines].filter(Boolean).map((axis) => axis.label);
    const columns = x ? x.values : ["value"];
    const body = new Map();
    for (const row of rows) {
      const key = JSON.stringify(label(row));
      if (!body.has(key)) body.set(key, columns.map(() => null));
      body.get(key)[x ? row[x.place] : 0] = row;
    }
    const cell = (row) => {
      if (!row) return element("td", { textContent: "–" });
      const made = element("td", { textContent: number(row[n.value], 3) });
      const ends = n.ends.map((place) => row[place]);
      if (ends.length && !ends.includes(null)) made.append(element("small", { textContent: ends.map((end) => number(end)).join(" to ") }));
      return made;
    };
    const head = element("tr", {}, ...heads.map((text) => element("th", { textContent: text, className: "words" })), ...columns.map((text) => element("th", { textContent: x ? `${x.label} ${text}` : text })));
    const lined = [...body].map(([key, found]) => element("tr", {}, ...JSON.parse(key).map((text) => element("td", { textContent: text, className: "words" })), ...found.map(cell)));
    return element("table", {}, element("thead", {}, head), element("tbody", {}, ...lined));
  };

  function draw() {
    const name = names.includes(state.get("table")) ? state.get("table") : names[0];
    const table = tables[name];
    const role = roles(table);
    const controls = [];
    const titles = names.map((key) => [key, key.replace(/^results(?=,|$)/, "main table")]);
    if (names.length > 1) controls.push(select("Table", "table", titles, name));
    if (role.along.length > 1) controls.push(select("Along the axis", "x", role.along.map((axis) => [axis.name, axis.label]), role.x.name));
    for (const axis of role.picks) controls.push(select(axis.label, axis.name, axis.values.map((text) => [text, text]), axis.values[chosen(axis)]));
    at("controls").replaceChildren(...controls);
    const value = table.axes.length;
    const n = { value, ends: table.ends.map((_, i) => value + 1 + i) };
    const rows = table.rows.filter((row) => role.picks.every((axis) => row[axis.place] === chosen(axis)));
    const all = rows.flatMap((row) => [value, ...n.ends].map((place) => row[place])).filter((end) => end !== null);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const margin = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
    const range = [low - margin, high + margin];
    const panels = role.panels ? role.panels.values.map((text, i) => [text, rows.filter((row) => row[role.panels.place] === i)]) : [["", rows]];
    at("panels").replaceChildren(...panels.filter(([, shown]) => shown.length).map(([title, shown]) => panel(title, shown, role, range, n)));
    const present = role.lines ? role.lines.values.map((text, i) => [text, i]).filter(([, i]) => rows.some((row) => row[role.lines.place] === i)) : [];
    at("legend").replaceChildren(...present.map(([text, i]) => {
      const { colour, dash } = role.lines.styles[i];
      const key = shape("svg", { width: 26, height: 12, "aria-hidden": "true" });
      key.append(shape("line", { x1: 0, x2: 26, y1: 6, y2: 6, stroke: colour, "stroke-width": 2.5, "stroke-dasharray": DASHES[dash] ?? "" }), shape("circle", { cx: 13, cy: 6, r: 4, fill: colour }));
      const button = element("button", { type: "button" }, key, text);
      button.setAttribute("aria-pressed", picked === i);
      button.addEventListener("click", () => {
        picked = picked === i ? null : i;
        draw();
        at("legend").children[present.findIndex(([, j]) => j === i)].focus();
      });
      return button;
    }));
    const missing = panels.filter(([, shown]) => !shown.length).map(([title]) => title);
    at("sentence").textContent = told(rows, role, value) + (missing.length ? ` Nothing here of ${role.panels.label} ${missing.join(", ")}.` : "");
    const bars = table.ends.length ? `Bars: ${table.ends.join(" to ")}. ` : "";
    at("caption").textContent = `${bars}${table.caption}`;
    at("numbers").replaceChildren(numbers(rows, role, n));
    history.replaceState(null, "", `${location.pathname}${location.search}${state.size ? `#${state}` : ""}`);
  }

  draw();
})();
