"""Tests of the transcript room."""
