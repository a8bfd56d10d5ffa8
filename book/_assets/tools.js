/* Small tools of the pages' scripts: elements, numbers in words, paths into objects.
 *
 * Loaded before all others. These are plain scripts, in the order in which the page names them, and
 * no modules: a page that is opened from the disk (file://) gets none.
 */
(() => {
  "use strict";

  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  const shape = (tag, attributes = {}, text = "") => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== "") made.textContent = text;
    return made;
  };

  const range = (n) => Array.from({ length: n }, (_, i) => i);

  const within = (low, value, high) => Math.min(high, Math.max(low, value));

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

  // ---- numbers and names ---------------------------------------------------------------------

  const MANY = 6; // names of a list that a sentence spells out
  const SYMBOLS = { pearson: "r", kendall: "τ", spearman: "ρ" };

  const missing = (value) => value === null || value === undefined || Number.isNaN(value);

  /** A number with this many digits, a minus sign that is one, and a dash for what does not exist.
   *
   * A half goes to the even digit, as in all that Python writes; toFixed takes it away from zero.
   */
  const fixed = (value, digits = 2) => {
    if (missing(value)) return "–";
    const doubled = value * 2 ** (digits + 1); // odd for halves: no other binary number lies between two decimals
    const below = Math.trunc(value * 10 ** digits);
    const even = Number.isInteger(doubled) && doubled % 2 !== 0 && below % 2 === 0;
    return (even ? below / 10 ** digits : value).toFixed(digits).replace(/^-(?=[\d.]*[1-9])/, "−").replace(/^-/, "");
  };

  /** A level of confidence, .95 as 95 %. */
  const percentOf = (level) => `${Number((100 * level).toPrecision(6))} %`;

  const whole = (n) => n.toLocaleString("en-US");

  const list = (names) =>
    names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

  const some = (names) =>
    names.length <= MANY ? list(names) : `${names.slice(0, MANY).join(", ")} and ${names.length - MANY} others`;

  window.bookTools = {
    element, shape, range, within, plain, read, write, SYMBOLS, missing, fixed, percentOf, whole, list, some,
  };
})();
