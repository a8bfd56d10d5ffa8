"""What pages share: display, tables, verdicts, figures, live blocks, parameters, claims of the papers."""
