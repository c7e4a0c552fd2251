"""SQLite, the truth."""
