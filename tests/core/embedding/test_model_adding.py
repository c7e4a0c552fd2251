"""Adding a model: a folder or an archive is there whole, or not at all, and nothing of it lands elsewhere."""

from __future__ import annotations

import io
import json
import os
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from core.embedding.model_adding import add
from core.embedding.model_fault import ModelUnusable
from core.embedding_status import ModelFault, ModelStage, ModelStatus
from core.errors import Cancelled, PathMissing
from core.job import Job
from core.report import Progress
from tests.core.embedding.made_model import cut, made_model, small_dense


def _zip(folder: Path, path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in sorted(folder.rglob("*")):
            archive.write(one, one.relative_to(folder.parent))
    return path


def _tar(folder: Path, path: Path) -> Path:
    with tarfile.open(path, "w:gz" if path.name.endswith("gz") else "w") as archive:
        archive.add(folder, folder.name)
    return path


def _as_it_is(folder: Path, path: Path) -> Path:
    return folder


WAYS: list[tuple[str, Callable[[Path, Path], Path]]] = [
    ("", _as_it_is),
    ("stick.zip", _zip),
    ("stick.tar", _tar),
    ("stick.tar.gz", _tar),
]


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "data" / "models"


@pytest.mark.parametrize(("name", "way"), WAYS, ids=lambda one: one if isinstance(one, str) else "")
def test_a_model_is_copied_with_its_manifest(
    tmp_path: Path, models: Path, name: str, way: Callable[[Path, Path], Path]
) -> None:
    folder = made_model(tmp_path / "stick" / "bge-m3")
    (folder / "onnx").mkdir()
    (folder / "onnx/model.onnx").write_bytes(b"large and not needed")
    told: list[Progress] = []
    status = add(way(folder, tmp_path / name), models, Job(told.append))
    assert status == ModelStatus("bge-m3", ModelStage.FOUND, dimension=1024, is_added=True)
    assert [one.name for one in models.iterdir()] == ["bge-m3"]
    kept = {one.name for one in (models / "bge-m3").iterdir()}
    assert kept == {one.name for one in folder.iterdir() if one.is_file()} | {"model.json"}
    assert json.loads((models / "bge-m3/model.json").read_text(encoding="utf-8"))["kind"] == "m3"
    assert told[-1].done == told[-1].total > 0


def test_a_model_keeps_its_folders_name_and_bge_m3_gets_its_own(tmp_path: Path, models: Path) -> None:
    assert add(small_dense(tmp_path / "Bge Small zh"), models, Job()).name == "bge-small-zh"
    assert add(made_model(tmp_path / "downloaded"), models, Job()).name == "bge-m3"


def test_one_folder_in_another_is_understood(tmp_path: Path, models: Path) -> None:
    small_dense(tmp_path / "stick" / "bge-small-zh")
    assert add(tmp_path / "stick", models, Job()).name == "bge-small-zh"


def _hub_cache(folder: Path) -> Path:
    repository = folder / "models--BAAI--bge-small-zh-v1.5"
    made = small_dense(folder / "made")
    for revision in ("1111", "2222"):
        snapshot = repository / "snapshots" / revision
        snapshot.mkdir(parents=True)
        for one in made.iterdir():
            blob = repository / "blobs" / f"{revision}-{one.name}"
            blob.parent.mkdir(exist_ok=True)
            shutil.copy(one, blob)
            (snapshot / one.name).symlink_to(Path("../../blobs") / blob.name)
    (repository / "refs").mkdir()
    (repository / "refs/main").write_text("2222", encoding="utf-8")
    (repository / "snapshots/1111/config.json").unlink()
    shutil.rmtree(made)
    return repository


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
@pytest.mark.parametrize("part", ["", "snapshots/2222"])
def test_a_hub_cache_is_understood(tmp_path: Path, models: Path, part: str) -> None:
    repository = _hub_cache(tmp_path / "stick")
    status = add(repository / part, models, Job())
    assert (status.name, status.stage) == ("bge-small-zh-v1.5", ModelStage.FOUND)
    assert not any(one.is_symlink() for one in (models / status.name).iterdir())


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_a_packed_hub_cache_is_understood(tmp_path: Path, models: Path) -> None:
    repository = _hub_cache(tmp_path / "stick")
    assert add(_tar(repository, tmp_path / "cache.tar.gz"), models, Job()).name == "bge-small-zh-v1.5"


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_a_link_leads_nowhere_outside(tmp_path: Path, models: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("{}", encoding="utf-8")
    folder = small_dense(tmp_path / "stick" / "model")
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer.json").symlink_to(secret)
    for path in (folder, _tar(folder, tmp_path / "stick.tar")):
        with pytest.raises(ModelUnusable) as raised:
            add(path, models, Job())
        assert (raised.value.fault, raised.value.detail) == (ModelFault.FILES, "tokenizer.json")
    assert list(models.iterdir()) == []


def test_an_archives_names_lead_nowhere_outside(tmp_path: Path, models: Path) -> None:
    folder = small_dense(tmp_path / "stick" / "model")
    archive = _zip(folder, tmp_path / "stick.zip")
    with zipfile.ZipFile(archive, "a") as file:
        file.writestr("../../escaped.json", "{}")
        file.writestr("model/../../../escaped.json", "{}")
        file.writestr("/absolute.json", "{}")
    add(archive, models, Job())
    assert [one.name for one in models.iterdir()] == ["model"]
    assert list(tmp_path.rglob("escaped.json")) == []
    packed = tmp_path / "stick.tar"
    with tarfile.open(_tar(folder, packed), "a") as tar:
        tar.addfile(tarfile.TarInfo("../escaped.json"), io.BytesIO())
    add(packed, models, Job())
    assert list(tmp_path.rglob("escaped.json")) == []


@pytest.mark.parametrize(("name", "way"), WAYS[1:], ids=lambda one: one if isinstance(one, str) else "")
def test_an_archive_that_is_cut_off_is_refused(
    tmp_path: Path, models: Path, name: str, way: Callable[[Path, Path], Path]
) -> None:
    folder = made_model(tmp_path / "stick" / "bge-m3")
    (folder / "model.safetensors").write_bytes(os.urandom(200_000))
    path = way(folder, tmp_path / name)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(ModelUnusable) as raised:
        add(path, models, Job())
    assert raised.value.fault is ModelFault.WEIGHTS
    assert list(models.iterdir()) == []


def test_a_download_that_has_not_ended_is_refused(tmp_path: Path, models: Path) -> None:
    folder = made_model(tmp_path / "bge-m3")
    (folder / "model.safetensors.part").write_bytes(b"half")
    with pytest.raises(ModelUnusable) as raised:
        add(folder, models, Job())
    assert (raised.value.fault, raised.value.detail) == (ModelFault.WEIGHTS, "model.safetensors.part")


def test_a_file_that_is_still_being_written_is_refused(tmp_path: Path, models: Path) -> None:
    folder = made_model(tmp_path / "bge-m3")

    def grow(progress: Progress) -> None:
        with (folder / "model.safetensors").open("ab") as file:
            file.write(b"more")

    with pytest.raises(ModelUnusable) as raised:
        add(folder, models, Job(grow))
    assert raised.value.fault is ModelFault.WEIGHTS
    assert list(models.iterdir()) == []


def test_a_huge_file_that_should_be_small_is_refused_before_it_is_copied(tmp_path: Path, models: Path) -> None:
    folder = made_model(tmp_path / "bge-m3")
    with (folder / "tokenizer.json").open("wb") as file:
        file.truncate(200 << 20)
    with pytest.raises(ModelUnusable) as raised:
        add(folder, models, Job())
    assert (raised.value.fault, raised.value.detail) == (ModelFault.NOT_A_MODEL, "tokenizer.json")
    assert list(models.iterdir()) == []


def test_an_unsound_model_leaves_the_one_that_was_there(tmp_path: Path, models: Path) -> None:
    add(made_model(tmp_path / "good" / "bge-m3"), models, Job())
    bad = made_model(tmp_path / "bad" / "bge-m3")
    cut(bad / "model.safetensors")
    with pytest.raises(ModelUnusable):
        add(bad, models, Job())
    assert [one.name for one in models.iterdir()] == ["bge-m3"]
    assert (models / "bge-m3/model.json").exists()


def test_a_model_of_the_same_name_replaces_the_one_before(tmp_path: Path, models: Path) -> None:
    add(small_dense(tmp_path / "a" / "model"), models, Job())
    (models / "model/old.txt").write_text("old", encoding="utf-8")
    add(small_dense(tmp_path / "b" / "model"), models, Job())
    assert [one.name for one in models.iterdir()] == ["model"]
    assert not (models / "model/old.txt").exists()


def test_cancelling_leaves_nothing(tmp_path: Path, models: Path) -> None:
    job = Job(lambda progress: job.cancel())
    with pytest.raises(Cancelled):
        add(made_model(tmp_path / "bge-m3"), models, job)
    assert list(models.iterdir()) == []


def test_what_a_killed_program_left_is_cleared_away(tmp_path: Path, models: Path) -> None:
    (models / ".adding-1" / "bge-m3").mkdir(parents=True)
    add(made_model(tmp_path / "bge-m3"), models, Job())
    assert [one.name for one in models.iterdir()] == ["bge-m3"]


def test_a_full_disk_is_told_before_anything_is_copied(
    tmp_path: Path, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10, 9, 1))
    with pytest.raises(OSError, match="space"):
        add(made_model(tmp_path / "bge-m3"), models, Job())
    assert list(models.iterdir()) == []


def test_a_file_that_is_no_archive_is_no_model(tmp_path: Path, models: Path) -> None:
    (tmp_path / "notes.txt").write_text("no model", encoding="utf-8")
    with pytest.raises(ModelUnusable) as raised:
        add(tmp_path / "notes.txt", models, Job())
    assert raised.value.fault is ModelFault.NOT_A_MODEL
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelUnusable) as raised:
        add(tmp_path / "empty", models, Job())
    assert raised.value.fault is ModelFault.NOT_A_MODEL


