"""The visitor's runs: a list to open, rename, repeat or delete them, and a comparison of two."""

from collections.abc import Mapping

import streamlit as st

from pages.ui.choices.corpus_names import corpus_called
from pages.ui.choices.kept_files import kept_files
from pages.ui.choices.run_names import RunName, pattern_name, run_names, swatch
from pages.ui.session import remembered
from pages.ui.shell import visitor
from pages.ui.shell.frame import bring_into_view
from pages.ui.shell.sessions import spaced
from pages.ui.token_view import token_view
from pages.ui.token_view.drawings import Text, drawing
from pages.ui.token_view.lanes import Label, Lane
from pages.ui.train import keys
from pages.ui.train.continuing import known_training
from pages.ui.train.kept_rows import MAX_NAME, dated, delete_entry, kept_rows, trouble_note, where_kept
from pages.ui.train.vocabularies import show_parting
from pages.ui.trainings.keeping import Run
from pages.ui.trainings.registry import registry
from pages.ui.widgets import written
from pages.ui.widgets.fold import fold
from pages.ui.widgets.live_area import live_text_area
from pages.ui.words import language, t
from tokenizer_core.jobs.entry import damaged
from tokenizer_core.jobs.job import Job
from tokenizer_core.measures.ratios import characters_per_token
from tokenizer_core.vocabulary import BYTES

REFRESH_SECONDS = 2.0


def runs_list() -> None:
    """List all runs of this visitor, and what else is kept for them; draw nothing if there is nothing."""
    runs = registry().runs(visitor.owner())
    if not (runs or kept_files() or registry().damaged(visitor.owner())):
        return
    st.header(t("runs.title"), anchor=False)
    trouble_note()
    active = any(not run.job.ended for run in runs)
    st.fragment(_rows, run_every=spaced(REFRESH_SECONDS) if active else None)()
    st.caption(where_kept())
    if sum(bool(run.job.learned) for run in runs) > 1:
        with fold(
            t("runs.compare"),
            icon=":material/compare_arrows:",
            key=keys.RUNS_COMPARED.key,
            on_change=_count_comparisons,
        ):
            if keys.RUNS_COMPARED.get():
                _compare_two([run for run in registry().runs(visitor.owner()) if run.job.learned])
                bring_into_view(keys.RUNS_COMPARED.key, str(keys.COMPARISONS.get()))


def _count_comparisons() -> None:
    keys.COMPARISONS.put(keys.COMPARISONS.get() + keys.RUNS_COMPARED.get())


def state_words(job: Job) -> str:
    """Say how far a training has come."""
    place = registry().place(job)
    if place:
        return t("runs.state_waiting", place=place)
    state = "interrupted" if job.ending == "interrupted" else job.state
    return t(f"runs.state_{state}", merges=job.learned, goal=job.merge_goal)


def _rows() -> None:
    runs = registry().runs(visitor.owner())
    named = run_names(runs)
    for run in reversed(runs):
        with st.container(horizontal=True, vertical_alignment="center", key=f"run_{run.job.id}"):
            _row(run, named[run.job.id])
    kept_rows()
    if keys.RUN_OPENED.take():
        st.rerun()


def _row(run: Run, name: RunName) -> None:
    job = run.job
    shown = visitor.screen() == job.id
    said = f"{state_words(job)} · {dated(job.created)}" + (f" · {t('runs.shown')}" if shown else "")
    if run.name:  # a made name says all this
        size = job.training.vocab_size
        what = t("runs.what", corpus=corpus_called(job.training.corpus_name), pattern=pattern_name(job), size=size)
        said = f"{what}  \n{said}"
    st.html(swatch(run), width="content")
    with st.container(width="stretch", gap=None):
        st.markdown(f"**{name.markdown}**")
        st.caption(said)
    st.button(t("runs.open"), on_click=_open, args=(job,), key=f"open_{job.id}", disabled=shown)
    with st.popover(t("runs.more"), icon=":material/more_horiz:", key=f"more_{job.id}"):
        _more(run, name)


