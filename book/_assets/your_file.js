/* A place for a reader's own file: `.your-file` takes a long CSV, dropped or chosen, and shows what it says in a panel.
 *
 * The file is read on the reader's machine: nothing here asks for an address. your_file_csv.js says which files are taken,
 * explorable_your_file.js shows them.
 */
(() => {
  "use strict";

  const mine = window.bookYourFile;
  const { element, range } = window.bookTools;
  const { download, readAddress } = window.bookExplorable;

  const SLICE = 25; // ms of reading between two looks at the page's events
  const HINT =
    "This place takes a CSV file with a line for each score (columns system, document, metric, score; people’s scores as the metric " +
    "people), or a line for each summary (columns system, document, people, and one for each metric). Other layouts: metaeval FILE";
  const NEEDED = "This address is of a view of somebody’s own file, which is not in it: choose that file to see the view.";

  // ---- a made-up file --------------------------------------------------------------------------

  /** Three made-up metrics of 10 systems and 24 documents, judged by two made-up raters, from a seed. */
  const exampleText = () => {
    const random = window.bookStatistics.makeRandom(mine.SEED, 1);
    const noise = () => range(6).reduce((total) => total + random() - 0.5, 0);
    const lines = ["system,document,metric,rater,score"];
    const quality = range(10).map((i) => 2 + i / 5 + noise() / 2);
    quality.forEach((good, i) => range(24).forEach((j) => {
      const truth = good + noise();
      const add = (metric, rater, score) => lines.push(`system ${i + 1},story ${j + 1},${metric},${rater},${score}`);
      for (const rater of ["A", "B"]) add("people", rater, Math.min(5, Math.max(1, Math.round(truth + noise() / 2))));
      add("overlap", "", (0.08 * truth + 0.1 * noise() + 0.2).toFixed(4));
      add("judge", "", Math.min(10, Math.max(1, Math.round(2 * truth + noise()))));
      add("length", "", Math.round(60 + 20 * noise() + 3 * truth));
    }));
    return `${lines.join("\n")}\n`;
  };

  // ---- reading ---------------------------------------------------------------------------------

  const pause = () => new Promise((resolve) => { setTimeout(resolve); });

  const textOf = async (file) => {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    } catch (error) {
      if (error instanceof TypeError) throw new mine.Refused("it is not text in UTF-8; save it as CSV in UTF-8");
      throw new mine.Refused("it could not be read; choose it once more");
    }
  };

  const read = async (text) => {
    const reading = mine.readScores(text);
    let began = performance.now();
    for (;;) {
      const { done, value } = reading.next();
      if (done) return mine.matched(value);
      if (performance.now() - began > SLICE) {
        await pause();
        began = performance.now();
      }
    }
  };

  // ---- the place -------------------------------------------------------------------------------

  let started = 0;

  const start = (place, index) => {
    const input = element("input", { type: "file", id: `your-file-${index + 1}`, accept: ".csv,text/csv" });
    const label = element("label", { htmlFor: input.id, textContent: "Choose a CSV file, or drop it here" });
    const example = element("button", { type: "button", textContent: "Show a made-up file" });
    const told = element("p", { className: "your-file-told" });
    told.setAttribute("role", "status");
    const refused = element("div", { className: "your-file-refused", hidden: true });
    refused.setAttribute("role", "alert");
    let shown = null;
    let latest = 0;

    const close = () => {
      if (!shown) return;
      shown.data.closed = true;
      shown.close();
      shown = null;
    };
    const ask = () => {
      if (shown || !readAddress()) return;
      told.textContent = NEEDED;
      place.scrollIntoView({ block: "start", behavior: "instant" });
    };

    const refuse = (name, words) => {
      place.dataset.state = "refused";
      told.textContent = "";
      refused.replaceChildren(element("p", {}, element("strong", { textContent: name }), `: ${words}.`), element("p", { textContent: HINT }));
      refused.hidden = false;
    };

    const open = (name, data) => {
      const box = element("div", { className: "explorable" });
      box.dataset.kind = "your_file";
      Object.assign(data, {
        name,
        onProgress: (done) => {
          place.dataset.state = done ? "done" : "drawing";
          if (done) told.textContent = `${name} was read on this machine; nothing was sent.`;
        },
      });
      place.append(box);
      started += 1;
      shown = { data, close: window.bookExplorable.start(box, `file-${started}`, data) };
    };

    const take = async (name, getText) => {
      latest += 1;
      const turn = latest;
      const began = performance.now();
      close();
      refused.hidden = true;
      place.dataset.state = "reading";
      told.textContent = `Reading ${name} …`;
      try {
        const data = await read(await getText());
        if (turn !== latest) return; // another file was given meanwhile
        open(name, data);
        performance.measure("your file", { start: began });
      } catch (error) {
        if (!(error instanceof mine.Refused)) throw error;
        if (turn === latest) refuse(name, error.message);
      }
    };

    const takeFiles = (files) => {
      if (files.length > 1) refuse(`${files.length} files`, "one file is taken at a time; put all scores into one");
      else if (files.length) take(files[0].name, () => textOf(files[0]));
    };

    input.addEventListener("change", () => {
      takeFiles(input.files);
      input.value = ""; // the same file can be chosen again after it was mended
    });
    example.addEventListener("click", () => take("a made-up file", exampleText));
    const over = (event) => {
      event.preventDefault();
      place.classList.toggle("over", event.type !== "dragleave" && event.type !== "drop");
    };
    for (const type of ["dragenter", "dragover", "dragleave", "drop"]) place.addEventListener(type, over);
    place.addEventListener("drop", (event) => takeFiles(event.dataTransfer.files));

    const made = download("Made-up file (CSV)", "made-up.csv", "text/csv", exampleText);
    place.replaceChildren(
      element("div", { className: "your-file-choose" }, label, input, example, made),
      told,
      refused,
    );
    place.dataset.state = "empty";
    window.addEventListener("hashchange", ask);
    ask();
  };

  const startAll = () => document.querySelectorAll(".your-file").forEach(start);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", startAll);
  else startAll();
})();
