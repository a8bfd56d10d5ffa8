"""stats.signature: one line that says how a number came about, so that somebody else can get it again."""

from __future__ import annotations

from collections.abc import Mapping

from metaeval.core.version import __version__


def signature(kind: Mapping[str, object], *, shape: tuple[int, int], **settings: object) -> str:
    """``level:system|coefficient:kendall|method:Boot-Both|...|systems:25|documents:100|version:0.1.0``.

    Parameters
    ----------
    kind, settings : what was asked for, in this order; None is left out
    shape : (n_systems, n_documents)
    """
    parts = {**kind, **settings, "systems": shape[0], "documents": shape[1], "version": __version__}
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value is not None)
