"""Options from a file, and the file that repeats a run.

A configuration is TOML whose keys are the long names of a verb's options, without dashes in
front; arguments go by their names.  What the command line says wins.
"""

import difflib
import functools
import inspect
import tomllib
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from enum import Enum
from pathlib import Path
from typing import Any, get_type_hints

import typer

from consens import __version__

#: Options that change what is said, not what is done.
TALK = ("config", "json", "quiet")

#: Verb and options of the run under way.
_run: ContextVar[tuple[str, dict[str, Any]]] = ContextVar("run")


def configured(verb: Callable[..., None]) -> Callable[..., None]:
    """Remember the options that a verb is called with, so that `resolved` can write them."""
    shape, keys = inspect.signature(verb), _keys(verb)

    @functools.wraps(verb)
    def call(*args: Any, **kwargs: Any) -> None:
        bound = shape.bind(*args, **kwargs)
        bound.apply_defaults()
        options = {keys[name]: value for name, value in bound.arguments.items()}
        token = _run.set((verb.__name__, options))
        try:
            verb(*args, **kwargs)
        finally:
            _run.reset(token)

    return call


def resolved() -> dict[str, Any]:
    """The options of the run under way that decide its result, as plain values."""
    _, options = _run.get()
    return {
        key: _plain(value)
        for key, value in options.items()
        if key not in TALK and value is not None and value is not False and value != []
    }


def resolved_text() -> str:
    """A configuration that repeats the run under way."""
    verb, _ = _run.get()
    first = f"# consens {__version__}: consens {verb} --config THIS-FILE repeats the run\n"
    return first + "".join(f"{key} = {_toml(value)}\n" for key, value in resolved().items())


def beside(path: Path) -> Path:
    """Where the configuration of a result lies that is one file or one ensemble."""
    return path.with_name(f"{path.name}.config.toml")


def load(context: typer.Context, file: Path | None) -> Path | None:
    """Take the values of a configuration as defaults; the callback of ``--config``."""
    if file is None or context.resilient_parsing:  # the latter while a shell completes
        return file
    known = {_key(parameter.name or "", parameter.opts): parameter for parameter in _own(context)}
    defaults: dict[str, Any] = {}
    for key, value in _read(file).items():
        parameter = known.get(key.replace("_", "-"), known.get(key))
        if parameter is None:
            near = difflib.get_close_matches(key, known, n=1, cutoff=0.0)[0]
            raise typer.BadParameter(
                f"{file}: consens {context.info_name} has no option {key!r}; the nearest is "
                f"{near!r}",
                param_hint="--config",
            )
        defaults[parameter.name or ""] = _as_given(file, key, value, parameter)
    context.default_map = defaults
    return file


def _own(context: typer.Context) -> list[Any]:
    return [p for p in context.command.params if p.name not in ("config", "help")]


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        reason = error.strerror or str(error)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        reason = f"it is not TOML in UTF-8: {error}"
    raise typer.BadParameter(f"cannot read {file}: {reason}", param_hint="--config")


def _as_given(file: Path, key: str, value: Any, parameter: Any) -> Any:
    """A value as the command line would give it."""
    many = parameter.multiple
    if many and isinstance(value, Mapping):  # a table of parameters
        return [f"{name}={_words(entry)}" for name, entry in value.items()]
    if many:
        return [_words(entry) for entry in (value if isinstance(value, list) else [value])]
    flag = getattr(parameter, "is_flag", False)
    if isinstance(value, bool) != flag or isinstance(value, Mapping):
        expected = "true or false" if flag else "one value"
        raise typer.BadParameter(
            f"{file}: {key} = {value!r} is not {expected}", param_hint="--config"
        )
    return value if flag else _words(value)


def _words(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(_words, value))
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


# ------------------------------------------------------------------------------ names, values


def _keys(verb: Callable[..., None]) -> dict[str, str]:
    hints = get_type_hints(verb, include_extras=True)
    hints.pop("return", None)
    return {
        name: _key(name, getattr(hint.__metadata__[0], "param_decls", None) or ())
        for name, hint in hints.items()
    }


def _key(name: str, declared: Any) -> str:
    """Key of a parameter: its first long name, or that of its argument."""
    long = [words.partition("/")[0] for words in declared if words.startswith("--")]
    return long[0].removeprefix("--") if long else name.replace("_", "-")


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    escaped = "".join(
        f"\\u{ord(letter):04x}" if ord(letter) < 0x20 or ord(letter) == 0x7F else letter
        for letter in value.replace("\\", "\\\\").replace('"', '\\"')
    )
    return f'"{escaped}"'
