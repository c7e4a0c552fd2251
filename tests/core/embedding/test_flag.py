"""An added model as an embedder: what is checked when it is loaded, and what its process does to who asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from core.embedding.flag import FlagEmbedder
from core.embedding.model_fault import ModelUnusable
from core.embedding.model_process import Answer, ModelProcess
from core.embedding_status import ModelFault
from core.protocols import Unit
from tests.core.embedding.fake_worker import command
from tests.core.embedding.made_model import cut, made_model

Made = Callable[..., FlagEmbedder]


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    """Makes embedders over a sound folder of BGE-M3, and closes them."""
    folder = made_model(tmp_path / "bge-m3")
    all_made = []

    def make(wrong: str = "", **further: float) -> FlagEmbedder:
        all_made.append(
            FlagEmbedder(folder, process=lambda: ModelProcess(command=command(wrong)), **further)  # type: ignore[arg-type]
        )
        return all_made[-1]

    yield make
    for one in all_made:
        one.close()


def test_it_is_an_embedder_of_chunks_that_is_measured_when_it_is_loaded(made: Made) -> None:
    model = made()
    assert (model.name, model.dimension, model.unit, model.device) == ("bge-m3", 1024, Unit.CHUNK, None)
    model.load()
    assert model.device == "cpu"
    assert model.query_ms is not None
    vectors = model.encode_documents([], ["a", "bc", "bc"] * 30)
    assert (vectors.shape, vectors.dtype) == ((90, 1024), np.float32)
    assert np.array_equal(vectors[1], vectors[2])
    assert np.array_equal(vectors[0], model.encode_query([], [], "x"))
    assert model.passages_per_s is not None


def test_nothing_to_encode_is_no_row(made: Made) -> None:
    model = made()
    model.load()
    assert model.encode_documents([], []).shape == (0, 1024)


def test_half_a_character_is_encoded_all_the_same(made: Made) -> None:
    assert made().encode_query([], [], "VPN \ud83d").shape == (1024,)


@pytest.mark.parametrize(
    ("wrong", "fault", "detail"),
    [
        ("no_unit", ModelFault.PROBE, "0.500"),
        ("narrow", ModelFault.DIMENSION, "1023/1024"),
        ("no_memory", ModelFault.MEMORY, ""),
    ],
)
def test_what_the_probe_sentence_shows_is_told(made: Made, wrong: str, fault: ModelFault, detail: str) -> None:
    with pytest.raises(ModelUnusable) as caught:
        made(wrong).load()
    assert (caught.value.fault, caught.value.detail) == (fault, detail)


def test_a_folder_that_lost_something_is_refused_before_a_process_is_started(tmp_path: Path) -> None:
    folder = made_model(tmp_path / "bge-m3")
    cut(folder / "model.safetensors")
    with pytest.raises(ModelUnusable) as caught:
        FlagEmbedder(folder)
    assert caught.value.fault is ModelFault.WEIGHTS


def test_a_process_that_dies_in_the_middle_of_a_batch_is_one_fault(made: Made) -> None:
    model = made("dies")
    model.load()
    with pytest.raises(ModelUnusable) as caught:
        model.encode_documents([], ["a"])
    assert caught.value.fault is ModelFault.DIED
    with pytest.raises(ModelUnusable):
        model.encode_query([], [], "VPN")


def test_a_question_that_takes_too_long_is_late_and_no_fault_of_the_model(made: Made) -> None:
    model = made("hangs", query_s=0.01)
    model.load()
    with pytest.raises(TimeoutError):
        model.encode_query([], [], "hang")
    assert model.encode_documents([], ["VPN"]).shape == (1, 1024)


def test_a_closed_model_stays_closed(made: Made) -> None:
    model = made()
    model.load()
    model.close()
    model.close()
    with pytest.raises(ModelUnusable):
        model.encode_query([], [], "VPN")


def test_a_model_that_is_closed_while_it_loads_ends_at_once(tmp_path: Path) -> None:
    folder = made_model(tmp_path / "bge-m3")
    model: list[FlagEmbedder] = []

    class Closing(ModelProcess):
        """As soon as it is told to load, somebody closes the model."""

        def ask(self, do: str, *, seconds: float, **facts: object) -> Answer:
            model[0].close()
            return super().ask(do, seconds=seconds, **facts)

    model.append(FlagEmbedder(folder, process=lambda: Closing(command=command())))
    for _ in range(2):
        with pytest.raises(ModelUnusable) as caught:
            model[0].load()
        assert caught.value.fault is ModelFault.DIED
