"""Settings from the environment and the project's `.env`; nothing is read before `get_settings()`."""

import logging
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from pydantic_settings import SettingsError as SourceError

from orchestrator.catalog import DEFAULT_MENU, PROJECT_ROOT
from orchestrator.errors import SettingsError

ENV_FILE: Final = PROJECT_ROOT / ".env"
_POSTGRES: Final = ("postgresql://", "postgres://")

LogLevel = Annotated[
    Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"],
    BeforeValidator(lambda level: level.upper() if isinstance(level, str) else level),
]


class Settings(BaseSettings):
    """What can be set from outside. Each field is an environment variable of the same name in capitals.

    An empty variable means the default; unknown ones are ignored; the environment wins over `.env`.

    Attributes:
        model: `auto` is Mistral when there is a key, else the embedded engine.
        mistral_api_key: empty for none.
        mistral_model: any Mistral chat model with tool calling.
        mistral_temperature: 0 repeats itself, 1 is the most varied.
        menu_json_path: the menu, as JSON, XML or CSV; a relative path starts at the working directory.
        max_line_quantity: most units of one order line.
        max_order_units: most units of a whole order.
        data_dir: where conversations and orders are kept in SQLite files.
        database_url: `postgresql://…` keeps them in Postgres instead.
        log_level: of the log on stderr.
        langfuse_public_key: empty is off. The three Langfuse settings are read but not used yet.
        langfuse_secret_key: see `langfuse_public_key`.
        langfuse_base_url: see `langfuse_public_key`.

    Raises:
        SettingsError: a value cannot work; the message names the variable.
    """

    model_config = SettingsConfigDict(
        env_file=ENV_FILE, env_file_encoding="utf-8", extra="ignore", frozen=True, hide_input_in_errors=True
    )

    model: Literal["auto", "embedded", "mistral"] = "auto"
    mistral_api_key: SecretStr = SecretStr("")
    mistral_model: str = "mistral-small-latest"
    mistral_temperature: float = Field(default=0.0, ge=0, le=1)
    menu_json_path: str = DEFAULT_MENU
    max_line_quantity: int = Field(default=20, ge=1)
    max_order_units: int = Field(default=60, ge=1)
    data_dir: Path = PROJECT_ROOT / ".data"
    database_url: SecretStr = SecretStr("")
    log_level: LogLevel = "WARNING"
    langfuse_public_key: str = ""
    langfuse_secret_key: SecretStr = SecretStr("")
    langfuse_base_url: str = ""

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise SettingsError(_sentence(error)) from None
        except (SourceError, OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"the settings in {ENV_FILE} cannot be read: {error}") from None

    @model_validator(mode="before")
    @classmethod
    def _empty_means_default(cls, values: Any) -> Any:
        if isinstance(values, dict):
            return {name: value for name, value in values.items() if value != ""}
        return values

    @field_validator("database_url")
    @classmethod
    def _is_postgres(cls, url: SecretStr) -> SecretStr:
        if url.get_secret_value() and not url.get_secret_value().startswith(_POSTGRES):
            raise ValueError("must start with postgresql:// (leave it empty for SQLite)")
        return url


@lru_cache(maxsize=1)
def get_settings() -> Settings:
    """The settings of this process, read once.

    Raises:
        SettingsError: a value cannot work.
    """
    return Settings()


class _OneLine(logging.Formatter):
    """A log line without its traceback, which only someone who asked for `LOG_LEVEL=DEBUG` can use."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - the standard library's name
        return f"{ei[0].__name__}: {ei[1]}" if ei[0] else ""

    def format(self, record: logging.LogRecord) -> str:
        return ": ".join(filter(None, super().format(record).splitlines()))


def log_to_stderr(level: str) -> None:
    """Send this process's log to stderr, from this level on: stdout belongs to the replies."""
    handler = logging.StreamHandler()
    form = logging.Formatter if level == "DEBUG" else _OneLine
    handler.setFormatter(form("drive-thru: %(levelname)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler], force=True)


def _sentence(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
    name = ".".join(map(str, problem["loc"])).upper() or "the settings"
    message = problem["msg"].removeprefix("Value error, ")
    return f"{name} cannot be used: {message[:1].lower()}{message[1:]}"
