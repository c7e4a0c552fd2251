"""What is asked beside the question, and how a question is read (contract §3, steps 1 and 3)."""

from __future__ import annotations

from core.lexicon import Lexicon
from core.query import read_query
from core.rewriting import ALL_STEPS, FACTOR, MOST, NO_STEPS, TAIWAN, factor_of_original, rewrites_of

LEXICON = Lexicon.load()


def rewritten(text: str, held: frozenset[str] | None = None) -> dict[str, str]:
    query = read_query(text, LEXICON)
    found = rewrites_of(query, LEXICON, lambda word: int(held is None or word in held))
    return {rewrite.kind: rewrite.folded for rewrite in reversed(found)}  # the first of each step


def test_taiwans_wording_becomes_the_mainlands() -> None:
    words = rewritten("無法在檔案總管列印預設文件")["taiwan"].split()
    text = " ".join(words)
    assert "资源管理器" in text
    assert "打印" in text
    assert "默认" in text


def test_a_word_that_means_something_else_on_the_mainland_stays_in_simplified_characters() -> None:
    assert rewritten("無法停用帳戶", frozenset({"禁用"}))["taiwan"] == "无法禁用帐户"
    assert "taiwan" not in rewritten("无法停用账户")
    assert rewritten("使用者无法登录")["taiwan"] == "用户无法登录"


def test_a_text_of_taiwans_weighs_less_as_it_was_typed() -> None:
    def factors(text: str) -> tuple[float, ...]:
        found = rewrites_of(read_query(text, LEXICON), LEXICON, lambda word: 1)
        return factor_of_original(found), *(rewrite.factor for rewrite in found)

    assert factors("無法列印檔案") == (FACTOR, 1.0)
    assert factors("使用者无法登录") == (FACTOR, 1.0)
    assert factors("打印机卡纸") == (1.0,)


def test_the_base_says_which_of_several_words_is_meant_and_whether_any_is() -> None:
    def taiwan(text: str, held: dict[str, int]) -> list[str]:
        found = rewrites_of(read_query(text, LEXICON), LEXICON, lambda word: held.get(word, 0), frozenset({TAIWAN}))
        return [rewrite.folded for rewrite in found]

    assert taiwan("疑難排解", {"故障": 5, "排除": 5, "疑难": 2, "解答": 2}) == ["故障排除", "疑难解答"]
    assert taiwan("列印", {"列印": 9, "打印": 1}) == []


def test_the_codes_of_a_long_sentence_are_also_asked_by_themselves() -> None:
    assert rewritten("财务系统导出凭证时提示错误 ERR_TIMEOUT 怎么处理")["identifier"] == "err_timeout"
    assert "identifier" not in rewritten("ERR_TIMEOUT 怎么办")


def test_a_step_that_is_not_named_is_not_taken() -> None:
    query = read_query("使用者無法列印？ 财务系统导出凭证时提示 ERR_TIMEOUT？ printer offline？", LEXICON)
    for step in sorted(ALL_STEPS):
        found = rewrites_of(query, LEXICON, lambda word: int(word == "打印机"), frozenset({step}))
        assert {rewrite.kind for rewrite in found} == {step}
    assert rewrites_of(query, LEXICON, lambda word: 0, NO_STEPS) == ()


def test_english_synonyms_of_several_words_work_both_ways() -> None:
    assert "login" in rewritten("cannot sign in", frozenset({"login"}))["synonyms"].split()
    assert "sign in" in rewritten("login page", frozenset({"sign", "in", "page"}))["synonyms"]


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
    found = rewrites_of(query, LEXICON, lambda word: 1)
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
