/* Search and filters over the claims of the scorecard, a state in the address, and an address for every claim.
 *
 * The page holds every claim as a <details>; without this script they are all there. Loaded after tools.js and
 * explorable_parts.js, on the page of the scorecard only.
 */
(() => {
  "use strict";

  const { element, whole } = window.bookTools;
  const { readAddress, addressOf } = window.bookExplorable;

  const ALL = "";

  /** A native menu under its label: every value with how many claims have it. */
  const menu = (key, label, all, values, called = (value) => value) => {
    const counts = new Map();
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
    const options = [...counts].map(([value, n]) => element("option", { value, textContent: `${called(value)} (${whole(n)})` }));
    const select = element("select", { name: key }, element("option", { value: ALL, textContent: all }), ...options);
    return { control: select, place: element("label", {}, element("span", { textContent: label }), select) };
  };

  // a keyboard has no minus sign
  const searched = (text) => text.toLowerCase().replaceAll("−", "-");

  const start = (card) => {
    const claims = [...card.querySelectorAll(".claim")].map((node) => ({
      node,
      get text() { // of a thousand claims, so not before somebody searches
        const text = searched(node.textContent);
        Object.defineProperty(this, "text", { value: text });
        return text;
      },
      verdict: node.dataset.verdict,
      paper: node.parentElement.dataset.paper,
      page: node.querySelector("dd a").getAttribute("href").replace(".html", ""),
    }));
    const titles = new Map(claims.map(({ node, page }) => [page, node.querySelector("dd a").textContent]));
    const of = (key) => claims.map((claim) => claim[key]);
    // not called q: the site's own search fills every field of that name
    const search = element("input", { type: "search", name: "search", placeholder: "ROUGE-2, Table 1, .91 …", spellcheck: false });
    const menus = {
      paper: menu("paper", "Paper", "all papers", of("paper")),
      verdict: menu("verdict", "Verdict", "all verdicts", of("verdict")),
      page: menu("page", "Page", "all pages", of("page"), (page) => titles.get(page)),
    };
    const clear = element("button", { type: "button", textContent: "Show all" });
    const said = element("output", { className: "scorecard-count" });
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
    form.addEventListener("input", change);
    form.addEventListener("submit", (event) => event.preventDefault());
    clear.addEventListener("click", () => {
      restore(new Map());
      remember();
      search.focus();
    });
    // A thousand links of their own would be a tenth of the page.
    const link = ({ target: claim }) => {
      const seen = claim.querySelector("dd:last-of-type");
      const href = `#${claim.id}`;
      if (!seen.querySelector(`a[href="${href}"]`)) seen.append(" · ", element("a", { href, textContent: "this claim" }));
    };
    card.addEventListener("toggle", link, { capture: true });
    window.addEventListener("hashchange", follow);
    card.prepend(form);
    follow();
  };

  for (const card of document.querySelectorAll(".scorecard")) start(card);
})();
