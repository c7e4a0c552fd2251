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
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication, QWidget

    from app.main_window import MainWindow

ROOT = Path(__file__).resolve().parent.parent
LOOKS = {"zh-light": ("zh_CN", "light", "1"), "en-dark": ("en", "dark", "1"), "zh-light-200": ("zh_CN", "light", "2")}
QUERIES = {
    "err-timeout": "ERR_TIMEOUT",
    "pool": "数据库连接池配置",
    "vpn-691": "VPN 691",
    "printer": "打印机",
    "unknown-code": "0x80004005",
    "other-code": "VPN 690",
    "missing-dimension": "连不上VPN",
    "nothing": "火星殖民地怎么报销",
    "suggestion": "打印鸡卡纸了",
}


def main() -> int:
    """One process a look."""
    out = Path(sys.argv[1]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    if len(sys.argv) > 2 and sys.argv[2] in LOOKS:
        return draw(out, sys.argv[2]) or draw_monitor(out, sys.argv[2])
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
        camera = Camera(application, window, f"{out / look}-")
        camera.take("opening")
        while window.engine is None:
            application.processEvents()
        camera.settle()
        camera.take("start")
        _searching(camera, window)
        if scale == "1":
            window.resize(1024, 600)
            camera.settle(100)
            camera.take("small")
        window.tabs.setCurrentWidget(window.knowledge)
        camera.settle(100)
        camera.take("knowledge")
        window.resize(1280, 800)
        _importing(camera, window, _odd_files(Path(folder) / "kb"))
        window.close()
    return 0


def draw_monitor(out: Path, look: str) -> int:
    """The monitor on the simulated day, from its figures to one session, and before anything happened."""
    sys.path.insert(0, str(ROOT))
    from PySide6.QtWidgets import QApplication

    from app.application import build_window
    from core.paths import DataFolder
    from core.settings import Settings
    from core.simulation.demonstration import make

    language, theme, scale = LOOKS[look]
    application = QApplication.instance() or QApplication(["deskside"])
    assert isinstance(application, QApplication)
    for name in ("empty", "day"):
        with tempfile.TemporaryDirectory() as folder:
            data = DataFolder(Path(folder)).create()
            if name == "day":
                make(data.root, now=datetime.now(UTC), language=language)
            settings = Settings.load(data.settings).changed(theme=theme, language=language)
            window = build_window(application, data, settings, language)
            window.resize(1280, 800)
            window.show()
            camera = Camera(application, window, f"{out / look}-monitor-{name}-")
            while window.engine is None:
                application.processEvents()
            _monitoring(camera, window, small=scale == "1")
            window.close()
    return 0


def _monitoring(camera: Camera, window: MainWindow, *, small: bool) -> None:
    from PySide6.QtWidgets import QScrollArea

    page = window.monitor
    window.tabs.setCurrentWidget(page)
    camera.settle()
    for place, name in enumerate(("service", "engines")):
        page.bar.pages.setCurrentIndex(place)
        camera.settle()
        camera.take(name)
        for part in page.findChildren(QScrollArea):
            if part.isVisible() and part.widget().height() > part.height():
                camera.take(f"{name}-whole", part.widget())
    if small:
        window.resize(1024, 600)
        camera.settle(300)
        camera.take("small")
    page.bar.pages.setCurrentIndex(0)
    camera.settle()
    page.service.lookups.click()
    camera.settle()
    camera.take("lookups")
    rows = page.drill.lookups.figures.rows
    if rows:
        page.drill.session_wanted.emit(rows[0].session_id)
        camera.settle()
        camera.take("session")


class Camera:
    """Waits until the window stands still, and takes its picture."""

    def __init__(self, application: QApplication, window: MainWindow, start: str) -> None:
        self._application, self._window, self._start = application, window, start

    def settle(self, milliseconds: int = 700) -> None:
        """At least so long, and until nothing is on its way."""
        end = time.monotonic() + milliseconds / 1000
        while time.monotonic() < end or not self._window.control.idle:
            self._application.processEvents()

    def take(self, name: str, widget: QWidget | None = None) -> None:
        """The window, or one part of it."""
        (widget or self._window).grab().save(f"{self._start}{name}.png")


def _searching(camera: Camera, window: MainWindow) -> None:
    for name, text in QUERIES.items():
        window.search.input.setText(text)
        camera.settle(100)
        window.control.enter()
        camera.settle()
        if name in {"err-timeout", "vpn-691"}:
            window.search.pane.copy(with_source=False)
            camera.settle(2300)
        camera.take(name)
        if name in {"pool", "printer"}:
            _explaining(camera, window, name)
    window.search.input.setText("VPN")
    camera.settle()
    camera.take("preview")


def _explaining(camera: Camera, window: MainWindow, name: str) -> None:
    window.search.why.click()
    while window.search.why.dialog is None:
        camera.settle(50)
    camera.settle(100)
    camera.take(f"why-{name}", window.search.why.dialog)
    window.search.why.dialog.reject()
    camera.settle(100)


def _importing(camera: Camera, window: MainWindow, folder: Path) -> None:
    window.start_import([folder])
    camera.settle(300)
    camera.take("report")
    window.tabs.setCurrentIndex(0)
    window.search.input.setText("OLD-77")
    camera.settle(100)
    window.control.enter()
    camera.settle()
    camera.take("superseded")
    window.search.input.setText("TAG-55 门禁卡")
    camera.settle(100)
    window.control.enter()
    camera.settle()
    camera.take("overdue")
    window.foot.failed.click()
    camera.settle(300)
    camera.take("failed")
    window.tabs.setCurrentIndex(0)
    window.sidebar.selector.showPopup()
    camera.settle(100)
    camera.take("sessions", window.sidebar.selector.panel)
    window.sidebar.selector.hidePopup()
    window.new_session()
    camera.settle(100)
    camera.take("new-session")


def _odd_files(folder: Path) -> Path:
    """What an import has something to say about."""
    folder.mkdir()
    for name, data in {
        "旧流程.md": "---\ntitle: OLD-77 旧流程\nsuperseded_by: 新流程.md\n---\n旧流程 OLD-77：先打电话登记。".encode(),
        "新流程.md": "---\ntitle: NEW-78 新流程\nstate: 审批中\nupdated: 2025/13/45\n---\n在线登记。".encode(),
        "门禁卡.md": "---\ntitle: TAG-55 门禁卡补办\nreview_by: 2025-03-01\n---\n门禁卡 TAG-55：到前台补办。".encode(),
        "空.md": b"",
        "扫描件.docx": b"PK",
        "截图.png": b"x",
        "台账.csv": '编号,标题,内容\n1,"没配对,内容一\n2,第二条,内容二\n'.encode(),
        "坏.json": b"{broken",
        "乱码.txt": bytes(range(128, 256)) * 3 + b"\0\1\2",
    }.items():
        (folder / name).write_bytes(data)
    return folder


if __name__ == "__main__":
    sys.exit(main())
