"""One file a format: bytes in, records out."""
