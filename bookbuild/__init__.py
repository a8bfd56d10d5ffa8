"""Programs that run the notebooks and publish the book; no other storey imports them."""
