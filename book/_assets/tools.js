/* Small tools of the pages' scripts: elements, numbers, paths into objects.
 *
 * Loaded before figures*.js and explorer*.js. These are plain scripts, in the order in which the page names them, and
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

  window.bookTools = { element, shape, range, within, plain, read, write };
})();
