"""Places in a text, in the units that Qt counts (UTF-16), not in characters."""

from __future__ import annotations


def unit_place(text: str, place: int) -> int:
    """The same place counted in UTF-16 units: characters beyond the first plane count twice."""
    head = text[:place]
    return len(head) if head.isascii() else len(head.encode("utf-16-le", "surrogatepass")) // 2
