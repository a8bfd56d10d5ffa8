"""kit.live: the live blocks of the notebooks, controls that recompute through the engine and redraw in place.

`show` stands in one cell of each notebook. With nobody in front of it (papermill, the build of the book) it
does nothing at all.
"""

from helpers.kit.live.frontend import is_interactive

__all__ = ["show"]


def show(notebook: str, **parameters) -> None:
    """Display the notebook's live block, starting from the notebook's own parameters.

    Parameters
    ----------
    notebook : name of a notebook in ``notebooks/`` that has a live block
    **parameters : the values of all parameters that the block takes, moved by a control or not

    Raises
    ------
    UnknownNameError
        If the notebook has no live block.
    TypeError
        If a parameter is missing or the block does not take it.
    """
    if not is_interactive():
        return
    # ipywidgets and Plotly's widget cost seconds to import, which no batch run should pay
    from IPython.display import display

    from helpers.blocks import experiment
    from helpers.kit.live.block import LiveBlock

    display(LiveBlock(experiment(notebook), parameters))
