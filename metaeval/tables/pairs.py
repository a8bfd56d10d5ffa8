"""tables.pairs: choices of judges and people between two outputs.

Readers of pairwise releases return this shape; nothing here computes statistics.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.core.errors import DataError, listing
from metaeval.tables.benchmark import Provenance, read_only, with_ids

ORDERS = ("as listed", "swapped")  # which of the two outputs a judge was shown first
FIRST, TIE, SECOND = 1.0, 0.5, 0.0
PEOPLE = "people"  # the only rater of some releases


@dataclass(frozen=True, eq=False)
class Pairs:
    """Choices between two outputs.

    Attributes
    ----------
    name, title : str
    items : DataFrame, index pair, with columns set, dimension, document, first, second
        What is compared; ``""`` where the release does not say.
    judges : DataArray of float, dims (judge, order, pair)
        1 where the first of the two as listed is called the better, 0 where the second is, 0.5 for
        neither, in whichever order they were shown; NaN where there is no answer or it cannot be read.
    answered : DataArray of bool, dims as `judges`
        True where there is an answer, readable or not.
    people : DataArray of float, dims (rater, pair), as `judges`; NaN where a rater did not judge
    provenance : Provenance
    """

    name: str
    title: str
    items: pd.DataFrame
    judges: xr.DataArray
    answered: xr.DataArray
    people: xr.DataArray
    provenance: Provenance

    def select(self, stays: np.ndarray) -> Pairs:
        """The pairs of a mask (n_pairs,)."""
        parts = {name: getattr(self, name).isel(pair=stays) for name in ("judges", "answered", "people")}
        return replace(self, items=self.items[stays], **parts)

    def unreadable(self) -> pd.DataFrame:
        """Share of a judge's answers that cannot be read, with columns set, dimension, judge, value,
        n_total."""
        rows = []
        groups = self.items.groupby(["set", "dimension"], sort=False).indices
        for (of, dimension), places in groups.items():
            answered, judged = self.answered[..., places], self.judges[..., places]
            for judge in self.judges.indexes["judge"]:
                has_answer = answered.sel(judge=judge).to_numpy()
                if has_answer.any():
                    lost = np.isnan(judged.sel(judge=judge).to_numpy()) & has_answer
                    rows.append((of, dimension, judge, lost.sum() / has_answer.sum(), int(has_answer.sum())))
        return pd.DataFrame(rows, columns=["set", "dimension", "judge", "value", "n_total"])


def assemble_pairs(
    *,
    name: str,
    title: str,
    items: Mapping[str, Mapping[str, str]],
    judges: Mapping[tuple[str, str, str], float],
    people: Mapping[tuple[str, str], float],
    provenance: Provenance,
) -> Pairs:
    """Read-only Pairs.

    Parameters
    ----------
    items : mapping, pair -> set, dimension, document, first, second
    judges : mapping, (judge, order, pair) -> choice; NaN where an answer cannot be read
    people : mapping, (rater, pair) -> choice

    Raises
    ------
    DataError
        If a choice is of a pair that is not among the items.
    """
    unknown = {pair for *_, pair in (*judges, *people)} - set(items)
    if unknown:
        raise DataError(f"{name}: choices between pairs that are not listed: {listing(unknown)}")
    column = {pair: place for place, pair in enumerate(items)}
    row = {judge: place for place, judge in enumerate(dict.fromkeys(judge for judge, *_ in judges))}
    rater = {one: place for place, one in enumerate(dict.fromkeys(one for one, _ in people))}
    chosen = np.full((len(row), len(ORDERS), len(items)), np.nan)
    answered = np.zeros(chosen.shape, dtype=bool)
    for (judge, order, pair), choice in judges.items():
        place = row[judge], ORDERS.index(order), column[pair]
        chosen[place], answered[place] = choice, True
    ratings = np.full((len(rater), len(items)), np.nan)
    for (one, pair), choice in people.items():
        ratings[rater[one], column[pair]] = choice
    ids = {"judge": row, "order": ORDERS, "pair": items}
    people_given = with_ids(read_only(ratings), rater=rater, pair=items)
    columns = ["set", "dimension", "document", "first", "second"]
    return Pairs(
        name=name,
        title=title,
        items=pd.DataFrame(list(items.values()), index=people_given.indexes["pair"], columns=columns),
        judges=with_ids(read_only(chosen), **ids),
        answered=with_ids(read_only(answered), **ids),
        people=people_given,
        provenance=provenance,
    )


def pair_item(*, document: str, set: str = "", dimension: str = "", first: str = "", second: str = ""):
    """An item of `assemble_pairs`."""
    return {"set": set, "dimension": dimension, "document": document, "first": first, "second": second}


def votes_by_voter(choices: Mapping[tuple[str, str], float]) -> dict[str, dict]:
    """Arguments of `assemble_pairs` from (voter, pair) -> choice of `PEOPLE` and of judges, in one order."""
    return {
        "judges": {(who, ORDERS[0], pair): vote for (who, pair), vote in choices.items() if who != PEOPLE},
        "people": {cell: vote for cell, vote in choices.items() if cell[0] == PEOPLE},
    }
