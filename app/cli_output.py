"""What the command line prints: one JSON document, or for people answers, sessions and figures in both languages."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from core.model import Answer, LookupResult, NearCode, Outcome, Passage, SessionMemory, SessionSummary
from core.report import Check, ImportReport

LANGUAGES = ("zh_CN", "en")

# name: (zh_CN, en)
WORDS: dict[str, tuple[str, str]] = {
    "level.PRECISE": ("精准", "Exact"),
    "level.HIGHLY_RELEVANT": ("高度相关", "Highly relevant"),
    "level.REFERENCE": ("仅供参考", "Reference"),
    "level.DEDUPED": ("本单看过", "Seen"),
    "level.none": ("未收录", "Not found"),
    "outcome.gated": ("未检索", "Not searched"),
    "outcome.degraded": ("没查成", "Failed"),
    "updated": ("更新于 {date}", "updated {date}"),
    "copies": ("同文：{names}", "same text: {names}"),
    "superseded": ("已被取代：{name}", "superseded by: {name}"),
    "state.superseded": ("已被取代", "superseded"),
    "state.draft": ("草稿", "draft"),
    "state.unreviewed": ("未审核", "not reviewed"),
    "state.expired": ("已过期", "expired"),
    "supplement": ("补充：", "Also:"),
    "held": ("本单看过", "seen in this session"),
    "missing_legs": ("缺少检索方式：{names}", "Missing search methods: {names}"),
    "near": (
        "相近但不同的代码，请勿照搬（不同处在方括号里）：",
        "Similar codes; do not follow them as they stand (what differs is in brackets):",
    ),
    "dimensions": ("补一项会更准：", "Adding one of these would help:"),
    "unknown_words": ("没收录的词：{names}", "Unknown words: {names}"),
    "suggestion": ("您是不是要找：{query}", "Did you mean: {query}"),
    "session": ("工单 {id}", "Session {id}"),
    "ranking": ("全部结果：", "All results:"),
    "no_sessions": ("还没有工单。", "No sessions yet."),
    "lookups": ("{n} 次检索", "{n} lookups"),
    "nothing_retrieved": ("本单还没有取回文章。", "This session has retrieved nothing yet."),
    "cleared": ("已清除 {n} 篇的记录。", "Forgot {n} articles."),
    "import.counts": (
        "新增 {added}，更新 {updated}，未变 {unchanged}，移除 {removed}，跳过 {skipped}，失败 {failed}",
        "{added} added, {updated} updated, {unchanged} unchanged, "
        "{removed} removed, {skipped} skipped, {failed} failed",
    ),
    "import.cancelled": (
        "已取消；已提交的内容保留，再次导入会接着做。",
        "Cancelled; what was committed stays, importing again goes on.",
    ),
    "outcome.skipped": ("跳过", "skipped"),
    "outcome.failed": ("失败", "failed"),
    "check.ok": ("正常", "ok"),
    "check.repaired": ("已修复", "repaired"),
    "check.failed": ("有问题", "failed"),
    "reindexed": ("{articles} 篇文章，{chunks} 个片段", "{articles} articles, {chunks} chunks"),
    "evaluate.no_qrels": (
        "注意：--qrels 文件里没有答案，下面的数字说明不了什么。",
        "Note: the --qrels file holds no answers, so the figures say nothing.",
    ),
    "evaluate.other_knowledge": (
        "注意：--qrels 里的文章没有一篇在这个知识库里（共 {n} 篇），数据文件夹可能不对。",
        "Note: none of the articles in --qrels is in this knowledge base (of {n} articles); it may be the wrong data "
        "folder.",
    ),
    "queries": ("{n} 条查询，引擎 {embedder}", "{n} queries, engine {embedder}"),
    "answerable": ("有答案的 {n} 条：被告知没有 {not_found}", "{n} with an answer: {not_found} told there is none"),
    "unanswerable": (
        "没有答案的 {n} 条：被告知没有 {not_found}，误标精准 {precise}，误标高度相关 {highly}",
        "{n} without an answer: {not_found} told so, {precise} falsely exact, {highly} falsely highly relevant",
    ),
    "left_out": (
        "答案被拿掉的 {n} 条：被告知没有 {not_found}，误标精准 {precise}，误标高度相关 {highly}",
        "{n} whose answer was left out: {not_found} told so, {precise} falsely exact, {highly} falsely highly relevant",
    ),
    "ablation": ("逐项关闭后的排序：", "Ranking with one part off:"),
    "ablation.all": ("全部打开", "all on"),
    "ablation.no l0": ("关精确词查找", "without exact terms"),
    "ablation.no bm25": ("关 BM25", "without BM25"),
    "ablation.no vector": ("关向量", "without vectors"),
    "ablation.only bm25": ("只用 BM25", "only BM25"),
    "ablation.only vector": ("只用向量", "only vectors"),
    "ablation.no taiwan": ("关台湾用语改写", "without Taiwan wording"),
    "ablation.no synonyms": ("关同义词改写", "without synonyms"),
    "ablation.no part": ("关拆分双重问题", "without splitting double questions"),
    "ablation.no identifier": ("关抽取编号", "without pulled-out identifiers"),
    "ablation.no whole article": ("关整篇得分", "without whole-article scores"),
    "ablation.no verbatim": ("关整句吻合加分", "without the verbatim bonus"),
    "ablation.no exact first": ("关精确命中置顶", "without exact hits first"),
    "ablation.no confirmed": ("关已确认加分", "without confirmed articles"),
    "ablation.no rerank": ("重排之前（融合顺序）", "before reranking (fused order)"),
    "right": (
        "{right}/{count} 正确（{share:.1%}，下限 {wilson_low:.1%}）",
        "{right}/{count} right ({share:.1%}, at least {wilson_low:.1%})",
    ),
    "since": ("自 {at} 起 {n} 次检索", "{n} lookups since {at}"),
    "duration": ("耗时 p50 {p50:.0f} ms，p95 {p95:.0f} ms", "p50 {p50:.0f} ms, p95 {p95:.0f} ms"),
    "outcome.found": ("找到", "Found"),
    "outcome.not_found": ("未收录", "Not found"),
    "outcome.deduped": ("本单看过", "Seen"),
    "reason.doc_retrieved": ("文章看过", "article seen"),
    "reason.domain_retrieved": ("领域看过", "domain seen"),
    "progress": ("{done}/{total} {label}", "{done}/{total} {label}"),
    "batch.done": ("{n} 条查询已写入 {path}", "{n} lookups written to {path}"),
    "cancelled": ("已取消。", "Cancelled."),
    "internal": ("程序出错：{detail}", "Internal error: {detail}"),
    "usage.query": ("请给出要查的内容，或用 --batch（二者选一）", "give either a query or --batch"),
    "usage.demo": (
        "--demo 只能单独用（可加 --lang）：它在自己的临时文件夹里打开窗口",
        "--demo stands alone (but for --lang): it opens a window on a temporary folder of its own",
    ),
    "usage.out": ("--out 只能和 --batch 一起用", "--out goes with --batch only"),
    "usage.same_file": ("--out 和 --batch 不能是同一个文件：{path}", "--out is the file of --batch itself: {path}"),
    "usage.export": (
        "--export 只认 .csv、.xlsx 和 .json：{path}",
        "--export writes .csv, .xlsx and .json files, not {path}",
    ),
    "usage.evaluate": (
        "请同时给出 --queries 和 --qrels；或者只用 --from-feedback（可加 --apply 或 --undo）",
        "give both --queries and --qrels; or --from-feedback alone (with --apply or --undo if wanted)",
    ),
    "usage.feedback": (
        "--from-feedback 不能和查询文件、--leave-out、--ablate 一起用；--apply 和 --undo 只能选一个",
        "--from-feedback goes with no query files, --leave-out or --ablate, and with one of --apply and --undo",
    ),
    "feedback.votes": ("有反馈的检索 {n} 次", "{n} lookups with votes"),
    "feedback.none": ("还没有反馈", "no votes"),
    "feedback.before": ("现在：", "Now:"),
    "feedback.after": ("调整后：", "After the change:"),
    "feedback.share": (
        "{right}/{count}，{share:.1%}（{wilson_low:.1%} 至 {wilson_high:.1%}）",
        "{right}/{count}, {share:.1%} ({wilson_low:.1%} to {wilson_high:.1%})",
    ),
    "feedback.thresholds": (
        "分界：高度相关 {highly_relevant:.3f}，仅供参考 {reference:.3f}",
        "Thresholds: highly relevant {highly_relevant:.3f}, reference {reference:.3f}",
    ),
    "feedback.refused": (
        "反馈太少，不能调整：有 {votes} 次，至少要 {votes_needed} 次；其中靠近分界的 {near} 次，"
        "至少要 {near_needed} 次。",
        "Too few votes to change anything: {votes} of at least {votes_needed}, and near the threshold {near} of at "
        "least {near_needed}.",
    ),
    "feedback.refused_since": (
        "上次调整以后的反馈太少，不能再调整：有 {votes} 次，至少要 {votes_needed} 次；其中靠近分界的 {near} 次，"
        "至少要 {near_needed} 次。",
        "Too few votes since the last step to take another: {votes} of at least {votes_needed}, and near the threshold "
        "{near} of at least {near_needed}.",
    ),
    "feedback.unclear": (
        "反馈没有清楚说明该不该调整，先不动。",
        "The votes do not say clearly whether to change anything; all stays as it is.",
    ),
    "feedback.undone_before": (
        "同样的调整以前采用过，又撤销了。",
        "The same change was applied before, and taken back.",
    ),
    "feedback.kept": ("现在的分界合适，不用调整。", "The thresholds are fine as they are."),
    "feedback.applied": ("已经采用。", "Applied."),
    "feedback.not_applied": ("还没有采用；加 --apply 采用。", "Not applied; --apply does that."),
    "feedback.undone": ("已撤销上次的调整。", "The last change was taken back."),
    "feedback.nothing_to_undo": ("没有可撤销的调整。", "There is no change to take back."),
    "file": ("不能读写 {path}：{detail}", "{path} cannot be read or written: {detail}"),
    "file.folder": ("{path} 是文件夹，不是文件", "{path} is a folder, not a file"),
    "file.no_folder": ("没有文件夹 {path}，不能在里面写文件", "There is no folder {path} to write a file in"),
    "advice.settings_unusable": ("改正或删除 settings.json。", "Mend or delete settings.json."),
    "advice.invalid_setting": ("改正 settings.json 里的这一项。", "Mend this setting in settings.json."),
    "advice.database_damaged": (
        "请从备份恢复数据库，或者换一个新的数据文件夹重新导入。",
        "Restore the database from a backup, or start with a new data folder and import again.",
    ),
    "advice.database_too_new": ("请升级本程序。", "Update this program."),
    "advice.data_folder_unusable": (
        "检查数据文件夹的权限和磁盘空间；索引所在的 index 可以删除，会由数据库重建。",
        "Check the data folder's permissions and the space on the disk; index in it may be removed, it is rebuilt "
        "from the database.",
    ),
}


class FileError(Exception):
    """A file of the command line cannot be read or written; the text says which and why."""


class UsageError(Exception):
    """The command line cannot be understood; the text says why."""


def put(lines: Iterable[str]) -> None:
    """Lines on standard output."""
    for line in lines:
        sys.stdout.write(line + "\n")
    sys.stdout.flush()


def put_json(document: Any) -> None:
    """One JSON document on standard output, on one line."""
    put([as_json(document)])


def as_json(document: Any) -> str:
    """JSON on one line, with the characters themselves."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False)


