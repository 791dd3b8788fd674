"""Wikipedia articles as plain text, through the MediaWiki API; nothing is fetched unless a caller asks for it."""

import os
import re
import time
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode, urlsplit

import msgspec
import requests
import urllib3.exceptions

from tokenizer_core.errors import WikipediaError

LANGUAGES = ("th", "en")
API = "https://{language}.wikipedia.org/w/api.php"
API_VARIABLE = "TOKENIZER_EXPLORER_WIKIPEDIA_API"
"""Names another address to ask, with {language} in it: a mirror, or a stand-in for tests."""
USER_AGENT = "TokenizerExplorer/1.0 (a tool to learn about tokenizers; one request a title) python-requests"
LICENCE = "CC BY-SA 4.0"
MAX_ANSWER_BYTES = 8 * 2**20
"""The longest articles have less than 1 MB of plain text."""
MAX_TITLE_BYTES = 255
TIMEOUT = 10.0
WHOLE_ANSWER = 6
"""Timeouts that a slow answer may take in all: each wait is bounded by one."""
UNREACHABLE = ("wikipedia_offline", "wikipedia_slow", "wikipedia_busy")
"""Codes of errors that the next title would meet as well."""
_BUSY = ("ratelimited", "maxlag", "readonly")
_NEVER_IN_TITLES = re.compile("[#<>\\[\\]{}|\ufffd\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ADDRESS = re.compile(r'https?://[\w.:-]+(/[!-"$->A-~]*)?', re.ASCII)
_PARAMETERS = {
    "action": "query",
    "format": "json",
    "formatversion": "2",
    "prop": "extracts|info|pageprops",
    "ppprop": "disambiguation",
    "explaintext": "1",
    "exsectionformat": "plain",
    "exlimit": "1",  # the API gives only one whole article an answer
    "redirects": "1",
}


class Article(NamedTuple):
    """One article as it was fetched, and where the same revision can be read."""

    title: str
    """As Wikipedia spells it; a redirect has been followed."""
    language: str
    text: str
    """Plain text with headings on lines of their own; without tables, references, pictures and formulas."""
    url: str
    revision: int
    licence: str


class Fetched(NamedTuple):
    """The article of one title, or why there is none."""

    title: str
    article: Article | None
    error: WikipediaError | None


class _Page(msgspec.Struct):
    title: str = ""
    lastrevid: int = 0
    extract: str = ""
    missing: bool = False
    invalid: bool = False
    special: bool = False
    pageprops: dict[str, Any] = {}


class _Query(msgspec.Struct):
    pages: Annotated[list[_Page], msgspec.Meta(max_length=1)] = []  # none if the title is of another wiki


class _Error(msgspec.Struct):
    code: Annotated[str, msgspec.Meta(pattern=r"\A[a-z0-9_-]{1,40}\Z")] = "?"


class _Answer(msgspec.Struct):
    query: _Query | None = None
    error: _Error | None = None
    continued: Any = msgspec.field(name="continue", default=None)  # only if an article is longer than 8 MB


def fetch_each(titles: Iterable[str], language: str, **options: Any) -> Iterator[Fetched]:
    """Fetch each title with the `options` of `fetch_article`; once Wikipedia cannot be reached, ask no more."""
    gone: WikipediaError | None = None
    for title in titles:
        try:
            if gone is not None:
                raise gone
            yield Fetched(title, fetch_article(title, language, **options), None)
        except WikipediaError as error:
            gone = error if error.code in UNREACHABLE else None
            yield Fetched(title, None, error)


