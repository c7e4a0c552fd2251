"""SettingsFile: the settings as the data folder's file has them now, whoever wrote it."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from core.errors import InvalidSetting, SettingsUnusable
from core.settings import Settings

log = logging.getLogger(__name__)


class SettingsFile:
    """Thread-safe. Raises SettingsUnusable, InvalidSetting when it is made; later a file that cannot be read leaves the
    settings as they were."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._stamp = self._stamp_now()
        self._settings = Settings.load(path)

    def current(self) -> Settings:
        """The settings, the same object until the file changes. Costs a look at the file."""
        stamp = self._stamp_now()
        if stamp != self._stamp:
            with self._lock:
                if stamp != self._stamp:
                    self._read(stamp)
        return self._settings

    def _read(self, stamp: tuple[int, int] | None) -> None:
        try:
            self._settings = Settings.load(self._path)
        except (SettingsUnusable, InvalidSetting) as error:
            log.warning("the changed settings cannot be used: %s", error)
        self._stamp = stamp

    def _stamp_now(self) -> tuple[int, int] | None:
        try:
            now = self._path.stat()
        except OSError:
            return None
        return now.st_mtime_ns, now.st_size
