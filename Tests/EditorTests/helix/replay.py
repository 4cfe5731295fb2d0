"""What Helix does with `:pipe` (`shell` and `shell_impl_async` in its helix-term/src/commands.rs, as of 25.07)."""
import os
import pathlib
import shutil
import subprocess
import tempfile

try:
    import tomllib
except ImportError:  # Before Python 3.11.
    from pip._vendor import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
CONFIGURATION = ROOT / "editor-configs/helix"


def toml(name):
    return tomllib.loads((CONFIGURATION / name).read_text())


def same(found, wanted, what=""):
    if found != wanted:
        raise AssertionError(f"{what}\n  found  {found!r}\n  wanted {wanted!r}")


def inkling():
    found = shutil.which(os.environ.get("INKLING_BINARY", "inkling"))
    if not found:
        raise AssertionError("there is no inkling: set INKLING_BINARY")
    return os.path.abspath(found)


class Refused(Exception):
    """What Helix shows in its status line; no selection is changed then."""


class Editor:
    """A text, its selections as (start, end) in characters, and a shell without a terminal. `programs` are scripts that
    come first on PATH, by name."""

    def __init__(self, text, *selections, programs=None, environment=None, shell=("sh", "-c")):
        self.text, self.selections, self.shell = text, list(selections), shell
        self.folder = tempfile.TemporaryDirectory()
        self.environment = {**os.environ, **(environment or {})}
        for name, script in (programs or {}).items():
            path = pathlib.Path(self.folder.name, name)
            path.write_text("#!/bin/sh\n" + script)
            path.chmod(0o755)
        self.environment["PATH"] = self.folder.name + os.pathsep + self.environment["PATH"]

    def output(self, command, text):
        done = subprocess.run(
            [*self.shell, command], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=self.environment, start_new_session=True, timeout=100, check=False)
        if done.returncode != 0 and not done.stderr:
            raise Refused(f"Shell command failed: status {done.returncode}")
        # Standard error comes first, also when the command has succeeded.
        found = (done.stderr or done.stdout).decode("utf-8", "replace")
        if not text.endswith("\n") and found.endswith("\n"):
            found = found[:-2] if found.endswith("\r\n") else found[:-1]
        return found

    def pipe(self, binding):
        """Each selection, one after another; then all of them are replaced in one step."""
        name, _, command = binding.partition(" ")
        same(name, ":pipe")
        outputs = [self.output(command, self.text[start:end]) for start, end in self.selections]
        new, position = "", 0
        for (start, end), output in zip(self.selections, outputs):
            new += self.text[position:start] + output
            position = end
        self.text = new + self.text[position:]
        return self.text


class Runtime:
    """A daemon of its own for the real program, which ends with it."""

    def __init__(self):
        self.program = inkling()

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.environment = {}
        for variable in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
            place = pathlib.Path(self.folder.name, variable.lower())
            place.mkdir(mode=0o700)
            self.environment[variable] = str(place)
        return self

    def editor(self, text, *selections, **environment):
        return Editor(text, *selections, programs={"inkling": f"exec '{self.program}' \"$@\"\n"},
                      environment={**self.environment, **environment})

    def ask(self, *arguments, text):
        done = subprocess.run([self.program, *arguments], input=text.encode(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**os.environ, **self.environment}, timeout=100, check=False)
        same(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def __exit__(self, *_):
        subprocess.run([self.program, "stop"], env={**os.environ, **self.environment}, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=30, check=False)
        self.folder.cleanup()
