"""What `doctor` looks at, and that damaged vectors of models cost time and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine import Engine
from tests.counted_embedder import CountedEmbedder


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine.open(tmp_path / "data", language="en")
    yield engine
    engine.close()


def test_every_part_of_a_data_folder_is_looked_at(engine: Engine) -> None:
    checks = engine.doctor()
    assert [check.name for check in checks] == ["database", "references", "index", "vectors", "sums"]
    assert {check.status for check in checks} == {"ok"}


def test_a_damaged_file_of_vectors_is_begun_anew_and_its_vectors_made_again(engine: Engine, tmp_path: Path) -> None:
    model = CountedEmbedder()
    engine._model_vectors.set_model(model)
    engine._model_vectors.embed_missing()
    texts = len(model.encoded)
    assert texts > 0
    (tmp_path / "data" / "vectors.sqlite3").write_bytes(b"no database" * 500)
    checks = {check.name: check for check in engine.doctor()}
    assert checks["vectors"].status == "repaired"
    assert "begun anew" in checks["vectors"].detail
    engine._model_vectors.embed_missing()
    assert len(model.encoded) == 2 * texts
    checks = {check.name: check for check in engine.doctor()}
    assert checks["vectors"].detail == f"counted: texts: {texts}, without a vector: 0"


@pytest.mark.parametrize(("language", "word"), [("zh_CN", "删除 vectors 文件夹"), ("en", "remove the folder vectors")])
def test_what_cannot_be_mended_is_told_with_advice(engine: Engine, tmp_path: Path, language: str, word: str) -> None:
    (tmp_path / "data" / "vectors.sqlite3").write_bytes(b"no database" * 500)
    engine.language = language
    with pytest.MonkeyPatch.context() as patch:

        def refuses(*_: object, **__: object) -> None:
            raise PermissionError(13, "in use")

        patch.setattr(Path, "unlink", refuses)
        checks = {check.name: check for check in engine.doctor()}
    assert checks["vectors"].status == "failed"
    assert word in checks["vectors"].advice
