"""Wikipedia articles as plain text, through the MediaWiki API; nothing is fetched unless a caller asks for it."""

import json
import os
import re
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

import requests
import urllib3.exceptions

from tokenizer_core.errors import TextError, WikipediaError
from tokenizer_core.pretokens import check_text

LANGUAGES = ("th", "en")
API = "https://{language}.wikipedia.org/w/api.php"
API_VARIABLE = "TOKENIZER_EXPLORER_WIKIPEDIA_API"
"""Names an address that is asked instead, with {language} in it: a mirror, or a stand-in for tests."""
USER_AGENT = "TokenizerExplorer/1.0 (a tool to learn about tokenizers; one request a title) python-requests"
LICENCE = "CC BY-SA 4.0"
MAX_ANSWER_BYTES = 8 * 2**20
"""The longest articles have less than 1 MB of plain text."""
MAX_TITLE_BYTES = 255
MAX_PARTS = 20
TIMEOUT = 10.0
WHOLE_ANSWER = 6
"""Timeouts that a slow answer may take in all: each wait is bounded by one."""
UNREACHABLE = ("wikipedia_offline", "wikipedia_slow", "wikipedia_busy")
"""Codes of errors that the next title would meet as well."""

_CHUNK = 65_536
_CONTINUE = re.compile(r"[a-z]{0,20}continue")
# What MediaWiki allows in no title; "|" would also separate two titles.
_NEVER_IN_TITLES = frozenset("#<>[]{}|\ufffd")
_BUSY = ("ratelimited", "maxlag", "readonly")


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
    """What came of one title: an article, or why there is none."""

    title: str
    article: Article | None
    error: WikipediaError | None


def fetch_articles(
    titles: Iterable[str],
    language: str,
    *,
    api: str | None = None,
    timeout: float = TIMEOUT,
    max_bytes: int = MAX_ANSWER_BYTES,
    progress: Callable[[int, int], None] | None = None,
) -> list[Article]:
    """The articles of these titles, one request each; raises the first `WikipediaError`.

    Titles that lead to the same article give it once. `timeout` is in seconds for each wait, `max_bytes` bounds
    each answer, and `progress` is told how many of how many titles are done.
    """
    wanted = list(dict.fromkeys(titles))
    articles: dict[str, Article] = {}
    for done, fetched in enumerate(fetch_each(wanted, language, api=api, timeout=timeout, max_bytes=max_bytes), 1):
        if fetched.error is not None:
            raise fetched.error
        assert fetched.article is not None
        articles.setdefault(fetched.article.title, fetched.article)
        if progress:
            progress(done, len(wanted))
    return list(articles.values())


def fetch_each(
    titles: Iterable[str],
    language: str,
    *,
    api: str | None = None,
    timeout: float = TIMEOUT,
    max_bytes: int = MAX_ANSWER_BYTES,
) -> Iterator[Fetched]:
    """What comes of each title, as it comes. Once Wikipedia cannot be reached, the rest is not asked for."""
    gone: WikipediaError | None = None
    for title in titles:
        if gone is not None:
            yield Fetched(title, None, gone)
            continue
        try:
            article = fetch_article(title, language, api=api, timeout=timeout, max_bytes=max_bytes)
            yield Fetched(title, article, None)
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
    """One article as plain text; raises `WikipediaError`, also for a page that only lists what a word may mean."""
    address = api_address(language, api)
    wanted = checked_title(title)
    page: dict[str, Any] = {}
    extracts: list[str] = []
    continued: dict[str, str] = {}
    for _ in range(MAX_PARTS):
        answer = _ask(address, _parameters(wanted) | continued, timeout, max_bytes - sum(map(len, extracts)))
        page |= _page(answer, address)
        if "extract" in page:
            extracts.append(_text_in(page.pop("extract"), address))
        continued = _continued(answer, address)
        if not continued:
            return _article(wanted, language, page, "".join(extracts), address)
    raise _no_answer(address)


