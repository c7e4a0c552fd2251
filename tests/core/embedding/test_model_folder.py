"""What a model's folder must hold: each thing that is wrong has its own reason, and nothing is loaded to find it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from core.embedding.model_folder import Kind, check, facts_of, fingerprint, safe_name
from core.embedding_status import ModelFault, ModelStage
from tests.core.embedding.made_model import cut, made_model, safetensors, small_dense, torch_file


def test_a_sound_folder_is_found_and_says_its_dimension(tmp_path: Path) -> None:
    status = check(made_model(tmp_path / "bge-m3"))
    assert (status.stage, status.fault, status.dimension) == (ModelStage.FOUND, None, 1024)
    assert facts_of(tmp_path / "bge-m3").kind is Kind.M3


def test_another_encoder_is_taken_with_what_its_makers_put_before_a_question(tmp_path: Path) -> None:
    facts = facts_of(small_dense(tmp_path / "bge-small-zh-v1.5"))
    assert (facts.kind, facts.dimension, facts.pooling) == (Kind.DENSE, 512, "cls")
    assert facts.before_query.startswith("为这个句子")
    assert facts.before_passage == ""


def test_what_the_folder_says_of_pooling_and_prompts_holds(tmp_path: Path) -> None:
    folder = small_dense(tmp_path / "model-zh")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling/config.json").write_text('{"pooling_mode_mean_tokens": true}', encoding="utf-8")
    prompts = {"prompts": {"query": "q: ", "document": "d: "}}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts), encoding="utf-8")
    facts = facts_of(folder)
    assert (facts.pooling, facts.before_query, facts.before_passage) == ("mean", "q: ", "d: ")


def test_a_reranker_has_one_label(tmp_path: Path) -> None:
    judge = {"architectures": ["XLMRobertaForSequenceClassification"], "id2label": {"0": "LABEL_0"}}
    status = check(made_model(tmp_path / "bge-reranker-v2-m3", heads=False, **judge))
    assert (status.stage, status.is_reranker, status.dimension) == (ModelStage.FOUND, True, None)
    two = check(made_model(tmp_path / "mood", heads=False, **{**judge, "id2label": {"0": "bad", "1": "good"}}))
    assert (two.stage, two.fault) == (ModelStage.FAILED, ModelFault.NOT_A_MODEL)


def _without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def _cut(name: str) -> Callable[[Path], None]:
    return lambda folder: cut(folder / name)


def _no_model(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


def _narrow(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, "hidden_size": 512}), encoding="utf-8")
    safetensors(folder / "model.safetensors", 512)


@pytest.mark.parametrize(
    ("harm", "fault", "detail"),
    [
        (_without("config.json"), ModelFault.FILES, "config.json"),
        (_without("tokenizer.json"), ModelFault.FILES, "tokenizer.json"),
        (_without("model.safetensors"), ModelFault.FILES, "model.safetensors"),
        (_without("colbert_linear.pt"), ModelFault.HEADS, "colbert_linear.pt"),
        (_without("sparse_linear.pt"), ModelFault.HEADS, "sparse_linear.pt"),
        (_cut("model.safetensors"), ModelFault.WEIGHTS, "model.safetensors"),
        (_cut("colbert_linear.pt"), ModelFault.WEIGHTS, "colbert_linear.pt"),
        (_narrow, ModelFault.DIMENSION, "512/1024"),
        (lambda folder: safetensors(folder / "model.safetensors", 768), ModelFault.DIMENSION, "768/1024"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"<html>"), ModelFault.WEIGHTS, "model.safetensors"),
        (lambda folder: (folder / "config.json").write_bytes(b"{"), ModelFault.NOT_A_MODEL, "config.json"),
        (_no_model, ModelFault.NOT_A_MODEL, "config.json"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, harm: Callable[[Path], None], fault: ModelFault, detail: str) -> None:
    folder = made_model(tmp_path / "bge-m3")
    harm(folder)
    status = check(folder)
    assert (status.stage, status.fault, status.detail) == (ModelStage.FAILED, fault, detail)


def test_bge_m3_without_both_heads_is_still_bge_m3_without_heads(tmp_path: Path) -> None:
    status = check(made_model(tmp_path / "renamed", heads=False))
    assert (status.fault, status.detail) == (ModelFault.HEADS, "colbert_linear.pt, sparse_linear.pt")


def test_weights_as_torch_writes_them_are_whole_or_cut_off(tmp_path: Path) -> None:
    folder = small_dense(tmp_path / "model")
    (folder / "model.safetensors").unlink()
    torch_file(folder / "pytorch_model.bin")
    assert check(folder).stage is ModelStage.FOUND
    cut(folder / "pytorch_model.bin")
    assert check(folder).fault is ModelFault.WEIGHTS


def test_shards_are_those_of_their_list(tmp_path: Path) -> None:
    folder = small_dense(tmp_path / "model")
    (folder / "model.safetensors").unlink()
    shards = {"embeddings.word_embeddings.weight": "model-1.safetensors", "pooler.weight": "model-2.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": shards}), encoding="utf-8")
    safetensors(folder / "model-1.safetensors", 512)
    assert (check(folder).fault, check(folder).detail) == (ModelFault.FILES, "model-2.safetensors")
    safetensors(folder / "model-2.safetensors", 512, "pooler.weight")
    assert check(folder).stage is ModelStage.FOUND


def test_a_list_of_shards_leads_nowhere_outside(tmp_path: Path) -> None:
    folder = small_dense(tmp_path / "model")
    (folder / "model.safetensors").rename(tmp_path / "outside.safetensors")
    shards = {"weight_map": {"embeddings.word_embeddings.weight": "../outside.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(shards), encoding="utf-8")
    assert check(folder).fault is ModelFault.WEIGHTS


def test_a_model_that_generates_text_is_none_that_runs(tmp_path: Path) -> None:
    folder = small_dense(tmp_path / "model", model_type="qwen2", architectures=["Qwen2ForCausalLM"])
    assert (check(folder).fault, check(folder).detail) == (ModelFault.NOT_A_MODEL, "Qwen2ForCausalLM")


def test_a_folder_that_is_not_there_is_missing(tmp_path: Path) -> None:
    status = check(tmp_path / "bge-m3")
    assert (status.stage, status.fault) == (ModelStage.MISSING, ModelFault.NO_FOLDER)


@pytest.mark.parametrize("name", ["", "model.safetensors"])
def test_what_may_not_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    folder = made_model(tmp_path / "bge-m3")
    closed = folder / name if name else folder
    allowed = os.access  # a test that runs as root could not take the right away
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != closed and allowed(path, mode))
    status = check(folder)
    assert (status.stage, status.fault, status.detail) == (ModelStage.FAILED, ModelFault.NO_RIGHT, str(closed))


def test_a_refusal_of_the_system_is_no_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = made_model(tmp_path / "bge-m3")

    def refuse(self: Path, *args: object, **kwargs: object) -> str:
        raise PermissionError(13, "refused", str(self))

    monkeypatch.setattr(Path, "read_text", refuse)
    assert (check(folder).fault, check(folder).detail) == (ModelFault.NO_RIGHT, str(folder / "config.json"))


def test_the_fingerprint_is_that_of_the_weights(tmp_path: Path) -> None:
    one, other = made_model(tmp_path / "a/bge-m3"), made_model(tmp_path / "b/bge-m3")
    first = fingerprint(one, facts_of(one))
    assert first == fingerprint(other, facts_of(other))
    weights = other / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x01")
    os.utime(weights, ns=(1, 1))
    assert fingerprint(other, facts_of(other)) != first


def test_the_weights_are_read_once_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = made_model(tmp_path / "bge-m3")
    first = fingerprint(folder, facts_of(folder))
    monkeypatch.setattr("core.embedding.model_folder.hash_of_files", lambda files: pytest.fail("read again"))
    assert fingerprint(folder, facts_of(folder)) == first


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("BAAI--bge-m3", "baai--bge-m3"),
        ("models--BAAI--bge-m3", "bge-m3"),
        ("BGE_M3", "bge-m3"),
        ("..", "model"),
        ("bge small/zh v1.5", "bge-small-zh-v1.5"),
        ("模型 一", "模型-一"),
        ("hashed", "hashed-model"),
        ("auto", "auto-model"),
    ],
)
def test_a_name_is_made_safe(name: str, safe: str) -> None:
    assert safe_name(name) == safe
