"""The picker of a corpus by itself, and files for it."""

from streamlit.testing.v1 import AppTest

from pages.ui.inputs.corpus import Corpus
from tests.helpers.browser import PATIENCE

THAI_LINE = "วันนี้อากาศดีมาก ไปเที่ยวกันเถอะ"
CSV = "id,th,en\n" + "".join(f"{n},{THAI_LINE} {n},We go out today {n}\n" for n in range(20))


def page() -> None:
    """The picker alone; what it gives is kept for the test, and it is not drawn on another page."""
    import streamlit as st

    from pages.ui.inputs.corpus_picker import corpus_picker

    if not st.session_state.get("elsewhere"):
        st.session_state["given"] = corpus_picker()


def open_picker(language: str = "en", source: str | None = None) -> AppTest:
    app = AppTest.from_function(page, default_timeout=PATIENCE)
    app.query_params["lang"] = language
    app.run()
    if source:
        app.segmented_control(key="corpus_source").set_value(source).run()
    assert not app.exception
    return app


def upload(*files: tuple[str, bytes | str], language: str = "en") -> AppTest:
    """The picker after files were uploaded."""
    app = open_picker(language, "upload")
    contents = [(name, each.encode() if isinstance(each, str) else each, "text/plain") for name, each in files]
    app.file_uploader(key="corpus_files").set_value(contents).run()
    assert not app.exception
    return app


def given(app: AppTest) -> Corpus | None:
    corpus: Corpus | None = app.session_state["given"]
    return corpus


def texts(app: AppTest) -> tuple[str, ...]:
    corpus = given(app)
    assert corpus is not None, said(app)
    return corpus.texts


def said(app: AppTest) -> str:
    return " ".join(box.value for kind in (app.error, app.warning, app.info, app.caption) for box in kind)


def listed(app: AppTest) -> str:
    """The list of files that were read, as HTML."""
    return " ".join(element.proto.body for element in app.get("html"))


def elsewhere_and_back(app: AppTest) -> None:
    """Leave the page, whose uploader forgets its files, and come back."""
    app.session_state["elsewhere"] = True
    app.run()
    app.session_state["elsewhere"] = False
    app.run()
    assert not app.exception