def api_address(language: str, api: str | None = None) -> str:
    """The address of a Wikipedia's API: `api`, else what the environment names, else Wikipedia's own.

    >>> api_address("th", "http://127.0.0.1:8000/{language}")
    'http://127.0.0.1:8000/th'
    """
    if language not in LANGUAGES:
        raise WikipediaError(
            f"the language must be one of {', '.join(LANGUAGES)}; {language!r} came",
            "wikipedia_language",
            language=str(language),
        )
    address = (api or os.environ.get(API_VARIABLE) or API).replace("{language}", language)
    try:
        parts = urlsplit(address)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable or not re.fullmatch(r"[!-~]+", address) or set("?#@") & set(address):
        raise WikipediaError(
            f"the address of the API must begin with http:// or https:// and be plain; {address!r} came",
            "wikipedia_api",
            address=address,
        )
    return address


def host(language: str, api: str | None = None) -> str:
    """Whom a fetch talks to, for people; raises `WikipediaError` like `api_address`."""
    return urlsplit(api_address(language, api)).netloc


def checked_title(title: str) -> str:
    """A title without the space around it; raises `WikipediaError` where no article can have it.

    >>> checked_title(" ภาษาไทย ")
    'ภาษาไทย'
    """
    title = title.strip()
    if not title:
        raise WikipediaError("a title must have a character; an empty one came", "wikipedia_title_empty")
    for character in title:
        if character in _NEVER_IN_TITLES or unicodedata.category(character) in ("Cc", "Cs"):
            raise WikipediaError(
                f"no title has the character U+{ord(character):04X}; {title!r} came",
                "wikipedia_title_character",
                character=_visible(character),
            )
    size = len(title.encode("utf-8"))
    if size > MAX_TITLE_BYTES:
        raise WikipediaError(
            f"a title may have at most {MAX_TITLE_BYTES} bytes of UTF-8; one of {size} came",
            "wikipedia_title_long",
            limit=MAX_TITLE_BYTES,
            size=size,
        )
    return title


def _visible(character: str) -> str:
    return character if character.isprintable() else f"U+{ord(character):04X}"


def _parameters(title: str) -> dict[str, str]:
    """One whole article: the API gives only one extract an answer unless they are cut to introductions."""
    return {
        "action": "query",
        "format": "json",
        "formatversion": "2",
        "prop": "extracts|info|pageprops",
        "ppprop": "disambiguation",
        "explaintext": "1",
        "exsectionformat": "plain",
        "exlimit": "1",
        "redirects": "1",
        "titles": title,
    }


def _ask(address: str, parameters: Mapping[str, str], timeout: float, max_bytes: int) -> dict[str, Any]:
    """One answer of the API as a JSON object; every way to fail is a `WikipediaError`."""
    netloc = urlsplit(address).netloc
    # Not compressed, so that bytes can be counted as they come.
    headers = {"User-Agent": USER_AGENT, "Accept": "application/json", "Accept-Encoding": "identity"}
    try:
        # A redirect could lead to a private address: it is an answer like any other, and not a good one.
        with requests.get(
            address, parameters, headers=headers, timeout=timeout, stream=True, allow_redirects=False
        ) as response:
            if response.status_code != requests.codes.ok:
                raise _status(response.status_code, netloc)
            content = _read(response, max_bytes, time.monotonic() + WHOLE_ANSWER * timeout)
    except (requests.Timeout, urllib3.exceptions.TimeoutError, TimeoutError):
        raise _too_slow(netloc) from None
    except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
        message = f"{netloc} must be reachable; {error} came"
        raise WikipediaError(message, "wikipedia_offline", host=netloc) from None
    if content is None:
        raise WikipediaError(
            f"an answer may have at most {max_bytes:,} bytes; {netloc} sent more", "wikipedia_large", host=netloc
        )
    return _object(content, address)


def _read(response: requests.Response, max_bytes: int, deadline: float) -> bytes | None:
    """The whole body; None where it is larger than allowed. Raises `TimeoutError` after the deadline."""
    content = b""
    while part := response.raw.read1(_CHUNK):  # what has come: iter_content would wait for a whole chunk
        content += part
        if len(content) > max_bytes:
            return None
        if time.monotonic() > deadline:
            raise TimeoutError
    return content


