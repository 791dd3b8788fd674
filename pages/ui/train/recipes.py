"""Recipes on the page: load one, and say whether the merges came out the same."""

import streamlit as st

from pages.ui.choices.corpus import Corpus
from pages.ui.choices.corpus_names import corpus_called
from pages.ui.train import keys
from pages.ui.trainings.registry import registry
from pages.ui.widgets.fold import fold
from pages.ui.words import as_plain_markdown, error_sentence, t
from tokenizer_core.errors import TokenizerError
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.recipe import Recipe, differs, parse_recipe, recipe_of, recipe_text
from tokenizer_core.patterns import SPLIT_PATTERNS


def recipe_loader() -> None:
    """Let the visitor paste or upload a recipe, and apply its settings at once."""
    with fold(t("recipe.load"), icon=":material/receipt_long:", key="recipe_load"):
        st.caption(t("recipe.load_what"))
        st.file_uploader(t("recipe.file"), type="json", key=keys.RECIPE_FILE.key, on_change=_take_file)
        st.text_area(t("recipe.paste"), key=keys.RECIPE_TEXT.key, on_change=_take_text, height=80)
        failure = keys.RECIPE_FAILURE.get()
        if failure is not None:
            st.error(error_sentence(failure))


def recipe_note(corpus: Corpus | None) -> tuple[tuple[int, int], ...]:
    """Say what a loaded recipe wants, and whether this is its corpus; return the pairs that it merges first."""
    recipe = keys.RECIPE.get()
    if recipe is None:
        return ()
    name = as_plain_markdown(corpus_called(recipe.corpus[:80]))
    if corpus is None:
        st.info(t("recipe.wants", corpus=name, characters=recipe.corpus_characters))
    elif corpus.sha256 == recipe.corpus_sha256:
        st.success(t("recipe.same_corpus"), icon=":material/check_circle:")
    else:
        st.warning(t("recipe.other_corpus", corpus=name, characters=recipe.corpus_characters))
    st.button(t("recipe.drop"), icon=":material/close:", on_click=keys.RECIPE.forget, key="recipe_drop")
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
        st.download_button(
            t("recipe.download"),
            text,
            "recipe.json",
            "application/json",
            on_click="ignore",
            icon=":material/download:",
        )


def _take_file() -> None:
    upload = keys.RECIPE_FILE.get()
    if upload is not None:
        _take(upload.getvalue())


def _take_text() -> None:
    if keys.RECIPE_TEXT.get().strip():
        _take(keys.RECIPE_TEXT.get())


def _take(content: str | bytes) -> None:
    """Apply the settings of a recipe; keep an error, to show it where the visitor entered the recipe."""
    try:
        recipe = parse_recipe(content)
    except TokenizerError as error:
        keys.RECIPE_FAILURE.put(error.bare())
        return
    keys.RECIPE_FAILURE.forget()
    keys.RECIPE.put(recipe)
    keys.fill_in_merges(recipe.vocab_size, _pattern_of(recipe), recipe.min_count, recipe.special_tokens)


def _pattern_of(recipe: Recipe) -> str:
    """Return the pattern's name if it still means the same regular expression, else the expression itself."""
    known = SPLIT_PATTERNS.get(recipe.pattern) == recipe.pattern_source
    return recipe.pattern if known else recipe.pattern_source
