"""Recipes on the page: load one, and say whether the merges came out the same."""

from typing import Any

import streamlit as st

from pages.ui.i18n import as_plain_markdown, error_sentence, t
from pages.ui.inputs.corpus import Corpus, corpus_title
from pages.ui.run_registry.registry import registry
from pages.ui.session import Maybe, Value
from pages.ui.train import keys
from pages.ui.widgets.controls import fold, save_button
from tokenizer_core.errors import TokenizerError
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS
from tokenizer_core.saved_runs.recipe import Recipe, differs, parse_recipe, recipe_of, recipe_text
from tokenizer_core.workers.training_job import Job

RECIPE: Maybe[Recipe] = Maybe("recipe")
"""The recipe that the next training follows."""
RECIPE_FILE: Maybe[Any] = Maybe("recipe_file")
RECIPE_TEXT: Value[str] = Value("recipe_text", str)
RECIPE_FAILURE: Maybe[TokenizerError] = Maybe("recipe_failure")


def recipe_loader() -> None:
    """Let the visitor paste or upload a recipe, and apply its settings at once."""
    with fold(t("recipe.load"), icon=":material/receipt_long:", key="recipe_load"):
        st.caption(t("recipe.load_what"))
        st.file_uploader(t("recipe.file"), type="json", key=RECIPE_FILE.key, on_change=_take_file)
        st.text_area(t("recipe.paste"), key=RECIPE_TEXT.key, on_change=_take_text, height=80)
        failure = RECIPE_FAILURE.get()
        if failure is not None:
            st.error(error_sentence(failure))


def recipe_note(corpus: Corpus | None) -> tuple[tuple[int, int], ...]:
    """Say what a loaded recipe wants, and whether this is its corpus; return the pairs that it merges first."""
    recipe = RECIPE.get()
    if recipe is None:
        return ()
    name = as_plain_markdown(corpus_title(recipe.corpus[:80]))
    if corpus is None:
        st.info(t("recipe.wants", corpus=name, characters=recipe.corpus_characters))
    elif corpus.sha256 == recipe.corpus_sha256:
        st.success(t("recipe.same_corpus"), icon=":material/check_circle:")
    else:
        st.warning(t("recipe.other_corpus", corpus=name, characters=recipe.corpus_characters))
    st.button(t("recipe.drop"), icon=":material/close:", on_click=RECIPE.forget, key="recipe_drop")
    return recipe.given


def recipe_outcome(job: Job) -> None:
    """Say whether a training that followed a recipe has exactly the merges of the recipe."""
    expected = registry().expected(job.id)
    if expected is None or not job.ended or not job.merges:
        return
    different = differs(expected, job)
    if not different:
        st.success(t("recipe.reproduced", merges=len(job.merges)), icon=":material/verified:")
    else:
        what = ", ".join(t(f"recipe.field_{name}") for name in different)
        st.warning(t("recipe.not_reproduced", what=what), icon=":material/difference:")


def show_recipe(job: Job) -> None:
    """Show the recipe of a training as JSON, to copy or to save."""
    recipe = recipe_of(job)
    if recipe is None:
        return
    with st.popover(t("recipe.title"), icon=":material/receipt_long:"):
        st.caption(t("recipe.what"))
        text = recipe_text(recipe)
        st.code(text, language="json", height=260)
        save_button(t("recipe.download"), text, "recipe.json", key="save_recipe")


def _take_file() -> None:
    upload = RECIPE_FILE.get()
    if upload is not None:
        _take(upload.getvalue())


def _take_text() -> None:
    if RECIPE_TEXT.get().strip():
        _take(RECIPE_TEXT.get())


def _take(content: str | bytes) -> None:
    """Apply the settings of a recipe; keep an error, to show it where the visitor entered the recipe."""
    try:
        recipe = parse_recipe(content)
    except TokenizerError as error:
        RECIPE_FAILURE.put(error.bare())
        return
    RECIPE_FAILURE.forget()
    RECIPE.put(recipe)
    has_same_meaning = SPLIT_PATTERNS.get(recipe.pattern) == recipe.pattern_source
    pattern = recipe.pattern if has_same_meaning else recipe.pattern_source
    keys.fill_in_merges(recipe.vocab_size, pattern, recipe.min_count, recipe.special_tokens)
    keys.fill_in_chooser(recipe.parity.unit if recipe.parity else None)
    keys.fill_in_superwords(recipe.superwords_from)
