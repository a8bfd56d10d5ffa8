"""simulation.grammar: words and phrases from which simulated news is made, as `simulation.texts` takes them.

They stand in ``data/simulation/texts/grammar.yml``, written for this project, with what its slots mean.
"""

from __future__ import annotations

import yaml

from helpers.paths import DATA


def _fixed(value):
    """Lists as tuples, at any depth."""
    if isinstance(value, dict):
        return {name: _fixed(inner) for name, inner in value.items()}
    return tuple(map(_fixed, value)) if isinstance(value, list) else value


_READ = _fixed(yaml.safe_load((DATA / "simulation" / "texts" / "grammar.yml").read_text(encoding="utf8")))

FIRST_NAMES, LAST_NAMES, PLACES = (list(_READ[name]) for name in ("first_names", "last_names", "places"))
WEEKDAYS, MONTHS, ORGANISATIONS = (_READ[name] for name in ("weekdays", "months", "organisations"))
RELATIONS, COMMON, TAILS, FILLERS = (_READ[name] for name in ("relations", "common", "tails", "fillers"))
