// The search: pages are ranked by the words that they share with what was typed; none has to hold all of them. Sphinx puts
// this into language_data.js, before its own script, whose ranking is replaced here when both are there.
//
// A word counts by how rare it is, in a page's text, more in its title, most among the words that book/search.yml gives a page
// for what people type. A phrase of that file whose words were all typed lifts its page. Lists of words and names come last.
const bookSearch = (() => {
  const TEXT = 1, TITLE = 4, GIVEN = 5, PHRASE = 8; // what a word is worth, by where it stands
  const LISTS = ["book/glossary", "book/bibliography", "book/api"];
  const LONG = ["book/executed/disagreements"]; // touches on everything
  const SPREAD = 0.6, LISTED = 0.15, CHAPTER = 1.15, NEAR = 0.5; // factors: of a long page, of a list, of a chapter, of a word that only begins alike
  const MOST = 60; // results
  // stems of words that ask and name nothing: they count in phrases alone
  const ASKING = new Set("a an are can could did do doe done enough for from get give good have how i it long mani more much my need of on one or our should so than that their there too two use want we what when where which whi who with without would you your".split(" "));
  const places = (found) => (found === undefined ? [] : Array.isArray(found) ? found : [found]);

  // Documents that hold a word or, if none does, one that begins with it.
  const lookUp = (table, word) => {
    if (Object.hasOwn(table, word)) return { documents: places(table[word]), factor: 1 };
    if (word.length < 4) return { documents: [], factor: 1 };
    const alike = Object.keys(table).filter((other) => other.startsWith(word));
    return { documents: [...new Set(alike.flatMap((other) => places(table[other])))], factor: NEAR };
  };

  // Words of the phrases that a page was given, and the phrases, as stems.
  const phrases = (index, stems) => Object.entries(index.indexentries)
    .flatMap(([phrase, entries]) => entries.map(([document, id]) => ({ document, id, words: stems(phrase) })))
    .filter(({ words }) => words.length);

  const rank = (index, words, stems) => {
    const n = index.docnames.length;
    const scores = new Map();
    const add = (document, value) => scores.set(document, (scores.get(document) || 0) + value);
    const given = phrases(index, stems).filter(({ id }) => !id); // not the entries of lists
    for (const word of words.filter((word, _, all) => !ASKING.has(word) || all.every((other) => ASKING.has(other)))) {
      const texts = lookUp(index.terms, word);
      const titles = lookUp(index.titleterms, word);
      const named = new Set(given.filter((phrase) => phrase.words.includes(word)).map(({ document }) => document));
      const holding = new Set([...texts.documents, ...titles.documents, ...named]);
      const weight = Math.log(1 + n / (holding.size || n));
      for (const document of texts.documents) add(document, TEXT * weight * texts.factor);
      for (const document of titles.documents) add(document, TITLE * weight * titles.factor);
      for (const document of named) add(document, GIVEN * weight);
    }
    const lifted = given.filter(({ words: parts }) => parts.every((part) => words.includes(part)));
    for (const { document, words: parts } of lifted) add(document, PHRASE * parts.length / words.length);
    const meant = new Set(lifted.map(({ document }) => document));
    return [...scores].map(([document, value]) => {
      const name = index.docnames[document];
      const factor = LISTS.includes(name) ? (meant.has(document) ? 1 : LISTED) : LONG.includes(name) ? SPREAD : name.startsWith("book/chapters/") ? CHAPTER : 1;
      return [name, index.titles[document], "", null, value * factor, index.filenames[document]];
    });
  };

  // Headings and entries of lists that hold all words.
  const sections = (index, words, stems) => {
    const holds = (text) => words.length && words.every((word) => stems(text).includes(word));
    const found = [];
    for (const [title, all] of Object.entries(index.alltitles)) {
      for (const [document, id] of holds(title) ? all : []) {
        if (id) found.push([index.docnames[document], `${index.titles[document]} > ${title}`, `#${id}`, null, 0.3, index.filenames[document]]);
      }
    }
    for (const [entry, all] of Object.entries(index.indexentries)) {
      for (const [document, id] of holds(entry) ? all : []) {
        if (id) found.push([index.docnames[document], index.titles[document], `#${id}`, null, 0.2, index.filenames[document]]);
      }
    }
    return found;
  };

  // Sphinx takes the last result first.
  const results = (index, words, stems, objects) => {
    const all = [...rank(index, words, stems), ...sections(index, words, stems), ...objects];
    return all.sort((a, b) => a[4] - b[4] || (a[1] < b[1] ? 1 : -1)).slice(-MOST);
  };

  return { results };
})();

if (typeof document !== "undefined") {
  const replaceRanking = () => {
    if (typeof Search === "undefined") return;
    const stems = (text) => [...Search._parseQuery(text)[1]];
    Search._performSearch = (query, words, excluded, highlighted, names) => {
      document.getElementById("search-progress")?.replaceChildren();
      const objects = [...names].length === 1 ? Search.performObjectSearch([...names][0], names) : [];
      for (const result of objects) result[4] = 0.25;
      return bookSearch.results(Search._index, [...words], stems, objects);
    };
    // Below a page's title stands what it claims, not its first words.
    const textOf = Search.htmlToText;
    Search.htmlToText = (html, anchor) => {
      const claim = !anchor && new DOMParser().parseFromString(html, "text/html").querySelector(".finding p:not(.finding-question, .figure-title, .figure-subtitle)");
      return claim ? claim.textContent : textOf(html, anchor);
    };
  };
  // before the first search, whichever of the two scripts comes first
  if (typeof Search === "undefined") document.addEventListener("DOMContentLoaded", replaceRanking);
  else replaceRanking();
}
