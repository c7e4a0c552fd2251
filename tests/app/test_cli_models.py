"""The command `models`: what a person reads of each model, in both languages."""

from __future__ import annotations

import argparse
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from app import cli_models
from core.embedding_status import EmbeddingStatus, ModelFault, ModelStage, ModelStatus, Why

LARGE = ModelStatus(
    "bge-m3", ModelStage.READY, dimension=1024, device="cpu", query_ms=140.4, is_added=True, is_calibrated=False
)
JUDGE = ModelStatus("judge", ModelStage.READY, device="cpu", is_added=True, is_reranker=True)
HASHED = ModelStatus("hashed", ModelStage.READY, device="cpu")
STATUS = EmbeddingStatus("auto", "bge-m3", "bge-m3", Why.BEST, (LARGE, JUDGE, HASHED), 53, 53, "judge", 412.4)


class Engine:
    def __init__(self, status: EmbeddingStatus) -> None:
        self.models: Any = SimpleNamespace(load=self._load, status=lambda: status, embed=lambda *_: True)
        self.loaded: list[bool] = []

    def _load(self, *, reranker: bool = True) -> None:
        self.loaded.append(reranker)


def lines(status: EmbeddingStatus, language: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    options = argparse.Namespace(action=None, json=False, lang=language)
    assert cli_models.run(Engine(status), options) == 0  # type: ignore[arg-type]
    return capsys.readouterr().out.splitlines()


def test_each_model_has_a_line_with_what_is_known_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    said = lines(STATUS, "zh_CN", capsys)
    assert "bge-m3  可用  1024  cpu  140 ms  初始阈值，未标定" in said
    assert "judge  可用  cpu  重排模型" in said
    assert said[-1] == "重排模型 judge：在用（30 对 412 毫秒）"
    said = lines(STATUS, "en", capsys)
    assert "bge-m3  ready  1024  cpu  140 ms  first thresholds, not calibrated" in said
    assert said[-1] == "reranker judge: in use (30 pairs: 412 ms)"


def test_a_reranker_that_is_too_slow_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    slow = replace(STATUS, reranker=None, reranker_ms=5120.0)
    assert lines(slow, "zh_CN", capsys)[-1] == "重排模型 judge：没有用，30 对要 5120 毫秒，超过 800 毫秒"
    assert lines(slow, "en", capsys)[-1] == "reranker judge: off, 30 pairs take 5120 ms, more than 800 ms"


def test_without_a_reranker_nothing_is_said_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    none = replace(STATUS, models=(LARGE, HASHED), reranker=None, reranker_ms=None)
    assert not any("rerank" in line for line in lines(none, "en", capsys))


@pytest.mark.parametrize("language", ["zh_CN", "en"])
@pytest.mark.parametrize("fault", ModelFault)
def test_every_fault_has_a_sentence(fault: ModelFault, language: str, capsys: pytest.CaptureFixture[str]) -> None:
    broken = replace(LARGE, stage=ModelStage.FAILED, fault=fault, detail="THIS")
    said = lines(replace(STATUS, models=(broken,)), language, capsys)
    assert any(line.startswith("bge-m3  ") and "{" not in line for line in said)


def test_making_vectors_loads_no_reranker() -> None:
    engine = Engine(STATUS)
    cli_models.embed(engine, "en")  # type: ignore[arg-type]
    cli_models.load(engine, "en")  # type: ignore[arg-type]
    assert engine.loaded == [False, True]
