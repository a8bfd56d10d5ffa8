"""live.frontend: whether anybody sits in front of this notebook."""

from __future__ import annotations

from IPython import get_ipython


def is_interactive() -> bool:
    """True if the running cell was sent by a frontend with a person in front of it.

    Every request to execute a cell says whether somebody could answer a question that the cell asks
    (``allow_stdin`` in Jupyter's protocol): JupyterLab, Notebook and VS Code say yes; papermill, the build of
    the book and everything else on nbclient say no. Unlike an environment variable this does not pass from
    a notebook to the processes that it starts.
    """
    kernel = getattr(get_ipython(), "kernel", None)
    if kernel is None:
        return False
    request = kernel.get_parent("shell") or {}
    return bool(request.get("content", {}).get("allow_stdin", False))
