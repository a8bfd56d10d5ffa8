"""What is read once of our project, and a notebook that is made for a test."""

import nbformat
import pytest

from bookbuild.runs.fingerprints import Project

PARAMETERS = (
    'k: int = 10  # how many\nname: str = "x"\nshare: float = 0.5\nflag: bool = False\ngroups: list = ["a"]\n'
    "sizes: list = [8, 12]\ngains: list = [0.5]\nfolders: list = []"
)


@pytest.fixture(scope="session")
def project():
    """Our own project, whose modules take a second to read."""
    return Project()


@pytest.fixture
def notebook(tmp_path):
    """A function from the sources of cells to the path of a notebook that has them below its parameters."""

    def make(*sources):
        cells = [nbformat.v4.new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]})]
        cells += [nbformat.v4.new_code_cell(source) for source in sources]
        path = tmp_path / "made.ipynb"
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), path)
        return path

    return make
