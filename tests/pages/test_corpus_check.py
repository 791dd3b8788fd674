"""A pattern checked on a whole corpus, in the background."""

import pytest

from pages.ui.inputs.corpus import SAMPLES, sample_text
from tests.helpers.app import ENGLISH, buttons, go_to_tab, open_page, said, tables_by_row, wait_until, with_pattern
from tokenizer_core.analysis.pattern_figures import pattern_figures


@pytest.mark.parametrize("source", ["sample", "paste"])
def test_a_corpus_is_checked_the_bundled_one_at_once_and_others_in_the_background(source: str) -> None:
    app = open_page("patterns", tab="whole")
    texts = [sample_text(file) for file in SAMPLES["both"]]
    if source == "paste":
        app.segmented_control(key="corpus_source").set_value("paste").run()
        texts = [texts[0] + "of one's own"]
        app.text_area(key="corpus_paste").set_value(texts[0]).run()
        app.button(key="lab_check").click().run()
    wait_until(app, lambda: len(tables_by_row(app)) == 1 and "lab_stop" not in buttons(app))
    for column, name in enumerate(("llama3", "mark_aware")):
        figures = pattern_figures(texts, name)
        assert tables_by_row(app)[0][ENGLISH["lab.figure_pretokens"]][column] == f"{figures.pretokens:,}"
        assert tables_by_row(app)[0][ENGLISH["lab.figure_distinct"]][column] == f"{figures.distinct:,}"
        assert tables_by_row(app)[0][ENGLISH["lab.figure_longest"]][column] == f"{len(figures.longest):,}"
    assert not {"lab_check", "lab_stop"} & buttons(app)


@pytest.mark.long
def test_a_check_that_fails_says_why_and_one_can_be_stopped() -> None:
    app = with_pattern("(a+)+$|x", "short")
    go_to_tab(app, "whole")
    app.segmented_control(key="corpus_source").set_value("paste").run()
    app.text_area(key="corpus_paste").set_value("a" * 3_000_000 + "b").run()
    app.button(key="lab_check").click().run()
    app.button(key="lab_stop").click().run()
    wait_until(app, lambda: "lab_check" in buttons(app))
    app.text_area(key="corpus_paste").set_value("a" * 5_000 + "b").run()
    app.button(key="lab_check").click().run()
    wait_until(app, lambda: "takes too long" in said(app))
    wait_until(app, lambda: len(tables_by_row(app)) == 1)
    assert len(tables_by_row(app)[0][ENGLISH["pattern.label"]]) == 1  # of the other pattern


def test_a_check_that_is_no_longer_on_the_page_ends() -> None:
    app = with_pattern("(a+)+$|x", "short")
    go_to_tab(app, "whole")
    app.segmented_control(key="corpus_source").set_value("paste").run()
    app.text_area(key="corpus_paste").set_value("a" * 3_000_000 + "b").run()
    app.button(key="lab_check").click().run()
    slow, _ = app.session_state["pattern_checks"].values()
    assert not slow.stopped
    go_to_tab(app, "cut")
    assert not slow.stopped  # people may look at the cuts meanwhile
    app.text_area(key="lab_first_custom").set_value("[a-z]").run()
    go_to_tab(app, "whole")
    assert slow.stopped
    assert "lab_check" in buttons(app)
