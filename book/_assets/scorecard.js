/* Search and filters over the claims of the scorecard, a state in the address, and an address for every claim.
 *
 * The page holds every claim as a <details> within <noscript>: text, of which this script makes claims once a reader
 * begins, some at a time, so that a slow phone answers meanwhile. Loaded after tools.js and explorable_parts.js, on the page
 * of the scorecard only.
 */
(() => {
  "use strict";

  const { element, whole } = window.bookTools;
  const { readAddress, addressOf } = window.bookExplorable;

  const ALL = "";
  const SLICE = 40; // claims at a time
  const idle = () => new Promise((resolve) => (window.requestIdleCallback ?? setTimeout)(resolve));

  /** A native menu under its label; `fill` takes the value of every claim, of which each tells how many there are. */
  const menu = (key, label, all, called = (value) => value) => {
    const select = element("select", { name: key }, element("option", { value: ALL, textContent: all }));
    const fill = (values) => {
      const counts = new Map();
      for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
      select.append(...[...counts].map(([value, n]) => element("option", { value, textContent: `${called(value)} (${whole(n)})` })));
    };
    return { control: select, fill, place: element("label", {}, element("span", { textContent: label }), select) };
  };

  // A reader scrolls, touches, types (also to find a word) or goes from link to link, or came with the address of a claim or
  // of a view.
  const begun = () => new Promise((resolve) => {
    if (window.location.hash || window.scrollY) resolve();
    const kinds = ["scroll", "pointerdown", "keydown", "focusin", "hashchange", "beforeprint"];
    for (const kind of kinds) window.addEventListener(kind, resolve, { once: true, passive: true });
  });

  /** Put all claims on the page, a paper at a time, for each time the page is styled anew; `take` gets those of each slice. */
  function* unfold(card, take) {
    for (const held of card.querySelectorAll("noscript")) {
      const texts = held.textContent.split(/(?=<details )/);
      const made = document.createDocumentFragment();
      while (texts.length) {
        const nodes = [...element("div", { innerHTML: texts.splice(0, SLICE).join("") }).children];
        take(nodes, held.parentElement.dataset.paper);
        made.append(...nodes);
        yield;
      }
      held.replaceWith(made);
    }
  }

  // a keyboard has no minus sign
  const searched = (text) => text.toLowerCase().replaceAll("−", "-");

  const start = async (card) => {
    const claims = [];
    const titles = new Map();
    const take = (nodes, paper) => nodes.forEach((node) => claims.push({
      node,
      get text() { // of a thousand claims, so not before somebody searches
        const text = searched(node.textContent);
        Object.defineProperty(this, "text", { value: text });
        return text;
      },
      verdict: node.dataset.verdict,
      role: node.dataset.role ?? "first",
      paper,
      page: pageOf(node.querySelector("dd a")),
    }));
    const pageOf = (link) => {
      const page = link.getAttribute("href").replace(".html", "");
      titles.set(page, link.textContent);
      return page;
    };
    // not called q: the site's own search fills every field of that name
    const search = element("input", { type: "search", name: "search", placeholder: "ROUGE-2, Table 1, .91 …", spellcheck: false });
    const menus = {
      paper: menu("paper", "Paper", "all papers"),
      verdict: menu("verdict", "Verdict", "all verdicts"),
      role: menu("role", "Reading", "all readings", (role) => ({ first: "first, which counts", repeat: "printed before" })[role] ?? role),
      page: menu("page", "Page", "all pages", (page) => titles.get(page)),
    };
    const clear = element("button", { type: "button", textContent: "Show all" });
    const said = element("output", { className: "scorecard-count", textContent: "Reading the claims …" });
    const form = element(
      "form",
      { className: "scorecard-controls" },
      element("label", { className: "scorecard-search" }, element("span", { textContent: "Search" }), search),
      ...Object.values(menus).map(({ place }) => place),
      clear,
      said,
    );
    form.setAttribute("role", "search");
    form.setAttribute("aria-label", "Claims");
    const controls = { search, ...Object.fromEntries(Object.entries(menus).map(([key, { control }]) => [key, control])) };

    const chosen = () =>
      Object.fromEntries(Object.entries(controls).map(([key, { value }]) => [key, value.trim()]).filter(([, value]) => value));

    const filter = () => {
      const state = chosen();
      const words = searched(state.search ?? "").split(/\s+/).filter(Boolean);
      let n = 0;
      for (const claim of claims) {
        const shown =
          Object.keys(menus).every((key) => !state[key] || claim[key] === state[key]) &&
          words.every((word) => claim.text.includes(word));
        claim.node.hidden = !shown;
        n += shown;
      }
      for (const section of card.querySelectorAll("section")) section.hidden = !section.querySelector(".claim:not([hidden])");
      said.textContent = `${whole(n)} of ${whole(claims.length)} claims`;
      clear.disabled = Object.keys(state).length === 0;
    };

    const remember = () => {
      const state = chosen();
      history.replaceState(null, "", Object.keys(state).length ? addressOf(state) : window.location.pathname + window.location.search);
    };

    const restore = (state) => {
      for (const [key, control] of Object.entries(controls)) {
        const value = state.get(key) ?? ALL;
        control.value = value;
        if (control.value !== value) control.value = ALL; // a menu without such an entry
      }
      filter();
    };

    const follow = () => {
      const state = readAddress();
      if (state) return restore(state);
      const claim = card.querySelector(`.claim[id="${CSS.escape(window.location.hash.slice(1))}"]`);
      if (!claim) return filter();
      restore(new Map());
      claim.open = true;
      claim.scrollIntoView({ block: "center" });
    };

    const change = () => {
      filter();
      remember();
    };
    // A thousand links of their own would be a tenth of the page.
    const link = ({ target: claim }) => {
      const seen = claim.querySelector("dd:last-of-type");
      const href = `#${claim.id}`;
      if (!seen.querySelector(`a[href="${href}"]`)) seen.append(" · ", element("a", { href, textContent: "this claim" }));
    };
    card.addEventListener("toggle", link, { capture: true });
    form.addEventListener("submit", (event) => event.preventDefault());
    card.prepend(form);
    const slices = unfold(card, take);
    window.addEventListener("beforeprint", () => [...slices]); // paper does not wait
    await begun();
    while (!slices.next().done) await idle();
    for (const [key, { fill }] of Object.entries(menus)) fill(claims.map((claim) => claim[key]));
    form.addEventListener("input", change);
    clear.addEventListener("click", () => {
      restore(new Map());
      remember();
      search.focus();
    });
    window.addEventListener("hashchange", follow);
    const typed = search.value; // meanwhile
    follow();
    if (typed) {
      search.value = typed;
      change();
    }
    card.dataset.ready = "true";
  };

  for (const card of document.querySelectorAll(".scorecard")) start(card);
})();
