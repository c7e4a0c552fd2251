"""Measures retrieval and badges on a folder of real knowledge bases and benchmarks; run by hand, never by the tests."""
