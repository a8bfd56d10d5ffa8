"""runs.banners: the words below the title of a page that rests on simulated data.

Notebooks get theirs when they are executed; pages of text that quote their numbers get one from the Sphinx
extension, `bookbuild.site.sphinx_ext`.
"""

from __future__ import annotations

import nbformat

from metaeval.core.mode import is_simulated

NOT_AVAILABLE = "When this page was built the released data were not available."  # as its HTML has it, too
_NO_DATA = f"**Simulated data.** {NOT_AVAILABLE}"
SIMULATED, DESIGNED, MIXED, QUOTING = "simulated", "designed", "mixed", "quoting"
BANNERS = {
    SIMULATED: f"{_NO_DATA} Its numbers, figures and CSV files come from simulated likenesses of them, and "
    "the text around them was written for the real ones. No claim of a paper gets a verdict from simulated "
    "data. Results of the last full run on real data stand beside or below the simulated ones. {doc}`How "
    "alike the two are <likeness>`.",
    DESIGNED: "**Simulated by design.** The figures of this page rest on simulated benchmarks, whose truth "
    "is known; their CSV files say which numbers do. {doc}`How alike they are to the real ones <likeness>`.",
    MIXED: "**Partly simulated data**, of benchmarks whose truth is known: tables, figures and CSV files say "
    "which; {doc}`how alike they are to the real ones <likeness>`.",
    QUOTING: f"{_NO_DATA} The numbers that it quotes come from simulated likenesses of them; no claim gets a "
    "verdict from those. {doc}`How alike the two are <executed/likeness>`.",
}


def below_title(text: str, kind: str) -> str:
    """A page's MyST text with the banner of that kind after its first line."""
    title, _, rest = text.partition("\n")
    return f"{title}\n\n:::{{div}} banner-simulated\n{BANNERS[kind]}\n:::\n{rest}"


def mark_simulated(notebook: nbformat.NotebookNode) -> None:
    """Say below the title of an executed notebook, and in its metadata, that it rests on simulated data.

    Parameters
    ----------
    notebook : NotebookNode, changed in place where any of its results are simulated
    """
    shown = [output.get("metadata", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    drawn = [m["simulated"] for m in shown if "figure" in m]  # figures know what they were drawn from
    if is_simulated():
        # a report on a reader's own files is real
        kind = SIMULATED if any(drawn) or not drawn else None
    else:
        some = MIXED if any(m.get("simulated") for m in shown) else None
        kind = DESIGNED if drawn and all(drawn) else some
    if kind is not None:
        notebook.metadata["data"] = kind
        notebook.cells[0].source = below_title(notebook.cells[0].source, kind)
