"""All visible words, in English and Thai: `en/` and `th/` have one file for each page or shared part of pages.

Both languages have the same keys and the same placeholders in braces. English chooses between two words by a
number: `{count} {count:token|tokens}`. Thai needs no such choice. English errors are those of `tokenizer_core`, so
only Thai has `errors.toml`.
"""

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from string import Formatter
from threading import local
from typing import Any

import streamlit as st

from pages.ui.i18n.breaks import JOINER, SPACE, THAI, with_breaks, without_breaks
from pages.ui.session import Maybe
from tokenizer_core.errors import TokenizerError, english, sentence_of

LANGUAGES = {"en": "English", "th": "ไทย"}
LANGUAGE: Maybe[str] = Maybe("language")
"""The language that the visitor chose, or the one detected at first."""
SWITCH: Maybe[str] = Maybe("lang")
"""The language that the switch shows."""
_of_run = local()
"""The language of the run in this thread."""
_FOLDER = Path(__file__).parent
_EXAMPLE = re.compile(r"examples\..*(?<!_name)|lessons\..*_text|naive\.text_first")
"""Keys of texts to be tokenized, in which nothing may be marked."""
_FOREIGN_END = re.compile(r"(?![\u0e00-\u0e7f])[\w`)]")
_FOREIGN_START = re.compile(r"(?![\u0e00-\u0e7f])[\w`(]")
"""A letter or digit that is not Thai, the beginning or end of Markdown code, or a bracket."""


@cache
def catalogue(language: str) -> dict[str, str]:
    """Return the words of a language by dotted key, such as "home.title"; Thai words have marks of line breaks."""
    files = sorted((_FOLDER / language).glob("*.toml"))
    found = {key: words for file in files for key, words in _flat(tomllib.loads(file.read_text("utf-8")))}
    if language != "th":
        return english() | found
    return {key: words if _EXAMPLE.fullmatch(key) else with_breaks(words) for key, words in found.items()}


def words_of(page: str, language: str) -> dict[str, str]:
    """Return the words of a page's own file, by dotted key."""
    file = _FOLDER / language / f"{page}.toml"
    return {key: catalogue(language)[key] for key, _ in _flat(tomllib.loads(file.read_text("utf-8")))}


