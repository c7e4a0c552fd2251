"""Field notes: written in any case, searchable at once or after the import, taken back whole, shared by a folder."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine import Engine
from core.errors import KnowledgeLocked, NotesFolderUnusable
from core.model import ArticleState
from core.report import SavedNote
from core.settings import Settings
from core.store.lock import write_lock
from tests.manual_clock import ManualClock

QUERY = "蓝屏后投影仪闪绿光"
TEXT = "拔掉 HDMI 转接头再插回去。"


def opened(data: Path) -> Engine:
    engine = Engine.open(data, clock=ManualClock())
    engine.remove_starter()
    return engine


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = opened(tmp_path / "数据")
    yield engine
    engine.close()


def note(engine: Engine, query: str = QUERY, text: str = TEXT) -> SavedNote:
    saved = engine.notes.write(query, text)
    assert saved is not None
    return saved


def found(engine: Engine, query: str = QUERY) -> list[str]:
    return list(engine.preview(query).ranking)


def test_the_next_search_finds_it_by_query_and_by_text(engine: Engine) -> None:
    assert found(engine) == []
    saved = note(engine)
    engine.notes.take_in(saved)
    assert found(engine) == [saved.doc_key]
    assert found(engine, "HDMI 转接头") == [saved.doc_key]
    article = engine.read(saved.doc_key).article
    day = ManualClock().now().astimezone().date().isoformat()
    assert (article.title, article.body, article.state) == (QUERY, TEXT, ArticleState.UNREVIEWED)
    assert (article.domain, article.updated) == ("notes", day)
    assert engine.read(saved.doc_key).domain_name == "现场笔记"
    assert saved.path.parent == engine.notes.folder.resolve() == (engine.folder.root / "notes").resolve()


def test_it_may_belong_to_another_domain(engine: Engine) -> None:
    saved = engine.notes.write(QUERY, TEXT, domain="network")
    assert saved is not None
    engine.notes.take_in(saved)
    assert engine.read(saved.doc_key).article.domain == "network"


def test_a_text_that_says_nothing_writes_nothing(engine: Engine) -> None:
    assert engine.notes.write(QUERY, " \n…") is None
    assert not engine.notes.folder.exists()


def test_two_notes_on_one_question_are_two_files_and_two_articles(engine: Engine) -> None:
    first, second = note(engine), note(engine, text="换一根线。")
    for saved in (first, second):
        engine.notes.take_in(saved)
    assert first.path.read_text(encoding="utf-8").endswith(TEXT + "\n")
    assert sorted(found(engine)) == sorted([first.doc_key, second.doc_key])


def test_undo_takes_file_and_article(engine: Engine) -> None:
    saved, other = note(engine), note(engine, "打印机卡纸", "打开后盖。")
    for each in (saved, other):
        engine.notes.take_in(each)
    engine.notes.take_back(saved)
    assert not saved.path.exists()
    assert saved.doc_key not in found(engine)
    assert found(engine, "打印机卡纸") == [other.doc_key]
    assert engine.unfinished_imports() == ()


def test_while_another_writes_the_note_is_saved_and_found_after(engine: Engine) -> None:
    with write_lock(engine.folder.write_lock):
        saved = note(engine)
        with pytest.raises(KnowledgeLocked):
            engine.notes.take_in(saved)
        with pytest.raises(KnowledgeLocked):
            engine.notes.refresh()
        assert saved.path.exists()
        assert found(engine) == []
    assert engine.notes.refresh()
    assert found(engine) == [saved.doc_key]


def test_undo_while_another_writes_reaches_the_article_after(engine: Engine) -> None:
    saved, other = note(engine), note(engine, "打印机卡纸", "打开后盖。")
    engine.notes.refresh()
    with write_lock(engine.folder.write_lock), pytest.raises(KnowledgeLocked):
        engine.notes.take_back(saved)
    assert not saved.path.exists()
    assert engine.notes.refresh()
    assert found(engine, "打印机卡纸") == [other.doc_key]


# ------------------------------------------------------------------ a folder that is shared


@pytest.fixture
def share(engine: Engine, tmp_path: Path) -> Path:
    folder = tmp_path / "共享 笔记"
    folder.mkdir()
    engine.notes.choose(folder)
    return folder


def test_what_a_colleague_writes_comes_in_and_nothing_happens_otherwise(
    engine: Engine, share: Path, tmp_path: Path
) -> None:
    colleague = opened(tmp_path / "另一台")
    colleague.notes.choose(share)
    mine, theirs = note(engine), note(colleague)
    assert mine.path != theirs.path
    assert engine.notes.refresh()
    assert sorted(found(engine)) == sorted([mine.doc_key, theirs.doc_key])
    version = engine.status().knowledge_version
    assert not engine.notes.refresh()
    assert engine.status().knowledge_version == version
    colleague.notes.take_back(theirs)
    assert engine.notes.refresh()
    assert found(engine) == [mine.doc_key]
    colleague.close()


def test_a_supervisor_who_reviews_a_note_makes_it_an_article_like_any_other(engine: Engine, share: Path) -> None:
    saved = note(engine)
    engine.notes.take_in(saved)
    text = saved.path.read_text(encoding="utf-8")
    saved.path.write_text(text.replace("state: unreviewed\n", ""), encoding="utf-8")
    assert engine.notes.refresh()
    assert engine.read(saved.doc_key).article.state is ArticleState.CURRENT


def test_a_share_that_is_away_loses_nothing(engine: Engine, share: Path, tmp_path: Path) -> None:
    saved = note(engine)
    engine.notes.take_in(saved)
    away = share.rename(tmp_path / "away")
    assert not engine.notes.refresh()
    share.mkdir()  # an empty place where it was mounted
    assert not engine.notes.refresh()
    assert found(engine) == [saved.doc_key]
    share.rmdir()
    with pytest.raises(NotesFolderUnusable):
        engine.notes.write(QUERY, TEXT)
    assert not share.exists(), "a share that is away must not be made anew in its place"
    here = engine.notes.write(QUERY, "先存在本机。", here=True)
    assert here is not None
    engine.notes.take_in(here)
    assert here.path.is_relative_to(engine.folder.root.resolve())
    assert here.doc_key in found(engine)
    away.rename(share)
    assert not engine.notes.refresh()


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="rights do not bind here")
def test_a_folder_that_may_not_be_written_is_told(engine: Engine, share: Path) -> None:
    share.chmod(0o500)
    with pytest.raises(NotesFolderUnusable):
        engine.notes.write(QUERY, TEXT)
    share.chmod(0o700)


def test_a_chosen_folder_lasts_and_the_old_notes_stay(engine: Engine, tmp_path: Path) -> None:
    old = note(engine)
    engine.notes.take_in(old)
    share = tmp_path / "共享"
    share.mkdir()
    engine.notes.choose(share)
    new = note(engine)
    engine.notes.take_in(new)
    assert new.path.parent == share.resolve()
    assert old.doc_key != new.doc_key
    assert sorted(found(engine)) == sorted([old.doc_key, new.doc_key])
    engine.close()
    again = Engine.open(engine.folder.root)
    assert again.notes.folder == share.resolve()
    again.notes.choose(again.folder.notes)
    assert again.notes.is_own
    assert Settings.load(again.folder.settings).non_default() == {}
    again.close()


def test_other_settings_stay_when_a_folder_is_chosen(engine: Engine, tmp_path: Path) -> None:
    engine.folder.settings.write_text(json.dumps({"top_k": 7}), encoding="utf-8")
    engine.notes.choose(tmp_path)
    assert Settings.load(engine.folder.settings).whole("top_k") == 7


def test_no_other_folder_of_the_program_is_chosen(engine: Engine, tmp_path: Path) -> None:
    engine.notes.choose(engine.folder.root)
    assert engine.notes.is_own
    engine.notes.choose(tmp_path)  # holds the data folder: that is passed over
    saved = note(engine)
    engine.notes.take_in(saved)
    assert engine.status().articles == 1
    assert not engine.notes.refresh()


def test_what_is_no_folder_is_not_chosen(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(NotesFolderUnusable):
        engine.notes.choose(tmp_path / "nowhere")
    assert engine.notes.is_own


def test_a_folder_inside_an_imported_one_is_no_second_source(engine: Engine, tmp_path: Path) -> None:
    base = tmp_path / "kb"
    share = base / "现场"
    share.mkdir(parents=True)
    (base / "vpn.md").write_text("# VPN\n\n核对工号。", encoding="utf-8")
    engine.ingest([base])
    engine.notes.choose(share)
    saved = note(engine)
    engine.notes.take_in(saved)
    assert saved.doc_key == f"现场/{saved.path.name}"
    assert found(engine) == [saved.doc_key]
    shutil.copyfile(saved.path, share / "另一台.md")
    assert engine.notes.refresh()
    assert not engine.notes.refresh()
    assert engine.status().articles == 3
    engine.notes.take_back(saved)
    assert engine.status().articles == 2
    assert engine.ingest([base]).counts == {
        "added": 0, "updated": 0, "unchanged": 2, "removed": 0, "skipped": 0, "failed": 0,
    }  # fmt: skip


def test_a_folder_above_the_data_folder_does_not_own_the_notes(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "vpn.md").write_text("# VPN\n\n核对工号。", encoding="utf-8")
    engine.ingest([tmp_path])
    saved = note(engine)
    engine.notes.take_in(saved)
    engine.ingest([tmp_path])
    assert found(engine) == [saved.doc_key]
