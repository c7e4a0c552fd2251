"""What is asked beside the question, and how a question is read (contract §3, steps 1 and 3)."""

from __future__ import annotations

from core.lexicon import Lexicon
from core.query import read_query
from core.rewriting import MOST, rewrites_of

LEXICON = Lexicon.load()


def rewritten(text: str, held: frozenset[str] | None = None) -> dict[str, str]:
    query = read_query(text, LEXICON)
    found = rewrites_of(query, LEXICON, lambda word: held is None or word in held)
    return {rewrite.kind: rewrite.folded for rewrite in found}


def test_taiwans_wording_becomes_the_mainlands() -> None:
    words = rewritten("無法在檔案總管列印預設文件")["taiwan"].split()
    text = " ".join(words)
    assert "资源管理器" in text
    assert "打印" in text
    assert "默认" in text


def test_text_in_simplified_characters_is_not_taken_for_taiwans() -> None:
    assert "taiwan" not in rewritten("打印机共用设置")


def test_a_word_that_the_base_does_not_hold_gives_way_to_its_synonyms() -> None:
    assert "打印机" in rewritten("printer offline", frozenset({"打印机"}))["synonyms"]
    assert "synonyms" not in rewritten("打印机", frozenset({"打印机", "printer"}))


def test_a_double_question_is_also_asked_in_parts() -> None:
    kinds = [
        rewrite.folded for rewrite in rewrites_of(read_query("打印机卡纸？邮箱满了怎么清理？", LEXICON), LEXICON, bool)
    ]
    assert "打印机卡纸" in kinds
    assert "邮箱满了怎么清理" in kinds


def test_there_are_at_most_three_and_never_the_question_itself() -> None:
    query = read_query("甲乙丙？丁戊己？庚辛壬？子丑寅？印表機卡紙？", LEXICON)
    found = rewrites_of(query, LEXICON, lambda word: True)
    assert len(found) <= MOST
    assert query.folded not in {rewrite.folded for rewrite in found}


def test_only_a_pair_of_quotes_means_something() -> None:
    assert read_query('查 "导出全部" 的', LEXICON).phrases == ("导出全部",)
    assert read_query('"SYM-22', LEXICON).phrases == ()
    assert read_query('a AND b* (c:d) -e ""', LEXICON).phrases == ()


def test_courtesy_and_stop_words_say_nothing_and_complaints_are_not_informative() -> None:
    assert not read_query("你好，请问一下", LEXICON).is_business
    query = read_query("打印机没反应怎么办", LEXICON)
    assert query.is_business
    assert query.informative == ("打印机",)


def test_own_words_are_not_cut(tmp_path) -> None:  # type: ignore[no-untyped-def]
    from core.paths import DataFolder

    folder = DataFolder(tmp_path / "d").create()
    folder.user_dictionary.write_text("泓图平台\n", encoding="utf-8")
    folder.user_synonyms.write_text("泓图平台 HTP\n", encoding="utf-8")
    own = Lexicon.load(folder)
    assert read_query("泓图平台打不开", own).words[0] == "泓图平台"
    assert own.synonyms("htp") == ("泓图平台",)
    assert own.fingerprint != LEXICON.fingerprint