def _status(status: int, netloc: str) -> WikipediaError:
    if status in (429, 503):
        return _busy(netloc)
    message = f"{netloc} must answer with status 200; {status} came"
    return WikipediaError(message, "wikipedia_status", host=netloc, status=str(status))


def _busy(netloc: str) -> WikipediaError:
    return WikipediaError(f"{netloc} takes no more requests at the moment", "wikipedia_busy", host=netloc)


def _too_slow(netloc: str) -> WikipediaError:
    return WikipediaError(f"{netloc} must answer in time; it did not", "wikipedia_slow", host=netloc)


def _no_answer(address: str) -> WikipediaError:
    netloc = urlsplit(address).netloc
    return WikipediaError(f"{netloc} must answer as MediaWiki does; it did not", "wikipedia_answer", host=netloc)


def _object(content: bytes, address: str) -> dict[str, Any]:
    """The JSON object in an answer that reports no error."""
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        raise _no_answer(address) from None
    if not isinstance(answer, dict):
        raise _no_answer(address)
    if "error" not in answer:
        return answer
    reported = answer["error"]
    code = reported.get("code") if isinstance(reported, dict) else None
    netloc = urlsplit(address).netloc
    if code in _BUSY:
        raise _busy(netloc)
    why = code if isinstance(code, str) and re.fullmatch(r"[a-z0-9_-]{1,40}", code) else "?"
    raise WikipediaError(f"{netloc} refused the request: {why}", "wikipedia_refused", host=netloc, why=why)


def _page(answer: Mapping[str, Any], address: str) -> dict[str, Any]:
    """The one page in an answer; none for a title that belongs to another wiki."""
    query = answer.get("query")
    if not isinstance(query, dict):
        raise _no_answer(address)
    pages = query.get("pages", [])
    if not isinstance(pages, list) or len(pages) > 1 or not all(isinstance(page, dict) for page in pages):
        raise _no_answer(address)
    return dict(pages[0]) if pages else {"missing": True}


def _continued(answer: Mapping[str, Any], address: str) -> dict[str, str]:
    """What to ask for the rest of an answer with; nothing where all has come."""
    parameters = answer.get("continue", {})
    if not isinstance(parameters, dict) or len(parameters) > 10:
        raise _no_answer(address)
    for name, value in parameters.items():
        if not _CONTINUE.fullmatch(name) or not isinstance(value, (str, int)) or len(str(value)) > 200:
            raise _no_answer(address)
    return {name: str(value) for name, value in parameters.items()}


def _article(wanted: str, language: str, page: Mapping[str, Any], text: str, address: str) -> Article:
    """The article from what the API says of its page."""
    if page.get("missing") or page.get("invalid") or page.get("special"):
        message = f"the title must be one that Wikipedia has; {wanted!r} came"
        raise WikipediaError(message, "wikipedia_missing", title=wanted)
    properties = page.get("pageprops", {})
    if isinstance(properties, dict) and "disambiguation" in properties:
        message = f"the title must name one article; {wanted!r} has several meanings"
        raise WikipediaError(message, "wikipedia_ambiguous", title=wanted)
    title, revision = page.get("title"), page.get("lastrevid")
    is_title = isinstance(title, str) and 0 < len(title) <= MAX_TITLE_BYTES and title.isprintable()
    if not is_title or not isinstance(revision, int) or isinstance(revision, bool) or revision < 1:
        raise _no_answer(address)
    if not text.strip():
        message = f"the article must have text; {wanted!r} has none outside tables and lists"
        raise WikipediaError(message, "wikipedia_empty", title=wanted)
    title = str(title)
    return Article(title, language, text, _url(language, title, revision), revision, LICENCE)


def _url(language: str, title: str, revision: int) -> str:
    """Where people read this very revision; made here, for an answer may hold any address."""
    query = urlencode({"title": title.replace(" ", "_"), "oldid": revision})
    return f"https://{language}.wikipedia.org/w/index.php?{query}"


def _text_in(extract: object, address: str) -> str:
    """An extract that is text and has bytes in UTF-8."""
    if not isinstance(extract, str):
        raise _no_answer(address)
    try:
        return check_text(extract)
    except TextError:
        raise _no_answer(address) from None
