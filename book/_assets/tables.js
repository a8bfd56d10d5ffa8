/* Says of each table that is larger than its frame at which side, and whether below, more is hidden; book.css lets that
 * side fade. A frame stays tall at the end of its rows too: the hint that it gets for that would else come and go.
 */
(() => {
  "use strict";

  const mark = (frame) => {
    const hidden = frame.scrollWidth - frame.clientWidth;
    const sides = [frame.scrollLeft > 1 && "left", frame.scrollLeft < hidden - 1 && "right"].filter(Boolean);
    const rest = frame.scrollHeight - frame.clientHeight;
    frame.toggleAttribute("data-tall", rest > 1);
    frame.toggleAttribute("data-below", frame.scrollTop < rest - 1);
    frame.dataset.more = sides.length > 1 ? "both" : (sides[0] ?? "");
  };

  const resizes = new ResizeObserver((entries) => entries.forEach(({ target }) => mark(target)));

  const watch = (frame) => {
    frame.addEventListener("scroll", () => mark(frame), { passive: true });
    resizes.observe(frame);
  };

  document.querySelectorAll(".table-scroll").forEach(watch);
  window.bookTables = { watch }; // for tables that a panel makes later
})();
