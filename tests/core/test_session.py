"""core.session: RetrievedDocTracker, the session memory."""

from __future__ import annotations

import multiprocessing
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import SystemClock
from core.model import Outcome, RelevanceLevel, Trigger
from core.session import DomainAnswers, Held, RetrievedDocTracker
from core.store.activity import Activity
from core.store.database import Database
from tests.manual_clock import ManualClock

PRECISE, HIGHLY, REFERENCE = RelevanceLevel.PRECISE, RelevanceLevel.HIGHLY_RELEVANT, RelevanceLevel.REFERENCE


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(tmp_path / "deskside.sqlite3")
    yield opened
    opened.close()


@pytest.fixture
def tracker(database: Database, clock: ManualClock) -> RetrievedDocTracker:
    return RetrievedDocTracker(database, clock)


def test_the_five_methods_in_the_plain_form(tracker: RetrievedDocTracker) -> None:
    assert tracker.mark_retrieved("T-1", "network", "vpn/691.md")
    assert not tracker.mark_retrieved("T-1", "network", "vpn/691.md")
    assert tracker.is_doc_retrieved("T-1", "vpn/691.md")
    assert not tracker.is_doc_retrieved("T-1", "vpn/691")
    assert not tracker.is_doc_retrieved("T-2", "vpn/691.md")
    assert tracker.is_domain_retrieved("T-1", "network")
    assert not tracker.is_domain_retrieved("T-1", "net")
    assert tracker.get_retrieved_domains("T-1") == ("network",)
    assert tracker.clear_session("T-1") == 1
    assert tracker.clear_session("T-1") == 0
    assert not tracker.is_doc_retrieved("T-1", "vpn/691.md")
    assert tracker.get_retrieved_domains("T-1") == ()


def test_domains_come_in_order_of_first_retrieval_even_when_the_clock_is_set_back(
    tracker: RetrievedDocTracker, clock: ManualClock
) -> None:
    for domain, doc_key in [("z", "1"), ("a", "2"), ("m", "3"), ("z", "4"), ("a", "2")]:
        tracker.mark_retrieved("T-1", domain, doc_key)
        clock.set_back(60)
    assert tracker.get_retrieved_domains("T-1") == ("z", "a", "m")


def test_changed_text_is_unread_until_it_is_handed_over(tracker: RetrievedDocTracker) -> None:
    tracker.mark_retrieved("T-1", "network", "a.md", content_hash="old")
    assert tracker.is_doc_retrieved("T-1", "a.md", content_hash="old")
    assert not tracker.is_doc_retrieved("T-1", "a.md", content_hash="new")
    assert tracker.is_doc_retrieved("T-1", "a.md")
    assert not tracker.mark_retrieved("T-1", "network", "a.md", content_hash="new")
    assert tracker.is_doc_retrieved("T-1", "a.md", content_hash="new")


def test_a_mark_without_a_hash_holds_for_every_text(tracker: RetrievedDocTracker) -> None:
    tracker.mark_retrieved("T-1", "network", "a.md")
    assert tracker.is_doc_retrieved("T-1", "a.md", content_hash="any")


def test_held_names_the_first_query_and_time_and_the_latest_text(
    tracker: RetrievedDocTracker, clock: ManualClock
) -> None:
    tracker.mark_retrieved("T-1", "network", "b.md", query="VPN 691", content_hash="1")
    tracker.mark_retrieved("T-1", "print", "a.md", query="打印机", content_hash="2")
    clock.advance(60)
    tracker.mark_retrieved("T-1", "network", "b.md", query="VPN", content_hash="3")
    assert list(tracker.held("T-1").items()) == [
        ("b.md", Held("b.md", "network", "2026-11-30T20:10:00.123Z", "VPN 691", "3")),
        ("a.md", Held("a.md", "print", "2026-11-30T20:10:00.123Z", "打印机", "2")),
    ]
    assert tracker.held("T-2") == {}


