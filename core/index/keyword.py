"""L0: which articles the exact terms of a query leave, and whether they leave exactly one (contract §4)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Protocol

from core.identifiers import Identifier, find_identifiers, hexadecimal_aliases, neighbour_joins
from core.text import HAN, Words

DECLARED = "declared"
PART = "part"
_WORD_RUN = re.compile(rf"[{HAN}]+|[^\W_{HAN}]+|_+")
_LONGEST_TERM = 80
_MOST_TOKENS_IN_TERM = 10
_FEW = 3
_ALL = 1_000_000


class TermSource(Protocol):
    """Where L0 looks terms up."""

    def term_articles(self, terms: Sequence[str]) -> Mapping[str, Sequence[tuple[int, str, bool]]]:
        """For each known term: (article id, kind, is an identifier)."""

    def holders_of(self, squeezed: str, limit: int) -> Sequence[int]:
        """Articles whose title, headings or body hold the squeezed text, `limit` at most."""

    def holds_all(self, article_id: int, words: Sequence[Sequence[str]]) -> bool:
        """Whether an article's title, keywords, headings or body hold one form of every word (substrings)."""

    def quoters_of(self, words: Sequence[str], squeezed: str, limit: int) -> int:
        """How many articles hold the words just as they stand, parted as in `squeezed`; counted up to `limit`."""

    def reviewed(self, article_ids: Collection[int]) -> frozenset[int]:
        """These articles without drafts and field notes."""

    def text_hashes(self, article_ids: Collection[int]) -> Mapping[int, str]:
        """The text hash of each article; exact copies share one."""


@dataclass(frozen=True, slots=True)
class MatchedTerm:
    """A term of the query that the base holds, and the articles it leaves."""

    text: str
    start: int
    end: int
    identifier: bool
    declared: bool
    part: bool
    articles: frozenset[int]

    @property
    def only_a_mentioned_number(self) -> bool:
        """Digits alone that no article declares and that are no part of a code."""
        return self.identifier and self.text.isdigit() and not self.declared and not self.part


@dataclass(frozen=True, slots=True)
class ExactMatch:
    """What L0 found. `articles`: the match; `precise`: the one article (with its copies) that terms which count
    towards PRECISE leave, else empty; `through_identifier`: whether an identifier led to `articles`; `unheld`:
    identifiers typed that the base does not hold."""

    terms: tuple[MatchedTerm, ...] = ()
    articles: frozenset[int] = frozenset()
    precise: frozenset[int] = frozenset()
    through_identifier: bool = False
    unheld: tuple[str, ...] = ()
    identifiers: tuple[Identifier, ...] = field(default=())

    @property
    def more_than_a_number(self) -> bool:
        """Whether the match is worth a REFERENCE by itself."""
        return bool(self.articles) and any(not term.only_a_mentioned_number for term in self.terms)


def match_terms(squeezed: str, words: Words, source: TermSource, needed: Sequence[Sequence[str]] = ()) -> ExactMatch:
    """Look the query's terms up. `squeezed`: the query, folded and squeezed; `needed`: the informative words, each in
    all its forms: an article that lacks one is not PRECISE, whatever else holds the word that led to it."""
    typed = find_identifiers(squeezed)
    joins = neighbour_joins(squeezed)
    spans = _word_spans(squeezed, words)
    known = source.term_articles(_candidates(squeezed, typed, joins, spans))
    named = _word_terms(squeezed, spans, known)
    # Words that a title or keyword holds just as they stand are no code with its dashes left out.
    as_named = {(term.start, term.end) for term in named}
    joins = [
        join
        for join in joins
        if (join.start, join.end) not in as_named and _is_code_in_pieces(join, squeezed, known, source)
    ]
    identifiers, unheld = _identifier_terms(typed, joins, known)
    terms = [*identifiers, *named]
    terms = [term for term in terms if not any(_inside(term, other) for other in terms)]
    covered = [(term.start, term.end) for term in terms]
    unheld = [code for code in unheld if not any(start <= code.start and code.end <= end for start, end in covered)]
    articles, through_identifier = _match(terms)
    hashes = source.text_hashes({article for term in terms for article in term.articles})
    return ExactMatch(
        terms=tuple(terms),
        articles=articles,
        precise=_precise(terms, hashes, source, needed),
        through_identifier=through_identifier,
        unheld=tuple(code.text for code in unheld),
        identifiers=tuple(typed),
    )


