"""The project's own folders, found from the code and not from where a command was started.

Papermill runs notebooks in the shell's folder, JupyterLab in the notebook's.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data"
NOTEBOOKS = ROOT / "notebooks"
BOOK = ROOT / "book"
EXECUTED = BOOK / "executed"
