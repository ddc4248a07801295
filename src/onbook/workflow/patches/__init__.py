"""Patches that an agent proposes: read strictly, tried in memory, applied so that a kill loses nothing."""