def _more(run: Run, name: RunName) -> None:
    """Draw what else can be done with a run."""
    job = run.job
    st.text_input(
        t("runs.rename"),
        value=run.name,
        placeholder=name.plain,
        max_chars=MAX_NAME,
        key=keys.name_of_run(job).key,
        on_change=_rename,
        args=(run,),
    )
    st.button(
        t("runs.again"),
        icon=":material/replay:",
        on_click=_again,
        args=(job,),
        key=f"again_{job.id}",
        disabled=(known := known_training(job)) is None,
        help=None if known else t("runs.texts_gone" if job.training.counts is None else "counts.gone"),
        width="stretch",
    )
    st.button(
        t("runs.delete"),
        icon=":material/delete:",
        on_click=delete_entry,
        args=(job.id,),
        key=f"delete_{job.id}",
        width="stretch",
    )


def _open(job: Job) -> None:
    keys.KEPT_FAILURE.forget()
    if registry().get(job.id) is None:  # what it learned cannot be read
        keys.KEPT_FAILURE.put(damaged(job.id))
    else:
        visitor.set_job(job)
    keys.RUN_OPENED.put(True)


def _rename(run: Run) -> None:
    registry().rename(run.job.id, " ".join(keys.name_of_run(run.job).get().split())[:MAX_NAME])


def _again(job: Job) -> None:
    if (training := known_training(job)) is not None:
        keys.fill_in(training)
        visitor.show_setup(True)
    keys.RUN_OPENED.put(True)


def _compare_two(runs: list[Run]) -> None:
    """Show two runs side by side: their figures, their tokens for a text, and where their vocabularies part."""
    by_id = {run.job.id: run for run in reversed(runs)}
    named = run_names(registry().runs(visitor.owner()))
    chosen = []
    for n, column in enumerate(st.columns(2)):
        with column:
            chosen.append(by_id[_pick(n, by_id, {job_id: name.plain for job_id, name in named.items()})])
            _figures(chosen[n].job)
    tokenizers = [run.job.tokenizer() for run in chosen]
    text = live_text_area(t("runs.text"), key=remembered("runs_text", t("examples.sample")), height=110)
    lanes = [
        Lane(
            f"{run.job.id}@{tokenizer.vocab_size}#{n}",
            Label(named[run.job.id].plain, t("tokenizers.entries", count=tokenizer.vocab_size)),
            tokenizer,
            counts=[merge.count for merge in run.job.merges[: len(tokenizer.merges)]],
        )
        for n, (run, tokenizer) in enumerate(zip(chosen, tokenizers, strict=True))
    ]
    drawn = drawing(Text(text), lanes, language=language())
    token_view(drawn, key="runs_view", toolbar="none", max_height=None, large=True)
    show_parting(
        (named[chosen[0].job.id].markdown, named[chosen[1].job.id].markdown),
        (tokenizers[0].vocabulary[BYTES:], tokenizers[1].vocabulary[BYTES:]),
        marks=(swatch(chosen[0]), swatch(chosen[1])),
        key="runs",
    )


def _pick(n: int, runs: Mapping[str, Run], named: Mapping[str, str]) -> str:
    """Let the visitor pick the first or the second run; its colour stands beside its name."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        beside = st.container(width="content")
        picked = st.selectbox(
            t("runs.first" if n == 0 else "runs.second"),
            list(runs),
            index=n,
            format_func=named.__getitem__,
            key=f"compared_{n}",
        )
        # As high as the middle of the box.
        beside.html(f'<div style="padding-bottom:.8rem">{swatch(runs[picked])}</div>', width="content")
    return picked


def _figures(job: Job) -> None:
    tokens = job.token_count or 0
    figures = st.columns(2)
    figures[0].metric(t("studio.metric_size"), f"{BYTES + len(job.merges):,}")
    per_token = written.ratio_or_none(characters_per_token(job.corpus_characters, tokens))
    figures[1].metric(t("studio.metric_characters"), per_token, help=t("studio.metric_characters_help"))
