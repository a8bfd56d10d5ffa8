"""Scores computed from texts: ROUGE, SERA, Pyramid. Takes texts from `metaeval.datasets`; knows no figure."""
