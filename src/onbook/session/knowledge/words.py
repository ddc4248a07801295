"""Words, as the index knows them: what is indexed, and what a question asks for.

SQLite's tokenizer takes a run of letters for a word. Chinese, Japanese, Korean, Thai and others write without spaces or
glue endings to words: their characters are indexed one by one, and a question looks for its pairs of them.
"""

import re

MOST_TERMS = 32

_GLUED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\uac00-\ud7af"  # kana, Hangul
    "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # ideographs
)
_ONE = re.compile(f"[{_GLUED}]")
_WORD = re.compile(rf"[{_GLUED}]+|[^\W{_GLUED}]+")


def is_glued(text: str) -> bool:
    """Whether the text has characters that are indexed one by one."""
    return not text.isascii() and _ONE.search(text) is not None


def spaced(text: str) -> str:
    """The text as it is indexed: such characters stand alone."""
    return _ONE.sub(r" \g<0> ", text)


def query_terms(question: str) -> list[str]:
    """What to look for, each as a term in FTS5's own quotes: nothing that is typed can be syntax there. Words that only
    hold a sentence together are left out, unless there are no others."""
    words = dict.fromkeys(_WORD.findall(question.lower()))
    telling = [word for word in words if word not in _GRAMMAR] or list(words)
    terms: dict[str, None] = {}
    for word in telling:
        found = [" ".join(pair) for pair in _pairs(word)] if _ONE.match(word) else [word]
        terms |= dict.fromkeys(f'"{term}"' for term in found)
    return list(terms)[:MOST_TERMS]


def _pairs(word: str) -> list[str]:
    return [word[at : at + 2] for at in range(len(word) - 1)] or [word]


_GRAMMAR = frozenset(
    """
    a about after all also am an and any are as at be been before but by can could did do does for from get had has have
    he her him his how i if in into is it its just like may me more my no not of on one or our out please she should so
    some such than that the their them then there these they this to was we were what when where which who why will with
    would you your
    au aux avec ce ces cette comme comment dans de des du elle en est et il ils je la le les leur mais ne nous ou où par
    pas pour que quel quelle qui sa se ses son sont sur un une vous
    als auch auf aus bei bin bist das dass dem den der des die du ein eine einem einen einer er es für hat ich ihr im
    ist kann man mein mit nach nicht noch nur oder sein sich sie sind so um und uns von war was welche wenn wer wie wir
    wo zu zum zur
    al como con cuando cuál del desde donde dónde e el ella en entre es esta este esto fue hay la las lo los más mi muy
    nos o para pero por porque que qué se ser si sin sobre son su sus te tiene tu un una y ya yo
    à ao aos as com da das do dos ela ele em era essa esse está eu foi isso já mais mas me meu minha na nas não no nos o
    os ou pela pelo qual quando quem se sem ser são sua também tem uma você
    """.split()  # noqa: SIM905 - a list of strings would fill the screen
)
"""English, French, German, Spanish, Portuguese."""