def _flat(table: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Return the strings of nested tables, each with its keys joined by dots."""
    rows: list[tuple[str, str]] = []
    for key, value in table.items():
        rows += _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [(f"{prefix}{key}", value)]
    return rows


def language() -> str:
    """Return the visitor's language: chosen, else from the address, else the browser's, else English."""
    if found := getattr(_of_run, "language", None):
        return str(found)
    if (chosen := LANGUAGE.get()) in LANGUAGES:
        return str(chosen)
    for choice in (st.query_params.get("lang"), (st.context.locale or "").split("-")[0]):
        if choice in LANGUAGES:
            return str(choice)
    return "en"


@contextmanager
def one_language() -> Iterator[None]:
    """Look the visitor's language up once for a whole run, which asks for it some ninety times.

    Only what comes before a run, such as a click on the switch, can change it.
    """
    _of_run.language = language()
    try:
        yield
    finally:
        del _of_run.language


def t(key: str, **values: Any) -> str:
    """Return the words for a key in the visitor's language, with values filled in; integers get commas."""
    if not values:
        return catalogue(language())[key]  # an example may contain braces
    return filled(catalogue(language())[key], **values)


def translations(key: str, **values: Any) -> dict[str, str]:
    """Return the words for a key by language, with values filled in."""
    return {spoken: filled(catalogue(spoken)[key], **values) for spoken in LANGUAGES}


def filled(words: str, /, **values: Any) -> str:
    """Fill values into words; integers get commas, and a name in other letters a space where it touches Thai.

    `{count:token|tokens}` becomes the first word if the count is 1, else the second.
    `widgets/token_view/browser/words.js` fills in what only the browser knows.

    >>> filled("ใช้{name}มาก {count} ครั้ง", name="GPT-2", count=1000)
    'ใช้ GPT-2 มาก 1,000 ครั้ง'
    >>> filled("{language}ต่อ{base}", language="ภาษาไทย", base="en")
    'ภาษาไทยต่อ en'
    >>> filled("ส่วน{name}ใช้ ({name})", name="GPT-4 (new)"), filled("({name})", name="ไทย")
    ('ส่วน GPT-4 (new) ใช้ (GPT-4 (new))', '(ไทย)')
    >>> [filled("{count} {count:merge|merges}", count=count) for count in (0, 1, 2)]
    ['0 merges', '1 merge', '2 merges']
    """
    text = ""
    is_name = False
    for literal, field, form, _ in Formatter().parse(words):
        text = _joined(text, literal) if is_name else text + literal
        is_name = False
        if field is None:
            continue
        value = values[field]
        if form and "|" in form:
            one, _, many = form.partition("|")
            text += one if str(value) == "1" else many
        else:
            is_name = isinstance(value, str)
            written = value if is_name else format(value, "," if isinstance(value, int) else form or "")
            text = _joined(text, written) if is_name else text + written
    return text


def _joined(left: str, right: str) -> str:
    """Join two parts, with a space where Thai and other letters would touch; marks of line breaks do not count."""
    before, after = left.rstrip(JOINER + SPACE)[-1:], right.lstrip(JOINER + SPACE)[:1]
    touches = (
        _FOREIGN_START.match(after) if THAI.match(before) else THAI.match(after) and _FOREIGN_END.match(before)
    )
    return left.rstrip(SPACE) + " " + right.lstrip(SPACE) if touches else left + right


def names(pattern: str, options: Iterable[str]) -> Callable[[str], str]:
    """Return a function that names options: `names("nav.{}", ["home"])("home")` gives the words for "nav.home"."""
    words = {option: t(pattern.format(option)) for option in options}
    return words.__getitem__


def section(prefix: str, *, spoken: str | None = None, has_breaks: bool = False) -> dict[str, str]:
    """Return all words under a prefix by the rest of their key, without marks of line breaks unless `has_breaks`.

    Outside a page run, pass the language `spoken`.
    """
    return dict(_section(prefix, spoken or language(), has_breaks))


@cache
def _section(prefix: str, spoken: str, has_breaks: bool) -> dict[str, str]:
    return {
        key.removeprefix(f"{prefix}."): words if has_breaks else without_breaks(words)
        for key, words in catalogue(spoken).items()
        if key.startswith(f"{prefix}.")
    }


def error_sentence(
    error: TokenizerError, *, spoken: str | None = None, written: Callable[[str], str] | None = None
) -> str:
    """Say what went wrong and how to continue, in the visitor's language; outside a page run, pass `spoken`.

    `written` formats what the visitor named, which is otherwise made safe in Markdown.
    """
    sentence, values = sentence_of(error, catalogue(spoken or language()))
    written = written or plain
    return filled(
        sentence, **{name: written(value) if isinstance(value, str) else value for name, value in values.items()}
    )


@contextmanager
def errors_shown() -> Iterator[None]:
    """Show an error that the core raises inside this context on the page, in the visitor's language."""
    try:
        yield
    except TokenizerError as error:
        st.error(error_sentence(error), icon=":material/error:")


def plain(value: Any) -> Any:
    """Make a value from the user's input safe inside a sentence: short, and without Markdown."""
    if not isinstance(value, str):
        return value
    return as_plain_markdown(value if len(value) <= 120 else value[:120] + "…")


_HARMLESS = frozenset(" -._,()+·–…%№“”’")
"""Signs that mean nothing in Markdown within a line of letters."""


def as_name(text: str) -> str:
    """Write a name in Markdown: as it is if nothing in it can be formatting or a link, else as code.

    >>> as_name("ภาษาไทย"), as_name("my_text (2), 1,000"), as_name("😂"), as_name("*th*"), as_name("www.th")
    ('ภาษาไทย', 'my_text (2), 1,000', '😂', '` *th* `', '` www.th `')
    >>> as_name("1. th")
    '` 1. th `'
    """
    is_harmless = all(each in _HARMLESS or re.match("[LMN]|So", unicodedata.category(each)) for each in text)
    is_whole = text == text.strip(" -._+") != "" and not re.match(r"\d+[.)] ", text)
    return text if is_harmless and is_whole and "www." not in text.lower() else as_plain_markdown(text)


def as_plain_markdown(text: str) -> str:
    """Write text as Markdown code, in which icons, links and formatting have no effect."""
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    return f"{fence} {text.replace(chr(10), '⏎').replace(chr(13), '␍')} {fence}" if text.strip() else "–"
