/* A reader's CSV file: its lines, what they must have, and the score matrices that they make.
 *
 * Nothing here touches the page. The format is said once on the page `your_metric`: columns system, document, metric and
 * score, in any order, and rater where several scored the same summary; rows whose metric is `people` are people's scores.
 * Or a column for each metric and one for people in place of metric and score; semicolons or tabs for commas. Usual names and words are
 * those of data/roles.yml, which bookbuild/site/mime.py writes into the page. Nothing is repaired: what cannot be read is refused in a sentence with its line.
 *
 * Reading is a generator, so that a page can read a long file a slice at a time.
 */
(() => {
  "use strict";

  const PEOPLE = "people";
  const { columns: NAMES, people: PEOPLES, missing: NO_SCORE, labels: LABELS, lengths: LENGTHS, falls: FALLS } = window.bookWords;
  const COLUMNS = Object.keys(NAMES);
  const NEEDED = COLUMNS.filter((name) => name !== "rater");
  const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
  const [MOST_SYSTEMS, MOST_CELLS] = [500, 500000]; // every pair of systems is compared, in one go
  const MAX_RATERS = 50; // in a larger crowd each person rated too little, as in metaeval/reporting/sections.py
  const SLICE = 2000; // records between two pauses

  /** What a file is refused for: a sentence for the reader. */
  class Refused extends Error {}

  const bare = (name) => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^_|_$/g, "");
  /** Whether lower is better by a metric's name, as metaeval/own/words.py has it. */
  const fallsByName = (name) => {
    const words = bare(name).split("_");
    const last = words.length > 1 && FALLS.names.includes(words.at(-1)) && !words.some((word) => FALLS.negations.includes(word));
    return name.includes("↓") || FALLS.names.includes(bare(name)) || last;
  };
  const quoted = (text) => `“${text}”`;
  const listed = (names) => window.bookTools.some(names.map(quoted));

  // ---- lines -----------------------------------------------------------------------------------

  /** Records of a CSV text (RFC 4180) that are not empty, each with the number of the line on which it ends. */
  function* records(text, sign = ",") {
    let [at, line] = [0, 0];
    while (at < text.length) {
      const cells = [];
      let open = true;
      while (open) {
        if (text[at] === '"') {
          let cell = "";
          for (;;) {
            const close = text.indexOf('"', at + 1);
            if (close < 0) throw new Refused(`line ${line + 1}: a quote is opened and never closed; close it, or double it inside a name`);
            cell += text.slice(at + 1, close);
            at = close + 1;
            if (text[at] !== '"') break;
            cell += '"';
          }
          line += (cell.match(/\r\n|\r|\n/g) ?? []).length;
          cells.push(cell);
        } else {
          const from = at;
          while (at < text.length && text[at] !== sign && text[at] !== "\n" && text[at] !== "\r") at += 1;
          cells.push(text.slice(from, at));
        }
        if (text[at] === sign) at += 1;
        else if (at >= text.length || text[at] === "\n" || text[at] === "\r") open = false;
        else throw new Refused(`line ${line + 1}: something follows a closing quote; put the whole cell into quotes, and double the quotes inside it`);
      }
      at += text.startsWith("\r\n", at) ? 2 : 1;
      line += 1;
      if (cells.length > 1 || cells[0] !== "") yield { line, cells };
    }
  }

  // ---- what they must hold ---------------------------------------------------------------------

  /** What parts the cells of the first line: the sign that stands there most often. */
  const signOf = (text) => {
    const count = (sign) => text.split(/[\r\n]/, 1)[0].split(sign).length;
    return [",", ";", "\t"].reduce((best, sign) => (count(sign) > count(best) ? sign : best));
  };
  const isPeople = (name) => PEOPLES.includes(name.replace(/_?(score|rating)?s?_?\d*$/, "")) || PEOPLES.includes(name);

  /** The places of the columns; `scored` are those of a file with a column for each metric, none of a long one. */
  const checkHeader = (record) => {
    if (!record) throw new Refused("the file is empty; it has to hold a line of column names and one line for each score");
    const { line, cells } = record;
    const names = cells.map(bare);
    const place = Object.fromEntries(COLUMNS.map((column) => [column, names.indexOf(NAMES[column].find((name) => names.includes(name)))]));
    const scored = cells.map((_, i) => i).filter((i) => ![place.system, place.document, place.rater].includes(i));
    const isWide = (place.metric < 0 || place.score < 0) && scored.some((i) => isPeople(names[i]));
    const absent = NEEDED.filter((column) => place[column] < 0 && !(isWide && ["metric", "score"].includes(column)));
    if (absent.length) {
      throw new Refused(`line ${line}: no column ${listed(absent)}, found ${listed(cells)}; name the columns ${NEEDED.join(", ")}`);
    }
    if (isWide) return { ...place, scored };
    const others = cells.filter((_, i) => !Object.values(place).includes(i));
    if (others.length) throw new Refused(`line ${line}: no place for the column ${listed(others)}; leave it out`);
    return { ...place, scored: [] };
  };

  /** The scores of a line: one of a long file, else one for each column of scores. */
  const rowsOf = (cells, heading, place) => {
    const row = Object.fromEntries(COLUMNS.map((name) => [name, place[name] < 0 ? "" : cells[place[name]].trim()]));
    if (!place.scored.length) return [row];
    return place.scored.map((i) => {
      const [metric, people] = [heading[i].trim(), isPeople(bare(heading[i]))];
      return { ...row, metric: people ? PEOPLE : metric, score: cells[i], rater: people && !row.rater ? metric : row.rater };
    });
  };

  /** A score, or 1 and 0 of a word that passes and fails; a file has either, whichever comes first, in `kind`. */
  const scoreOf = (text, line, kind) => {
    const plain = text.trim();
    if (!plain || NO_SCORE.includes(plain.toLowerCase())) return NaN;
    const label = LABELS[plain] ?? LABELS[bare(plain)];
    const score = label ?? (NUMBER.test(plain) ? Number(plain) : NaN);
    kind.words ??= label !== undefined;
    if (Number.isFinite(score) && kind.words === (label !== undefined)) return score;
    const remedy = /^[+-]?\d+,\d+$/.test(plain) ? "write decimals with a point" : "leave the cell empty where there is no score";
    const rule = kind.words ? "one of the words that pass and fail, as before" : "a finite number";
    throw new Refused(`line ${line}: the score must be ${rule}, got ${quoted(text)}; ${remedy}`);
  };

  /** A name's number, in the order in which names are first met. */
  const numbering = () => {
    const numbers = new Map();
    return { of: (name) => numbers.get(name) ?? numbers.set(name, numbers.size).size - 1, names: () => [...numbers.keys()] };
  };

  /** Read a text; pauses (yields) now and then, and returns {systems, documents, planes}.
   *
   * `planes` are metric -> Map of "system document" numbers -> [rater, score] of each rater, "" where the file names none.
   */
  function* readScores(text) {
    const plain = text.replace(/^\ufeff/, "");
    const sign = signOf(plain);
    const found = records(plain, sign);
    const heading = found.next().value;
    const [place, kind] = [checkHeader(heading), {}];
    const [systems, documents, raters] = [numbering(), numbering(), numbering()];
    const [planes, lines] = [new Map(), new Map()];
    let n = 0;
    for (const { line, cells } of found) {
      if (cells.length !== heading.cells.length) {
        throw new Refused(`line ${line}: ${cells.length} cells, but the first line has ${heading.cells.length}; put names with commas into quotes`);
      }
      for (const row of rowsOf(cells, heading.cells, place)) {
        for (const name of ["system", "document", "metric"]) {
          if (!row[name]) throw new Refused(`line ${line}: the name of the ${name} is empty; fill it in, or leave the line out`);
        }
        if (PEOPLES.includes(bare(row.metric))) row.metric = PEOPLE;
        const score = scoreOf(sign === "," ? row.score : row.score.replace(/^\s*([+-]?\d+),(\d+)\s*$/, "$1.$2"), line, kind);
        const cell = `${systems.of(row.system)} ${documents.of(row.document)}`;
        const key = `${cell} ${raters.of(row.rater)} ${row.metric}`;
        if (lines.has(key)) {
          const by = quoted(row.metric) + (row.rater ? `, rater ${quoted(row.rater)},` : "");
          throw new Refused(`line ${line}: ${by} scores system ${quoted(row.system)}, document ${quoted(row.document)} a second time, after line ${lines.get(key)}; keep one`);
        }
        lines.set(key, line);
        if (!planes.has(row.metric)) planes.set(row.metric, new Map());
        const plane = planes.get(row.metric);
        if (!plane.has(cell)) plane.set(cell, []);
        plane.get(cell).push([row.rater, score]);
        n += 1;
        if (n % SLICE === 0) yield;
      }
    }
    if (!n) throw new Refused("the file holds column names and no scores; add one line for each score");
    return { systems: systems.names(), documents: documents.names(), planes };
  }

  // ---- the summaries that can be compared ------------------------------------------------------

  /** The sum with one rounding, whatever the order, as Python's math.fsum: what ties on paper ties here. */
  const exactSum = (values) => {
    let parts = []; // Shewchuk's partial sums: they do not overlap, and their sum is exact
    for (const value of values) {
      const kept = [];
      let high = value;
      for (const part of parts) {
        const [large, small] = Math.abs(high) < Math.abs(part) ? [part, high] : [high, part];
        high = large + small;
        const low = small - (high - large);
        if (low) kept.push(low);
      }
      parts = [...kept, high];
    }
    let total = parts.pop() ?? 0;
    let rest = 0;
    while (parts.length && !rest) {
      const [large, small] = [total, parts.pop()];
      total = large + small;
      rest = small - (total - large);
    }
    // half of the last digit was rounded to even, and what is left says which way it had to go
    const further = total + 2 * rest;
    return parts.length && rest * parts.at(-1) > 0 && further - total === 2 * rest ? further : total;
  };

  /** The score of raters together where it stands beside theirs, else their mean; NaN where nobody gave a score. */
  const meanScore = (scores) => {
    const given = scores.filter(([, score]) => !Number.isNaN(score));
    const together = given.filter(([rater]) => rater === "");
    const counted = (together.length ? together : given).map(([, score]) => score);
    return exactSum(counted) / counted.length;
  };

  /** Score matrices of the summaries that every metric and people score, as helpers/experiments/your_metric.py matches them.
   *
   * -> {systems, documents, metrics, scores: matrix of each metric, people: matrix, ratings: matrix of each rater, isWhole: whether no
   * score is missing, isLength: of each metric, turned: metrics whose signs are turned, nScored, nSummaries}; a cell that lacks a metric's or people's score is NaN for all metrics.
   */
  const matched = ({ systems, documents, planes }) => {
    const metrics = [...planes.keys()].filter((metric) => metric !== PEOPLE);
    if (!planes.has(PEOPLE)) {
      throw new Refused(`no row has the metric “${PEOPLE}”, found ${listed(metrics)}; give people's scores the metric “${PEOPLE}”`);
    }
    if (!metrics.length) throw new Refused(`every row has the metric “${PEOPLE}”; add the scores of a metric`);
    const scoredBy = (names) => {
      const cells = names.flatMap((metric) => [...planes.get(metric)]);
      return new Set(cells.filter(([, scores]) => scores.some(([, score]) => Number.isFinite(score))).map(([cell]) => Number(cell.split(" ")[0])));
    };
    if (systems.length > MOST_SYSTEMS || systems.length * documents.length > MOST_CELLS) {
      const most = `${MOST_SYSTEMS} systems and ${MOST_CELLS} pairs of system and document; the command reads the file: metaeval FILE`;
      throw new Refused(`${systems.length} systems and ${documents.length} documents are too many for a page, which takes ${most}`);
    }
    const [scoredOnes, judgedOnes] = [scoredBy(metrics), scoredBy([PEOPLE])];
    const oneSided = systems.filter((_, i) => scoredOnes.has(i) !== judgedOnes.has(i));
    if (oneSided.length) {
      throw new Refused(`metrics and people must score the same systems; leave out, or add to the other, ${listed(oneSided)}`);
    }
    const matrix = (metric, owner = null) => {
      const plane = planes.get(metric);
      const own = (cell) => (plane.get(cell) ?? []).filter(([rater]) => owner === null || rater === owner);
      return systems.map((_, i) => documents.map((__, j) => meanScore(own(`${i} ${j}`))));
    };
    const [people, ...scores] = [PEOPLE, ...metrics].map((metric) => matrix(metric));
    // a score without a rater beside theirs is that of all of them together
    const raters = [...new Set([...planes.get(PEOPLE).values()].flatMap((given) => given.map(([rater]) => rater)))].filter(Boolean);
    const ratings = raters.length > 1 && raters.length <= MAX_RATERS ? raters.map((rater) => matrix(PEOPLE, rater)) : [];
    const whole = people.map((row, i) => row.map((value, j) => [value, ...scores.map((one) => one[i][j])].every(Number.isFinite)));
    const rows = systems.map((_, i) => i).filter((i) => whole[i].some(Boolean));
    const columns = documents.map((_, j) => j).filter((j) => whole.some((row) => row[j]));
    if (rows.length < 3) {
      const names = rows.length ? `: ${listed(rows.map((i) => systems[i]))}` : "";
      throw new Refused(`a correlation needs at least 3 systems with scores from every metric and from people, got ${rows.length}${names}; score more systems`);
    }
    const nScored = whole.flat().filter(Boolean).length;
    const kept = (one) => rows.map((i) => columns.map((j) => (whole[i][j] ? one[i][j] : NaN)));
    const turned = metrics.filter(fallsByName);
    const turn = (one, m) => (turned.includes(metrics[m]) ? one.map((row) => row.map((score) => -score)) : one);
    const [judged, ...used] = [people, ...scores.map(turn)].map(kept);
    const [given] = judged.flat().filter(Number.isFinite);
    if (judged.flat().every((value) => Number.isNaN(value) || value === given)) {
      throw new Refused(`people score every summary alike (${Number(given.toPrecision(6))} on ${nScored} summaries), and nothing correlates with that; check the column of their scores`);
    }
    const flat = metrics.filter((_, m) => new Set(used[m].flat().filter((value) => !Number.isNaN(value))).size === 1);
    if (flat.length) {
      throw new Refused(`a metric that scores every summary alike has no correlation: ${listed(flat)}; check the column of scores, or leave it out`);
    }
    const names = { systems: rows.map((i) => systems[i]), documents: columns.map((j) => documents[j]), metrics };
    const means = rows.map((i) => columns.map((j) => people[i][j]));
    const isWhole = [people, ...scores, ...ratings].every((one) => one.flat().every(Number.isFinite));
    const lengths = metrics.map((name) => LENGTHS.includes(bare(name)));
    const isLength = lengths.map((one) => one && !lengths.every(Boolean));
    return { ...names, scores: used, people: means, ratings, isWhole, isLength, turned, nScored, nSummaries: systems.length * documents.length };
  };

  window.bookYourFile = { Refused, records, readScores, matched };
})();