def test_an_archive_that_wants_a_password_is_refused(tmp_path: Path, models: Path) -> None:
    path = _zip(small_dense(tmp_path / "model"), tmp_path / "model.zip")
    data, at = bytearray(path.read_bytes()), -1
    while (at := data.find(b"PK\x01\x02", at + 1)) >= 0:
        data[at + 8] |= 1  # the flag of an encrypted file
    path.write_bytes(data)
    with pytest.raises(ModelUnusable) as raised:
        add(path, models, Job())
    assert raised.value.fault is ModelFault.WEIGHTS
    assert list(models.iterdir()) == []


@pytest.mark.parametrize(
    "said",
    [
        '{"model_type": ["bert"], "hidden_size": 512}',
        '{"model_type": "gpt2", "architectures": 5, "hidden_size": 512}',
        '{"model_type": "bert", "architectures": ["BertForSequenceClassification"], "id2label": 5}',
        "[" * 100_000,
    ],
    ids=["type", "architectures", "labels", "deep"],
)
def test_a_configuration_of_another_shape_is_no_model(tmp_path: Path, models: Path, said: str) -> None:
    folder = small_dense(tmp_path / "model")
    (folder / "config.json").write_text(said, encoding="utf-8")
    with pytest.raises(ModelUnusable) as raised:
        add(folder, models, Job())
    assert raised.value.fault is ModelFault.NOT_A_MODEL
    assert list(models.iterdir()) == []


@pytest.mark.parametrize("shape", [[], [3]])
def test_weights_of_another_shape_are_no_model(tmp_path: Path, models: Path, shape: list[int]) -> None:
    folder = small_dense(tmp_path / "model")
    entry = {"dtype": "F32", "shape": shape, "data_offsets": [0, 4]}
    header = json.dumps({"embeddings.word_embeddings.weight": entry}).encode()
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
    with pytest.raises(ModelUnusable):
        add(folder, models, Job())
    assert list(models.iterdir()) == []


def test_a_path_that_is_not_there_is_told_as_such(tmp_path: Path, models: Path) -> None:
    with pytest.raises(PathMissing):
        add(tmp_path / "gone", models, Job())
