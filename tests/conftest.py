"""What holds for every test: asyncio, and nothing of the machine's own settings."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings
from orchestrator.config import Settings, get_settings

# A first call loads lexicons, and a busy machine is slow: no test is timed.
settings.register_profile("drive-thru", deadline=None)
settings.load_profile("drive-thru")

VARIABLES = tuple(name.upper() for name in Settings.model_fields)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """LangGraph runs on asyncio only."""
    return "asyncio"


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A test sees the defaults, whatever the developer's environment and `.env` say."""
    for name in os.environ:
        if name.upper() in VARIABLES:
            monkeypatch.delenv(name)
    monkeypatch.setitem(Settings.model_config, "env_file", None)
    get_settings.cache_clear()
    yield
    get_settings.cache_clear()


@pytest.fixture
def drive_thru_env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a `drive-thru` process: default settings, its data in a folder of its own."""
    inherited = {name: value for name, value in os.environ.items() if name.upper() not in VARIABLES}
    empty = dict.fromkeys(VARIABLES, "")  # an empty variable is the default, and wins over a `.env`
    return {**inherited, **empty, "DATA_DIR": str(tmp_path_factory.mktemp("data"))}
