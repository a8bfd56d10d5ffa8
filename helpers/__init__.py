"""Meta-evaluation of summarization metrics: the computations under the book."""
