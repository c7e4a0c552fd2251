"""What is printed of a measurement: a row a bench, checks against baselines, what each part of the search is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.ablation import ALL, ROWS, table
from core.evaluation import Judged, nothing_found, summary
from core.model import RelevanceLevel
from tests.corpora.bases import out
from tests.corpora.floors import NOT_PLAIN, badged

# nDCG@10 of BM25Okapi over jieba tokens of title + text, untuned.
BASELINES = {
    "cmrc2018": 0.980,
    "drcd": 0.926,
    "xquad-zh-zh": 0.963,
    "xquad-en-en": 0.967,
    "xquad-zh-en": 0.141,
    "xquad-en-zh": 0.132,
    "tidb-faq": 0.756,
    "m365-title-body": 0.627,
    "winserver-title-body": 0.562,
    "office-title-body": 0.874,
    "m365-title": 0.946,
    "winserver-title": 0.812,
    "tidb-title": 0.834,
    "office-title": 0.971,
    "m365-former-title": 0.793,
    "winserver-former-title": 0.636,
    "tidb-former-title": 0.617,
    "m365-en-slug": 0.360,
    "m365-zhtw-title": 0.433,
    "m365-code": 0.955,
    "winserver-code": 0.900,
    "tidb-code": 0.837,
    "office-code": 0.961,
    "office-errmsg": 0.972,
    "starter-zh": 0.829,
}
FLOORS = {"m365-zhtw-title": 0.90, "m365-code": 0.97, "winserver-code": 0.97, "tidb-code": 0.97, "office-code": 0.97}
ACROSS_LANGUAGES = {"xquad-zh-en", "xquad-en-zh"}
_BEHIND_A_LEG = 0.005

HEAD = (
    f"{'bench':24}{'n':>6}{'nDCG@10':>9}{'base':>7}{'diff':>8}{'R@10':>7}{'MRR':>7}{'R@50':>7}{'ms':>7}"
    f"{'P right':>12}{'H right':>12}{'R right':>12}{'badged':>8}{'none':>7}  no answer: badged, none"
)


def row(name: str, judged: Sequence[Judged], milliseconds: float) -> str:
    """One line of the table by bench. `badged`, `none`: of the answerable."""
    document = summary(judged, "")

    def figure(value: float | None, width: int) -> str:
        return f"{value:>{width}.3f}" if value is not None else f"{'-':>{width}}"

    ndcg, base = document["ndcg@10"], BASELINES.get(name)
    diff = ndcg - base if ndcg is not None and base is not None else None
    answerable = [one for one in judged if one.answerable]
    others = [one for one in judged if not one.answerable]
    text = f"{name:24}{document['queries']:>6}{figure(ndcg, 9)}{figure(base, 7)}"
    text += f"{diff:>+8.3f}" if diff is not None else f"{'-':>8}"
    text += "".join(figure(document[measure], 7) for measure in ("recall@10", "mrr@10", "recall@50"))
    text += f"{milliseconds:>7.1f}"
    text += "".join(f"{one['right']}/{one['count']}".rjust(12) for one in document["levels"].values())
    if answerable:
        none = sum(map(nothing_found, answerable))
        text += f"{sum(map(badged, answerable)) / len(answerable):>8.1%}{none / len(answerable):>7.1%}"
    else:
        text += f"{'-':>8}{'-':>7}"
    if others:
        text += f"  {len(others)}: {sum(map(badged, others))}, {sum(map(nothing_found, others))}"
    return text


def starter_checks(judged: list[Judged]) -> None:
    """What the starter set must show."""
    answerable = [one for one in judged if one.answerable]
    first = sum(one.rank == 1 for one in answerable) / len(answerable)
    three = sum(one.rank is not None and one.rank <= 3 for one in answerable) / len(answerable)
    promised = [one for one in judged if one.query.fields.get("expect") == "PRECISE"]
    missed = [one.query.text for one in promised if one.level is not RelevanceLevel.PRECISE or not one.right]
    false = [one.query.text for one in judged if not one.answerable and badged(one)]
    misplaced = [f"{one.query.text} (rank {one.rank})" for one in answerable if one.rank != 1]
    out(f"  right first {first:.1%} (>= 80 %)   among three {three:.1%} (>= 88 %)")
    out(f"  expected PRECISE and not: {missed or 'none'}   unanswerable with a badge: {false or 'none'}")
    out(f"  not first: {misplaced or 'none'}")


def against_baselines(figures: Mapping[str, float]) -> None:
    """nDCG@10 by bench against plain BM25 and the floors that some benches have of their own."""
    diffs = {
        name: round(value - BASELINES[name], 4)
        for name, value in figures.items()
        if name in BASELINES and name not in ACROSS_LANGUAGES
    }
    low = {name: diff for name, diff in diffs.items() if diff < -0.005}
    under = {
        name: (figures[name], floor) for name, floor in FLOORS.items() if name in figures and figures[name] < floor
    }
    out(f"\nbelow the baseline by more than 0.005: {low or 'none'}")
    out(f">= 0.02 above it: {sum(diff >= 0.02 for diff in diffs.values())} of {len(diffs)}")
    out(f"below a floor of their own: {under or 'none'}")


def say_ablation(parts: Mapping[str, Mapping[str, Sequence[Judged]]]) -> None:
    """Markdown, for README: every part off, over all same-language queries, and where that is felt most; then the
    benches where the hybrid is behind the better of its legs."""
    plain = [bench for bench in parts if bench not in NOT_PLAIN]
    by_bench = {bench: {row["name"]: row for row in table(parts[bench])} for bench in plain}
    by_bench = {bench: rows for bench, rows in by_bench.items() if rows[ALL]["ndcg@10"] is not None}
    everything = {name: [one for bench in plain for one in parts[bench][name]] for name in (ALL, *ROWS)}
    out("\n| parts | nDCG@10 | difference | Recall@10 | MRR@10 | loses most | gains most |")
    out("| --- | ---: | ---: | ---: | ---: | --- | --- |")
    for one in table(everything):
        felt = sorted((rows[one["name"]]["difference"], bench) for bench, rows in by_bench.items())
        worst, best = felt[0], felt[-1]
        out(
            f"| {one['name']} | {one['ndcg@10']:.3f} | {one['difference']:+.4f} | {one['recall@10']:.3f} "
            f"| {one['mrr@10']:.3f} | {f'{worst[1]} {worst[0]:+.3f}' if worst[0] < 0 else ''} "
            f"| {f'{best[1]} {best[0]:+.3f}' if best[0] > 0 else ''} |"
        )
    recall = summary(everything[ALL], "")["recall@50"]
    before, after = (summary(everything[name], "")["recall@10"] for name in ("no rerank", ALL))
    out(f"\ncandidates: Recall@50 {recall}; Recall@10 {before} before reranking, {after} after it")
    behind = {}
    for bench, rows in by_bench.items():
        leg, best_leg = max(
            ((name, rows[name]["ndcg@10"]) for name in ("only bm25", "only vector")), key=lambda named: named[1]
        )
        if rows[ALL]["ndcg@10"] < best_leg - _BEHIND_A_LEG:
            behind[bench] = f"{rows[ALL]['ndcg@10']:.3f}, {leg} {best_leg:.3f}"
    out(f"behind the better of its legs by more than {_BEHIND_A_LEG}: {behind or 'none'}")
