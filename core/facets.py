"""Facets: where a text names a product, a version, a system, an error code or a symptom. Lists and patterns; pure.

An answer reads some forty texts for it, so what is no more than a substring is looked for before any pattern is tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from core.model import Facet
from core.paths import resources_dir
from core.text import HAN, fold, fold_with_map

DEVICE = "device"
_Place = tuple[int, int]
_HEX = re.compile(r"(?<![a-z0-9_])0x[0-9a-f]{3,}(?![a-z0-9_])")
_JOINED = re.compile(r"(?<![a-z0-9_])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![a-z0-9_])")
_TELLS_OF_FAILURE = re.compile("err|fail|exception|timeout|violation|denied|invalid")
_DIGITS = re.compile(r"(?<![0-9.])\d{2,}(?:\.\d+)*")
_LONGEST_INTRODUCTION = 20
# 错误 691, error 1603, event ID 4625; also 错误 E-0012.
_INTRODUCED = re.compile(
    r"(?:错误|故障|状态|返回)?(?:代码|码|号)\s*[:#]?\s*(?P<a>[a-z]{0,4}-?)$"
    r"|(?:错误|报错|事件(?:\s*id|编号)?)\s*[:#]?\s*(?P<b>[a-z]{0,4}-?)$"
    r"|(?<![a-z])(?:errors?|(?:error|event|status|stop)?\s*(?:codes?|ids?)|event|http)\s*[:#]?\s*(?P<c>(?:[a-z]{1,4}-)?)$"
)
_LETTERED = re.compile(r"(?<![a-z0-9_])(?P<d>e(?:rr)?-?)$")
_VERSION = re.compile(
    r"(?<![a-z0-9_])(?:v|(?:version|版本)\s*:?\s*)(?P<v>\d+(?:\.\d+)*)(?![\w-])"
    r"|(?<=[a-z] )(?P<dotted>\d{1,3}(?:\.(?:\d{1,3}|x)){1,2})(?![\w.%-]|\s*(?:[kmgt]b|ghz))"
    r"|(?<=[a-z] )(?P<year>(?:19|20)\d\d)(?!\d|\s*年|[-/.]\d)"
)
_SYSTEM_VERSION = re.compile(r"\s?(?:\d{1,4}(?:\.\d+)*|xp|vista)(?:\s?r2)?(?![a-z0-9%])")
# A Latin name in a Chinese title (Outlook, Microsoft Defender for Endpoint); no beginning of an English sentence.
_LATIN_NAME = re.compile(
    r"(?<![A-Za-z0-9_./:\\-])[A-Z][A-Za-z+]+(?:[ -](?:for |of )?[A-Z][A-Za-z+]*)*(?![A-Za-z0-9_(./\\:=-]| [a-z])"
)
_HAN = re.compile(f"[{HAN}]")
_NO_PRODUCTS = frozenset(
    "faq api url uri id ip cpu gpu ai it pc pdf csv xml json html sql ui ram ssd os web qa dns http https ssl tls tcp "  # noqa: SIM905
    "udp ok no error event windows microsoft mac usb lan wan app apps user users admin key keys lock show select get "
    "set create alter drop update delete insert internet".split()
)


@dataclass(frozen=True, slots=True)
class Found:
    """A value of a facet: `key` for equality, as it was `written`, `family` (the system without its version; `device`
    for a kind of device), and whether a name (title, keyword, heading) said it or a body."""

    facet: Facet
    key: str
    written: str = ""
    family: str = ""
    naming: bool = True


@dataclass(frozen=True, slots=True)
class _Names:
    """A list of names: every form folded, longest first, with the first form of its line."""

    forms: tuple[tuple[str, str], ...]

    def places(self, folded: str) -> Iterator[tuple[int, int, str]]:
        """Where names stand (start, end, first form), none inside a longer one. Latin ones stand by themselves."""
        taken: list[_Place] = []
        for form, first in [pair for pair in self.forms if pair[0] in folded]:
            at = folded.find(form)
            while at >= 0:
                end = at + len(form)
                if _is_whole(folded, at, end, form) and all(end <= a or b <= at for a, b in taken):
                    taken.append((at, end))
                    yield at, end, first
                at = folded.find(form, end)


def found_in_name(text: str) -> Iterator[Found]:
    """What titles, keywords, headings or a question say of every facet."""
    folded, where = fold_with_map(text)
    taken: list[_Place] = []

    finders: tuple[Callable[[str], Iterator[tuple[int, int, Found]]], ...] = (_codes, _systems, _listed, _versions)
    for finder in finders:
        for start, end, found in finder(folded):
            if all(end <= other or after <= start for other, after in taken):
                taken.append((start, end))
                yield _as_written(found, text, (where[start], where[end]))


def latin_names(title: str) -> Iterator[Found]:
    """The Latin names in a title that is Chinese otherwise: products, as a rule. Listed ones are found as such."""
    if not _HAN.search(title):
        return
    for name in _LATIN_NAME.finditer(title):
        key = fold(name.group()).removeprefix("microsoft ")
        if key not in _NO_PRODUCTS and not _holds_a_listed_name(key):
            yield Found(Facet.PRODUCT, key, name.group())


def found_in_body(text: str) -> Iterator[Found]:
    """The codes and versions of systems that a passage mentions; everything else there is said of too much."""
    folded, where = fold_with_map(text)
    for finder in (_codes, _systems):
        for start, end, found in finder(folded):
            if found.facet is Facet.ERROR_CODE or found.key != found.family:
                yield replace(_as_written(found, text, (where[start], where[end])), naming=False)


def is_named(folded: str) -> bool:
    """Whether folded text says something of a facet other than the product."""
    finders = (_codes, _systems, _versions)
    return any(True for finder in finders for _ in finder(folded)) or any(_names("symptoms").places(folded))


def _as_written(found: Found, text: str, place: _Place) -> Found:
    return replace(found, written=" ".join(text[place[0] : place[1]].split()))


# --------------------------------------------------------------------- finders


def _codes(folded: str) -> Iterator[tuple[int, int, Found]]:
    if "0x" in folded:
        for match in _HEX.finditer(folded):
            yield *match.span(), Found(Facet.ERROR_CODE, match.group())
    if "_" in folded:
        for match in _JOINED.finditer(folded):
            if _TELLS_OF_FAILURE.search(match.group()):
                yield *match.span(), Found(Facet.ERROR_CODE, match.group())
    for match in _DIGITS.finditer(folded):
        start, end = match.span()
        before = folded[max(0, start - _LONGEST_INTRODUCTION) : start]
        said = _INTRODUCED.search(before) or (_LETTERED.search(before) if end - start >= 3 else None)
        if said is not None and not (folded[end : end + 1].isalnum() or folded[end : end + 1] in {"_", "%"}):
            start -= len(said.group(said.lastgroup or 0))
            yield start, end, Found(Facet.ERROR_CODE, folded[start:end])


def _systems(folded: str) -> Iterator[tuple[int, int, Found]]:
    for start, end, family in _names("systems").places(folded):
        version = _SYSTEM_VERSION.match(folded, end)
        if version is not None:
            key = f"{family} {' '.join(version.group().split())}"
            yield start, version.end(), Found(Facet.SYSTEM, key, family=family)
        elif end - start > len("win"):
            yield start, end, Found(Facet.SYSTEM, family, family=family)


def _listed(folded: str) -> Iterator[tuple[int, int, Found]]:
    for name, facet, family in (
        ("products", Facet.PRODUCT, ""),
        ("devices", Facet.PRODUCT, DEVICE),
        ("symptoms", Facet.SYMPTOM, ""),
    ):
        for start, end, first in _names(name).places(folded):
            yield start, end, Found(facet, first, family=family)


def _versions(folded: str) -> Iterator[tuple[int, int, Found]]:
    for match in _VERSION.finditer(folded):
        yield *match.span(), Found(Facet.VERSION, match.group(match.lastgroup or 0))


# ----------------------------------------------------------------------- lists


@cache
def _names(name: str) -> _Names:
    """A list of `resources/words`: one thing a line, its forms parted by blanks, `_` for a blank."""
    first: dict[str, str] = {}
    for line in (resources_dir() / "words" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            forms = [fold(form.replace("_", " ")) for form in line.split()]
            first.update((form, forms[0]) for form in forms)
    return _Names(tuple(sorted(first.items(), key=lambda item: (-len(item[0]), item[0]))))


@lru_cache(maxsize=4096)
def _holds_a_listed_name(folded: str) -> bool:
    return any(True for name in ("systems", "products") for _ in _names(name).places(folded))


def _is_whole(folded: str, start: int, end: int, form: str) -> bool:
    """Latin words stand by themselves; a number may follow at once (win11). Chinese ones stand anywhere."""
    if not form.isascii():
        return True
    before, after = folded[start - 1 : start], folded[end : end + 1]
    return not (before.isascii() and before.isalnum()) and not (after.isascii() and after.isalpha())
