"""Commands of those who maintain the book: installing, fitting, training, recording, API page."""
