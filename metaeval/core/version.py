"""core.version: the version of this release, for the wheel, `metaeval --version` and signatures."""

__version__ = "0.1.0"
