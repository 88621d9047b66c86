"""Jobs: dataclasses with the options of a verb, read from the command line or a file.

A configuration is a TOML file whose keys are the fields of a job, with dashes as in the long names
of options.  The command line takes precedence.
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

PRINTING = ("config", "quiet", "json")  # options that change what is printed, but not the result
PICTURES = (".svg", ".png", ".pdf")  # suffixes of pictures


def option(metavar: str, help: str, *names: str, default: Any = None, **settings: Any) -> Any:
    """Declare a field of a job as an option; without `names` it has the name of the field."""
    typer_info = typer.Option(*names, metavar=metavar or None, help=help, **settings)
    return field(default=default, metadata={"typer": typer_info})


def flag(help: str, *names: str) -> Any:
    """Declare a field of a job as an option without a value."""
    return option("", help, *names, default=False)


def argument(metavar: str, help: str, default: Any = MISSING) -> Any:
    """Declare a field of a job as an argument."""
    typer_info = typer.Argument(metavar=metavar, help=help)
    return field(default=default, metadata={"typer": typer_info})


def usage_error(option: str, text: str) -> typer.BadParameter:
    """Make the exception for an invalid option or argument."""
    return typer.BadParameter(text, param_hint=option)


def refuse(job: Any, names: str, reason: str) -> None:
    """Raise if one of the named options of a job is given."""
    for name in names.split():
        if getattr(job, name) not in (None, False, [], ()):
            raise usage_error(f"--{_key(name)}", reason)


def check_suffix(option: str, path: Path, *suffixes: str) -> None:
    """Raise unless a path ends in one of the suffixes."""
    if path.suffix.lower() not in suffixes:
        expected = " or ".join(filter(None, [", ".join(suffixes[:-1]), suffixes[-1]]))
        raise usage_error(option, f"{path} does not end in {expected}")


def read_config(context: typer.Context, file: Path | None) -> Path | None:
    """Use the values of a configuration as defaults; the callback of ``--config``."""
    if file is None or context.resilient_parsing:  # the latter during shell completion
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
    """Options of a run."""

    config: Path | None = option(
        "FILE.toml",
        "Read options from a file; the command line takes precedence.",
        callback=read_config,
        is_eager=True,
    )

    @property
    def verb(self) -> str:
        """Name of the command."""
        return type(self).__name__.removesuffix("Job").lower()

    def options(self) -> dict[str, Any]:
        """Return the options that affect the result, as plain values."""
        from consens._support.plain import plain_value

        values = {_key(own.name): (getattr(self, own.name), own.default) for own in fields(self)}
        return {
            key: plain_value(value)
            for key, (value, default) in values.items()
            if key not in PRINTING
            and value is not None
            and value != []
            and not (value is False and default is False)  # but --no-header is an option
        }

    def to_toml(self) -> str:
        """Format the configuration that repeats the run."""
        import tomli_w

        first = f"# consens {__version__}: consens {self.verb} --config THIS-FILE repeats the run"
        return f"{first}\n{tomli_w.dumps(self.options())}"

    @classmethod
    def from_options(cls, options: Mapping[str, Any], **others: Any) -> Any:
        """Make a job from the options of another, ignoring keys that it does not have."""
        hints = get_type_hints(cls)
        known = {_key(own.name): own.name for own in fields(cls)}
        given = {known[key]: value for key, value in options.items() if key in known}
        paths = (Path, Path | None)
        given = {
            name: Path(value) if isinstance(value, str) and hints[name] in paths else value
            for name, value in given.items()
        }
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
            annotation=Annotated[hints[own.name], own.metadata["typer"]],
        )
        for own in sorted(fields(job), key=lambda own: own.name in PRINTING)
    ]

    def call(**options: Any) -> None:
        verb(job(**options))

    call.__name__, call.__doc__ = verb.__name__, verb.__doc__
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def config_path(path: Path) -> Path:
    """Return the path of the configuration next to a file or an ensemble."""
    return path.with_name(f"{path.name}.config.toml")


def _key(name: str) -> str:
    return name.replace("_", "-")


def read_options(file: Path) -> dict[str, Any]:
    """Read the options in a configuration."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        reason = error.strerror or str(error)
    except (ValueError, RecursionError) as error:
        reason = f"it is not TOML in UTF-8: {error}"
    raise usage_error("--config", f"cannot read {file}: {reason}")


def _as_typed(file: Path, key: str, value: Any, parameter: Any) -> Any:
    """Convert a value to the form that it has on the command line."""
    several = parameter.multiple or parameter.nargs == -1
    if several and isinstance(value, Mapping):  # a table of parameters
        return [f"{name}={_argument_text(entry)}" for name, entry in value.items()]
    if several:
        return [_argument_text(entry) for entry in (value if isinstance(value, list) else [value])]
    flag = getattr(parameter, "is_flag", False)
    if isinstance(value, bool) != flag or isinstance(value, Mapping):
        expected = "true or false" if flag else "one value"
        raise usage_error("--config", f"{file}: {key} = {value!r} is not {expected}")
    return value if flag else _argument_text(value)


def _argument_text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(_argument_text, value))
    if isinstance(value, bool):
        return str(value).lower()
    # decode as arguments are decoded, so that file names work in any locale
    return os.fsdecode(str(value).encode("utf-8", "surrogateescape"))
