"""Calibration finds the lines of a profile with which Decision 3 holds, on bases that had no part in it too."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from core.calibration import Run, Sample, calibrated
from core.embedding.profile import Profile
from core.relevance import features

SHAPE = Profile(
    *("made", "evidence", 2.0, 0.75, 0.5, ""),
    subject={"coverage": 0.0, "margin_by_information": 0.0, "title": 0.0},
    answer={"coverage": 0.0, "information": 0.0, "margin_by_information": 0.0, "title": 0.0},
)
SEED = 20261130


def sample(base: str, chance: random.Random, *, run: Run, kind: str) -> Sample:
    """A question whose evidence tells, with some noise, what it is."""
    level = {"answerable": 0.8, "left_out": 0.45, "other": 0.12}[kind]

    def about(value: float) -> float:
        return min(1.0, max(0.0, chance.gauss(value, 0.12)))

    coverage, margin = about(level), about(level * 0.7)
    right = kind == "answerable" and chance.random() < 0.2 + coverage
    return Sample(
        base=base,
        run=run,
        answerable=kind == "answerable",
        left_out=kind == "left_out",
        among_first=right,
        right=right,
        precise=False,
        trusted=True,
        exact=False,
        features=features(coverage=coverage, margin=margin, title=coverage * about(level), information=3 * coverage),
    )


def samples(seed: int) -> list[Sample]:
    chance = random.Random(seed)
    made = []
    for base in ("a", "b", "c", "d"):
        made += [sample(base, chance, run=Run.ALL, kind="answerable") for _ in range(300)]
        made += [sample(base, chance, run=Run.ALL, kind="other") for _ in range(60)]
        made += [sample(base, chance, run=Run.LEAVE_OUT, kind="answerable") for _ in range(240)]
        made += [sample(base, chance, run=Run.LEAVE_OUT, kind="left_out") for _ in range(60)]
        made += [sample(base, chance, run=Run.SMALL, kind="left_out") for _ in range(60)]
    return made


@pytest.fixture(scope="module")
def profile() -> Profile:
    return calibrated(SHAPE, samples(SEED), "made")


def test_every_promise_is_kept_where_the_evidence_can_tell(profile: Profile) -> None:
    for run in ("all", "cross_validated"):
        for name, figures in profile.reached[run].items():
            if not figures["n"]:
                continue
            if "at_least" in figures:
                assert figures["share"] >= figures["at_least"], (run, name, f"seed {SEED}")
            else:
                assert figures["share"] <= figures["at_most"], (run, name, f"seed {SEED}")


def test_the_wilson_bound_lies_on_the_side_of_the_limit(profile: Profile) -> None:
    for figures in profile.reached["all"].values():
        if figures["n"]:
            assert (
                figures["wilson"] <= figures["share"]
                if "at_least" in figures
                else figures["wilson"] >= figures["share"]
            )


def test_the_thresholds_stay_and_the_lines_move_to_them(profile: Profile) -> None:
    assert (profile.highly_relevant_threshold, profile.reference_threshold) == (0.75, 0.5)
    assert profile.calibrated_on == "made"
    assert profile.subject["coverage"] > 0
    assert profile.answer["coverage"] > 0


def test_a_base_is_judged_by_lines_that_it_had_no_part_in() -> None:
    chance = random.Random(SEED)
    made = samples(SEED)
    # One base where everything is said and nothing is right: it spoils its own figures and may not excuse itself.
    liar = [
        Sample(
            "liar",
            Run.ALL,
            True,
            False,
            False,
            False,
            False,
            True,
            False,
            features(coverage=1, margin=1, title=1, information=5),
        )
        for _ in range(200 + chance.randrange(2))
    ]
    spoilt = calibrated(SHAPE, made + liar, "made")
    with_it, without_it = (spoilt.reached[run]["HIGHLY_RELEVANT right"]["share"] for run in ("all", "cross_validated"))
    assert without_it < 0.95
    assert without_it <= with_it


def test_without_questions_on_other_subjects_nothing_can_be_said() -> None:
    with pytest.raises(ValueError, match="other subjects"):
        calibrated(SHAPE, [one for one in samples(SEED) if one.answerable], "made")


def test_questions_in_another_language_show_the_subject_and_no_promise_counts_them() -> None:
    made = samples(SEED)
    foreign = [replace(one, foreign=True) for one in made if one.run is Run.ALL and one.answerable]
    plain, mixed = calibrated(SHAPE, made, "made"), calibrated(SHAPE, made + foreign, "made")
    for run in ("all", "cross_validated"):
        counts = [
            {name: figures["n"] for name, figures in one.reached[run].items() if "HIGHLY_RELEVANT right" not in name}
            for one in (plain, mixed)
        ]
        assert counts[0] == counts[1]


def test_nothing_that_speaks_for_an_article_counts_against_it() -> None:
    # A feature that is highest where answers are wrong.
    against = [
        replace(one, features={**one.features, "near_lead": float(not one.among_first)}) for one in samples(SEED)
    ]
    found = calibrated(replace(SHAPE, answer={**SHAPE.answer, "near_lead": 0.0}), against, "made")
    assert all(weight >= 0 for name, weight in found.answer.items() if name != "offset")
    assert "near_lead" not in found.answer
