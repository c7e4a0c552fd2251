"""An added model from the stick to the answer: added, chosen, loaded, embedded, asked, lost, and taken back."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.embedding.flag import FlagEmbedder
from core.embedding.models import Models
from core.embedding_status import ModelFault, ModelStage, Why
from core.engine import Engine
from core.protocols import Vectors
from core.settings import Settings
from tests.e2e.planted import write_articles
from tests.semantic.conftest import TinyModels

POOL = "数据库连接池配置"


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.delenv("DESKSIDE_EMBEDDER")
    (tmp_path / "data").mkdir()
    # A busy computer is no failure of the model.
    Settings().changed(answer_deadline_ms=60_000, engine_deadline_ms=60_000).save(tmp_path / "data/settings.json")
    made = Engine.open(tmp_path / "data")
    made.__dict__["models"] = Models(
        made.folder.models,
        lambda: made.settings,
        lambda settings: settings.save(made.folder.settings),
        lambda: made._model_vectors,
        nano_is_there=lambda: False,
    )
    made.remove_starter()
    made.ingest([write_articles(tmp_path / "kb")])
    yield made
    made.close()


def answers(engine: Engine) -> str:
    """The embedder of a lookup."""
    answer = engine.lookup(POOL)
    assert answer.hits
    assert answer.result.missing_legs == ()
    return str(answer.details["embedder"])


def pid_of(engine: Engine) -> int:
    model = engine.models._loaded
    assert isinstance(model, FlagEmbedder)
    assert model._process is not None
    assert model._process.pid is not None
    return model._process.pid


def test_an_added_model_answers_once_its_vectors_are_made_and_hashed_vectors_when_it_is_lost(
    engine: Engine, tiny: TinyModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = engine.models
    assert answers(engine) == "hashed"
    added = models.add(tiny.folder / "bge-m3")
    assert (added.name, added.stage, added.dimension) == ("bge-m3", ModelStage.FOUND, 1024)
    assert models.add(tiny.folder / "judge").is_reranker
    status = models.status()
    assert (status.wanted, status.chosen, status.serving, status.why) == ("auto", "bge-m3", "hashed", Why.LOADING)

    models.load()
    status = models.status()
    assert (status.chosen, status.serving, status.why) == ("bge-m3", "hashed", Why.EMBEDDING), status
    ready = status.model("bge-m3")
    assert ready is not None
    assert (ready.stage, ready.dimension, ready.is_calibrated) == (ModelStage.READY, 1024, False)
    assert ready.query_ms is not None
    assert answers(engine) == "hashed"

    assert models.embed()
    status = models.status()
    assert (status.serving, status.why, status.done) == ("bge-m3", Why.BEST, status.total)
    assert status.total > 0
    assert answers(engine) == "bge-m3"
    assert status.reranker == "judge" or (status.reranker_ms or 0) > 800  # a busy computer

    # Away and back: nothing is encoded again, and the process ends meanwhile.
    models.choose("hashed")
    models.load(reranker=False)
    assert answers(engine) == "hashed"
    assert models.status().why is Why.CHOSEN
    models.choose("bge-m3")
    models.load(reranker=False)
    encoded: list[int] = []

    def counted(self: FlagEmbedder, token_lists: object, texts: list[str]) -> Vectors:
        encoded.append(len(texts))
        raise AssertionError

    with monkeypatch.context() as patch:
        patch.setattr(FlagEmbedder, "encode_documents", counted)
        assert models.embed()
    assert encoded == []
    assert answers(engine) == "bge-m3"
    assert models.status().why is Why.CHOSEN

    # Its process is killed: one fault, and words and hashed vectors go on.
    os.kill(pid_of(engine), getattr(signal, "SIGKILL", signal.SIGTERM))
    after = engine.lookup("连接池耗尽")
    assert after.hits
    status = models.status()
    lost = status.model("bge-m3")
    assert lost is not None
    assert (lost.stage, lost.fault) == (ModelStage.FAILED, ModelFault.DIED)
    assert (status.serving, status.why) == ("hashed", Why.FAILED)
    assert answers(engine) == "hashed"


def without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def cut(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])


@pytest.mark.parametrize(
    ("source", "harm", "fault", "detail"),
    [
        ("bge-m3", without("tokenizer.json"), ModelFault.FILES, "tokenizer.json"),
        ("bge-m3", without("model.safetensors"), ModelFault.FILES, "model.safetensors"),
        ("bge-m3", without("sparse_linear.pt"), ModelFault.HEADS, "sparse_linear.pt"),
        ("bge-m3", cut, ModelFault.WEIGHTS, "model.safetensors"),
        ("narrow-m3", lambda _: None, ModelFault.DIMENSION, "64/1024"),
    ],
    ids=["no tokenizer", "no weights", "no head", "cut off", "64 numbers"],
)
def test_a_model_that_is_not_whole_is_refused_with_one_reason_and_the_program_works(
    engine: Engine,
    tiny: TinyModels,
    tmp_path: Path,
    source: str,
    harm: Callable[[Path], None],
    fault: ModelFault,
    detail: str,
) -> None:
    folder = tmp_path / "stick" / source
    shutil.copytree(tiny.folder / source, folder)
    harm(folder)
    status = engine.models.add(folder)
    assert (status.stage, status.fault, status.detail) == (ModelStage.FAILED, fault, detail)
    assert list(engine.folder.models.iterdir()) == []
    engine.models.load()
    assert engine.models.status().chosen == "hashed"
    assert answers(engine) == "hashed"


def test_a_model_that_loses_its_read_right_after_it_was_added_gives_way(
    engine: Engine, tiny: TinyModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert engine.models.add(tiny.folder / "small-zh").fault is None
    engine.models.choose("small-zh")
    may = os.access
    path = engine.folder.models / "small-zh" / "model.safetensors"
    # As the system says to anyone but its administrator, whom nothing is refused.
    monkeypatch.setattr(os, "access", lambda one, mode, **more: Path(one) != path and may(one, mode, **more))
    engine.models.load()
    status = engine.models.status()
    model = status.model("small-zh")
    assert model is not None
    assert (model.stage, model.fault, model.detail) == (ModelStage.FAILED, ModelFault.NO_RIGHT, str(path))
    assert (status.serving, status.why) == ("hashed", Why.FAILED)
    assert answers(engine) == "hashed"
