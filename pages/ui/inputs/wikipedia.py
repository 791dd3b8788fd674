"""Wikipedia articles as a corpus: titles in, articles out; the app fetches them only when the visitor clicks."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from pages.ui.i18n import as_plain_markdown, error_sentence, language, names, plain, t
from pages.ui.inputs.corpus import Corpus, name_of_articles
from pages.ui.limits import MAX_CORPUS_BYTES
from pages.ui.session import Maybe, Value
from pages.ui.widgets.controls import fold, segmented
from tokenizer_core.errors import WikipediaError
from tokenizer_core.readers.wikipedia import LANGUAGES, LICENCE, Article, fetch_each, host

MAX_TITLES = 20
_ARTICLES: Value[dict[tuple[str, str], Article]] = Value("wikipedia_articles", dict)
"""Articles by language and title, as the visitor wrote it; several titles may lead to one article."""
_MESSAGES: Value[list[Callable[[], str]]] = Value("wikipedia_messages", list)
"""The messages of the last fetch, as functions, so that they follow a change of language."""
SUGGESTIONS = {"th": ("ประเทศไทย", "ภาษาไทย"), "en": ("Thailand", "Thai language")}


def pick_wikipedia() -> Corpus | None:
    """Let the visitor fetch articles by title; return None until one is fetched. They survive page changes."""
    chosen = segmented(
        t("wikipedia.which"),
        LANGUAGES,
        names("wikipedia.{}", LANGUAGES),
        key="wikipedia_language",
        default=language(),
        show_label=True,
    )
    titles = _titles_picker(chosen)
    try:
        asked = host(chosen)
    except WikipediaError as error:
        st.error(error_sentence(error), icon=":material/error:")
        return None
    if st.button(t("wikipedia.fetch", host=asked), icon=":material/cloud_download:", key="wikipedia_fetch"):
        _fetch(titles, chosen)
    st.caption(t("wikipedia.sends", host=as_plain_markdown(asked), licence=LICENCE))
    for say in _MESSAGES.get():
        st.error(say(), icon=":material/error:")
    articles = _articles()
    if not articles:
        return None
    _show_sources(articles)
    shown = as_plain_markdown(", ".join(article.title for article in articles[:3])[:120])
    more = " …" if len(articles) > 3 else ""
    return Corpus(name_of_articles(shown + more), tuple(article.text for article in articles))


def _titles_picker(chosen: str) -> list[str]:
    """Return the titles in the box, each once; a click on a suggestion adds one."""
    box, pills = Maybe[str](f"wikipedia_titles_{chosen}"), Maybe[str](f"wikipedia_suggestion_{chosen}")

    def add_suggestion() -> None:
        if title := pills.get():
            box.put("\n".join([*_titles_in(box.get()), title]))
            pills.put(None)

    entered = st.text_area(
        t("wikipedia.titles", limit=MAX_TITLES),
        key=box.key,
        persist_state="session",
        height=110,
        placeholder="\n".join(SUGGESTIONS[chosen]),
    )
    st.pills(
        t("wikipedia.suggestions"),
        SUGGESTIONS[chosen],
        key=pills.key,
        on_change=add_suggestion,
        label_visibility="collapsed",
    )
    return _titles_in(entered)


def _titles_in(entered: str | None) -> list[str]:
    """Return one title per line, without empty lines and repetitions."""
    lines = (line.strip() for line in (entered or "").split("\n"))
    return list(dict.fromkeys(line for line in lines if line))


def _articles() -> list[Article]:
    """Return the articles of this session, each once."""
    return list({(each.language, each.title): each for each in _ARTICLES.get().values()}.values())


def _fetch(titles: Sequence[str], chosen: str) -> None:
    """Fetch the articles that are not there yet; keep each as it arrives, and store what to say about failures."""
    said: list[Callable[[], str]] = []
    _MESSAGES.put(said)
    if not titles:
        said.append(partial(t, "wikipedia.no_titles"))
        return
    if len(titles) > MAX_TITLES:
        said.append(partial(t, "wikipedia.too_many", limit=MAX_TITLES, titles=len(titles)))
        return
    known = _ARTICLES.get()
    wanted = [title for title in titles if (chosen, title) not in known]
    failed: dict[str, list[str]] = {}
    fetched = fetch_each(wanted, chosen)
    bar = st.progress(0.0, text=t("wikipedia.progress", done=0, count=len(wanted)))
    for done in range(len(wanted)):
        if sum(len(article.text.encode()) for article in _articles()) >= MAX_CORPUS_BYTES:
            rest = _listed(wanted[done:])
            said.append(partial(t, "wikipedia.full", limit=MAX_CORPUS_BYTES // 2**20, titles=rest))
            break
        title, article, error = next(fetched)
        if article is not None:
            known[chosen, title] = article
        elif error is not None:
            why = error_sentence(error)
            if why not in failed:
                said.append(partial(_not_fetched, failed.setdefault(why, []), error))
            failed[why].append(title)
        bar.progress((done + 1) / len(wanted), text=t("wikipedia.progress", done=done + 1, count=len(wanted)))
    bar.empty()


def _not_fetched(titles: Sequence[str], error: WikipediaError) -> str:
    """Say which titles gave no article, and the reason that they have in common."""
    return t("wikipedia.not_fetched", titles=_listed(titles), why=error_sentence(error))


def _listed(titles: Sequence[str]) -> str:
    return ", ".join(plain(title) for title in titles)


def _show_sources(articles: Sequence[Article]) -> None:
    """Show where each article comes from, as its license requires, and a button that deletes them all."""
    rows = [
        "- "
        + t(
            "wikipedia.source",
            article=f"[{as_plain_markdown(article.title)}]({article.url})",
            language=t(f"wikipedia.{article.language}"),
            revision=str(article.revision),
            characters=len(article.text),
            licence=article.licence,
        )
        for article in articles
    ]
    with fold(
        t("wikipedia.sources", count=len(articles)),
        icon=":material/menu_book:",
        is_open=True,
        key="wikipedia_sources",
    ):
        st.markdown("\n".join(rows))
        st.button(t("wikipedia.forget"), icon=":material/delete:", key="wikipedia_forget", on_click=_forget)


def _forget() -> None:
    """Delete all articles from the session."""
    _ARTICLES.forget()
    _MESSAGES.forget()
