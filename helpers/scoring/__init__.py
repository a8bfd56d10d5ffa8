"""Metrics computed from texts."""
