"""Where things live: the data folder and what stands in it, the program's own resources."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from core.errors import DataFolderUnusable


def resources_dir() -> Path:
    """The folder of shipped data: beside the packages, or inside a bundle."""
    bundle = getattr(sys, "_MEIPASS", None)
    root = Path(bundle) if bundle else Path(__file__).resolve().parent.parent
    return root / "resources"


def default_data_dir() -> Path:
    """DESKSIDE_DATA_DIR, else the platform's folder for the user's own data."""
    chosen = os.environ.get("DESKSIDE_DATA_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_data_dir("Deskside", appauthor=False))


@dataclass(frozen=True, slots=True)
class DataFolder:
    """One data folder. Everything the program writes stands in it."""

    root: Path

    @property
    def database(self) -> Path:
        """SQLite: the truth."""
        return self.root / "deskside.sqlite3"

    @property
    def index(self) -> Path:
        """Index generations: index/<n>/."""
        return self.root / "index"

    @property
    def vectors(self) -> Path:
        """The vectors that models made of the texts: what may be made again, and takes long."""
        return self.root / "vectors.sqlite3"

    @property
    def library(self) -> Path:
        """Copies of files that were imported singly."""
        return self.root / "library"

    @property
    def notes(self) -> Path:
        """Field notes, unless the user chose another folder for them. Made with the first note."""
        return self.root / "notes"

    @property
    def cache(self) -> Path:
        """What may be deleted at any time (jieba's dictionary cache)."""
        return self.root / "cache"

    @property
    def logs(self) -> Path:
        """Program logs. They hold no queries."""
        return self.root / "logs"

    @property
    def settings(self) -> Path:
        """The user's settings."""
        return self.root / "settings.json"

    @property
    def user_dictionary(self) -> Path:
        """The user's own words, one a line."""
        return self.root / "dictionary.txt"

    @property
    def user_synonyms(self) -> Path:
        """The user's own synonyms, one group a line."""
        return self.root / "synonyms.txt"

    @property
    def user_domains(self) -> Path:
        """The user's own display names of domains."""
        return self.root / "domains.yaml"

    @property
    def user_agent_types(self) -> Path:
        """The user's own agent types: which domains are whose subject."""
        return self.root / "agent_types.yaml"

    @property
    def write_lock(self) -> Path:
        """Held by the one process that writes knowledge."""
        return self.root / "knowledge.lock"

    def create(self) -> DataFolder:
        """Make the folders. Raises DataFolderUnusable."""
        for folder in (self.root, self.index, self.library, self.cache, self.logs):
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except FileExistsError as error:
                raise DataFolderUnusable(path=str(self.root), detail=f"{folder}: not a folder") from error
            except OSError as error:
                raise DataFolderUnusable(path=str(self.root), detail=f"{folder}: {error.strerror}") from error
        return self

    @property
    def was_emptied(self) -> bool:
        """The database is an empty file, and yet the folders beside it hold what only a filled one leaves there."""
        try:
            if self.database.stat().st_size:
                return False
        except OSError:
            return False
        return any(True for folder in (self.index, self.library) for _ in folder.iterdir())
