"""The engine: plain arrays in, arrays and result objects out. Knows no dataset, no DataFrame and no file."""
