"""Files for other libraries on Train and Compare: written, proven, refused with the reason, and kept."""

import threading

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import catalogue, filled
from pages.ui.i18n.breaks import without_breaks
from pages.ui.widgets import export_panel
from pages.ui.widgets.export_panel import WrittenExport
from tests.helpers.app import job_of, open_page, start_training, wait_until
from tests.helpers.browser import PATIENCE
from tokenizer_core.interop.exports import FORMATS, LOADED_BY


def lines(app: AppTest) -> str:
    """What stands on the page as text, without marks of line breaks."""
    boxes = [each.value for kind in (app.markdown, app.caption, app.warning, app.error) for each in kind]
    return without_breaks(" ".join(boxes))


def opened(app: AppTest, key: str) -> AppTest:
    app.session_state[key] = True
    app.run()
    assert not app.exception
    return app


def taken(app: AppTest) -> dict[tuple[str, str], WrittenExport]:
    found: dict[tuple[str, str], WrittenExport] = app.session_state["exports"]
    return found


def all_proven(app: AppTest) -> None:
    wait_until(app, lambda: not any(each.is_pending for each in taken(app).values()))
    app.run()


@pytest.mark.long
def test_a_training_is_written_in_every_format_and_proven() -> None:
    app = start_training("th", corpus="ที่นี่มีน้ำใจ\nthe cat sat\n" * 20)
    wait_until(app, lambda: job_of(app).ended)
    opened(app, "train_exports")
    all_proven(app)
    key = f"{job_of(app).id}@{256 + len(job_of(app).merges)}"
    assert set(taken(app)) == {(key, to) for to in FORMATS}
    words = {name: without_breaks(said) for name, said in catalogue("th").items()}
    for to in LOADED_BY:
        proof = taken(app)[key, to].proof
        assert proof is not None
        assert proof.proof is not None
        assert proof.proof.difference is None
        name = "exports.same" if proof.proof.library else "exports.same_here"
        library = proof.proof.library
        assert filled(words[name], lines=f"{proof.proof.lines:,}", hostile=500, library=library) in lines(app)
    files = {button.proto.label for button in app.get("download_button")}
    assert {"tokenizer.json", "tokenizer.tiktoken", "vocab.json", "merges.txt", "merges.csv"} <= files
    assert words["errors.minbpe_pattern"] in lines(app)
    assert any("mergeable_ranks" in code.value for code in app.code)


@pytest.mark.long
def test_a_training_at_work_is_taken_as_it_was_when_asked() -> None:
    app = start_training(pace="slow")
    wait_until(app, lambda: len(job_of(app).merges) > 2)
    opened(app, "train_exports")
    (key,) = {key for key, _ in taken(app)}
    size = int(key.rpartition("@")[2])
    assert size > 256
    wait_until(app, lambda: len(job_of(app).merges) + 256 > size)
    assert {key for key, _ in taken(app)} == {key}
    app.button(key="exports_newer").click().run()
    assert max(int(key.rpartition("@")[2]) for key, _ in taken(app)) > size


def test_proofs_can_be_stopped_and_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_panel, "TURNS", threading.Semaphore(0))
    app = start_training()
    wait_until(app, lambda: bool(app.success))
    opened(app, "train_exports")
    key = f"{job_of(app).id}@300"
    app.button(key=f"exports_stop_{key}").click().run()
    assert all(each.can_be_repeated for (_, to), each in taken(app).items() if to in LOADED_BY)
    export_panel.TURNS.release()
    for (_, to), each in taken(app).items():
        if to in LOADED_BY:
            export_panel.TURNS.release()
            assert each.proof is not None
            each.proof.wait(PATIENCE)
    app.run()
    app.button(key=f"exports_take_tiktoken_{key}").click().run()
    all_proven(app)
    assert catalogue("en")["exports.same"].split("{library}")[1] in lines(app)
    again = taken(app)[key, "tiktoken"].proof
    assert again is not None
    assert again.proof is not None


def test_a_reference_on_compare_is_written_when_asked_and_refused_where_it_cannot_be() -> None:
    app = opened(open_page("compare"), "compare_exports")
    assert taken(app) == {}  # GPT-2 is large
    assert any(code.value.startswith("[") for code in app.code)  # the ids of the text
    app.text_area(key="compare_text").set_value("end <|endoftext|>").run()
    app.toggle(key="special_act").set_value(True).run()
    assert any(code.value == "[437, 220, 50256]" for code in app.code)
    for to in ("minbpe", "gpt2"):
        app.button(key=f"exports_take_{to}_gpt2").click().run()
    all_proven(app)
    refusal = taken(app)["gpt2", "minbpe"].refusal
    assert refusal is not None
    assert refusal.code == "export_id_fixed"
    proof = taken(app)["gpt2", "gpt2"].proof
    assert proof is not None
    assert proof.proof is not None
    assert (proof.proof.lines, proof.proof.difference) == (1_296, None)
    assert not app.exception


def test_a_hostile_text_that_differs_is_shown_as_it_is() -> None:
    def page() -> None:
        import streamlit as st

        from pages.ui.widgets.export_panel import difference_sentence
        from tokenizer_core.workers.export_proof import Difference

        text = "<script>*a*` :material/home:"
        found = Difference(text, False, [1, 2], [3], 0, "newer_character", "U+323B0")
        st.warning(difference_sentence("tiktoken 0.14.0", found))

    app = AppTest.from_function(page).run()
    assert not app.exception
    (warning,) = app.warning
    assert "`` <script>*a*` :material/home: ``" in warning.value
    assert "`1, 2`" in warning.value
    assert "U+323B0" in warning.value