def say(text: str) -> None:
    """One line on standard error."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


class Printer:
    """Lines of text for one language. Display names of domains are handed in."""

    def __init__(self, language: str, domain_names: Mapping[str, str] | None = None) -> None:
        self._column = 1 if language == "en" else 0
        self._domains = domain_names or {}

    def word(self, name: str, /, **values: object) -> str:
        """The text of that name, values filled in."""
        return WORDS[name][self._column].format(**values)

    def answer(self, answer: Answer, *, explain: bool) -> Iterator[str]:
        """An answer: badge, hint, primary, supplements; with `explain` the whole ranking."""
        result = answer.result
        yield f"[{self._badge(result)}] {result.completeness_hint or result.message}"
        if result.primary is not None:
            yield ""
            yield from self._passage(result.primary)
        if result.supplement:
            yield ""
            yield self.word("supplement")
            for passage in result.supplement:
                yield f"  {passage.title}  ({self._facts(passage)})"
                yield f"    {passage.doc_key}"
        yield from self._open(answer)
        notes = {"missing_legs": result.missing_legs, "unknown_words": result.unknown_words}
        for name, values in notes.items():
            if values:
                yield self.word(name, names=", ".join(values))
        if explain and answer.ranking:
            yield ""
            yield self.word("ranking")
            yield from (f"  {number:>2}  {key}" for number, key in enumerate(answer.ranking, start=1))
        if result.session_id is not None:
            yield ""
            yield self.word("session", id=result.session_id)

    def _open(self, answer: Answer) -> Iterator[str]:
        """What is near and what is missing: codes beside those not held, and values that would tell articles apart."""
        if answer.neighbours:
            yield self.word("near")
            for near in answer.neighbours:
                yield f"  {_bracketed(near)}  {near.title}"
                yield f"    {near.doc_key}"
        if answer.dimensions:
            yield self.word("dimensions")
            for name, dimension in zip(answer.result.missing_dimensions, answer.dimensions, strict=True):
                yield f"  {name}: {', '.join(dimension.values)}"

    def _badge(self, result: LookupResult) -> str:
        if result.outcome in (Outcome.GATED, Outcome.DEGRADED):
            return self.word(f"outcome.{result.outcome}")
        return self.word(f"level.{result.relevance_level or 'none'}")

    def _passage(self, passage: Passage) -> Iterator[str]:
        yield f"{passage.title}  ({self._facts(passage)})"
        yield passage.doc_key
        if passage.copies:
            yield self.word("copies", names=", ".join(passage.copies))
        if passage.heading and passage.heading != passage.title:
            yield f"## {passage.heading}"
        yield passage.content

    def _facts(self, passage: Passage) -> str:
        facts = [self._domains.get(passage.domain, passage.domain)]
        if passage.updated:
            facts.append(self.word("updated", date=passage.updated))
        if passage.superseded_by:
            facts.append(self.word("superseded", name=passage.superseded_by))
        elif passage.state != "current":
            facts.append(self.word(f"state.{passage.state}"))
        if passage.already_retrieved:
            facts.append(self.word("held"))
        return " · ".join(facts)

    def report(self, report: ImportReport) -> Iterator[str]:
        """What an import did, with every file that was skipped or failed and why."""
        for item in report.items:
            if item.outcome in ("skipped", "failed"):
                yield f"{self.word(f'outcome.{item.outcome}')}  {item.path}  {item.reason or ''}".rstrip()
        yield self.word("import.counts", **report.counts)
        if report.cancelled:
            yield self.word("import.cancelled")

    def sessions(self, sessions: tuple[SessionSummary, ...]) -> Iterator[str]:
        """One line a session."""
        for session in sessions:
            domains = ", ".join(self._domains.get(domain, domain) for domain in session.domains)
            parts = [session.id, session.title, session.created_at, self.word("lookups", n=session.lookups), domains]
            yield "  ".join(part for part in parts if part)
        if not sessions:
            yield self.word("no_sessions")

    def memory(self, memory: SessionMemory) -> Iterator[str]:
        """What a session holds, by domain."""
        for domain, docs in memory.domains:
            yield self._domains.get(domain, domain)
            yield from (f"  {doc.first_at}  {doc.doc_key}  {doc.query}".rstrip() for doc in docs)
        if not memory.domains:
            yield self.word("nothing_retrieved")

    def checks(self, checks: tuple[Check, ...]) -> Iterator[str]:
        """One line a check, its advice below it."""
        for check in checks:
            yield f"{self.word(f'check.{check.status}')}  {check.name}  {check.detail}".rstrip()
            if check.advice:
                yield f"  {check.advice}"

    def evaluation(self, document: Mapping[str, Any]) -> Iterator[str]:
        """Ranking figures, then what each badge was worth."""
        yield self.word("queries", n=document["queries"], embedder=document["embedder"])
        for name in ("ndcg@10", "recall@10", "mrr@10", "recall@50"):
            figure = document[name]
            yield f"  {name:10} {'-' if figure is None else format(figure, '.3f')}"
        for level, figures in document["levels"].items():
            if figures["count"]:
                yield f"  {self.word(f'level.{level}')}: {self.word('right', **figures)}"
        for name in ("answerable", "unanswerable", "left_out"):
            if name in document:
                yield "  " + self.word(name, **document[name])
        yield from self._ablation(document.get("ablation", ()))

    def _ablation(self, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """A table: what each part of the search is worth."""
        if rows:
            yield self.word("ablation")
            yield f"  {'nDCG@10':>8}{'±':>8}{'Recall@10':>11}{'MRR@10':>9}"
        for row in rows:
            figures = (row["ndcg@10"], row["difference"], row["recall@10"], row["mrr@10"])
            cells = zip(figures, (">8.3f", ">+8.3f", ">11.3f", ">9.3f"), strict=True)
            yield (
                "  "
                + "".join("-" if figure is None else format(figure, style) for figure, style in cells)
                + (f"  {self.word('ablation.' + row['name'])}")
            )

    def statistics(self, document: Mapping[str, Any]) -> Iterator[str]:
        """What the log adds up to; what did not occur is left out."""
        yield self.word("since", at=document["since"], n=document["lookups"])
        for group, prefix in (("outcomes", "outcome"), ("levels", "level"), ("dedup_reasons", "reason")):
            parts = [f"{self.word(f'{prefix}.{name}')} {n}" for name, n in document[group].items() if n]
            if parts:
                yield "  " + " · ".join(parts)
        if document["lookups"]:
            yield "  " + self.word("duration", **document["duration_ms"])


def _bracketed(near: NearCode) -> str:
    """A code with what differs in brackets."""
    code = near.code
    for span in reversed(near.differing):
        code = f"{code[: span.start]}[{code[span.start : span.end]}]{code[span.end :]}"
    return code
