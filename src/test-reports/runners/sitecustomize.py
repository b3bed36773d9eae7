# Python runs this before any code of the project, in every process that a gate starts. It finds out
# whether the process runs tests, and reports them. Then it runs the sitecustomize that it hides, if any.
# It has to be readable to every Python, so there is no syntax of Python 3 in it.
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
ASKS = ("-h", "--help", "--version", "-V")


def words():
    """The command line, as far as it is known this early."""
    if hasattr(sys, "orig_argv"):
        return list(sys.orig_argv)
    try:
        with open("/proc/self/cmdline", "rb") as file:
            return file.read().decode("utf-8", "replace").split("\0")[:-1]
    except (IOError, OSError):
        return list(getattr(sys, "argv", []))


def started(line):
    """What Python is about to run: a module's name, a script's path, and the words behind it."""
    at = 1
    while at < len(line):
        word = line[at]
        if word in ("-W", "-X", "--check-hash-based-pycs"):
            at += 2
        elif word[:1] != "-":
            return "", word, line[at + 1 :]
        elif word[:2] in ("--", "-W", "-X"):
            at += 1
        elif "c" in word:
            return "", "", []
        elif "m" in word:
            rest = word[word.index("m") + 1 :]
            behind = line[at + 1 :]
            return (rest, "", behind) if rest else (behind[0] if behind else "", "", behind[1:])
        else:
            at += 1
    return "", "", []


def script_text(path):
    try:
        if os.path.getsize(path) > 2000000:
            return ""
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except (IOError, OSError):
        return ""  # Python itself will say what is wrong with it


def runner_of(line):
    """The runner that this process is known to be, before it has loaded anything."""
    import re

    module, script, rest = started(line)
    name = os.path.basename(script)
    if any(word in ASKS for word in rest):
        return None
    if module in ("pytest", "py.test") or re.match(r"(?:pytest|py\.test)(?:-3)?$", name):
        return "pytest"
    if module in ("unittest", "unittest.__main__"):
        return "unittest"
    text = script_text(script) if script else ""
    # The same words as in non-js-runners.ts.
    if re.search(r"\bunittest\.main\(|\bTextTestRunner\(|from\s+unittest\s+import\s[^\n]*\bmain\b", text):
        return "unittest"
    return None


class Patches(object):
    """Loads a module as always, and changes it before anything can use it."""

    def __init__(self, patches):
        self.patches = patches

    def find_spec(self, name, path=None, target=None):
        patch = self.patches.pop(name, None)
        if patch is None:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec = None if finder is self or find is None else find(name, path, target)
            if spec is None or spec.loader is None or not hasattr(spec.loader, "exec_module"):
                continue
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                patch(module)

            spec.loader.exec_module = exec_module
            return spec
        return None


def report(path):
    from supervisor_session import Desk
    from supervisor_pytest import patch_pytest
    from supervisor_unittest import patch_unittest

    desk = Desk(path)
    runner = runner_of(words())
    if runner is not None:
        desk.open_early(runner)
    sys.meta_path.insert(
        0, Patches({"_pytest.config": patch_pytest(desk), "unittest.suite": patch_unittest(desk)})
    )
    for name in ("supervisor_session", "supervisor_pytest", "supervisor_unittest"):
        sys.modules.pop(name, None)


def run_hidden():
    """The sitecustomize that this one stands before, as if this one were not there."""
    sys.modules.pop("sitecustomize", None)
    try:
        __import__("sitecustomize")
    except ImportError as error:
        if getattr(error, "name", "sitecustomize") != "sitecustomize":
            raise


reports = os.environ.get("SUPERVISOR_TEST_REPORTS", "")
try:
    if reports and sys.version_info >= (3, 6):
        report(reports)
finally:
    mine = sys.modules.get("sitecustomize")
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != FOLDER]
    sys.path_importer_cache.pop(FOLDER, None)
    run_hidden()
    # The import of this file is under way, and wants to find what it has loaded.
    sys.modules.setdefault("sitecustomize", mine)
