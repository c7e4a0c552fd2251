"""Bytes → text: which encoding a file is in. Never mojibake in silence, never NUL characters."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from core.ingest.unusable import BadContent
from core.reasons import Reason

# The 32-bit marks begin with the 16-bit ones, so they are tried first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_ISOLATED = re.compile(rb"(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNTYPICAL = re.compile("[\x80-\x9f\ue000-\uf8ff\ufffd\uffff]")
_OTHER_SCRIPTS = ("euc", "shift", "cp932", "cp949", "johab", "iso-2022", "koi8", "windows-1251", "windows-874")
_LATIN = ("windows-1250", "windows-1254", "windows-1257", "windows-1258")
_SAMPLE = 200_000


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with `\\n` line ends, without NULs, controls and lone surrogates; `notes` say what was odd."""

    text: str
    encoding: str
    notes: tuple[Reason, ...] = ()


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """Byte-order mark, then UTF-8, then UTF-16 by its pattern of NULs, then `declared`, then a detector.

    Raises BadContent when no encoding gives text.
    """
    for mark, marked in _MARKS:
        if data.startswith(mark):
            return _marked(data[len(mark) :], marked)
    if b"\0" in data and (wide := _unmarked_utf16(data)):
        return _finished(data.decode(wide), wide)
    try:
        return _finished(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        pass
    if b"\0" in data:
        raise BadContent("nul_bytes")
    if (damaged := _damaged_utf8(data)) is not None:
        return damaged
    for encoding in (declared, _legacy(data)):
        if encoding and (text := _strict(data, encoding)) is not None:
            return _finished(text, encoding)
    raise BadContent("encoding_unknown")


def clean(text: str) -> tuple[str, tuple[Reason, ...]]:
    """Text that can be stored: one kind of line end, no NULs, controls or lone surrogates; and what was changed."""
    notes: list[Reason] = []
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text, controls = _CONTROL.subn("", text)
    if controls:
        notes.append(Reason.of("controls_left_out", count=controls))
    text, surrogates = _SURROGATE.subn("\ufffd", text)
    if surrogates:
        notes.append(Reason.of("surrogates_shown", count=surrogates))
    return text, tuple(notes)


def _finished(text: str, encoding: str, *notes: Reason) -> Decoded:
    marks = text.count("\ufffd")
    if marks and not notes:
        notes = (Reason.of("marks_in_file", count=marks),)
    text, cleaned = clean(text)
    return Decoded(text.removeprefix("\ufeff"), encoding, (*notes, *cleaned))


def _marked(data: bytes, encoding: str) -> Decoded:
    try:
        return _finished(data.decode(encoding), encoding)
    except UnicodeDecodeError as error:
        text = data.decode(encoding, errors="replace")
        if text.count("\ufffd") * 100 > len(text):
            raise BadContent("mark_contradicted", encoding=encoding.upper()) from error
        return _finished(text, encoding, Reason.of("bytes_damaged", byte=error.start))


def _unmarked_utf16(data: bytes) -> str | None:
    """UTF-16 without a mark: nearly all NULs stand on one side of the pairs, and both halves make sense."""
    if len(data) % 2:
        return None
    even, odd = data[::2].count(0), data[1::2].count(0)
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    if max(even, odd) < 9 * min(even, odd) or even == odd:
        return None
    if max(even, odd) * 5 < len(data) and _strict(data, "utf-8") is not None:
        return None  # some NULs in UTF-8: as UTF-16 so few of them would mean characters beyond ASCII, no UTF-8 then
    text = _strict(data, encoding)
    if text is None:
        return None
    sample = text[:_SAMPLE]
    odd_ones = len(_CONTROL.findall(sample)) + len(_UNTYPICAL.findall(sample))
    return encoding if odd_ones * 50 <= len(sample) else None


def _damaged_utf8(data: bytes) -> Decoded | None:
    """UTF-8 with a few damaged bytes: better with marks in it than as Chinese of another code page."""
    text = data.decode("utf-8", errors="replace")
    bad = text.count("\ufffd")
    good = sum(1 for character in text[:_SAMPLE] if character > "\x7f") - bad
    if good < 20 * bad:
        return None
    line = text[: text.index("\ufffd")].count("\n") + 1
    return _finished(text, "utf-8", Reason.of("characters_damaged", count=bad, line=line))


def _legacy(data: bytes) -> str | None:
    """The code page of bytes that are neither UTF-8 nor marked. Chinese is preferred over Western pages, except where
    most bytes beyond ASCII stand alone between ASCII letters, as accents and curly quotes do and Chinese never does,
    or where a few of them would make nothing but rare characters."""
    import chardet
    from chardet import EncodingEra

    sample = data[:_SAMPLE]
    if encoding := _chinese_utf16(data):
        return encoding
    isolated, runs = len(_ISOLATED.findall(sample)), len(_HIGH_RUN.findall(sample))
    found = chardet.detect(sample, encoding_era=EncodingEra.MODERN_WEB)
    guess = str(found["encoding"] or "").lower().replace("_", "-")
    few = sum(map(len, _HIGH_RUN.findall(sample))) * 10 < len(sample)
    if isolated * 2 > runs or (few and _everyday_share(sample.decode("gb18030", errors="ignore")) < 0.5):
        western = guess if guess in _LATIN else "cp1252"
        return next((name for name in (western, "cp1252") if _strict(data, name) is not None), None)
    if guess.startswith(("big5", "cp950")):
        return next((name for name in ("cp950", "big5hkscs") if _strict(data, name) is not None), None)
    if guess.startswith(_OTHER_SCRIPTS) and _strict(data, guess) is not None:
        return guess
    return "gb18030" if _strict(data, "gb18030") is not None else guess or None


def _chinese_utf16(data: bytes) -> str | None:
    """UTF-16 without mark, line end or any ASCII character: only as Chinese does it make everyday characters."""
    if len(data) % 2 or len(data) < 8:
        return None
    for encoding in ("utf-16-le", "utf-16-be"):
        text = _strict(data, encoding)
        if text is not None and _everyday_share(text[:_SAMPLE]) > 0.9:
            return encoding
    return None


def _everyday_share(text: str) -> float:
    """Of the characters beyond ASCII, how many GB2312 holds, the set of everyday Chinese."""
    beyond = [character for character in text if character > "\x7f"]
    everyday = "".join(beyond).encode("gb2312", errors="ignore")
    return len(everyday) / 2 / len(beyond) if beyond else 0.0


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None
