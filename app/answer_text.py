"""What "copy" hands over: the title and the steps of an article, without its path. No Qt."""

from __future__ import annotations

import re

from app.article_text import Block, blocks, is_markdown
from core.model import Article

_STEP_HEADING = re.compile(
    r"步骤|解决|处理|做法|操作|方法|修复|steps?\b|resol|solution|fix|how to|procedure", re.IGNORECASE
)
_NUMBERED = re.compile(r"^\d{1,3}[.)、]$")


def answer_text(article: Article, *, passage_start: int = 0) -> str:
    """Title, then the numbered steps; without any, the section that holds `passage_start`, else the whole body."""
    drawn = blocks(article.body, markdown=is_markdown(article.doc_key))
    lines = _steps(drawn) or _section(drawn, passage_start) or [_line(block) for block in drawn]
    return "\n".join([article.title, *lines]).strip()


def _steps(drawn: list[Block]) -> list[str]:
    """The list of steps: the first numbered one below a heading that speaks of steps, else the first of two or more."""
    best: list[str] = []
    told = False
    at = 0
    while at < len(drawn):
        block = drawn[at]
        if block.kind == "heading":
            told = bool(_STEP_HEADING.search(_line(block)))
        if _is_step(block):
            end, count = _list_end(drawn, at)
            lines = [_line(part) for part in drawn[at:end]]
            if told and count >= 2:
                return lines
            if not best and count >= 2:
                best = lines
            at = end
            continue
        at += 1
    return best


def _is_step(block: Block) -> bool:
    return block.kind == "item" and block.level == 0 and bool(block.runs) and bool(_NUMBERED.match(block.runs[0].text))


def _list_end(drawn: list[Block], at: int) -> tuple[int, int]:
    """Where the list ends (commands and sub-points between its steps belong to it) and how many steps it has."""
    end, count = at, 0
    for place in range(at, len(drawn)):
        block = drawn[place]
        if _is_step(block):
            end, count = place + 1, count + 1
        elif block.kind == "item" and block.level > 0:
            end = place + 1
        elif block.kind != "code":
            break
        elif place + 1 == len(drawn) or drawn[place + 1].kind in {"item", "heading"}:
            end = place + 1
    return end, count


def _section(drawn: list[Block], place: int) -> list[str]:
    """The blocks below the last heading before `place`, up to the next."""
    current: list[Block] = []
    for block in drawn:
        starts = [run.start for run in block.runs if run.start >= 0]
        beyond = bool(starts) and starts[0] > place
        if block.kind == "heading":
            if current and beyond:
                break
            current = []
        else:
            current.append(block)
    return [_line(block) for block in current]


def _line(block: Block) -> str:
    if block.kind == "row":
        return " | ".join("".join(run.text for run in cell) for cell in block.cells)
    if block.kind == "rule":
        return ""
    text = "".join(" " if run.text == "\t" and run.start < 0 else run.text for run in block.runs)
    if block.kind == "code":
        return "\n".join(f"   {line}" for line in text.split("\n"))
    return "  " * block.level + text if block.kind == "item" else text
