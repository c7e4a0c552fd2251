"""Tests: each states a rule and can fail. The tree mirrors the program's."""
