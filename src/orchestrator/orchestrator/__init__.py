"""The drive-thru order agent. Start reading at `session.py`; `docs/architecture.md` draws the flow."""
