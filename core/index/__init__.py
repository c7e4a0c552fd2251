"""Indexes: derived from the database, rebuilt at any time. Nothing here reads the database."""
