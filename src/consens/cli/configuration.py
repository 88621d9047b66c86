"""Jobs: the options of a verb as one dataclass, from the command line or a file and back.

A configuration is TOML whose keys are the fields of a job, with dashes as in the long names of
options.  What the command line says wins.
"""

import difflib
import inspect
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from consens import __version__

#: Options that change what is printed, not what is done.
PRINTING = ("config", "quiet", "json")


def option(metavar: str, help: str, *names: str, default: Any = None, **settings: Any) -> Any:
    """A field of a job that is an option; without `names` it is called as the field."""
    shown = typer.Option(*names, metavar=metavar or None, help=help, **settings)
    return field(default=default, metadata={"shown": shown})


def flag(help: str, *names: str) -> Any:
    """A field of a job that is an option without a value."""
    return option("", help, *names, default=False)


def argument(metavar: str, help: str, default: Any = MISSING) -> Any:
    """A field of a job that is an argument."""
    shown = typer.Argument(metavar=metavar, help=help)
    return field(default=default, metadata={"shown": shown})


def usage_error(option: str, text: str) -> typer.BadParameter:
    """What to raise for an option or argument that cannot be."""
    return typer.BadParameter(text, param_hint=option)


def read_config(context: typer.Context, file: Path | None) -> Path | None:
    """Take the values of a configuration as defaults; the callback of ``--config``."""
    if file is None or context.resilient_parsing:  # the latter while a shell completes
        return file
    known = {
        _key(parameter.name or ""): parameter
        for parameter in context.command.params
        if parameter.name not in ("config", "help")
    }
    defaults: dict[str, Any] = {}
    for key, value in read_options(file).items():
        parameter = known.get(_key(key))
        if parameter is None:
            near = difflib.get_close_matches(key, known, n=1, cutoff=0.0)[0]
            raise usage_error(
                "--config",
                f"{file}: consens {context.info_name} has no option {key!r}; the nearest is "
                f"{near!r}",
            )
        defaults[parameter.name or ""] = _as_typed(file, key, value, parameter)
    context.default_map = defaults
    return file


@dataclass(kw_only=True)
class Job:
    """What a run is asked to do.

    Each field is an option of the command line under the same name, and a key of the
    configuration that repeats the run.
    """

    config: Path | None = option(
        "FILE.toml",
        "Options from a file; those of the command line win.",
        callback=read_config,
        is_eager=True,
    )

    @property
    def verb(self) -> str:
        """The command that does the job."""
        return type(self).__name__.removesuffix("Job").lower()

    def options(self) -> dict[str, Any]:
        """The options that decide the result, as plain values."""
        values = {_key(own.name): getattr(self, own.name) for own in fields(self)}
        return {
            key: _plain(value)
            for key, value in values.items()
            if key not in PRINTING and value is not None and value is not False and value != []
        }

    def to_toml(self) -> str:
        """A configuration that repeats the run."""
        import tomli_w

        first = f"# consens {__version__}: consens {self.verb} --config THIS-FILE repeats the run"
        return f"{first}\n{tomli_w.dumps(self.options())}"

    @classmethod
    def from_options(cls, options: Mapping[str, Any], **others: Any) -> Any:
        """The job that `options` came from; keys of other jobs are left out."""
        known = {_key(own.name): own.name for own in fields(cls)}
        given = {known[key]: value for key, value in options.items() if key in known}
        return cls(**(given | others))


def command(verb: Callable[[Any], None]) -> Callable[..., None]:
    """Turn a function of a job into one whose parameters are the fields of the job."""
    job = get_type_hints(verb)["job"]
    hints = get_type_hints(job)
    parameters = [
        inspect.Parameter(
            own.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if own.default is MISSING else own.default,
            annotation=Annotated[hints[own.name], own.metadata["shown"]],
        )
        for own in sorted(fields(job), key=lambda own: own.name in PRINTING)
    ]

    def call(**options: Any) -> None:
        verb(job(**options))

    call.__name__, call.__doc__ = verb.__name__, verb.__doc__
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def beside(path: Path) -> Path:
    """Path of the configuration of a result that is one file or one ensemble."""
    return path.with_name(f"{path.name}.config.toml")


def _key(name: str) -> str:
    return name.replace("_", "-")


def read_options(file: Path) -> dict[str, Any]:
    """The options that a configuration holds."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        reason = error.strerror or str(error)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        reason = f"it is not TOML in UTF-8: {error}"
    except RecursionError:
        reason = "it is nested too deeply"
    raise usage_error("--config", f"cannot read {file}: {reason}")


def _as_typed(file: Path, key: str, value: Any, parameter: Any) -> Any:
    """A value as the command line would give it."""
    several = parameter.multiple or parameter.nargs == -1
    if several and isinstance(value, Mapping):  # a table of parameters
        return [f"{name}={_words(entry)}" for name, entry in value.items()]
    if several:
        return [_words(entry) for entry in (value if isinstance(value, list) else [value])]
    flag = getattr(parameter, "is_flag", False)
    if isinstance(value, bool) != flag or isinstance(value, Mapping):
        expected = "true or false" if flag else "one value"
        raise usage_error("--config", f"{file}: {key} = {value!r} is not {expected}")
    return value if flag else _words(value)


def _words(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(_words, value))
    if isinstance(value, bool):
        return str(value).lower()
    # as arguments are decoded: a locale without letters of a name still finds its file
    return os.fsdecode(str(value).encode("utf-8", "surrogateescape"))


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value
