"""own: a user's own files, from bytes to one table of scores.

In this order: `parsing` makes tables of a file's bytes, rows and named columns as they stand. `tools` knows
the writer of some, and what their columns are; of the others `unfolding` makes rows of nested cells. `roles`
proposes what each column is, with a reason, by `rules`, `choices`, `contents`, `values` and the `words` of
``data/roles.yml``. `joining` names owners, finds the columns that files share and makes a row of each score;
`runs` merges what is said more than once. `tidy` calls these one after the other. `benchmark`, `texts` and
`units` are what else is read; `writing` writes tables.
"""
