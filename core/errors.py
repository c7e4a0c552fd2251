"""The error tree. Errors carry facts; the front end finds the words.

DesksideError
├── Cancelled              the user stopped the job: silence
└── ExpectedError          one sentence with what to do
    ├── PathMissing        the path to import is not there
    ├── KnowledgeLocked    another process is writing knowledge (names the holder)
    ├── DatabaseTooNew     the data folder was written by a newer program
    ├── DatabaseDamaged    SQLite says the file is not sound
    ├── DataFolderUnusable the data folder cannot be created or written
    ├── UnknownSession     no session of that id
    ├── UnknownArticle     no article of that key
    ├── InvalidSetting     a setting outside its bounds
    ├── SettingsUnusable   the settings file as a whole cannot be read
    ├── NotesFolderUnusable the folder of field notes is away or cannot be written
    └── InvalidInput       a query, qrels or batch file that cannot be used

`code` is stable (JSON errors carry it); `facts` are the values a sentence needs.
"""

from __future__ import annotations


class DesksideError(Exception):
    """Root of all errors raised on purpose. `facts` are named values for the sentence."""

    code = "error"

    def __init__(self, **facts: object) -> None:
        super().__init__(", ".join(f"{name}={value}" for name, value in facts.items()))
        self.facts = facts


class Cancelled(DesksideError):
    """Raised by Job.checkpoint() after Job.cancel()."""

    code = "cancelled"


class ExpectedError(DesksideError):
    """Root of the failures that a user can do something about."""

    code = "expected"


class PathMissing(ExpectedError):
    """facts: path."""

    code = "path_missing"


class KnowledgeLocked(ExpectedError):
    """facts: pid, host, since."""

    code = "locked"


class DatabaseTooNew(ExpectedError):
    """facts: path, found, known (schema names)."""

    code = "database_too_new"


class DatabaseDamaged(ExpectedError):
    """facts: path, detail."""

    code = "database_damaged"


class DataFolderUnusable(ExpectedError):
    """facts: path, detail."""

    code = "data_folder_unusable"


class UnknownSession(ExpectedError):
    """facts: session_id."""

    code = "unknown_session"


class UnknownArticle(ExpectedError):
    """facts: doc_key."""

    code = "unknown_article"


class InvalidSetting(ExpectedError):
    """facts: name, value, detail."""

    code = "invalid_setting"


class SettingsUnusable(ExpectedError):
    """facts: path, detail."""

    code = "settings_unusable"


class NotesFolderUnusable(ExpectedError):
    """facts: path, detail."""

    code = "notes_folder_unusable"


class InvalidInput(ExpectedError):
    """facts: path, line, detail."""

    code = "invalid_input"
