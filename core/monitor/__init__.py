"""The monitor: how the retrieval agents do, what to warn of, and what could be done (contract §8)."""
