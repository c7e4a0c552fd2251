"""Engine: what can be asked. Puts the parts together; every front end speaks to this and to nothing below it.

All methods may be called from any thread. None touches Qt. Those that may take long take a Job.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.job import Job
from core.model import (
    Actor,
    Answer,
    ArticleView,
    Check,
    EventKind,
    ImportReport,
    KnowledgeStatus,
    Mode,
    SessionMemory,
    SessionSummary,
    Trigger,
)


class Engine:
    """One data folder, open. Use `Engine.open()`, then `close()` (idempotent)."""

    @classmethod
    def open(cls, data_dir: Path, *, language: str = "zh_CN") -> Engine:
        """Open or create the data folder; an older database is migrated after a copy. Imports the starter
        knowledge base when the folder is new. Raises DataFolderUnusable, DatabaseTooNew, DatabaseDamaged."""
        raise NotImplementedError

    def close(self) -> None:
        """Finish open writes and release files."""

    # ------------------------------------------------------------ asking
    def preview(
        self, query: str, *, session_id: str | None = None, domain: str | None = None, job: Job | None = None
    ) -> Answer:
        """What the window shows while one types. Writes nothing (contract §2). Marks what `session_id` holds."""
        raise NotImplementedError

    def lookup(
        self,
        query: str,
        *,
        session_id: str | None = None,
        domain: str | None = None,
        top_k: int | None = None,
        mode: Mode = Mode.SOFT,
        actor: Actor = Actor.PERSON,
        trigger: Trigger = Trigger.ENTER,
        job: Job | None = None,
    ) -> Answer:
        """One lookup (contract §3): writes exactly one `tool_invocation` row, none when gated. With `cli` or `mcp`
        as trigger the primary and every supplement count as retrieved; in the window `retrieved()` says so later.
        `session_id` None starts a session; unknown ids are created."""
        raise NotImplementedError

    def read(self, doc_key: str, *, query: str = "") -> ArticleView:
        """The whole article, with where `query` stands in its body. Writes nothing. Raises UnknownArticle."""
        raise NotImplementedError

    def passages(self, doc_key: str, chunk_indexes: Sequence[int]) -> tuple[str, ...]:
        """The texts of some chunks of an article ("other passages"). Raises UnknownArticle."""
        raise NotImplementedError

    # ---------------------------------------------------------- sessions
    def retrieved(self, session_id: str, doc_key: str, *, query: str = "", invocation_id: int | None = None) -> None:
        """An article's content was handed over in this session (contract §2)."""
        raise NotImplementedError

    def record_event(
        self, session_id: str, kind: EventKind, *, doc_key: str | None = None, invocation_id: int | None = None
    ) -> None:
        """Write a `session_event` row; opened, copied and voted also mark the article as retrieved."""
        raise NotImplementedError

    def supersede(self, invocation_id: int) -> None:
        """A settle row whose text was only the beginning of the next lookup (contract §2)."""
        raise NotImplementedError

    def new_session(self, session_id: str | None = None, *, title: str = "") -> str:
        """Start a session; the id is made when none is given. An existing id is returned as it is."""
        raise NotImplementedError

    def merge_session(self, session_id: str, into: str) -> None:
        """Move all lookups, marks and events of a session into another and delete it ("并回上一单")."""
        raise NotImplementedError

    def close_session(self, session_id: str) -> None:
        """Close the ticket; its memory stays."""
        raise NotImplementedError

    def sessions(self, *, search: str = "", limit: int = 200) -> tuple[SessionSummary, ...]:
        """Sessions, newest first; `search` looks in ids, titles and queries."""
        raise NotImplementedError

    def session_memory(self, session_id: str) -> SessionMemory:
        """Raises UnknownSession."""
        raise NotImplementedError

    def clear_session(self, session_id: str) -> int:
        """Forget what the session retrieved; returns how many articles. Raises UnknownSession."""
        raise NotImplementedError

    # --------------------------------------------------------- knowledge
    def ingest(
        self,
        paths: Sequence[Path],
        *,
        domain: str | None = None,
        allow_removal: bool = False,
        job: Job | None = None,
    ) -> ImportReport:
        """Import files and folders (contract §9). Cancelled: a report of what was committed, `cancelled` True.
        Raises PathMissing, KnowledgeLocked."""
        raise NotImplementedError

    def remove_starter(self, *, job: Job | None = None) -> int:
        """Remove the starter knowledge base; returns how many articles. It does not come back by itself."""
        raise NotImplementedError

    def has_starter(self) -> bool:
        """True while the starter knowledge base is imported."""
        raise NotImplementedError

    def status(self) -> KnowledgeStatus:
        """Counts and versions for the foot line; cheap."""
        raise NotImplementedError

    def domain_names(self) -> dict[str, str]:
        """Display name of each domain that has articles, in the engine's language; key → name."""
        raise NotImplementedError

    def reindex(self, *, job: Job | None = None) -> KnowledgeStatus:
        """Rebuild every index from the database."""
        raise NotImplementedError

    def doctor(self, *, job: Job | None = None) -> tuple[Check, ...]:
        """Check the database and the indexes against each other; repair what can be."""
        raise NotImplementedError
