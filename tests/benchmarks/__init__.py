"""The harness that measures: its arithmetic and what it writes. Nothing is measured here."""