# ----------------------------------------------------------------- candidates


def _word_spans(squeezed: str, words: Words) -> list[tuple[int, int]]:
    """The token boundaries of a query: where words begin and end."""
    spans = []
    for run in _WORD_RUN.finditer(squeezed):
        at = run.start()
        text = run.group()
        for word in words.cut(text) if re.match(f"[{HAN}]", text) else (text,):
            spans.append((at, at + len(word)))
            at += len(word)
    return spans


def _stretches(spans: Sequence[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    """All stretches of neighbouring tokens that a word term could stand in, and the whole query."""
    for first, (start, _) in enumerate(spans):
        for _, end in spans[first : first + _MOST_TOKENS_IN_TERM]:
            if end - start > _LONGEST_TERM:
                break
            yield start, end
    if spans:
        yield spans[0][0], spans[-1][1]


def _candidates(
    squeezed: str, typed: Sequence[Identifier], joins: Sequence[Identifier], spans: Sequence[tuple[int, int]]
) -> list[str]:
    terms = {squeezed[start:end] for start, end in _stretches(spans)} | {squeezed.strip()}
    for identifier in (*typed, *joins):
        terms.update(_keys(identifier))
        for piece in _pieces(identifier):
            terms.update(_keys(piece))
    return [term for term in terms if term]


def _keys(identifier: Identifier) -> list[str]:
    """The keys an identifier is looked up by, its own first."""
    shorter = [alias for alias in hexadecimal_aliases(identifier.key) if alias.startswith("0x")]
    return [identifier.key, *shorter]


def _pieces(identifier: Identifier) -> list[Identifier]:
    """The codes inside a run joined by `: / #`, for when the run as a whole is not held."""
    pieces: list[Identifier] = []
    at = identifier.start
    for text in re.split(r"([:/#])", identifier.text):
        if text not in {":", "/", "#", identifier.text}:
            pieces.extend(
                Identifier(code.text, code.key, at + code.start, at + code.end) for code in find_identifiers(text)
            )
        at += len(text)
    return pieces


# ---------------------------------------------------------------------- terms


def _is_code_in_pieces(
    join: Identifier, squeezed: str, known: Mapping[str, Sequence[tuple[int, str, bool]]], source: TermSource
) -> bool:
    """Whether neighbouring words mean the code that they make together: not when more articles write them apart
    (Windows 10) than write the code (windows10.iso)."""
    words = squeezed[join.start : join.end].split()
    holders = {article for article, _, is_code in known.get(join.key, ()) if is_code}
    if len(words) < 2 or not holders:
        return True
    return source.quoters_of(words, squeezed[join.start : join.end], len(holders) + 1) <= len(holders)


def _identifier_terms(
    typed: Sequence[Identifier], joins: Sequence[Identifier], known: Mapping[str, Sequence[tuple[int, str, bool]]]
) -> tuple[list[MatchedTerm], list[Identifier]]:
    """The identifiers of the query that the base holds (the longest join wins), and those it does not hold."""
    taken: list[tuple[int, int]] = []
    terms: list[MatchedTerm] = []

    def free(identifier: Identifier) -> bool:
        return all(identifier.end <= start or end <= identifier.start for start, end in taken)

    def take(identifier: Identifier) -> bool:
        term = _identifier_term(identifier, known) if free(identifier) else None
        if term is None:
            return False
        terms.append(term)
        taken.append((identifier.start, identifier.end))
        return True

    # A longer run wins over a shorter one, and a code as it was typed over a join of the same length.
    for _, group in groupby(
        sorted([*typed, *joins], key=lambda code: code.start - code.end), key=lambda code: code.end - code.start
    ):
        for identifier in group:
            take(identifier)
    unheld = []
    for identifier in typed:
        if free(identifier) and not [piece for piece in _pieces(identifier) if take(piece)]:
            unheld.append(identifier)
    return terms, unheld


def _identifier_term(
    identifier: Identifier, known: Mapping[str, Sequence[tuple[int, str, bool]]]
) -> MatchedTerm | None:
    for key in _keys(identifier):
        rows = [(article, kind) for article, kind, is_identifier in known.get(key, ()) if is_identifier]
        if rows:
            declared = {article for article, kind in rows if kind == DECLARED}
            return MatchedTerm(
                text=identifier.text,
                start=identifier.start,
                end=identifier.end,
                identifier=True,
                declared=bool(declared),
                part=any(kind == PART for _, kind in rows),
                articles=frozenset(declared or {article for article, _ in rows}),
            )
    return None


def _word_terms(
    squeezed: str, spans: Sequence[tuple[int, int]], known: Mapping[str, Sequence[tuple[int, str, bool]]]
) -> list[MatchedTerm]:
    terms = {}
    whole = squeezed.strip()
    for start, end in (*_stretches(spans), (squeezed.find(whole), squeezed.find(whole) + len(whole))):
        articles = frozenset(article for article, _, is_code in known.get(squeezed[start:end], ()) if not is_code)
        if articles:
            terms[start, end] = MatchedTerm(squeezed[start:end], start, end, False, True, False, articles)
    return list(terms.values())


def _inside(term: MatchedTerm, other: MatchedTerm) -> bool:
    """Whether a term stands inside a longer matched one."""
    longer = other.end - other.start > term.end - term.start
    return longer and other.start <= term.start and term.end <= other.end


# ---------------------------------------------------------------------- match


def _match(terms: Sequence[MatchedTerm]) -> tuple[frozenset[int], bool]:
    """The articles that the terms leave, and whether an identifier led there."""
    if not terms:
        return frozenset(), False
    codes = [term for term in terms if term.identifier]
    common = frozenset.intersection(*(term.articles for term in terms))
    if common:
        return common, bool(codes)
    if codes:
        return min(codes, key=lambda term: len(term.articles)).articles, True
    return frozenset(), False


def _precise(
    terms: Sequence[MatchedTerm], hashes: Mapping[int, str], source: TermSource, needed: Sequence[Sequence[str]]
) -> frozenset[int]:
    """The one article, with its copies, that the terms which count towards PRECISE leave; else nothing."""
    common = frozenset.intersection(*(term.articles for term in terms)) if terms else frozenset()
    if len(_texts(common, hashes)) > 1:  # some of the terms leave at least as many
        return frozenset()
    counting = [
        term
        for term in terms
        if (term.identifier and not term.only_a_mentioned_number)
        or (not term.identifier and _counts(term, hashes, source, needed))
    ]
    left, _ = _match(counting)
    return left if len(_texts(left, hashes)) == 1 else frozenset()


def _texts(articles: Collection[int], hashes: Mapping[int, str]) -> set[str]:
    """The distinct texts of some articles: exact copies count once."""
    return {hashes.get(article, str(article)) for article in articles}


def _counts(term: MatchedTerm, hashes: Mapping[int, str], source: TermSource, needed: Sequence[Sequence[str]]) -> bool:
    """Whether a word counts towards PRECISE. The dear question, who else holds it, comes last."""
    if len(term.articles) <= _FEW and not any(source.holds_all(article, needed) for article in term.articles):
        return False
    return _only_declarers_hold(term, hashes, source)


def _only_declarers_hold(term: MatchedTerm, hashes: Mapping[int, str], source: TermSource) -> bool:
    """Whether no other article holds the word; copies of a declaring article are not others, nor are field notes."""
    declaring = {hashes.get(article) for article in term.articles}
    enough = len(term.articles) + 3
    holders = source.holders_of(term.text, enough)
    others = source.reviewed([article for article in holders if article not in term.articles])
    if not others and len(holders) == enough:
        others = source.reviewed(source.holders_of(term.text, _ALL)) - term.articles
    return all(text_hash in declaring for text_hash in source.text_hashes(others).values()) if others else True
