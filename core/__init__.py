"""Deskside's core: retrieval, relevance and session memory. No Qt in here."""
