# The verbs of this project. `just` alone lists them.
set shell := ["bash", "-euo", "pipefail", "-c"]

_list:
    @just --list --unsorted

# What CI runs: lint, types, imports, tests
check: lint types imports test

# Style and bugs that a linter sees
lint:
    uv run ruff check .
    uv run ruff format --check .

# Strict types
types:
    uv run mypy

# The arrows of docs/architecture.md
imports:
    uv run lint-imports --no-cache

# All tests; `just test tests/unit -k order` for some
test *args:
    uv run pytest {{ args }}

# All tests with branch coverage
coverage:
    uv run pytest --cov --cov-report=term-missing

# Put style right
fix:
    uv run ruff check --fix .
    uv run ruff format .

# Every benchmark, for the README's numbers
bench:
    uv run python benchmarks/start_up.py
    uv run python benchmarks/turn.py

# Resolve and pin every version anew
pin:
    uv run --no-sync python scripts/pin.py
    uv sync

# LangGraph Studio on the graph (needs a browser and an account of theirs)
studio:
    uv run langgraph dev
