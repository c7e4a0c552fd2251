"""Vectors are kept by what was encoded and by whom, whoever else writes the same file, and however it was damaged."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from core.store.vector_store import VectorStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "服务台 vectors.sqlite3"


def test_what_is_kept_is_found_by_its_maker_alone(path: Path) -> None:
    store = VectorStore(path)
    store.keep("one:2", {"a": b"1", "b": b"2"})
    store.keep("two:2", {"a": b"3"})
    assert store.found("one:2", ["a", "b", "c"]) == {"a": b"1", "b": b"2"}
    assert store.found("two:2", ["a", "b"]) == {"a": b"3"}
    assert store.found("three", ["a"]) == {}
    assert dict(VectorStore(path).each("one:2")) == {"a": b"1", "b": b"2"}


def test_more_hashes_than_a_statement_takes(path: Path) -> None:
    store = VectorStore(path)
    vectors = {f"h{number}": bytes([number % 256]) for number in range(2500)}
    store.keep("one", vectors)
    assert store.found("one", [*vectors, "none"]) == vectors


def test_a_vector_that_is_dropped_can_be_made_again(path: Path) -> None:
    store = VectorStore(path)
    store.keep("one", {"a": b"bad", "b": b"2"})
    store.keep("two", {"a": b"3"})
    store.drop("one", ["a"])
    assert store.found("one", ["a", "b"]) == {"b": b"2"}
    store.keep("one", {"a": b"1"})
    assert store.found("one", ["a"]) == {"a": b"1"}
    assert store.found("two", ["a"]) == {"a": b"3"}


def test_how_contents_were_read_is_remembered_for_each_way_of_reading(path: Path) -> None:
    store = VectorStore(path)
    store.keep_texts("way 1", {"content": "text"})
    assert store.texts_of("way 1", ["content", "other"]) == {"content": "text"}
    assert store.texts_of("way 2", ["content"]) == {}


def test_the_file_may_be_deleted_while_it_is_in_use(path: Path) -> None:
    store = VectorStore(path)
    store.keep("one", {"a": b"1"})
    path.unlink()
    assert store.found("one", ["a"]) == {}
    store.keep("one", {"a": b"1"})
    assert store.found("one", ["a"]) == {"a": b"1"}


@pytest.mark.parametrize("damage", [b"not a database, and long enough to be looked at as one" * 40, b"\0" * 5000])
def test_a_damaged_file_is_begun_anew(path: Path, damage: bytes) -> None:
    path.write_bytes(damage)
    store = VectorStore(path)
    assert store.fault()
    assert store.found("one", ["a"]) == {}
    store.keep("one", {"a": b"1"})
    assert store.found("one", ["a"]) == {"a": b"1"}
    assert store.fault() == ""


def test_a_file_that_was_cut_off_is_begun_anew(path: Path) -> None:
    store = VectorStore(path)
    store.keep("one", {f"h{number}": bytes(500) for number in range(200)})
    path.write_bytes(path.read_bytes()[:30_000])
    assert store.fault()
    assert VectorStore(path).found("one", [f"h{number}" for number in range(200)]) == {}
    assert store.fault() == ""


def test_a_folder_in_its_place_is_told(path: Path) -> None:
    path.mkdir()
    with pytest.raises(sqlite3.OperationalError):
        VectorStore(path).found("one", ["a"])


def test_a_lock_held_by_another_program_is_told_and_nothing_is_lost(path: Path) -> None:
    VectorStore(path).keep("one", {"a": b"1"})
    store = VectorStore(path, timeout_s=0)
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            store.keep("one", {"b": b"2"})
    assert store.found("one", ["a", "b"]) == {"a": b"1"}


def test_many_writers_of_one_file_lose_nothing(path: Path) -> None:
    def write(writer: int) -> None:
        store = VectorStore(path)
        for number in range(20):
            store.keep("one", {f"{writer}:{number}": b"own", "shared": b"same"})

    writers = [threading.Thread(target=write, args=(writer,)) for writer in range(4)]
    for thread in writers:
        thread.start()
    for thread in writers:
        thread.join()
    assert len(dict(VectorStore(path).each("one"))) == 4 * 20 + 1
