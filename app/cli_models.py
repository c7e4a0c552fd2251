"""The command `models`: which embedder answers and why, adding one, choosing one; and models before other commands."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict

from app.cli_output import LANGUAGES, put, put_json, say
from app.cli_progress import cancelled_by_signals
from core.embedding_status import EmbeddingStatus, ModelStage, ModelStatus
from core.engine import Engine
from core.job import Job

DONE, FAILED = 0, 1
AFTER_IMPORT_S = 30.0

_WORDS: dict[str, tuple[str, str]] = {
    "serving": ("现在用 {serving}（设置：{wanted}）：{why}", "{serving} answers (setting: {wanted}): {why}"),
    "vectors": ("{chosen} 的向量：{done}/{total}", "vectors of {chosen}: {done} of {total}"),
    "left": (
        "还有 {left} 段没有 {chosen} 的向量；打开窗口或运行 reindex 会补上。",
        "{left} texts have no vector of {chosen} yet; the window or reindex makes them.",
    ),
    "not_ready": ("{chosen} 用不了：{fault}；先用 {serving}。", "{chosen} cannot be used: {fault}. {serving} answers."),
    "reranker_on": (
        "重排模型 {judge}：在用（30 对 {ms:.0f} 毫秒）",
        "reranker {judge}: in use (30 pairs: {ms:.0f} ms)",
    ),
    "reranker_slow": (
        "重排模型 {judge}：没有用，30 对要 {ms:.0f} 毫秒，超过 800 毫秒",
        "reranker {judge}: off, 30 pairs take {ms:.0f} ms, more than 800 ms",
    ),
    "reranker": ("重排模型", "reranker"),
    "uncalibrated": ("初始阈值，未标定", "first thresholds, not calibrated"),
    "why.best": ("可用的里面最好的", "the best there is"),
    "why.chosen": ("设置里指定", "as the setting says"),
    "why.no_model": ("没有模型", "there is no model"),
    "why.loading": ("模型还没载入", "the model is not loaded"),
    "why.failed": ("更好的模型用不了", "the better model cannot be used"),
    "why.embedding": ("模型的向量还不够", "too few texts have vectors of the model"),
    "why.missing": ("设置里的模型不在", "the model of the setting is not there"),
    "stage.missing": ("没有", "missing"),
    "stage.found": ("有，未载入", "found"),
    "stage.loading": ("载入中", "loading"),
    "stage.ready": ("可用", "ready"),
    "stage.failed": ("用不了", "unusable"),
    "fault.not_installed": ("没有安装运行它的程序包", "what runs it is not installed"),
    "fault.no_folder": ("还没添加", "it was not added"),
    "fault.no_avx2": ("这台电脑的处理器没有 AVX2", "this computer's processor has no AVX2"),
    "fault.files": ("缺文件：{detail}", "files are missing: {detail}"),
    "fault.heads": ("缺输出头：{detail}", "heads are missing: {detail}"),
    "fault.dimension": ("维数不对：{detail}", "wrong dimension: {detail}"),
    "fault.weights": ("权重文件不完整", "its weights are cut off or damaged"),
    "fault.no_right": ("没有读取权限：{detail}", "it may not be read: {detail}"),
    "fault.probe": ("试编码没有得到单位向量", "the probe sentence gave no unit vector"),
    "fault.not_a_model": ("不是能运行的模型", "it is no model this program can run"),
    "fault.memory": ("内存不够", "there is not enough memory"),
    "fault.died": ("它的进程意外结束：{detail}", "its process ended: {detail}"),
    "fault.error": ("出错：{detail}", "it failed: {detail}"),
}


def run(engine: Engine, options: argparse.Namespace) -> int:
    """list, add, use. A model that cannot be used is a failure of `add`, and no news for `list`."""
    if options.action == "add":
        with cancelled_by_signals(options.lang) as job:
            added = engine.models.add(options.path, job)
        if options.json:
            put_json(asdict(added))
        else:
            put([_line(added, options.lang)])
        return FAILED if added.stage in (ModelStage.FAILED, ModelStage.MISSING) else DONE
    if options.action == "use":
        engine.models.choose(options.name)
    engine.models.load()
    status = engine.models.status()
    if options.json:
        put_json(asdict(status))
    else:
        put(_table(status, options.lang))
    return DONE


def load(engine: Engine, language: str, *, reranker: bool = True) -> None:
    """Have the chosen model ready before anything is asked, and the reranker where one is wanted; a chosen one that
    fails is told on standard error."""
    engine.models.load(reranker=reranker)
    status = engine.models.status()
    wanted = status.model(status.wanted)
    if wanted is not None and wanted.fault is not None:
        facts = {"chosen": wanted.name, "serving": status.serving, "fault": _fault(wanted, language)}
        say(_word("not_ready", language, **facts))


def embed(engine: Engine, language: str, job: Job | None = None, seconds: float | None = None) -> None:
    """Make the vectors that the chosen model lacks; what is left after `seconds` is told on standard error. Raises
    Cancelled."""
    load(engine, language, reranker=False)
    if not engine.models.embed(job, seconds):
        status = engine.models.status()
        if left := status.total - status.done:
            say(_word("left", language, left=left, chosen=status.chosen))


def _table(status: EmbeddingStatus, language: str) -> Iterator[str]:
    why = _word(f"why.{status.why}", language)
    yield _word("serving", language, serving=status.serving, wanted=status.wanted, why=why)
    if status.total:
        yield _word("vectors", language, chosen=status.chosen, done=status.done, total=status.total)
    for model in status.models:
        yield _line(model, language)
    if status.reranker_ms is not None:
        judge = status.reranker or next((one.name for one in status.models if one.is_reranker), "")
        word = "reranker_slow" if status.reranker is None else "reranker_on"
        yield _word(word, language, judge=judge, ms=status.reranker_ms)


def _line(model: ModelStatus, language: str) -> str:
    facts = [model.name, _word(f"stage.{model.stage}", language)]
    if model.fault is not None:
        facts.append(_fault(model, language))
    facts.extend(str(fact) for fact in (model.dimension, model.device) if fact is not None)
    if model.query_ms is not None:
        facts.append(f"{model.query_ms:.0f} ms")
    if model.is_reranker:
        facts.append(_word("reranker", language))
    elif not model.is_calibrated:
        facts.append(_word("uncalibrated", language))
    return "  ".join(facts)


def _fault(model: ModelStatus, language: str) -> str:
    return _word(f"fault.{model.fault}", language, detail=model.detail)


def _word(name: str, language: str, **facts: object) -> str:
    return _WORDS[name][LANGUAGES.index(language)].format(**facts)
