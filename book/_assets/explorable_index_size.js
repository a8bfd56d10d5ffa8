/* The size of SERA's index, moved: correlations of every random index that the run built, selected from its table. */
(() => {
  "use strict";

  const book = window.bookExplorable;
  const { SYMBOLS, fixed, whole } = window.bookTools;
  const { mean, deviation } = window.bookStatistics;
  const { rowsOf, distinct, makePlot, span } = book;

  const HEIGHT = 300;
  const VARIANT = ["dataset", "domain", "query", "overlap", "cutoff", "coefficient"];

  book.kinds.index_size = (data) => {
    const table = rowsOf(data.tables.index_size);
    const named = (column, value) => data.words[column]?.[value] ?? String(value);
    const of = (state, keys = VARIANT) =>
      table.filter((row) => keys.every((key) => state[key] === undefined || row[key] === state[key]));
    const before = (state, key) => of(state, VARIANT.slice(0, VARIANT.indexOf(key)));
    const sizes = (state) => distinct(of(state), "stories").sort((one, other) => one - other);
    const wholeOf = (state) => of(state).find(({ is_whole: isWhole }) => isWhole);

    const choice = (key, label) => ({
      key, label, start: (state) => before(state, key)[0][key],
      options: (state) => distinct(before(state, key), key).map((value) => [value, named(key, value)]),
    });
    const controls = [
      choice("dataset", "Data"),
      choice("domain", "Collection"),
      choice("query", "Looked up"),
      choice("overlap", "Compared by"),
      choice("cutoff", "K documents"),
      choice("coefficient", "Coefficient"),
      { key: "stories", label: "Stories in the index", steps: sizes, start: (state) => sizes(state)[0],
        says: (n, state) => `${whole(n)}${wholeOf(state)?.stories === n ? " (all)" : ""}` },
    ].filter(({ key }) => key === "stories" || distinct(table, key).length > 1);

    const bands = (state) =>
      sizes(state).map((stories) => {
        const values = of(state).filter((row) => row.stories === stories).map(({ value }) => value).filter(Number.isFinite);
        const some = values.length > 0;
        return {
          stories, indexes: values.length, mean: some ? mean(values) : null, lowest: some ? Math.min(...values) : null,
          highest: some ? Math.max(...values) : null, deviation: deviation(values), values, current: stories === state.stories,
        };
      });

    // As many digits as tell every index from the whole collection.
    const digitsOf = (rows) => {
      const { mean: all } = rows.at(-1);
      const here = rows.find(({ current }) => current);
      const apart = (digits) => here.values.every((value) => value === all || fixed(value, digits) !== fixed(all, digits));
      return here.stories === rows.at(-1).stories ? 2 : [2, 3, 4, 5].find(apart) ?? 6;
    };

    const say = (state, rows) => {
      const digits = digitsOf(rows);
      const shown = (value) => fixed(value, digits);
      const symbol = SYMBOLS[state.coefficient];
      const here = rows.find(({ current }) => current);
      const all = rows.at(-1);
      const n = (count, noun) => `${whole(count)} ${noun}`;
      if (here.mean === null) return "No index of this size gives a correlation.";
      if (here.stories === all.stories && wholeOf(state)) {
        return `In all ${n(all.stories, "stories")} of ${named("domain", state.domain)} it correlates with people at ${symbol}\u00a0=\u00a0${shown(all.mean)}.`;
      }
      const alone = here.indexes === 1;
      const range = `${symbol}\u00a0=\u00a0${shown(here.mean)}` +
        (alone ? "" : ` on average over ${n(here.indexes, "random indexes")}, between ${shown(here.lowest)} and ${shown(here.highest)}`);
      const start = `In ${alone ? "the one random" : "an"} index of ${n(here.stories, "stories")} of ${named("domain", state.domain)} it correlates with people at ${range}`;
      if (!wholeOf(state) || all.mean === null) return `${start}.`;
      const better = here.values.filter((value) => value > all.mean).length;
      const word = here.mean > all.mean ? "above" : here.mean < all.mean ? "below" : "as high as";
      const above = alone ? `, ${word}` : `; ${better} of these ${here.indexes} ${better === 1 ? "is" : "are"} above`;
      return `${start}${above} the ${shown(all.mean)} of the whole collection of ${whole(all.stories)}.`;
    };

    // what has one value only has no control
    const settled = (state) => ({ ...of(state)[0], ...state });
    const answer = (chosen) => {
      const state = settled(chosen);
      const rows = bands(state);
      const two = (value) => fixed(value, digitsOf(rows));
      const metric = of(state)[0].metric;
      return {
        sentence: say(state, rows).replace("it correlates", `${metric} correlates`), rows,
        caption: `${metric} on ${named("domain", state.domain)}: correlation with people by size of the index`,
        note: "Each dot is one random index that the run built; the line joins their means, and faint lines are those of the other " +
          "queries and numbers of documents. Indexes of one order of stories are not independent: a larger one holds the smaller.",
        columns: [
          { key: "stories", label: "Stories", show: whole },
          { key: "indexes", label: "indexes" },
          { key: "mean", label: `mean ${SYMBOLS[state.coefficient]}`, show: two },
          { key: "lowest", label: "lowest", show: two },
          { key: "highest", label: "highest", show: two },
          { key: "deviation", label: "standard deviation", show: (value) => fixed(value, 3) },
        ],
      };
    };

    const draw = (svg, width, chosen) => {
      const state = settled(chosen);
      const rows = bands(state);
      const others = of(state, ["dataset", "domain", "overlap", "coefficient"]);
      const [low, high] = span(others.map(({ value }) => value), 0.05);
      const place = new Map(rows.map(({ stories }, i) => [stories, i]));
      const plot = makePlot({
        left: 46, top: 34, width: width - 60, height: HEIGHT,
        x: { from: -0.5, to: rows.length - 0.5, title: "stories in the index",
          ticks: rows.map(({ stories }, i) => [i, i === rows.length - 1 && wholeOf(state) ? `all ${whole(stories)}` : whole(stories)]) },
        y: { from: low, to: high, title: `Correlation with people (${SYMBOLS[state.coefficient]})` },
      });
      const here = place.get(state.stories);
      plot.box(here - 0.4, low, here + 0.4, high, "window");
      for (const query of distinct(others, "metric")) {
        const own = others.filter((row) => row.metric === query);
        const line = rows.map(({ stories }) => own.filter((row) => row.stories === stories).map(({ value }) => value));
        const chosen = own.some((row) => row.query === state.query && row.cutoff === state.cutoff);
        if (!chosen) plot.path(line.map((values, i) => [i, values.length ? mean(values) : NaN]), "curve faint other");
      }
      const all = wholeOf(state);
      if (all) plot.line(-0.5, all.value, rows.length - 0.5, all.value, "marker");
      plot.band(rows.map(({ stories, lowest, highest }) => [place.get(stories), lowest, highest]), "band");
      plot.path(rows.map(({ stories, mean: value }) => [place.get(stories), value ?? NaN]), "curve");
      rows.forEach(({ values, current, stories }) => {
        values.forEach((value, i) => {
          const aside = values.length > 1 ? ((i / (values.length - 1)) - 0.5) * 0.36 : 0;
          plot.dot(place.get(stories) + aside, value, current ? "dot" : "dot pale", current ? 5 : 3.5);
        });
      });
      svg.append(plot.group);
      return 34 + HEIGHT + 44;
    };

    return { question: "Does a larger index make SERA agree better with people?", controls, answer, draw };
  };
})();
