"""What may be answered from the cache and what never: near misses, edits, failures, other sessions and processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine import Engine
from core.figures import CacheFigures
from core.model import Answer, EventKind, Mode, Outcome, RelevanceLevel, Trigger
from tests.e2e.planted import PlantedEmbedder
from tests.manual_clock import ManualClock

ROOT = Path(__file__).resolve().parents[2]
FIRST = "# 错误 E1001\n\n证书过期：重新签发证书。\n"
EDITED = "# 错误 E1001\n\n证书过期：改为自动续期，联系安全组。标记 EDIT-32。\n"
SECOND = "# 错误 E1002\n\n时钟不同步：校准时间服务。\n"
ASKED = "错误 E1001 怎么办"


class Desk:
    """An engine over two articles whose codes differ in one digit."""

    def __init__(self, folder: Path) -> None:
        self.data, self.kb = folder / "data", folder / "kb"
        self.kb.mkdir()
        (self.kb / "E1001.md").write_text(FIRST, encoding="utf-8")
        (self.kb / "E1002.md").write_text(SECOND, encoding="utf-8")
        self.clock, self.embedder = ManualClock(), PlantedEmbedder()
        self.engine = Engine.open(self.data, embedder=self.embedder, clock=self.clock)
        self.engine.remove_starter()
        self.engine.ingest([self.kb])

    def ask(self, text: str, session: str = "T-1", **more: object) -> Answer:
        return self.engine.lookup(text, session_id=session, **more)  # type: ignore[arg-type]

    def edit(self) -> None:
        (self.kb / "E1001.md").write_text(EDITED, encoding="utf-8")

    def counted(self) -> CacheFigures:
        return self.engine._serving.cache.figures()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.engine.close()


def elsewhere(desk: Desk, body: str) -> None:
    """Do something in another process that has the same data folder open; `engine` and `kb` are there."""
    script = (
        "import sys; from pathlib import Path; from core.engine import Engine; from core.model import *\n"
        "from tests.e2e.planted import PlantedEmbedder\n"
        "engine, kb = Engine.open(Path(sys.argv[1]), embedder=PlantedEmbedder()), Path(sys.argv[2])\n"
        f"{body}\nengine.close()\n"
    )
    subprocess.run([sys.executable, "-c", script, str(desk.data), str(desk.kb)], cwd=ROOT, check=True)


def test_case_32_a_near_miss_an_edit_and_a_failure_are_never_answered_from_the_cache(desk: Desk) -> None:
    assert primary(desk.ask(ASKED)) == "E1001.md"
    assert primary(desk.ask("错误 E1002 怎么办")) == "E1002.md"
    again = desk.ask(ASKED)
    assert (primary(again), again.result.cached, again.details["cache_hit"]) == ("E1001.md", True, True)
    desk.edit()
    desk.engine.ingest([desk.kb])
    fresh = desk.ask(ASKED)
    assert fresh.result.primary is not None
    assert ("EDIT-32" in fresh.result.primary.content, fresh.result.cached) == (True, False)
    desk.embedder.fault = RuntimeError("the model is gone")
    failed = desk.ask("错误 E1003 怎么办")
    assert (failed.result.missing_legs, failed.result.cached) == (("vector",), False)
    desk.embedder.fault = None
    restored = desk.ask("错误 E1003 怎么办")
    assert (restored.result.missing_legs, restored.result.cached) == ((), False)
    other = desk.ask(ASKED, "T-2", trigger=Trigger.CLI)
    assert (other.result.cached, other.result.outcome) == (True, Outcome.FOUND)
    assert desk.ask(ASKED, "T-2").result.outcome is Outcome.DEDUPED
    assert desk.ask(ASKED, "T-3").result.outcome is Outcome.FOUND
    assert desk.counted().stale_prevented == 1


def test_every_digit_is_in_the_key(desk: Desk) -> None:
    desk.ask("错误 E1001 第 2 步")
    for near in ("错误 E1001 第 3 步", "错误 E1002 第 2 步", "错误 E-1001 第 2 步", "错误 E1001 第 2 步 691"):
        assert not desk.ask(near).result.cached, near
    assert desk.ask("错误 e1001 第 ２ 步").result.cached  # case and width are folded


def test_a_hit_speaks_of_the_text_as_it_was_typed_this_time(desk: Desk) -> None:
    assert "E7777" in desk.ask("错误 E7777").result.message
    typed = desk.ask("错误 e7777")
    assert (typed.result.cached, typed.unheld_codes, typed.result.query) == (True, ("e7777",), "错误 e7777")


@pytest.mark.parametrize("more", [{"top_k": 3}, {"domain": "general"}], ids=["top_k", "domain"])
def test_filters_and_length_are_in_the_key(desk: Desk, more: dict[str, object]) -> None:
    desk.ask(ASKED)
    assert not desk.ask(ASKED, **more).result.cached
    assert desk.ask(ASKED, **more).result.cached


def test_a_hit_still_obeys_hard_mode(desk: Desk) -> None:
    hard = {"mode": Mode.HARD, "trigger": Trigger.MCP}
    assert desk.ask(ASKED, **hard).result.primary is not None
    second = desk.ask(ASKED, **hard).result
    assert (second.outcome, second.primary, second.cached) == (Outcome.DEDUPED, None, True)


def test_an_answer_lives_for_its_time(desk: Desk) -> None:
    desk.ask(ASKED)
    desk.clock.advance(299)
    assert desk.ask(ASKED).result.cached
    desk.clock.advance(2)
    assert not desk.ask(ASKED).result.cached


def test_another_day_is_another_answer(desk: Desk) -> None:
    """An article may have passed its review date at midnight."""
    desk.ask(ASKED)
    desk.clock._now = desk.clock._now.replace(day=29)  # what the calendar says, without any time passing
    assert not desk.ask(ASKED).result.cached


def test_a_vote_makes_another_answer(desk: Desk) -> None:
    first = desk.ask(ASKED)
    desk.engine.record_event("T-1", EventKind.VOTED, doc_key="E1001.md", invocation_id=first.invocation_id, value=2)
    second = desk.ask(ASKED, "T-2")
    assert (second.result.cached, second.hits[0].confirmed) == (False, 1)


def test_throwaways_and_previews_neither_use_nor_fill_it(desk: Desk) -> None:
    desk.ask(ASKED, throwaway=True)
    desk.engine.preview(ASKED)
    assert desk.counted() == CacheFigures(0, 0, 0)
    desk.ask(ASKED)
    assert not desk.ask(ASKED, throwaway=True).result.cached
    assert not desk.engine.preview(ASKED).result.cached


def test_a_gated_text_is_no_hit_and_no_miss(desk: Desk) -> None:
    assert desk.ask("您好").result.outcome is Outcome.GATED
    assert desk.counted() == CacheFigures(0, 0, 0)


def test_an_import_elsewhere_is_seen_at_once(desk: Desk) -> None:
    desk.ask(ASKED)
    desk.edit()
    elsewhere(desk, "engine.ingest([kb])")
    seen = desk.ask(ASKED).result
    assert seen.primary is not None
    assert ("EDIT-32" in seen.primary.content, seen.cached) == (True, False)


def test_a_vote_elsewhere_is_seen_at_once(desk: Desk) -> None:
    first = desk.ask(ASKED)
    vote = "doc_key='E1001.md', value=2"
    elsewhere(desk, f"engine.record_event('T-1', EventKind.VOTED, {vote}, invocation_id={first.invocation_id})")
    second = desk.ask(ASKED, "T-2")
    assert (second.result.cached, second.hits[0].confirmed) == (False, 1)


def test_a_setting_changed_elsewhere_is_seen_at_once(desk: Desk) -> None:
    assert desk.ask(ASKED).result.relevance_level is not None
    elsewhere(desk, "engine.settings.changed(rag__bm25_weight=1, rag__vector_weight=0).save(engine.folder.settings)")
    assert not desk.ask(ASKED).result.cached
    assert desk.engine.settings.number("rag.bm25_weight") == 1


def test_the_users_own_synonyms_are_seen_at_once(desk: Desk) -> None:
    desk.ask(ASKED)
    (desk.data / "synonyms.txt").write_text("证书 凭证\n", encoding="utf-8")
    assert not desk.ask(ASKED).result.cached


def test_hits_are_the_answer_that_they_were(desk: Desk) -> None:
    first, second = desk.ask(ASKED), desk.ask(ASKED)
    assert second.result.relevance_level is RelevanceLevel.PRECISE
    assert (first.ranking, first.hits, first.neighbours) == (second.ranking, second.hits, second.neighbours)


def primary(answer: Answer) -> str | None:
    return answer.result.primary.doc_key if answer.result.primary is not None else None
