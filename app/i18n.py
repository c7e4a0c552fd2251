"""The language of the window: which one it is, and the signal that it changed."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QObject, Signal

from app.words import LANGUAGES, word
from core.errors import DesksideError


class Language(QObject):
    """Called with a name it gives the text. Widgets connect `changed` to a method that sets all their texts again."""

    changed = Signal()

    def __init__(self, code: str = "zh_CN", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._code = code if code in LANGUAGES else LANGUAGES[0]

    @property
    def code(self) -> str:
        """zh_CN or en."""
        return self._code

    def set_code(self, code: str) -> None:
        """Switch; `changed` is emitted only when it is another one."""
        if code != self._code and code in LANGUAGES:
            self._code = code
            self.changed.emit()

    def __call__(self, name: str, /, **values: object) -> str:
        """The text of that name. A tuple among the values is listed: a、b in Chinese, a, b in English."""
        between = ", " if self._code == "en" else "、"
        told = {key: between.join(value) if isinstance(value, tuple) else value for key, value in values.items()}
        return word(name, self._code, **told)

    def sentence(self, error: DesksideError) -> str:
        """An expected failure in words."""
        from app.notices import sentence

        return sentence(error, self._code)


def local_day_and_time(stamp: str | None) -> str:
    """A UTC time stamp as local month, day, hours and minutes; only the time for today, "" when there is none."""
    moment = _moment(stamp)
    if moment is None:
        return ""
    today = datetime.now().astimezone().date()
    return moment.strftime("%H:%M") if moment.date() == today else moment.strftime("%m-%d %H:%M")


def _moment(stamp: str | None) -> datetime | None:
    if not stamp:
        return None
    try:
        return datetime.fromisoformat(stamp.replace("Z", "+00:00")).astimezone()
    except ValueError:
        return None
