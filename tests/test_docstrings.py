"""Every example in a docstring runs and gives what it shows; every public function says what it does."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import helpers

MODULES = sorted(module.name for module in pkgutil.walk_packages(helpers.__path__, "helpers."))


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_modules_and_public_functions_are_documented(name):
    module = importlib.import_module(name)
    assert module.__doc__
    public = [
        item
        for item_name, item in vars(module).items()
        if not item_name.startswith("_")
        and (inspect.isfunction(item) or inspect.isclass(item))
        and item.__module__ == name
    ]
    assert [item.__qualname__ for item in public if not inspect.getdoc(item)] == []
