"""The frame of every page: navigation, language switch, and the training that follows its visitor."""

import streamlit as st

from pages.ui import state
from pages.ui.navigation import all_pages
from pages.ui.words import LANGUAGES, language, t

# White on the light teal of the dark scheme would be hard to read.
STYLE = """<style>
button[data-testid="stBaseButton-primary"], button[data-testid="stBaseButton-primary"] * {
  color: light-dark(#ffffff, #04211d);
}
</style>"""


def main() -> None:
    """Draw the frame and run the page that the address names."""
    page = st.navigation(all_pages(), position="top")
    st.set_page_config(page_title=f"{page.title} · {t('app.name')}", page_icon="🧩", layout="wide")
    st.html(STYLE)
    state.keep_address()
    name = page.url_path or "home"
    st.session_state.setdefault("lang", language())
    head, switch = st.columns([5, 1], vertical_alignment="center")
    with head:
        st.title(t(f"{name}.title"), anchor=False)
    with switch, st.container(horizontal_alignment="right"):
        st.segmented_control(
            "Language / ภาษา",
            list(LANGUAGES),
            format_func=LANGUAGES.__getitem__,
            required=True,
            key="lang",
            label_visibility="collapsed",
        )
    page.run()


main()
