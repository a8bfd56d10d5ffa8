"""The engine: plain arrays in, arrays and result objects out. Independent of data sets, tables and files."""
