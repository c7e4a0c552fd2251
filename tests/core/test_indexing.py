"""core.indexing on the real engine: when the index is written, opened again, found wanting and repaired."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.embedding.hashed import HashedEmbedder
from core.engine import Engine
from core.index.snapshot import ChunkIndex
from core.paths import DataFolder
from core.report import Check


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the starter base that answered a question and was closed."""
    folder = tmp_path_factory.mktemp("used") / "data"
    with closing(Engine.open(folder)) as engine:
        engine.preview("VPN 691")
    return folder


@pytest.fixture
def data(used: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(used, tmp_path / "data"))


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The knowledge version of every index that is built from the database meanwhile."""
    versions: list[int] = []
    build = ChunkIndex.build.__func__  # type: ignore[attr-defined]

    def watched(
        cls: type[ChunkIndex], chunks: object, embedder: HashedEmbedder, version: int, **more: object
    ) -> object:
        versions.append(version)
        return build(cls, chunks, embedder, version, **more)

    monkeypatch.setattr(ChunkIndex, "build", classmethod(watched))
    yield versions


def generation(data: Path) -> Path:
    (only,) = DataFolder(data).index.iterdir()
    return only


def index_check(data: Path, language: str = "en") -> Check:
    with closing(Engine.open(data, language=language)) as engine:
        checks = {check.name: check for check in engine.doctor()}
    return checks["index"]


def test_a_small_base_is_written_when_it_closes_and_opened_at_the_next_start(data: Path, built: list[int]) -> None:
    assert (generation(data) / "manifest.json").is_file()
    with closing(Engine.open(data)) as engine:
        assert engine.preview("VPN 691").hits
    assert built == []


def test_an_import_writes_the_index_of_a_small_base(tmp_path: Path, built: list[int]) -> None:
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "a.md").write_text("# ERR-4711\n\n重启服务。\n", encoding="utf-8")
    with closing(Engine.open(tmp_path / "data")) as engine:
        engine.ingest([tmp_path / "kb"])
        assert generation(tmp_path / "data").is_dir()
        built.clear()
    with closing(Engine.open(tmp_path / "data")) as engine:
        assert [hit.doc_key for hit in engine.preview("ERR-4711").hits][:1] == ["a.md"]
    assert built == []


def test_a_question_writes_nothing_and_a_base_without_articles_has_no_index(tmp_path: Path) -> None:
    with closing(Engine.open(tmp_path / "data")) as engine:
        engine.preview("VPN 691")
        assert list(engine.folder.index.iterdir()) == []
        engine.remove_starter()
        engine.preview("VPN 691")
    assert list(DataFolder(tmp_path / "data").index.iterdir()) == []


def remove_all(data: Path) -> None:
    shutil.rmtree(generation(data))


def remove_folder(data: Path) -> None:
    shutil.rmtree(DataFolder(data).index)


def remove_manifest(data: Path) -> None:
    (generation(data) / "manifest.json").unlink()


def shorten(data: Path) -> None:
    path = generation(data) / "chunks.npy"
    path.write_bytes(path.read_bytes()[:-8])


def forget_a_chunk(data: Path) -> None:
    """The database loses a chunk behind the program's back."""
    with closing(sqlite3.connect(DataFolder(data).database)) as connection, connection:
        connection.execute("DELETE FROM chunk WHERE id = (SELECT max(id) FROM chunk)")


@pytest.mark.parametrize("damage", [remove_all, remove_folder, remove_manifest, shorten, forget_a_chunk])
def test_what_had_to_be_rebuilt_is_called_repaired_once(data: Path, damage: Callable[[Path], None]) -> None:
    damage(data)
    found = index_check(data)
    assert found.status == "repaired"
    assert "rebuilt" in found.detail
    assert ("files are gone" in found.detail) is (damage in {remove_all, remove_folder})
    assert index_check(data).status == "ok"


@pytest.mark.parametrize("place", [0.0, 0.5, 1.0], ids=["first", "middle", "last"])
def test_a_flipped_byte_in_any_file_is_found_and_repaired(data: Path, place: float) -> None:
    names = sorted(path.name for path in generation(data).iterdir())
    assert len(names) > 7
    for name in names:
        path = generation(data) / name
        content = bytearray(path.read_bytes())
        content[int(place * (len(content) - 1))] ^= 0xFF
        path.write_bytes(content)
        found = index_check(data)
        assert found.status == "repaired", name
        assert name in found.detail
    assert index_check(data).status == "ok"


def test_an_index_that_cannot_be_written_fails_with_advice_in_the_language_and_questions_are_answered(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(generation(data))

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", str(DataFolder(data).index))

    monkeypatch.setattr(ChunkIndex, "save", refuse)
    with closing(Engine.open(data)) as engine:
        assert engine.preview("VPN 691").hits
    for language, advice in (("en", "Remove the folder"), ("zh_CN", "删除 index 文件夹")):
        found = index_check(data, language)
        assert found.status == "failed"
        assert str(DataFolder(data).index) in found.detail
        assert advice in found.advice
