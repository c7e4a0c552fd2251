"""Synonyms: groups of words that mean the same, those that ship with the program and the user's own.

A line is a group, its words parted by blanks, commas, semicolons or `=`; `_` stands for a blank, `#` begins a comment.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from core.text import fold, squeeze

log = logging.getLogger(__name__)

Group = tuple[str, ...]
_Stamp = tuple[int, int] | None
_BETWEEN = re.compile(r"[\s,，、;；=]+")


@dataclass(frozen=True, slots=True)
class _Table:
    """All groups as they were read once, the words that each word stands beside, and what file that was."""

    groups: tuple[Group, ...]
    others: dict[str, Group]
    stamp: _Stamp


class Synonyms:
    """Which words stand for which, both ways, folded. Thread-safe: a query sees one table or the next."""

    def __init__(self, shipped: Path, own: Path | None = None) -> None:
        """`own`: the user's list; it may be missing."""
        self._shipped = tuple(_groups(shipped, shipped.read_text(encoding="utf-8")))
        self._own = own
        self._table = self._read(None)
        self.keep_up()

    @property
    def groups(self) -> tuple[Group, ...]:
        """The shipped groups, then the user's."""
        return self._table.groups

    @property
    def version(self) -> tuple[int, int] | None:
        """Another one whenever the user's list was read anew."""
        return self._table.stamp

    def of(self, word: str) -> Group:
        """The other words of the groups that `word` stands in, in order."""
        return self._table.others.get(word, ())

    def __contains__(self, word: str) -> bool:
        return word in self._table.others

    def keep_up(self) -> None:
        """Read the user's list again when it has changed. Costs a look at the file; a list that cannot be read leaves
        the words as they were."""
        stamp = self._stamp()
        if stamp != self._table.stamp:
            try:
                self._table = self._read(stamp)
            except OSError as error:
                log.warning("the list of synonyms cannot be read: %s", error)

    def _stamp(self) -> _Stamp:
        try:
            now = self._own.stat() if self._own is not None else None
        except OSError:
            now = None
        return None if now is None else (now.st_mtime_ns, now.st_size)

    def _read(self, stamp: _Stamp) -> _Table:
        own: Iterable[Group] = ()
        if stamp is not None and self._own is not None:
            own = _groups(self._own, self._own.read_text(encoding="utf-8-sig", errors="replace"))
        groups = (*self._shipped, *own)
        others: dict[str, list[str]] = {}
        for group in groups:
            for word in group:
                others.setdefault(word, []).extend(other for other in group if other != word)
        return _Table(groups, {word: tuple(dict.fromkeys(found)) for word, found in others.items()}, stamp)


def _groups(path: Path, text: str) -> list[Group]:
    """The groups of a list. A line that makes none, or holds what no text encoding gave, is skipped and said."""
    groups = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        words = [squeeze(fold(word.replace("_", " "))).strip() for word in _BETWEEN.split(line)]
        group = tuple(dict.fromkeys(word for word in words if word))
        if len(group) < 2 or "\ufffd" in line:
            log.warning("%s, line %d makes no group of synonyms and is skipped: %s", path.name, number, line.strip())
            continue
        groups.append(group)
    return groups
