"""The settings are those that stand in the file now, and the last good ones where it cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InvalidSetting
from core.settings import Settings
from core.settings_file import SettingsFile


def test_a_changed_file_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    file = SettingsFile(path)
    assert file.current().non_default() == {}
    assert file.current() is file.current()
    Settings().changed(top_k=5).save(path)
    assert file.current().whole("top_k") == 5
    assert file.current() is file.current()
    path.unlink()
    assert file.current().whole("top_k") == 10


@pytest.mark.parametrize("written", ["{", "[]", '{"top_k": 0}', '{"no_such_thing": 1}'])
def test_a_file_that_cannot_be_used_leaves_the_settings_as_they_were(tmp_path: Path, written: str) -> None:
    path = tmp_path / "settings.json"
    Settings().changed(top_k=5).save(path)
    file = SettingsFile(path)
    path.write_text(written, encoding="utf-8")
    assert file.current().whole("top_k") == 5
    Settings().changed(top_k=7).save(path)
    assert file.current().whole("top_k") == 7


def test_the_first_reading_says_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"top_k": 0}', encoding="utf-8")
    with pytest.raises(InvalidSetting):
        SettingsFile(tmp_path / "settings.json")


def test_looks_change_no_answer() -> None:
    settings = Settings().changed(theme="dark", language="en", rag__bm25_weight=0.5)
    assert settings.of_answers() == {"rag.bm25_weight": 0.5}