def test_an_article_that_moved_counts_in_both_domains(tracker: RetrievedDocTracker) -> None:
    tracker.mark_retrieved("T-1", "old", "a.md")
    tracker.mark_retrieved("T-1", "new", "a.md")
    assert tracker.get_retrieved_domains("T-1") == ("old", "new")
    assert tracker.clear_session("T-1") == 1


def test_answers_count_by_the_primarys_domain_and_keep_the_best_level(tracker: RetrievedDocTracker) -> None:
    tracker.mark_retrieved("T-1", "network", "a.md", answered=REFERENCE)
    tracker.mark_retrieved("T-1", "network", "b.md")
    tracker.mark_retrieved("T-1", "print", "c.md")
    assert tracker.answers("T-1") == {"network": DomainAnswers(1, REFERENCE)}
    assert not tracker.answers("T-1")["network"].closed
    tracker.mark_retrieved("T-1", "network", "b.md", answered=HIGHLY)
    tracker.mark_retrieved("T-1", "network", "a.md", answered=REFERENCE)
    assert tracker.answers("T-1") == {"network": DomainAnswers(3, HIGHLY)}
    assert tracker.answers("T-1")["network"].closed
    tracker.clear_session("T-1")
    assert tracker.answers("T-1") == {}


@pytest.mark.parametrize(("level", "closed"), [(PRECISE, True), (HIGHLY, True), (REFERENCE, False), (None, False)])
def test_only_precise_and_highly_relevant_answers_close(level: RelevanceLevel | None, closed: bool) -> None:
    assert DomainAnswers(1, level).closed is closed


def test_earlier_queries_are_those_since_the_memory_began(
    database: Database, tracker: RetrievedDocTracker, clock: ManualClock
) -> None:
    activity = Activity(database, clock)

    def look_up(query: str, doc_key: str | None, trigger: str = "mcp") -> int:
        number = activity.record_lookup(
            "T-1", query, outcome=Outcome.FOUND, details={}, duration_ms=1, trigger=Trigger(trigger)
        )
        if doc_key:
            tracker.mark_retrieved("T-1", "d", doc_key, query=query, invocation_id=number)
        return number

    look_up("before", None)
    assert tracker.earlier_queries("T-1") == ()
    look_up("first", "a.md")
    activity.supersede(look_up("fir", None, "settle"))
    look_up("second", None)
    assert tracker.earlier_queries("T-1") == ("first", "second")
    assert tracker.earlier_queries("T-2") == ()
    tracker.clear_session("T-1")
    assert tracker.earlier_queries("T-1") == ()
    look_up("third", "a.md")
    assert tracker.earlier_queries("T-1") == ("third",)


