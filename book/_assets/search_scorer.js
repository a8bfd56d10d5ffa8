// The order of search results: first the page whose title says what was asked, last the lists of words and names.
// Sphinx puts it into language_data.js, before its own weights, which are repeated here as they are.
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score: ([page, title, anchor, , score]) => {
    if (["book/glossary", "book/bibliography", "book/api"].includes(page)) return score / 10;
    if (anchor) return score;
    const asked = [...Search._parseQuery(new URLSearchParams(location.search).get("q"))[1]];
    // what stands before the colon names the page, the rest is its question
    const name = [...Search._parseQuery(title.split(":")[0])[1]];
    if (!asked.every((word) => name.includes(word))) return score;
    return score + (50 * asked.length) / name.length - name.indexOf(asked[0]);
  },
};
