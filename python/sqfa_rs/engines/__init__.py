"""Engines: fits, scores and predictions of data that are distributed over a cluster."""
