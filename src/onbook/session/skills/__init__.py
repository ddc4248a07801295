"""Skills: folders with a `SKILL.md` that teach a model one task, listed always and read when they are needed."""
