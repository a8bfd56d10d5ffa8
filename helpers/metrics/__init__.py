"""Scores computed from texts: ROUGE, SERA, Pyramid. Takes texts from `helpers.datasets`; knows no figure."""
