"""Pictures of the window in its states: python packaging/screenshots.py OUTDIR [LOOK].

Runs offscreen unless QT_QPA_PLATFORM says otherwise. Each look (language, colours, scale) is a process of its own,
because Qt reads the scale once.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOOKS = {"zh-light": ("zh_CN", "light", "1"), "en-dark": ("en", "dark", "1"), "zh-light-200": ("zh_CN", "light", "2")}
QUERIES = {
    "err-timeout": "ERR_TIMEOUT",
    "pool": "数据库连接池配置",
    "vpn-691": "VPN 691",
    "printer": "打印机",
    "unknown-code": "0x80004005",
    "nothing": "火星殖民地怎么报销",
}


def main() -> int:
    """One process a look."""
    out = Path(sys.argv[1]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    if len(sys.argv) > 2 and sys.argv[2] in LOOKS:
        return draw(out, sys.argv[2])
    status = 0
    for look, (_, _, scale) in LOOKS.items():
        environment = os.environ | {"QT_SCALE_FACTOR": scale}
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        status |= subprocess.run([sys.executable, __file__, str(out), look], env=environment, check=False).returncode
    return status


def draw(out: Path, look: str) -> int:
    """All states in one look."""
    sys.path.insert(0, str(ROOT))
    from PySide6.QtWidgets import QApplication

    from app.application import build_window
    from core.paths import DataFolder
    from core.settings import Settings

    language, theme, scale = LOOKS[look]
    application = QApplication(["deskside"])
    with tempfile.TemporaryDirectory() as folder:
        data = DataFolder(Path(folder)).create()
        window = build_window(application, data, Settings({"theme": theme, "language": language}), language)
        window.resize(1280, 800)
        window.show()

        def settle(milliseconds: int = 700) -> None:
            end = time.monotonic() + milliseconds / 1000
            while time.monotonic() < end or not window.control.idle:
                application.processEvents()

        def take(name: str) -> None:
            window.grab().save(str(out / f"{look}-{name}.png"))

        take("opening")
        while window.engine is None:
            application.processEvents()
        settle()
        take("start")
        for name, text in QUERIES.items():
            window.search.input.setText(text)
            settle(100)
            window.control.enter()
            settle()
            if name in {"err-timeout", "vpn-691"}:
                window.search.pane.copy(with_source=False)
                settle(2300)
            take(name)
        window.search.input.setText("VPN")
        settle()
        take("preview")
        if scale == "1":
            window.resize(1024, 600)
            settle(100)
            take("small")
        window.tabs.setCurrentIndex(1)
        settle(100)
        take("knowledge")
        window.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
