"""Every table that `experiments` checks on the way through the book, as a line with two SHA-256: of its bytes, and
of its rows in whatever order, but for last digits.

``python -m tests.tables N_THREADS GROUP_BYTES ASKED NAME ...`` runs the code of notebooks, in this process and in
this order, on simulated data with their quick settings; ASKED is ``forwards``, or ``backwards`` for lists of these in
the other order.
"""

import contextlib
import hashlib
import io
import sys

import nbformat

from metaeval.core.paths import NOTEBOOKS
from metaeval.stats import monte_carlo

# lists of whose order something is made: the first is tested or quoted, numbers rise, of copies the first counts
IN_ORDER = {
    *(
        "annotators.coefficients",
        "topk.coefficients",
        "index_size.queries",
        "protocols.rivals",
    ),
    *("variance.n_documents", "findings.documents", "sera.groups"),
}


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def rows_of(frame):
    """The rows of a table as sorted lines, floats with eight digits."""
    rounded = frame.apply(
        lambda column: column.map(lambda value: f"{value:.8g}") if column.dtype == float else column
    )
    return "\n".join(sorted(rounded[sorted(rounded)].to_csv(index=False).splitlines()))


def main(n_threads, group_bytes, asked, *names):
    """Print ``NOTEBOOK FUNCTION SHA SHA`` of each table, in the order of checking."""
    monte_carlo.n_processors = lambda: int(n_threads)  # before anybody takes it, as the check of tables
    from metaeval.stats import resampling
    from metaeval.tables import columns

    resampling.GROUP_BYTES = int(group_bytes)
    check, lines = columns.check, []

    def noted(frame, **kind):
        caller = sys._getframe(1)
        caller = caller.f_back if caller.f_code.co_name == "tabulate" else caller
        # to the last bit: repr of a double is read again as that double
        content = frame.to_csv(index=False)
        called = f"{caller.f_globals['__name__'].rpartition('.')[2]}.{caller.f_code.co_name}"
        lines.append(f"{name} {called} {sha(content)} {sha(rows_of(frame))}")
        return check(frame, **kind)

    columns.check = noted
    from bookbuild.runs.quick import quick_settings

    settings = quick_settings()
    for name in names:
        notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        space = {}
        with contextlib.redirect_stdout(io.StringIO()):
            for cell in code:
                exec(compile(cell.source, f"{name}.ipynb", "exec"), space)
                if "parameters" in cell.metadata.get("tags", ()):
                    space |= settings[name]
                    if asked == "backwards":
                        space |= {
                            key: value[::-1]
                            for key, value in space.items()
                            if isinstance(value, list) and f"{name}.{key}" not in IN_ORDER
                        }
        print(*lines, sep="\n", flush=True)
        lines.clear()


if __name__ == "__main__":
    main(*sys.argv[1:])
