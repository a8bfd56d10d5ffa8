"""A number or a word that a function of `experiments` has by default is what its page asks with."""

import ast
import importlib
import inspect
import textwrap

from helpers.experiments import pairs, variance
from helpers.kit.parameters import default_parameters
from metaeval.core.paths import NOTEBOOKS, ROOT

# where a page asks for more draws, or for fewer to be quick, or for another view than the function has
OF_ITS_OWN = {
    ("disagreements", "doubled_pair", "n_resamples"): 1000,
    ("disagreements", "extractive_f1", "n_resamples"): 1000,
    ("index_size", "table", "n_subsets"): 5,
    ("power", "table", "n_resamples"): 1000,
    ("sampling", "compare_designs", "n_samples"): 1000,
    ("sampling", "table", "n_samples"): 1000,
    ("test_set", "interval_bounds", "n_repeats"): 5,
    ("test_set", "width_reduction", "n_repeats"): 5,
    ("truth", "coverage", "n_resamples"): 500,
    ("truth", "coverage", "n_trials"): 200,
    ("truth", "rejections", "n_resamples"): 500,
    ("truth", "rejections", "n_trials"): 200,
}


def own_defaults(function):
    """Defaults of a function that are plain numbers or words, by name."""
    defaults = {name: one.default for name, one in inspect.signature(function).parameters.items()}
    return {name: value for name, value in defaults.items() if isinstance(value, int | float | str)}


def all_defaults(function):
    """Also those of functions that get what it takes as ``**settings``, by name; its own go first."""
    code = inspect.unwrap(function)
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(code))).body
    inherited = {}
    for call in ast.walk(node) if node.args.kwarg else ():
        passed = [part for part in getattr(call, "keywords", ()) if part.arg is None]
        names = {one.id for part in passed for one in ast.walk(part.value) if isinstance(one, ast.Name)}
        called = isinstance(call, ast.Call) and node.args.kwarg.arg in names and resolved(call.func, code)
        if inspect.isfunction(called):
            named = {part.arg for part in call.keywords}
            more = {name: value for name, value in all_defaults(called).items() if name not in named}
            # how many draws the library makes is for its callers to say
            if called.__module__.startswith("metaeval."):
                more.pop("n_resamples", None)
            inherited |= more
    return inherited | own_defaults(function)


def resolved(node, function):
    """The object that a name in a function's code stands for, or None."""
    if isinstance(node, ast.Attribute):
        return getattr(resolved(node.value, function), node.attr, None)
    return function.__globals__.get(node.id) if isinstance(node, ast.Name) else None


def test_functions_ask_by_default_as_their_pages_do():
    others, n = {}, 0
    for page in NOTEBOOKS.glob("*.ipynb"):
        if not (ROOT / "helpers" / "experiments" / f"{page.stem}.py").exists():
            continue
        module = importlib.import_module(f"helpers.experiments.{page.stem}")
        asked = default_parameters(page)
        for key, function in inspect.getmembers(module, inspect.isfunction):
            if key.startswith("_") or function.__module__ != module.__name__:
                continue
            for name, value in all_defaults(function).items():
                n += name in asked
                if name in asked and value != asked[name]:
                    others[page.stem, key, name] = value
    assert n > 150
    assert others == OF_ITS_OWN


def test_defaults_are_followed_where_settings_are_passed_on():
    defaults = all_defaults(variance.whole_stability)
    assert defaults == own_defaults(variance.whole_stability) | {"n_draws": 300}
    assert "n_resamples" not in own_defaults(pairs.label_table)
    assert all_defaults(pairs.label_table)["n_resamples"] == 1000
