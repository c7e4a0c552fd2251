"""What makes lookups fast: derived from the database, never the truth."""
