"""The step engine: once, loop, foreach, conditional and parallel, over scripts and prompts."""
