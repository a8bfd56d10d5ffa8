/* The sidebar shows the page that is open.
 *
 * The theme keeps the sidebar where it stood on the last page. Whoever came by a link in the text would
 * see another part of the book.
 */
document.addEventListener("DOMContentLoaded", () => {
  "use strict";
  const sidebar = document.getElementById("pst-primary-sidebar");
  const open = [...(sidebar?.querySelectorAll("li.current.active > a") ?? [])].at(-1);
  if (!open) return;
  // after the theme has moved it
  requestAnimationFrame(() => {
    const frame = sidebar.getBoundingClientRect();
    const { top, bottom } = open.getBoundingClientRect();
    if (top >= frame.top && bottom <= frame.bottom) return;
    sidebar.scrollTop += top - frame.top - frame.height / 4;
  });
});
