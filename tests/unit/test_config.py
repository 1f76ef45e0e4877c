"""Settings: defaults, where they come from, and what is refused."""

import logging
from pathlib import Path

import pytest
from orchestrator.catalog import DEFAULT_MENU
from orchestrator.config import Settings, get_settings, log_to_stderr
from orchestrator.errors import SettingsError
from pydantic import SecretStr


def test_defaults_need_nothing() -> None:
    """Without a variable the embedded engine can serve the shipped menu from local files."""
    settings = Settings()
    assert (settings.model, settings.menu_json_path, settings.log_level) == ("auto", DEFAULT_MENU, "WARNING")
    assert (settings.mistral_model, settings.mistral_temperature) == ("mistral-small-latest", 0.0)
    assert (settings.max_line_quantity, settings.max_order_units) == (20, 60)
    assert settings.data_dir.name == ".data"
    secrets = (settings.mistral_api_key, settings.database_url, settings.langfuse_secret_key)
    assert [s.get_secret_value() for s in secrets] == ["", "", ""]


def test_environment_wins_over_env_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment wins over `.env`, which wins over the default; unknown names are ignored."""
    file = tmp_path / ".env"
    file.write_text("MISTRAL_MODEL=from-file\nMAX_ORDER_UNITS=7\nSOMETHING_ELSE=1\n")
    monkeypatch.setitem(Settings.model_config, "env_file", file)
    monkeypatch.setenv("MISTRAL_MODEL", "from-environment")
    settings = Settings()
    assert (settings.mistral_model, settings.max_order_units) == ("from-environment", 7)


def test_empty_variable_means_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """`MENU_JSON_PATH=` in a file of variables is nobody's wish for a menu without a name."""
    for name in ("MENU_JSON_PATH", "LOG_LEVEL", "MAX_LINE_QUANTITY", "DATA_DIR", "MODEL"):
        monkeypatch.setenv(name, "")
    assert Settings() == Settings(menu_json_path=DEFAULT_MENU, max_line_quantity=20)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LOG_LEVEL", "loud"),
        ("MISTRAL_TEMPERATURE", "hot"),
        ("MISTRAL_TEMPERATURE", "-1"),
        ("MAX_LINE_QUANTITY", "0"),
        ("MAX_ORDER_UNITS", "many"),
        ("MODEL", "oracle"),
        ("DATABASE_URL", "mysql://user:hunter2@host/db"),
    ],
)
def test_bad_value_is_one_sentence(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that cannot work is one sentence that names the variable and never repeats a secret."""
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as refused:
        Settings()
    sentence = str(refused.value)
    assert sentence.startswith(f"{name} cannot be used: ")
    assert "\n" not in sentence
    assert "hunter2" not in sentence


def test_unreadable_env_file_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A `.env` that is no text is told as such."""
    (tmp_path / ".env").write_bytes(b"\xff\xfe\x00MODEL")
    monkeypatch.setitem(Settings.model_config, "env_file", tmp_path / ".env")
    with pytest.raises(SettingsError, match="cannot be read"):
        Settings()


def test_log_level_in_small_letters() -> None:
    """`LOG_LEVEL=debug` is understood."""
    assert Settings(log_level="debug").log_level == "DEBUG"


def test_secrets_are_not_shown() -> None:
    """Printing the settings shows no key and no password."""
    shown = repr(
        Settings(mistral_api_key=SecretStr("s3cret"), database_url=SecretStr("postgresql://u:s3cret@h/d"))
    )
    assert "s3cret" not in shown


def test_get_settings_reads_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process reads its settings once."""
    first = get_settings()
    monkeypatch.setenv("MAX_ORDER_UNITS", "5")
    assert get_settings() is first


@pytest.mark.parametrize(("level", "tracebacks"), [("WARNING", 0), ("DEBUG", 1)])
def test_log_line_without_traceback(level: str, tracebacks: int, capsys: pytest.CaptureFixture[str]) -> None:
    """The log goes to stderr, an error in one line unless `LOG_LEVEL=DEBUG` asks for more."""
    root = logging.getLogger()
    before = root.handlers[:], root.level
    try:
        log_to_stderr(level)
        try:
            int("salt")
        except ValueError:
            logging.getLogger("orchestrator.test").exception("the soup failed")
    finally:
        root.handlers[:], root.level = before
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("drive-thru: ERROR: the soup failed")
    assert "ValueError: invalid literal" in err
    assert err.count("Traceback") == tracebacks
    assert (err.count("\n") == 1) is (tracebacks == 0)