@pytest.fixture(scope="module")
def shared_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file for all examples: making a new one takes far longer than the rest of an example."""
    return tmp_path_factory.mktemp("model") / "deskside.sqlite3"


MARKS = st.lists(
    st.tuples(st.sampled_from(["s1", "s2"]), st.sampled_from("abc"), st.sampled_from("xyz"), st.sampled_from("12")),
    max_size=12,
)


@given(MARKS, st.sampled_from([None, "s1"]))
def test_it_behaves_like_a_dictionary_of_sets_and_survives_a_restart(
    shared_path: Path, marks: list[tuple[str, str, str, str]], cleared: str | None
) -> None:
    model: dict[str, dict[str, dict[str, str]]] = {"s1": {}, "s2": {}}
    database = Database.open(shared_path)
    tracker = RetrievedDocTracker(database, ManualClock())
    for session_id in model:
        tracker.clear_session(session_id)
    for session_id, domain, doc_key, text in marks:
        new = tracker.mark_retrieved(session_id, domain, doc_key, content_hash=text)
        assert new == (doc_key not in model[session_id].get(domain, {}))
        model[session_id].setdefault(domain, {})[doc_key] = text
    if cleared:
        expected = len({doc_key for docs in model[cleared].values() for doc_key in docs})
        assert tracker.clear_session(cleared) == expected
        model[cleared] = {}
    database.close()

    database = Database.open(shared_path)
    tracker = RetrievedDocTracker(database, ManualClock())
    for session_id, domains in model.items():
        assert tracker.get_retrieved_domains(session_id) == tuple(domains)
        assert all(tracker.is_domain_retrieved(session_id, domain) == (domain in domains) for domain in "abc")
        for doc_key in "xyz":
            texts = {docs[doc_key] for docs in domains.values() if doc_key in docs}
            assert tracker.is_doc_retrieved(session_id, doc_key) == bool(texts)
            assert {text for text in "12" if tracker.is_doc_retrieved(session_id, doc_key, text)} == texts
        assert set(tracker.held(session_id)) == {doc_key for docs in domains.values() for doc_key in docs}
    database.close()


def test_merging_equals_having_marked_in_one_session_all_along(tmp_path: Path) -> None:
    steps = [
        ("s1", "a", "x", "1", REFERENCE),
        ("s2", "b", "y", "1", None),
        ("s1", "b", "z", "1", HIGHLY),
        ("s2", "a", "x", "2", HIGHLY),
        ("s2", "c", "x", "2", REFERENCE),
        ("s1", "b", "y", "3", None),
    ]
    outcomes = []
    for name in ("parted", "one"):
        clock = ManualClock()
        database = Database.open(tmp_path / name)
        tracker = RetrievedDocTracker(database, clock)
        for session_id, domain, doc_key, text, level in steps:
            tracker.mark_retrieved(
                session_id if name == "parted" else "s2",
                domain,
                doc_key,
                content_hash=text,
                query=f"{domain} {doc_key} {text}",
                answered=level,
            )
            clock.advance(1)
        if name == "parted":
            tracker.merge("s1", "s2")
            assert tracker.held("s1") == {}
        domains, held, answers = tracker.get_retrieved_domains("s2"), tracker.held("s2"), tracker.answers("s2")
        outcomes.append((domains, {key: (one.domain, one.first_at, one.query) for key, one in held.items()}, answers))
        database.close()
    assert outcomes[0] == outcomes[1]


THREADS, PROCESSES, DOCS = 3, 2, 12


def _mark_from_threads(path: Path, process: int, gate: object) -> None:
    database = Database.open(path)
    tracker = RetrievedDocTracker(database, SystemClock())
    gate.wait()  # type: ignore[attr-defined]

    def mark(thread: int) -> None:
        for number in range(DOCS):
            tracker.mark_retrieved("T-1", f"d{number % 3}", "shared.md", answered=REFERENCE)
            tracker.mark_retrieved("T-1", f"d{number % 3}", f"{process}/{thread}/{number}.md", answered=HIGHLY)

    threads = [threading.Thread(target=mark, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    database.close()


def test_threads_and_processes_that_mark_at_once_lose_nothing(database: Database, tracker: RetrievedDocTracker) -> None:
    spawn = multiprocessing.get_context("spawn")
    gate = spawn.Barrier(PROCESSES)
    processes = [
        spawn.Process(target=_mark_from_threads, args=(database.path, number, gate)) for number in range(PROCESSES)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * PROCESSES
    own = {f"{p}/{t}/{n}.md" for p in range(PROCESSES) for t in range(THREADS) for n in range(DOCS)}
    assert set(tracker.held("T-1")) == {"shared.md", *own}
    marks = Counter(f"d{number % 3}" for number in range(DOCS)).total() * THREADS * PROCESSES * 2
    assert sum(answers.count for answers in tracker.answers("T-1").values()) == marks
    rows = database.connection().execute("SELECT count(*) FROM retrieved").fetchone()[0]
    assert rows == len(own) + 3  # the shared article once in each domain


def test_only_one_of_many_threads_finds_an_article_new(tracker: RetrievedDocTracker) -> None:
    found: list[bool] = []
    gate = threading.Barrier(4)

    def mark() -> None:
        gate.wait()
        found.append(tracker.mark_retrieved("T-1", "d", "a.md"))

    threads = [threading.Thread(target=mark) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [False, False, False, True]
