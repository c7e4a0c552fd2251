"""Words about field notes: writing one down, taking it back, where they are kept."""

from __future__ import annotations

# name: (zh_CN, en), as in app/words.py.
NOTE_WORDS: dict[str, tuple[str, str]] = {
    "close.note_title": ("笔记还没保存", "The note is not saved"),
    "close.note_question": (
        "“记一笔”里写的还没有保存，退出后就没有了。",
        "What you wrote in the note is not saved; closing throws it away.",
    ),
    "close.note_stop": ("不保存，退出", "Close without saving"),
    "note.offer": ("记一笔", "Add a note"),
    "note.offer_tip": (
        "问题解决了？把办法记下来，下次就能搜到（{keys}）",
        "Solved it? Write down how, and the next search finds it ({keys})",
    ),
    "note.about": ("怎么解决的：{title}", "What solved it: {title}"),
    "note.text": ("怎么解决的", "What solved it"),
    "note.placeholder": (
        "写下解决办法，Enter 保存，Shift+Enter 换行，Esc 关闭",
        "Write what solved it. Enter saves, Shift+Enter starts a line, Esc closes",
    ),
    "note.save": ("保存", "Save"),
    "note.close": ("关闭", "Close"),
    "note.save_here": ("先存在本机", "Save on this computer"),
    "note.empty": ("还没有写文字，没有保存。", "There is no text yet; nothing was saved."),
    "note.kept": ("{problem}文字还在，没有丢。", "{problem} Your text is still here."),
    "note.saved": (
        "已记下，标为“现场笔记 · 未审核”，现在就能搜到",
        "Noted, marked as “Field note · unreviewed”; it can be found now",
    ),
    "note.saved_here": (
        "已记在本机（{path}），同事暂时看不到；现在就能搜到",
        "Noted on this computer ({path}), where colleagues do not see it; it can be found now",
    ),
    "note.saving": ("已记下", "Noted"),
    "note.saved_later": (
        "已记下；知识正在导入，导入完就能搜到",
        "Noted; knowledge is being imported, and the note can be found when that is done",
    ),
    "note.unfinished": (
        "“{title}”的笔记还没写完；先保存或关闭它，再给别的问题记一笔",
        "The note on “{title}” is not finished; save or close it before you add one on another question",
    ),
    "note.undo": ("撤销", "Undo"),
    "note.undone": ("已撤销，文字放回了输入框", "Undone; the text is back in the field"),
    "note.undone_later": (
        "已撤销，文字放回了输入框；知识正在导入，导入完它就从结果里消失",
        "Undone; the text is back in the field. Knowledge is being imported; the note leaves the results after that",
    ),
    "note.folder": ("现场笔记存在 {path}", "Field notes are kept in {path}"),
    "note.folder_what": (
        "选共享文件夹，就能搜到同事记的；换了以后，以前的仍能搜到。",
        "In a shared folder, colleagues' notes are found too. After a change, earlier notes still are.",
    ),
    "note.choose_folder": ("现场笔记文件夹…", "Field notes folder…"),
    "note.own_folder": ("改回默认", "Back to the default"),
    "error.notes_folder_unusable": (
        "笔记文件夹 {path} 用不了（{detail}）；请检查网络和写入权限，或到“知识库”页换一个文件夹。",
        "The notes folder {path} cannot be used ({detail}); check the network and its permissions, or choose another "
        "folder on the Knowledge page.",
    ),
}
