"""The worker without torch: what a batch does that does not fit, and what a package's error means."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.embedding.flag import FlagEmbedder
from core.embedding.flag_worker import RunFailed, fault_of, in_parts
from core.embedding.model_fault import ModelUnusable
from core.embedding.model_process import ModelProcess
from core.embedding_status import ModelFault
from tests.core.embedding.made_model import made_model

_WITHOUT = (
    "import importlib.util, runpy\n"
    "found = importlib.util.find_spec\n"
    "importlib.util.find_spec = lambda name, *further: None if name == 'FlagEmbedding' else found(name, *further)\n"
    "runpy.run_module('core.embedding.flag_worker', run_name='__main__')\n"
)


class Memory:
    """Does for `most` texts at a time."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.ran: list[int] = []

    def __call__(self, texts: Sequence[str]) -> list[str]:
        self.ran.append(len(texts))
        if len(texts) > self.most:
            raise RunFailed("CUDA out of memory. Tried to allocate 20.00 MiB")
        return [text.upper() for text in texts]


def test_a_batch_that_does_not_fit_is_run_in_halves_and_in_its_order() -> None:
    memory = Memory(2)
    assert in_parts(memory, ["a", "b", "c", "d", "e"]) == ["A", "B", "C", "D", "E"]
    assert memory.ran == [5, 2, 3, 1, 2]


def test_one_text_that_does_not_fit_is_the_end_of_it() -> None:
    memory = Memory(0)
    with pytest.raises(ModelUnusable) as caught:
        in_parts(memory, ["a", "b"])
    assert caught.value.fault is ModelFault.MEMORY
    assert memory.ran == [2, 1]


def test_another_failure_is_not_tried_again() -> None:
    ran: list[int] = []

    def run(texts: Sequence[str]) -> list[str]:
        ran.append(len(texts))
        raise RunFailed("expected scalar type Float")

    with pytest.raises(ModelUnusable) as caught:
        in_parts(run, ["a", "b"])
    assert caught.value.fault is ModelFault.ERROR
    assert ran == [2]


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (ModuleNotFoundError("No module named 'transformers.modeling_attn_mask_utils'"), ModelFault.NOT_INSTALLED),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"), ModelFault.MEMORY),
        (MemoryError(), ModelFault.MEMORY),
        (RuntimeError("PytorchStreamReader failed reading zip archive"), ModelFault.WEIGHTS),
        (RuntimeError("size mismatch for weight: copying a param"), ModelFault.WEIGHTS),
        (pickle.UnpicklingError("pickle data was truncated"), ModelFault.WEIGHTS),
        (EOFError(), ModelFault.WEIGHTS),
        (PermissionError(13, "Permission denied", "model.safetensors"), ModelFault.NO_RIGHT),
        (KeyError("roberta"), ModelFault.ERROR),
    ],
)
def test_what_a_package_raises_is_one_reason(error: Exception, fault: ModelFault) -> None:
    assert fault_of(error).fault is fault


def test_without_flag_embedding_that_is_what_is_told(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-c", _WITHOUT]
    model = FlagEmbedder(made_model(tmp_path / "bge-m3"), process=lambda: ModelProcess(command=command))
    with pytest.raises(ModelUnusable) as caught:
        model.load()
    assert (caught.value.fault, caught.value.detail) == (ModelFault.NOT_INSTALLED, "FlagEmbedding")
    model.close()
