/* What the resampling explorer says: names of methods, what each asks, what a draw did, what many draws found. */
(() => {
  "use strict";

  const book = window.bookExplorer;
  const { SYMBOLS, fixed, whole, list } = window.bookTools;
  const { countExtreme, pValue } = window.bookStatistics;

  const FEW = 100; // draws below which the ends of an interval still jump

  const WHAT = ["systems", "inputs", "both"];
  const METHODS = Object.fromEntries(
    ["boot", "perm"].flatMap((kind) =>
      WHAT.map((what) => {
        const name = `${kind === "boot" ? "Boot" : "Perm"}-${what[0].toUpperCase()}${what.slice(1)}`;
        return [`${kind}-${what}`, { kind, what, name }];
      }),
    ),
  );
  const ASKS = {
    "boot-systems": "How far could the correlation move with other systems like these, on the same documents?",
    "boot-inputs": "How far could the correlation move with other documents like these, for the same systems?",
    "boot-both": "How far could the correlation move with other systems and other documents like these?",
    "perm-systems":
      "If A and B were equally good, a system’s scores could change places. Is A better on these documents, for systems like these?",
    "perm-inputs":
      "If A and B were equally good, a document’s scores could change places. Is A better for these systems, on documents like these?",
    "perm-both":
      "If A and B were equally good, the two scores of any summary could change places. Is A better, whatever the systems and documents?",
  };
  const LABELS = { pearson: "Pearson", kendall: "Kendall", system: "System", summary: "Summary" };
  const TIMES = ["not at all", "once", "twice"];
  const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

  // ---- numbers and names ---------------------------------------------------------------------

  const word = (n) => NUMBERS[n] ?? whole(n);
  const capital = (text) => text[0].toUpperCase() + text.slice(1);
  const times = (n) => TIMES[n] ?? `${word(n)} times`;

  const tally = (drawn, n) => {
    const counts = new Array(n).fill(0);
    for (const i of drawn) counts[i] += 1;
    return counts;
  };

  // ---- sentences -----------------------------------------------------------------------------

  // "S2 three times, S4 twice, S1 and S3 not at all, the others once"
  const describeCounts = (letter, counts) => {
    const named = (count) => counts.flatMap((c, i) => (c === count ? [`${letter}${i + 1}`] : []));
    const several = [...new Set(counts)].filter((count) => count > 1).sort((one, other) => other - one);
    const parts = [...several, 0]
      .filter((count) => named(count).length)
      .map((count) => `${list(named(count))} ${times(count)}`);
    const once = named(1);
    if (once.length === counts.length) return "each of them once";
    if (once.length) parts.push(`${once.length > 1 ? "the others" : once[0]} once`);
    return parts.join(", ");
  };

  const describeSwaps = (letter, swapped) => {
    const names = swapped.flatMap((yes, i) => (yes ? [`${letter}${i + 1}`] : []));
    if (!names.length) return "none changed places: these are the data as they were";
    if (names.length === swapped.length) return "all changed places: A and B have only swapped their names";
    return `${list(names)} changed places between A and B`;
  };

  const tellDraw = (study, draw) => {
    const { isBoot, observed, statisticOf, nSystems, nDocuments, state } = study;
    const { what } = study.methodNow();
    const sentences = [];
    if (isBoot()) {
      const systems = describeCounts("S", tally(draw.systems, nSystems));
      const documents = describeCounts("D", tally(draw.documents, nDocuments));
      const [rows, columns] = [word(nSystems), word(nDocuments)];
      if (what === "systems") {
        sentences.push(`${capital(rows)} systems were drawn with replacement: ${systems}. All ${columns} documents stay.`);
      } else if (what === "inputs") {
        sentences.push(`${capital(columns)} documents were drawn with replacement: ${documents}. All ${rows} systems stay.`);
      } else {
        sentences.push(`${capital(rows)} systems were drawn with replacement: ${systems}. So were ${columns} documents: ${documents}.`);
      }
      const value = statisticOf(state.method, draw);
      sentences.push(
        Number.isNaN(value)
          ? "One side of this sample has only equal values, so it has no correlation; it is counted and left out."
          : `The correlation of this sample is ${fixed(value, 3)}; that of the data is ${fixed(observed(), 3)}.`,
      );
    } else {
      const n = draw.flat().filter(Boolean).length;
      if (what === "systems") sentences.push(`A coin was tossed for each system: ${describeSwaps("S", draw.map(([first]) => first))}.`);
      else if (what === "inputs") sentences.push(`A coin was tossed for each document: ${describeSwaps("D", draw[0])}.`);
      else sentences.push(`A coin was tossed for each of the ${nSystems * nDocuments} summaries: ${n} changed places between A and B.`);
      sentences.push(`The difference of the correlations is now ${fixed(statisticOf(state.method, draw), 3)}; in the data it is ${fixed(observed(), 3)}.`);
    }
    return sentences.join(" ");
  };

  const firstStory = ({ isBoot, nSystems, nDocuments }) =>
    isBoot()
      ? `These are the data: ${word(nSystems)} systems, ${word(nDocuments)} documents, and for each summary a score from metric A and one from people. Draw a sample and see what its correlation is.`
      : "These are the data: two metrics, standardised so that their scores can change places, and people. Toss coins and see what difference of the correlations is left.";

  const tellStory = (study, draw, n) => {
    if (!draw) return firstStory(study);
    const lead = n > 1 ? `${whole(n)} ${study.isBoot() ? "samples" : "swaps"}; the matrices show the last. ` : "";
    return lead + tellDraw(study, draw);
  };

  // [words in bold, other words]
  const tellResult = ({ isBoot, intervalOf, observed }, values) => {
    const existing = values.filter((value) => !Number.isNaN(value));
    const n = existing.length;
    const none = values.length - n;
    const left = none ? ` ${whole(none)} without a correlation ${none > 1 ? "are" : "is"} left out.` : "";
    if (isBoot()) {
      if (n < 2) return ["", `${n ? "One draw is no interval yet." : "No draws yet. The interval will appear here."}${left}`];
      const [low, high] = intervalOf(existing);
      const hint = n < FEW ? " With so few draws its ends still jump." : "";
      return [`95\u00a0% interval: ${fixed(low, 3)} to ${fixed(high, 3)}`, `, the middle of ${whole(n)} samples.${hint}${left}`];
    }
    if (!n) return ["", `No draws yet. The p-value will appear here.${left}`];
    const seen = observed();
    const count = countExtreme(seen, existing);
    const p = pValue(seen, existing);
    return [
      `p = ${fixed(p, 3)}`,
      ` = (${whole(count)} + 1) / (${whole(n)} + 1): in ${whole(count)} of ${whole(n)} swaps the difference was at least the observed ${fixed(seen, 3)}.${left}`,
    ];
  };

  book.words = { METHODS, ASKS, LABELS, tally, tellStory, tellResult };
})();
