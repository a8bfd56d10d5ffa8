/* Says of each table that is wider than its frame at which side more is hidden; book.css lets that side fade. */
(() => {
  "use strict";

  const mark = (frame) => {
    const hidden = frame.scrollWidth - frame.clientWidth;
    const sides = [frame.scrollLeft > 1 && "left", frame.scrollLeft < hidden - 1 && "right"].filter(Boolean);
    frame.dataset.more = sides.length > 1 ? "both" : (sides[0] ?? "");
  };

  const resizes = new ResizeObserver((entries) => entries.forEach(({ target }) => mark(target)));

  for (const frame of document.querySelectorAll(".table-scroll")) {
    frame.addEventListener("scroll", () => mark(frame), { passive: true });
    resizes.observe(frame);
  }
})();
