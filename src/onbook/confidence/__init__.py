"""How sure a model is: asking for it, holding it back from the screen, reading it, other ways to know."""
