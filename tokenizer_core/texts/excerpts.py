"""The beginning of a text, to show to people."""


def opening(text: str, characters: int = 200) -> str:
    """Return the first lines of a text, at most `characters` long; if the first line is longer, its beginning.

    >>> opening("one\\ntwo\\nthree", 8)
    'one\\ntwo'
    """
    beginning = text.lstrip()[:characters]
    whole_lines = beginning.rpartition("\n")[0]
    return beginning if len(beginning) == len(text.lstrip()) else whole_lines.strip() or beginning
