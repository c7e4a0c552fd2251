"""FlagEmbedding's real classes on tiny models with random weights, alone and through the worker: the same numbers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.embedding.flag import FlagEmbedder
from core.embedding.model_fault import ModelUnusable
from core.embedding.model_process import ModelProcess
from core.embedding_status import ModelFault
from tests.semantic.conftest import TinyModels
from tests.semantic.real_classes import QUERY, TEXTS

PATIENCE_S = 600.0


class OneProcess(ModelProcess):
    """Importing torch takes long: one worker loads model after model."""

    def start(self) -> None:
        if self.pid is None:
            super().start()

    def close(self) -> None:
        """Later."""

    def end(self) -> None:
        super().close()


@pytest.fixture(scope="module")
def worker() -> Iterator[OneProcess]:
    process = OneProcess()
    process.start()
    yield process
    process.end()


def test_the_three_heads_of_bge_m3_load_and_give_what_they_are_for(tiny: TinyModels) -> None:
    dense = np.array(tiny.gave["dense"])
    assert dense.shape == (len(TEXTS), 1024)
    assert np.allclose(np.linalg.norm(dense, axis=1), 1, atol=1e-5)
    assert min(tiny.gave["sparse"]) > 0
    assert all(shape[0] > 1 and shape[1] == 1024 for shape in tiny.gave["colbert"])


def test_the_worker_gives_what_the_class_gives(tiny: TinyModels, worker: OneProcess) -> None:
    model = FlagEmbedder(tiny.folder / "bge-m3", process=lambda: worker)
    model.load()
    assert model.device == "cpu" or model.device.startswith("cuda")  # type: ignore[union-attr]
    vectors = model.encode_documents([], TEXTS)
    assert vectors.dtype == np.float32
    assert np.allclose(vectors, np.array(tiny.gave["dense"]), atol=1e-4)
    assert np.allclose(model.encode_query([], [], TEXTS[0]), vectors[0], atol=1e-4)


def test_another_encoder_is_asked_with_its_makers_words_before_a_question(tiny: TinyModels, worker: OneProcess) -> None:
    model = FlagEmbedder(tiny.folder / "small-zh", process=lambda: worker)
    assert model.dimension == 64
    model.load()
    assert np.allclose(model.encode_documents([], TEXTS), np.array(tiny.gave["plain"]), atol=1e-4)
    asked = model.encode_query([], [], QUERY)
    assert np.allclose(asked, np.array(tiny.gave["plain_query"])[0], atol=1e-4)
    assert not np.allclose(asked, model.encode_documents([], [QUERY])[0], atol=1e-2)


def test_a_reranker_scores_pairs(tiny: TinyModels, worker: OneProcess) -> None:
    worker.ask("load", seconds=PATIENCE_S, folder=str(tiny.folder / "judge"))
    head, data = worker.ask("scores", seconds=PATIENCE_S, query=QUERY, texts=TEXTS)
    assert head["shape"] == [len(TEXTS)]
    assert np.allclose(np.frombuffer(data, dtype=np.float32), tiny.gave["scores"], atol=1e-4)


def test_a_batch_runs_once(tiny: TinyModels) -> None:
    assert tiny.gave["runs"] == {"bge-m3": 1, "small-zh": 1, "judge": 1}


def test_a_head_of_another_size_is_told_as_damage_and_the_worker_goes_on(
    tiny: TinyModels, worker: OneProcess, tmp_path: Path
) -> None:
    folder = tmp_path / "bge-m3"
    shutil.copytree(tiny.folder / "bge-m3", folder)
    shutil.copy(tiny.folder / "narrow-m3/colbert_linear.pt", folder)
    with pytest.raises(ModelUnusable) as caught:
        FlagEmbedder(folder, process=lambda: worker).load()
    assert caught.value.fault is ModelFault.WEIGHTS
    FlagEmbedder(tiny.folder / "bge-m3", process=lambda: worker).load()
