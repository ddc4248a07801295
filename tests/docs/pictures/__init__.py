"""The pictures of the pages: real runs in a pseudo-terminal of 80 columns, drawn as SVG.

`make pictures` takes them anew; the one on the front page is of the embedded model, the others are of a scripted one.
"""
