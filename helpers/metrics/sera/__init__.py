"""metrics.sera: SERA and GeSERA. Summaries are alike when a search engine finds the same documents."""
