"""Embedders: what turns chunks and queries into vectors."""
