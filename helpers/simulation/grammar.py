"""simulation.grammar: words and phrases from which simulated news is made, as `simulation.texts` takes them.

They stand beside this module in ``grammar.yml``, written for this project, with what its slots mean.
"""

from __future__ import annotations

from importlib.resources import files

import yaml


def _fixed(value):
    """Lists as tuples, at any depth."""
    if isinstance(value, dict):
        return {name: _fixed(inner) for name, inner in value.items()}
    return tuple(map(_fixed, value)) if isinstance(value, list) else value


_READ = _fixed(yaml.safe_load((files("helpers.simulation") / "grammar.yml").read_text(encoding="utf8")))

FIRST_NAMES, LAST_NAMES, PLACES = (list(_READ[name]) for name in ("first_names", "last_names", "places"))
WEEKDAYS, MONTHS, ORGANISATIONS = (_READ[name] for name in ("weekdays", "months", "organisations"))
RELATIONS, COMMON, TAILS, FILLERS = (_READ[name] for name in ("relations", "common", "tails", "fillers"))
