"""Field values as people write them: column names, dates, states, keyword lists."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date

from core.ingest.unusable import NoArticle
from core.model import ArticleState, Record
from core.reasons import Reason

# In order of preference where a table has several.
ID_NAMES = ("id", "_id", "doc_id", "code", "编号")
TITLE_NAMES = ("title", "标题", "主题", "subject", "问题", "question", "名称", "name", "标准问题", "标准问", "提问")
QUESTION_NAMES = ("问题", "question", "标准问题", "标准问", "提问")
CONTENT_NAMES = (
    "answer", "答案", "解答", "回答", "回复", "解决方案", "solution",
    "content", "text", "body", "内容", "正文",
)  # fmt: skip
KEYWORD_NAMES = ("keywords", "关键词", "关键字", "tags", "keyword", "标签")
DOMAIN_NAMES = ("domain", "领域", "知识域")
UPDATED_NAMES = ("updated", "更新时间", "更新日期", "ms.date", "date", "日期", "updated_at")
STATE_NAMES = ("state", "status", "状态")
SUPERSEDED_NAMES = ("superseded_by",)
REVIEW_NAMES = ("review_by",)
_ALL_NAMES = frozenset(
    (
        *ID_NAMES, *TITLE_NAMES, *CONTENT_NAMES, *KEYWORD_NAMES, *DOMAIN_NAMES, *UPDATED_NAMES, *STATE_NAMES,
        *SUPERSEDED_NAMES, *REVIEW_NAMES,
    )
)  # fmt: skip

_STATES = {
    ArticleState.CURRENT: "current active valid published 现行 有效 已发布 生效",
    ArticleState.SUPERSEDED: "superseded replaced retired obsolete deprecated archived 已取代 被取代 作废 废止 已废止",
    ArticleState.DRAFT: "draft 草稿 未发布",
    ArticleState.UNREVIEWED: "unreviewed 未审核 待审核 现场笔记",
    ArticleState.EXPIRED: "expired 过期 已过期 失效 已失效",
}
_STATE_WORDS = {word: state for state, words in _STATES.items() for word in words.split()}

_YEAR_FIRST = re.compile(r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*日?(?:$|[T\s])")
_MONTH_FIRST = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})(?:$|[T\s])")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})$")
_CODE = re.compile(r"(?=.*[A-Za-z])(?=.*\d)\S{2,40}")
_TITLE_LENGTH = 200


def name_key(name: str) -> str:
    """A column or key name as it is compared: no case, no edge blanks, full-width letters as ASCII."""
    return name.strip().strip("\ufeff*：:").strip().casefold()


def is_known(name: str) -> bool:
    """Whether a column of this name means something here."""
    return name_key(name) in _ALL_NAMES


def parse_date(text: str) -> str | None:
    """ISO 8601 from year-first or month-first dates; None when it is no date or an impossible one."""
    text = text.strip()
    if match := _YEAR_FIRST.match(text) or _COMPACT.match(text):
        year, month, day = (int(part) for part in match.groups())
    elif match := _MONTH_FIRST.match(text):
        month, day, year = (int(part) for part in match.groups())
        year += 2000 if year < 100 else 0
    else:
        return None
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def parse_state(text: str) -> ArticleState | None:
    """The state a word stands for, or None."""
    return _STATE_WORDS.get(text.strip().casefold())


def split_keywords(text: str) -> tuple[str, ...]:
    """Keywords from one string: parted by commas, semicolons, `|` or Chinese marks; by blanks never."""
    parts = re.split(r"[,，;；、|\n]", text)
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def first_line(text: str, otherwise: str) -> str:
    """The first line that says something, when it is short enough for a title."""
    line = next((line.strip() for line in text.split("\n") if line.strip()), "")
    line = line.lstrip("#").strip() if line.startswith("#") else line
    return line if 0 < len(line) <= _TITLE_LENGTH else otherwise


def says_something(text: str) -> bool:
    """Whether a text holds a letter or a digit of any script."""
    return any(character.isalnum() for character in text)


def state_fields(fields: Mapping[str, str], notes: list[Reason]) -> tuple[ArticleState, str | None, str | None]:
    """(state, superseded_by, review_by) from fields by `name_key`; what cannot be read goes to `notes`."""
    words = first(fields, STATE_NAMES)
    state = parse_state(words) if words else ArticleState.CURRENT
    if state is None:
        notes.append(Reason.of("state_unknown", word=words[:60]))
        state = ArticleState.CURRENT
    superseded_by = first(fields, SUPERSEDED_NAMES) or None
    if superseded_by and state is ArticleState.CURRENT:
        state = ArticleState.SUPERSEDED
    return state, superseded_by, date_field(fields, REVIEW_NAMES, notes)


def date_field(fields: Mapping[str, str], names: Sequence[str], notes: list[Reason]) -> str | None:
    """The first of `names` that is there, as an ISO date; an impossible one goes to `notes`."""
    text = first(fields, names)
    if not text:
        return None
    found = parse_date(text)
    if found is None:
        notes.append(Reason.of("date_unreadable", text=text[:40]))
    return found


def first(fields: Mapping[str, str], names: Sequence[str]) -> str:
    """The first non-empty value among `names`, "" when there is none."""
    return next((fields[name].strip() for name in names if fields.get(name, "").strip()), "")


def row_record(cells: Sequence[tuple[str, str]], row_id: str, notes: Sequence[Reason] = ()) -> Record | None:
    """One table row or JSON record as an article; None when it says nothing.

    `cells` are (name, value) in order, names may be "" or repeat: the first of a name has its meaning, later ones
    and unknown names become body lines `name: value` (contract §1).
    """
    fields: dict[str, str] = {}
    for name, value in cells:
        fields.setdefault(name_key(name), value)
    if not any(says_something(value) for _, value in cells):
        return None
    # A "status" or "date" of the case itself (已解决, 上周三) is content, not a property of the article.
    for names, parse in ((STATE_NAMES, parse_state), (UPDATED_NAMES, parse_date)):
        for name in names:
            if name in fields and parse(fields[name]) is None:
                del fields[name]
    kept = list(notes)
    title_name = next((name for name in TITLE_NAMES if says_something(fields.get(name, ""))), None)
    title = " ".join(fields[title_name].split()) if title_name else ""
    if len(title) > _TITLE_LENGTH:
        title, title_name = title[:_TITLE_LENGTH] + "…", None  # the whole of it is body then
    body = _row_body(cells, fields, title_name)
    named = bool(title)
    if not title:
        title = first_line(body, row_id)
    state, superseded_by, review_by = state_fields(fields, kept)
    return Record(
        title=title,
        body=body or title,
        row_id=first(fields, ID_NAMES) or row_id,
        named=named,
        keywords=_row_keywords(fields),
        domain=first(fields, DOMAIN_NAMES) or None,
        updated=date_field(fields, UPDATED_NAMES, kept),
        state=state,
        superseded_by=superseded_by,
        review_by=review_by,
        notes=tuple(kept),
    )


def _row_keywords(fields: Mapping[str, str]) -> tuple[str, ...]:
    """The keywords, and the row's own code: what stands under `code` or 编号 names the row, unless it only counts."""
    keywords = split_keywords(first(fields, KEYWORD_NAMES))
    codes = [fields.get(name, "").strip() for name in ID_NAMES if name != "_id"]
    named = [code for code in codes if _CODE.fullmatch(code) or (code and code == fields.get("code", "").strip())]
    return tuple(dict.fromkeys((*keywords, *named)))


def _row_body(cells: Sequence[tuple[str, str]], fields: Mapping[str, str], title_name: str | None) -> str:
    """Question, then content, then the other columns as `name: value` lines."""
    used: set[str] = {title_name} if title_name else set()
    for names in (ID_NAMES, KEYWORD_NAMES, DOMAIN_NAMES, UPDATED_NAMES, STATE_NAMES, SUPERSEDED_NAMES, REVIEW_NAMES):
        used.update(next(([name] for name in names if fields.get(name, "").strip()), []))
    leading: list[str] = []
    for name in (*QUESTION_NAMES, *CONTENT_NAMES):
        if name not in used and says_something(fields.get(name, "")):
            leading.append(fields[name].strip())
            used.add(name)
    others: list[str] = []
    seen: set[str] = set()
    for name, value in cells:
        key, text = name_key(name), value.strip()
        meant = key in used and key not in seen
        seen.add(key)
        if text and not meant:
            others.append(f"{name.strip()}: {text}" if key else text)
    return "\n\n".join(part for part in (*leading, "\n".join(others)) if part)


def require_text(text: str) -> None:
    """Raise NoArticle when a text says nothing."""
    if not says_something(text):
        raise NoArticle("no_text")
