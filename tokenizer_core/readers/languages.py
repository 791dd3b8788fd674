"""The language of a text, where its name and its script leave no doubt."""

from collections import Counter

import regex

_OPENING = 10_000
"""Characters of a text that tell its script."""
_LANGUAGES = {
    "th": ("Thai", "th tha thai ไทย ภาษาไทย"),
    "en": ("Latin", "en eng english อังกฤษ ภาษาอังกฤษ"),
    "ar": ("Arabic", "ar ara arb arabic"),
    "de": ("Latin", "de deu ger german deutsch"),
    "es": ("Latin", "es spa spanish español"),
    "fr": ("Latin", "fr fra fre french français"),
    "hi": ("Devanagari", "hi hin hindi"),
    "id": ("Latin", "id ind indonesian indonesia"),
    "ja": ("Japanese", "ja jpn japanese"),
    "km": ("Khmer", "km khm khmer"),
    "ko": ("Hangul", "ko kor korean"),
    "lo": ("Lao", "lo lao"),
    "ms": ("Latin", "ms msa zsm malay melayu"),
    "my": ("Myanmar", "my mya bur burmese myanmar"),
    "tl": ("Latin", "tl tgl fil tagalog filipino"),
    "vi": ("Latin", "vi vie vietnamese"),
    "zh": ("Han", "zh zho chi cmn chinese"),
}
"""The script of each language, and the parts of a name that mean it."""
CODES = tuple(_LANGUAGES)
_MEANT = {word: code for code, (_, words) in _LANGUAGES.items() for word in words.split()}
_ALONE = {"Thai": "th", "Lao": "lo", "Khmer": "km", "Hangul": "ko"}
"""Scripts that tell the language. Burmese, Shan and Mon share theirs, as do all in Latin letters."""
_SCRIPTS = {
    script: regex.compile("[\\p{Han}\\p{Hiragana}\\p{Katakana}]" if script == "Japanese" else f"\\p{{{script}}}")
    for script, _ in _LANGUAGES.values()
}
_LETTER = regex.compile(r"\p{L}")
_BETWEEN = regex.compile(r"[^\p{L}\p{M}]+")
_SHORT = 3
"""Letters up to which a part of a name is a code."""
_SAY_NOTHING = {"", "txt", "text", "md", "latn"}
"""Last parts of names that do not tell the language: endings, and the script as in `vie_Latn`."""


def is_in(script: str, text: str) -> bool:
    """Tell whether most letters of a text, by its beginning, are of a script.

    >>> is_in("Latin", "a ก bc"), is_in("Thai", "1")
    (True, False)
    """
    letters = Counter(_LETTER.findall(text[:_OPENING]))
    ours = sum(count for letter, count in letters.items() if _SCRIPTS[script].match(letter))
    return 2 * ours > letters.total()


def language_of(name: str, text: str) -> str | None:
    """Return the code of the language of a text by a part of its name, else by its script; None in doubt.

    A part counts only if the text is in the script of that language, and the last one decides. English counts
    anywhere; another short code in Latin letters may be a word, such as "de", and counts only at the end.

    >>> language_of("en-th.th", "แมว"), language_of("en-de.de", "Katze"), language_of("de_la_casa.txt", "gato")
    ('th', 'de', None)
    >>> language_of("4th_grade.txt", "a cat"), language_of("a.txt", "แมว"), language_of("a.txt", "a cat")
    (None, 'th', None)
    """
    parts = [part for part in _BETWEEN.split(name.lower()) if part not in _SAY_NOTHING]
    for place, part in reversed(list(enumerate(parts, 1))):
        if (code := _MEANT.get(part)) is None:
            continue
        script = _LANGUAGES[code][0]
        may_be_a_word = script == "Latin" and code != "en" and len(part) <= _SHORT
        if (place == len(parts) or not may_be_a_word) and is_in(script, text):
            return code
    return next((code for script, code in _ALONE.items() if is_in(script, text)), None)
