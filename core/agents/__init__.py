"""Retrieval agents: who serves a lookup, what its calls came to, and what is reused (contract §3, §8). Pure."""
