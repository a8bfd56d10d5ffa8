"""SERA and GeSERA: summaries are alike when a search engine finds the same documents for them."""
