"""Commands of those who maintain the book: fitting, learning, judging, recording, generated pages."""
