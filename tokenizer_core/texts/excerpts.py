"""The beginning of a text, to be shown."""


def opening(text: str, characters: int = 200) -> str:
    """The first lines of a text, as many as have `characters` at most; of a longer first line, its beginning.

    >>> opening("one\\ntwo\\nthree", 8)
    'one\\ntwo'
    """
    beginning = text.lstrip()[:characters]
    whole_lines = beginning.rpartition("\n")[0]
    return beginning if len(beginning) == len(text.lstrip()) else whole_lines.strip() or beginning
