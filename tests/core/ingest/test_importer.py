"""Importing folders: what each file becomes, on the first run and on every later one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from core.errors import PathMissing
from core.ingest import file_import
from core.job import Job
from core.model import ArticleState
from core.reasons import Reason, from_json, sentence
from core.report import Progress
from tests.core.ingest.conftest import Base, outcomes, reasons, write


def test_every_file_gets_an_outcome_and_one_bad_file_stops_nothing(base: Base, kb: Path) -> None:
    write(kb / "a_ok.md", "# 键盘\n\nGOOD-A8")
    write(kb / "b_zero.txt", "")
    write(kb / "c_spaces.md", " \n\t\n")
    write(kb / "d.pdf", b"%PDF-1.4 trunc")
    write(kb / "f_nul.txt", "标题\0\0正文 GOOD-F8")
    write(kb / "g.jsonl.gz", b"no gzip")
    write(kb / "h.txt", b"\0\x01\xff\xfe\x00" * 99)
    write(kb / "z_ok.md", "# 鼠标\n\nGOOD-Z8")
    report = base.run(kb)
    expected = {
        "a_ok.md": "added", "b_zero.txt": "skipped", "c_spaces.md": "skipped", "d.pdf": "skipped",
        "f_nul.txt": "added", "g.jsonl.gz": "failed", "h.txt": "failed", "z_ok.md": "added",
    }  # fmt: skip
    assert outcomes(report) == expected
    assert all(reasons(report)[name] for name, outcome in expected.items() if outcome in ("skipped", "failed"))
    assert sum(report.counts.values()) == 8 and not report.cancelled
    assert base.articles.failed_files() == 2
    again = outcomes(base.run(kb))
    assert again == {name: "unchanged" if outcome == "added" else outcome for name, outcome in expected.items()}


def watch_reading(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the Markdown files that are opened from now on."""
    read: list[str] = []
    original = Path.open

    def watched(self: Path, *args: object, **kwargs: object) -> object:
        if self.suffix == ".md":
            read.append(self.name)
        return original(self, *args, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", watched)
    return read


def test_a_second_import_changes_nothing_and_reads_nothing(
    base: Base, kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        write(kb / f"{number}.md", f"# 标题{number}\n\n正文")
    version = base.run(kb).knowledge_version
    read = watch_reading(monkeypatch)
    report = base.run(kb)
    assert report.counts["unchanged"] == 5 and report.knowledge_version == version
    assert read == []


def test_files_written_just_before_the_import_are_read_once_more_and_then_no_more(
    base: Base, kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(kb / "a.md", "# A\n\n文", age=0)
    base.run(kb)
    read = watch_reading(monkeypatch)
    for _ in range(3):
        base.clock.advance(60)
        assert base.run(kb).counts["unchanged"] == 1
    assert read == ["a.md"]


def test_a_touched_file_is_compared_by_its_bytes(base: Base, kb: Path) -> None:
    path = write(kb / "a.md", "# A\n\n正文")
    base.run(kb)
    write(path, "# A\n\n正文", age=500)
    assert base.run(kb).counts["unchanged"] == 1
    write(path, "# A\n\n正字", age=500)
    assert base.run(kb).counts["unchanged"] == 1, "same size, same time: not looked at"


def test_a_file_changed_just_before_it_was_read_is_not_trusted_by_its_time(base: Base, kb: Path) -> None:
    path = write(kb / "a.md", "# A\n\n一", age=0)
    base.run(kb)
    write(path, "# A\n\n二", age=0)
    assert base.run(kb).counts["updated"] == 1


def test_an_edited_file_replaces_its_old_text_everywhere(base: Base, kb: Path) -> None:
    path = write(kb / "热线.md", "---\nkeywords: [OLD-17]\n---\n# 热线时间\n\nOLD-17 九点")
    write(kb / "other.md", "# 其他\n\n文")
    base.run(kb)
    before, version = base.articles.get("热线.md"), base.articles.version()
    write(path, "# 热线时间\n\nNEW-17 八点", age=10)
    report = base.run(kb)
    assert outcomes(report) == {"热线.md": "updated", "other.md": "unchanged"}
    after = base.articles.get("热线.md")
    assert before is not None and after is not None
    assert after.id != before.id and after.content_hash != before.content_hash
    added, removed, now = base.articles.changes_since(version)
    assert (added, removed, now) == ([after.id], [before.id], report.knowledge_version)
    texts = [row[0] for row in base.database.connection().execute("SELECT text FROM chunk")]
    assert not any("OLD-17" in text for text in texts)
    assert base.articles.term_articles(["old17"]) == {}
    assert base.articles.holders_of("old-17", 5) == []


def test_a_removed_file_leaves_no_trace(base: Base, kb: Path) -> None:
    path = write(kb / "a.md", "# 甲 ERR-1001\n\n正文")
    write(kb / "b.md", "# 乙\n\n正文")
    base.run(kb)
    path.unlink()
    report = base.run(kb)
    assert outcomes(report) == {"a.md": "removed", "b.md": "unchanged"}
    assert base.keys() == {"b.md"}
    for table, left in (("article", 1), ("chunk", 1), ("file", 1)):
        assert base.count(table) == left
    assert base.articles.term_articles(["err1001"]) == {}


def test_many_missing_files_are_kept_without_leave(base: Base, kb: Path) -> None:
    for number in range(60):
        write(kb / f"{number:02}.md", f"# 标题{number}\n\n正文")
    base.run(kb)
    for number in range(20):
        (kb / f"{number:02}.md").unlink()
    report = base.run(kb)
    assert report.counts["removed"] == 0 and report.counts["skipped"] == 20 and len(base.keys()) == 60
    assert reasons(report)["00.md"] == Reason.of("file_gone_kept", lost=20, total=60)
    assert base.run(kb, allow_removal=True).counts["removed"] == 20
    assert len(base.keys()) == 40


@pytest.mark.parametrize(("total", "lost"), [(60, 19), (100, 20)])
def test_few_missing_files_are_removed(base: Base, kb: Path, total: int, lost: int) -> None:
    for number in range(total):
        write(kb / f"{number:03}.md", f"# 标题{number}\n\n正文")
    base.run(kb)
    for number in range(lost):
        (kb / f"{number:03}.md").unlink()
    assert base.run(kb).counts["removed"] == lost


def test_a_gone_source_is_kept_without_leave(base: Base, kb: Path) -> None:
    write(kb / "a.md", "# A\n\n文")
    base.run(kb)
    shutil.rmtree(kb)
    with pytest.raises(PathMissing):
        base.run(kb)
    assert base.keys() == {"a.md"}
    assert base.run(kb, allow_removal=True).counts["removed"] == 1
    assert base.keys() == set() and base.sources.all() == []


def test_a_missing_path_is_told_before_anything_is_read(base: Base, kb: Path) -> None:
    write(kb / "a.md", "# A\n\n文")
    with pytest.raises(PathMissing):
        base.run(kb, kb / "nothing")
    assert base.keys() == set()


def test_files_below_a_closed_folder_are_not_gone(base: Base, kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(kb / "x" / "a.md", "# A\n\n文")
    write(kb / "b.md", "# B\n\n文")
    base.run(kb)
    original = os.scandir

    def closed(path: Path) -> object:  # rights do not bind a test run as root
        if Path(path).name == "x":
            raise PermissionError(13, "Permission denied")
        return original(path)

    monkeypatch.setattr(os, "scandir", closed)
    report = base.run(kb)
    assert outcomes(report) == {"x": "failed", "b.md": "unchanged"}
    assert reasons(report)["x"] == Reason.of("folder_forbidden")
    assert base.keys() == {"x/a.md", "b.md"}


def test_a_file_that_became_empty_no_longer_says_what_it_said(base: Base, kb: Path) -> None:
    path = write(kb / "a.md", "# A\n\n文")
    base.run(kb)
    write(path, "")
    report = base.run(kb)
    assert {(item.doc_key, item.outcome.value) for item in report.items} == {(None, "skipped"), ("a.md", "removed")}
    assert base.keys() == set()


def test_a_table_is_followed_row_by_row(base: Base, kb: Path) -> None:
    path = write(kb / "faq.csv", "id,标题,正文\nA,甲,一\nB,乙,二\nC,丙,三\n")
    assert base.run(kb).counts["added"] == 3
    unchanged = base.articles.get("faq.csv#A")
    write(path, "id,标题,正文\nA,甲,一\nB,乙,变了\nD,丁,四\n", age=5)
    assert outcomes(base.run(kb)) == {
        "faq.csv#A": "unchanged", "faq.csv#B": "updated", "faq.csv#C": "removed", "faq.csv#D": "added",
    }  # fmt: skip
    assert base.articles.get("faq.csv#A") == unchanged
    assert base.keys() == {"faq.csv#A", "faq.csv#B", "faq.csv#D"}


def test_a_table_that_lost_most_of_its_rows_is_not_taken_over_without_leave(base: Base, kb: Path) -> None:
    head = "id,标题,正文\n"
    path = write(kb / "faq.csv", head + "".join(f"R{number},题{number},答\n" for number in range(50)))
    base.run(kb)
    write(path, head + "R0,题0,答\n", age=5)
    report = base.run(kb)
    assert outcomes(report) == {"faq.csv": "failed"} and len(base.keys()) == 50
    assert base.run(kb, allow_removal=True).counts["removed"] == 49


def test_the_same_key_twice_gets_a_number(base: Base, kb: Path) -> None:
    write(kb / "faq.csv", "id,标题,正文\nA,甲,一\nA,乙,二\n")
    base.run(kb)
    assert {key: article.title for key, article in base.all().items()} == {"faq.csv#A": "甲", "faq.csv#A~2": "乙"}
    assert base.run(kb).counts["unchanged"] == 2


def test_a_name_that_comes_earlier_in_byte_order_takes_the_plain_key(base: Base, kb: Path) -> None:
    write(kb / "Café.md", "# composed\n\n文")
    base.run(kb)
    write(kb / "Cafe\u0301.md", "# decomposed\n\n文")
    if len(list(kb.iterdir())) == 1:
        pytest.skip("this file system holds them for one name")
    base.run(kb)
    assert {key: article.title for key, article in base.all().items()} == {
        "Café.md": "decomposed", "Café.md~2": "composed",
    }  # fmt: skip
    assert base.run(kb).counts["unchanged"] == 2


def test_a_second_source_of_the_same_path_gets_its_name_in_front(base: Base, tmp_path: Path) -> None:
    one, two, three = tmp_path / "one" / "kb", tmp_path / "two" / "kb", tmp_path / "docs"
    for folder in (one, two, three):
        write(folder / "a.md", f"# {folder}\n\n文")
    base.run(one)
    base.run(two)
    base.run(three)
    assert base.keys() == {"a.md", "kb~2/a.md", "docs/a.md"}
    for folder in (one, two, three):
        assert base.run(folder).counts["unchanged"] == 1


def test_domains_by_front_matter_then_option_then_folder(base: Base, kb: Path) -> None:
    write(kb / "Docs" / "net" / "a.md", "# A\n\n文")
    write(kb / "Docs" / "mail" / "b.md", "---\ndomain: own\n---\n# B\n\n文")
    write(kb / "Docs" / "c.md", "# C\n\n文")
    base.run(kb)
    assert {key: article.domain for key, article in base.all().items()} == {
        "Docs/net/a.md": "net", "Docs/mail/b.md": "own", "Docs/c.md": "general",
    }  # fmt: skip
    base.run(kb, domain="given")
    assert [article.domain for _, article in sorted(base.all().items())] == ["given", "own", "given"]
    assert base.run(kb).counts["unchanged"] == 3, "the option is remembered for the folder"


def test_new_folders_can_move_the_domains_of_old_articles(base: Base, kb: Path) -> None:
    write(kb / "Docs" / "net" / "a.md", "# A\n\n文")
    base.run(kb)
    assert base.articles.domains() == [("general", 1)], "all share Docs/net"
    write(kb / "Docs" / "mail" / "b.md", "# B\n\n文")
    assert outcomes(base.run(kb)) == {"Docs/net/a.md": "updated", "Docs/mail/b.md": "added"}
    assert base.articles.domains() == [("mail", 1), ("net", 1)]


def test_shared_folders_count_articles_not_files(base: Base, kb: Path) -> None:
    rows = "".join(f"题{number},答\n" for number in range(40))
    write(kb / "big" / "faq.csv", f"标题,正文\n{rows}")
    write(kb / "b" / "b.md", "# B\n\n文")
    report = base.run(kb)
    assert report.counts == {"added": 41, "updated": 0, "unchanged": 0, "removed": 0, "skipped": 0, "failed": 0}
    assert base.articles.domains() == [("b", 1), ("general", 40)]


def test_exact_copies_know_each_other(base: Base, kb: Path) -> None:
    text = "# 邮箱满了\n\n先清空“已删除”。"
    write(kb / "a.md", text)
    write(kb / "副本" / "b.md", text)
    write(kb / "crlf.md", text.replace("\n", "\r\n") + " \r\n")
    write(kb / "other.md", text + "另")
    base.run(kb)
    articles = base.all()
    assert articles["a.md"].copies == ("crlf.md", "副本/b.md")
    assert articles["other.md"].copies == ()


def test_meta_csv_sets_states_and_follows_its_changes(base: Base, kb: Path) -> None:
    write(kb / "p" / "old.md", "# 旧\n\n文")
    write(kb / "p" / "new.md", "# 新\n\n文")
    meta = write(kb / "p" / "meta.csv", "file,status,effective,supersedes\nnew.md,current,2026-01-01,old.md\n")
    report = base.run(kb)
    assert outcomes(report)["meta.csv"] == "skipped"
    old = base.articles.get("p/old.md")
    assert old is not None and (old.state, old.superseded_by) == (ArticleState.SUPERSEDED, "p/new.md")
    write(meta, "file,status,effective,supersedes\nnew.md,draft,,\n", age=5)
    assert base.run(kb).counts["updated"] == 2
    assert {article.state for article in base.all().values()} == {ArticleState.CURRENT, ArticleState.DRAFT}


def test_a_file_over_the_limit_fails_and_names_it(base: Base, kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_import, "SIZE_LIMIT", 2**20)
    write(kb / "big.txt", b"x" * (2**20 + 1))
    assert reasons(base.run(kb))["big.txt"] == Reason.of("too_large", size=1, limit=1)


def test_the_data_folder_inside_a_source_is_not_read(base: Base) -> None:
    write(base.folder.root.parent / "a.md", "# A\n\n文")
    write(base.folder.root / "x.md", "# X\n\n文")
    base.run(base.folder.root.parent)
    assert base.keys() == {"a.md"}


def test_cancelling_keeps_what_was_committed_and_a_second_run_goes_on(base: Base, kb: Path) -> None:
    for number in range(30):
        write(kb / f"{number:02}.md", f"# 标题{number}\n\n" + "正文。" * 3000)
    seen: list[Progress] = []
    job = Job(lambda progress: (seen.append(progress), job.cancel() if progress.done == 12 else None))
    report = base.run(kb, job=job)
    assert report.cancelled and report.counts["added"] == 12 == len(base.keys())
    assert report.knowledge_version == base.articles.version()
    assert seen[0].total == 0, "how much there is, is not known yet"
    assert (seen[4].done, seen[4].total, seen[4].label) == (3, 30, "03.md")
    rest = base.run(kb)
    assert (rest.counts["unchanged"], rest.counts["added"], rest.cancelled) == (12, 18, False)


def test_transactions_stay_small(base: Base, kb: Path) -> None:
    for number in range(12):
        write(kb / f"{number:02}.md", f"# 标题{number}\n\n" + "正文。" * 6000)
    write(kb / "t.csv", "标题,正文\n" + "".join(f"题{number},{'答' * 400}\n" for number in range(450)))
    sizes: list[int] = []
    original = base.database.transaction
    connection = base.database.connection()

    class Watched:
        def __enter__(self) -> object:
            self.before = base.articles.counts()[1]
            self.inner = original()
            return self.inner.__enter__()

        def __exit__(self, *error: object) -> object:
            sizes.append(base.articles.counts()[1] - self.before)
            return self.inner.__exit__(*error)  # type: ignore[arg-type]

    base.database.transaction = Watched  # type: ignore[method-assign,assignment]
    base.run(kb)
    assert connection.in_transaction is False
    assert sum(sizes) == base.articles.counts()[1] > 800
    assert max(sizes) <= 200


def test_other_chunk_sizes_rewrite_the_articles(base: Base, kb: Path) -> None:
    write(kb / "a.md", "# A\n\n" + "正文。" * 500)
    base.run(kb)
    base.settings = base.settings.changed(rag__chunk_size=200)
    assert base.run(kb).counts["updated"] == 1
    assert max(len(chunk.text) for chunk in base.articles.all_chunks()) <= 200
    assert base.run(kb).counts["unchanged"] == 1


def test_reasons_are_told_in_either_language_also_when_they_were_stored_in_the_other(base: Base, kb: Path) -> None:
    write(kb / "a.md", "---\nstate: weird\n---\n正文")
    write(kb / "b.md", "")
    first = base.run(kb, language="zh_CN")
    assert {item.reason for item in first.items} == {"不认识状态“weird”，按现行处理", "文件里没有文字"}
    again = base.run(kb, language="en")
    assert outcomes(again) == {"a.md": "unchanged", "b.md": "skipped"}
    assert [item.reason for item in again.items] == [None, "The file has no text"]
    notes = base.database.connection().execute("SELECT notes FROM article").fetchone()[0]
    assert sentence(from_json(notes), "en") == 'State "weird" is not known; taken as current'
