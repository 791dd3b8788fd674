"""The script that Streamlit runs: the frame of every page, with navigation and language switch, then the page."""

import streamlit as st

from pages.ui.frame import links, presenting, status, tabs, visitor
from pages.ui.frame.frame import frame
from pages.ui.frame.navigation import NAMES, all_pages, go
from pages.ui.frame.navigation import page as page_named
from pages.ui.i18n import LANGUAGES, SWITCH, errors_shown, language, one_language, t
from pages.ui.i18n.breaks import without_breaks


def main() -> None:
    """Draw the frame and run the page that the address names."""
    pages = all_pages()
    page = st.navigation(pages, position="hidden")
    st.set_page_config(page_title=without_breaks(f"{page.title} · {t('app.name')}"), page_icon="🧩", layout="wide")
    query = st.query_params.to_dict()
    presenting.take_from_address(query)
    status.take_from_address(query)
    tabs.take_from_address(page.url_path, query)
    links.remember_link(query)
    visitor.keep_address(page.url_path)
    if page.url_path == "languages" and "story" in query:  # where links led while stories were told there
        go("stories")
    if (back := presenting.way_back()) and page.url_path:
        go(back)
    frame(visitor.screen(), page.url_path)
    with st.container(horizontal=True, vertical_alignment="center", key="navigation"):
        for each in pages[: len(NAMES)]:
            st.page_link(each, label=each.title)
        _presenter(page.url_path)
        _language_switch()
    status.status()
    if page.url_path != "train" or visitor.screen() == "settings":  # a training has a stage, whose text is larger
        st.title(t(f"{page.url_path or 'home'}.title"), anchor=False)
    with errors_shown():
        page.run()
    status.FIRST_PAGE.set()


def _presenter(name: str) -> None:
    """Draw what presents a page; on Home, where teachers begin, a menu that has the talks as well."""
    words, icon = t("deck.present"), ":material/slideshow:"
    if name:
        begin = presenting.begin_here
        st.button(words, icon=icon, help=t("deck.begin"), key="present", type="tertiary", on_click=begin)
        return
    talks = {what: t(f"talk.{what}") for what in (presenting.SHORT, presenting.TALK)}
    ways = {presenting.LAST: t("deck.begin"), **talks}
    chosen = st.menu_button(
        words, list(ways), format_func=ways.__getitem__, icon=icon, key="present", type="tertiary"
    )
    if chosen == presenting.LAST:
        presenting.begin_here()
        st.rerun()
    elif chosen:
        presenting.may_be_opened_on("home")
        st.switch_page(page_named("stories"), query_params={"lang": language(), "present": chosen})


def _language_switch() -> None:
    """Let the visitor choose English or Thai; a page change resets the widget, so the session keeps the choice."""
    SWITCH.put(language())
    st.segmented_control(
        "Language / ภาษา",
        list(LANGUAGES),
        format_func=LANGUAGES.__getitem__,
        required=True,
        key=SWITCH.key,
        on_change=visitor.choose_language,
        label_visibility="collapsed",
    )


if __name__ == "__main__":  # as Streamlit runs it
    with one_language():
        main()