def fetch_article(
    title: str,
    language: str,
    *,
    api: str | None = None,
    timeout: float = TIMEOUT,
    max_bytes: int = MAX_ANSWER_BYTES,
) -> Article:
    """Fetch one article as plain text.

    `timeout` is in seconds for each wait, and `max_bytes` bounds the whole answer. Raises `WikipediaError`, also
    for a page that only lists what a word may mean.
    """
    address = api_address(language, api)
    wanted = checked_title(title)
    answer = _ask(address, {**_PARAMETERS, "titles": wanted}, timeout, max_bytes)
    if answer.query is None or answer.continued is not None:
        raise WikipediaError("wikipedia_answer", host=urlsplit(address).netloc)
    (page,) = answer.query.pages or [_Page(missing=True)]
    if page.missing or page.invalid or page.special:
        raise WikipediaError("wikipedia_missing", title=wanted)
    if "disambiguation" in page.pageprops:
        raise WikipediaError("wikipedia_ambiguous", title=wanted)
    if not 0 < len(page.title) <= MAX_TITLE_BYTES or not page.title.isprintable() or page.lastrevid < 1:
        raise WikipediaError("wikipedia_answer", host=urlsplit(address).netloc)
    if not page.extract.strip():
        raise WikipediaError("wikipedia_empty", title=wanted)
    # The address of this revision is made here, because an answer may hold any address.
    source = urlencode({"title": page.title.replace(" ", "_"), "oldid": page.lastrevid})
    url = f"https://{language}.wikipedia.org/w/index.php?{source}"
    return Article(page.title, language, page.extract, url, page.lastrevid, LICENCE)


def api_address(language: str, api: str | None = None) -> str:
    """Return the address of a Wikipedia's API: `api`, else that of the environment, else Wikipedia's own.

    >>> api_address("th", "http://127.0.0.1:8000/{language}")
    'http://127.0.0.1:8000/th'
    """
    if language not in LANGUAGES:
        raise WikipediaError("wikipedia_language", language=str(language))
    address = (api or os.environ.get(API_VARIABLE) or API).replace("{language}", language)
    if not _ADDRESS.fullmatch(address):
        raise WikipediaError("wikipedia_api", address=address)
    return address


def host(language: str, api: str | None = None) -> str:
    """Return the host that a fetch talks to; raises `WikipediaError` like `api_address`."""
    return urlsplit(api_address(language, api)).netloc


def checked_title(title: str) -> str:
    """Return a title without the space around it; raise `WikipediaError` if no article can have it.

    >>> checked_title(" ภาษาไทย ")
    'ภาษาไทย'
    """
    title = title.strip()
    if not title:
        raise WikipediaError("wikipedia_title_empty")
    if wrong := _NEVER_IN_TITLES.search(title):
        shown = wrong[0] if wrong[0].isprintable() else f"U+{ord(wrong[0]):04X}"
        raise WikipediaError("wikipedia_title_character", character=shown)
    if (size := len(title.encode())) > MAX_TITLE_BYTES:
        raise WikipediaError("wikipedia_title_long", limit=MAX_TITLE_BYTES, size=size)
    return title


def _ask(address: str, parameters: dict[str, str], timeout: float, max_bytes: int) -> _Answer:
    """Return one answer of the API; every way to fail is a `WikipediaError`."""
    host = urlsplit(address).netloc
    # Not compressed, so that bytes can be counted as they come.
    headers = {"User-Agent": USER_AGENT, "Accept": "application/json", "Accept-Encoding": "identity"}
    deadline = time.monotonic() + WHOLE_ANSWER * timeout
    content = b""
    try:
        # A redirect could lead to a private address, so none is followed.
        with requests.get(
            address, parameters, headers=headers, timeout=timeout, stream=True, allow_redirects=False
        ) as response:
            if response.status_code in (429, 503):
                raise WikipediaError("wikipedia_busy", host=host)
            if response.status_code != requests.codes.ok:
                raise WikipediaError("wikipedia_status", host=host, status=str(response.status_code))
            while block := response.raw.read1(2**16):  # iter_content would wait for a whole block
                content += block
                if len(content) > max_bytes:
                    raise WikipediaError("wikipedia_large", host=host)
                if time.monotonic() > deadline:
                    raise TimeoutError
    except (requests.Timeout, urllib3.exceptions.TimeoutError, TimeoutError):
        raise WikipediaError("wikipedia_slow", host=host) from None
    except (requests.RequestException, urllib3.exceptions.HTTPError):
        raise WikipediaError("wikipedia_offline", host=host) from None
    try:
        answer = msgspec.json.decode(content, type=_Answer)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise WikipediaError("wikipedia_answer", host=host) from None
    if answer.error is not None:
        if answer.error.code in _BUSY:
            raise WikipediaError("wikipedia_busy", host=host)
        raise WikipediaError("wikipedia_refused", host=host, why=answer.error.code)
    return answer
