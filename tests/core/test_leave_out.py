"""Leaving articles out: the answers are those of a base that never held them, and the real base stays as it is."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from core.engine import Engine
from core.leave_out import is_left_out, qrels_left
from core.model import Answer

PARTS = ["打印机", "投影仪", "门禁卡", "邮箱", "代理", "会议室", "工资条", "显示器"]
FAULTS = ["卡纸", "没有声音", "登录失败", "一直转圈", "灯不亮", "打不开附件"]


def article(number: int) -> tuple[str, str]:
    """A key and a text: words that others hold as well, a code that only this or its neighbour declares."""
    part, fault = PARTS[number % len(PARTS)], FAULTS[number % len(FAULTS)]
    code = f"DSK-{1000 + number // 2}"
    front = f"---\ntitle: {part}{fault}\nkeywords: [{code}]\n---\n" if number % 3 else ""
    return (
        f"{part}/{number:03}.md",
        f"{front}# {part}{fault}\n\n{part}{fault}时，先重启，再看 {code}。第 {number} 条。\n",
    )


TEXTS: dict[str, str] = dict(article(number) for number in range(60))
# A copy that stays when the other goes, one that replaces another, and one that only it holds a word of.
TEXTS["副本/a.md"] = TEXTS["打印机/000.md"]
TEXTS["旧/门禁.md"] = "---\nstate: superseded\nsuperseded_by: 新/门禁.md\n---\n# 旧门禁\n\n旧门禁卡在前台补办。\n"
TEXTS["新/门禁.md"] = "# 新门禁\n\n门禁卡在行政处补办。\n"
TEXTS["孤/独.md"] = "---\nkeywords: [磁带机]\n---\n# 磁带机\n\n磁带机每周换带。\n"
QUERIES = [
    *(f"{part}{fault}" for part, fault in zip(PARTS, FAULTS * 2, strict=False)),
    *("DSK-1000", "DSK-1003", "DSK-1011 打不开附件", "1005", "DSK-9999", "门禁卡 补办", "磁带机", "磁带机换带", "谢谢"),
    *("打印机卡纸 登录失败", "先重启", "顯示器燈不亮"),
]


def written(folder: Path, texts: Mapping[str, str]) -> Path:
    for key, text in texts.items():
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def opened(data: Path, knowledge: Path) -> Engine:
    engine = Engine.open(data)
    engine.remove_starter()
    assert engine.ingest([knowledge]).counts["failed"] == 0
    return engine


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    root = tmp_path_factory.mktemp("whole")
    whole = opened(root / "data", written(root / "kb", TEXTS))
    yield whole
    whole.close()


def told(answer: Answer) -> dict[str, Any]:
    """All that an answer says and rests on."""
    return {
        "result": answer.result.as_json(),
        "ranking": answer.ranking,
        "unheld": answer.unheld_codes,
        "details": answer.details,
        "hits": [(hit.doc_key, hit.copies, hit.content, hit.other_chunks) for hit in answer.hits],
    }


def rounded(value: Any) -> Any:
    """Sums of the same numbers in another order differ in their last bits."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list | tuple) else value


def test_leaving_out_is_as_if_never_imported(engine: Engine, tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(10**6)
    chosen = set(random.Random(seed).sample(sorted(TEXTS), 20))
    rest = {key: text for key, text in TEXTS.items() if key not in chosen}
    fresh = opened(tmp_path / "data", written(tmp_path / "kb", rest))
    try:
        with engine.trial(chosen.__contains__) as part, fresh.trial() as whole:
            assert set(part.kept) == set(whole.kept) == set(rest)
            assert set(part.gone) == chosen
            for query in QUERIES:
                assert rounded(told(part.lookup(query))) == rounded(told(whole.lookup(query))), (query, seed)
    finally:
        fresh.close()


def test_a_left_out_word_is_unknown_and_a_copy_stays(engine: Engine) -> None:
    with engine.trial({"孤/独.md", "打印机/000.md"}.__contains__) as part:
        assert part.lookup("磁带机").result.unknown_words == ("磁带机",)
        ranking = part.lookup("打印机卡纸 第 0 条").ranking
        assert "副本/a.md" in ranking
        assert "打印机/000.md" not in ranking
    assert engine.lookup("磁带机", throwaway=True).ranking[0] == "孤/独.md"


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".lock"
    }


def test_nothing_of_the_data_folder_changes(engine: Engine) -> None:
    version = engine.status().knowledge_version
    before = contents(engine.folder.root)
    with engine.trial(is_left_out) as part:
        part.lookup("打印机卡纸")
    assert contents(engine.folder.root) == before
    assert engine.status().knowledge_version == version


def test_the_index_goes_on_after_a_trial(engine: Engine, tmp_path: Path) -> None:
    """What is imported while a part of the base is asked reaches the base and not the part."""
    with engine.trial(is_left_out) as part:
        engine.ingest([written(tmp_path / "more", {"新篇.md": "# 蓝光驱动器\n\n蓝光驱动器要预约。\n"})])
        assert engine.lookup("蓝光驱动器", throwaway=True).ranking == ("新篇.md",)
        assert part.lookup("蓝光驱动器").ranking == ()
    assert engine.lookup("蓝光驱动器", throwaway=True).ranking == ("新篇.md",)


def test_the_fifth_is_the_contracts() -> None:
    """SHA-1 of the key in NFC as a number: worked out with sha1sum and bc."""
    composed, decomposed = "caf\u00e9.md", "cafe\u0301.md"
    assert is_left_out(composed) == is_left_out(decomposed)
    assert is_left_out("network/vpn-691.md")
    assert not is_left_out("network/vpn-809.md")
    keys = [f"{number}.md" for number in range(5000)]
    assert 900 < sum(map(is_left_out, keys)) < 1100


def test_questions_lose_their_answer_with_all_of_its_articles() -> None:
    qrels = {
        "one of two": {"a.md": 1, "b.md": 1},
        "both": {"a.md": 1, "kb.csv#7": 1},
        "the best": {"a.md": 2, "b.md": 1},
        "a lesser one": {"b.md": 2, "a.md": 1},
        "a row": {"7": 1},
        "none from the start": {},
        "elsewhere": {"not imported.md": 1},
    }
    left, without = qrels_left(qrels, ["b.md"], ["a.md", "kb.csv#7"])
    assert without == {"both", "the best", "a row"}
    assert left == {
        "one of two": {"b.md": 1},
        "a lesser one": {"b.md": 2},
        "none from the start": {},
        "elsewhere": {"not imported.md": 1},
    }
    assert qrels_left(qrels, ["a.md", "b.md", "kb.csv#7"], []) == (qrels, frozenset())
