"""The embedded engine: a chat model made of rules. normalise → parse → decide | phrase → chat_model."""
