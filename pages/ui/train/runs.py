"""The visitor's runs: a list to open, rename, repeat or delete them, and a comparison of two."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import streamlit as st

from pages.ui.frame import visitor
from pages.ui.frame.frame import bring_into_view
from pages.ui.frame.status import refresh_interval
from pages.ui.i18n import as_name, language, t
from pages.ui.inputs.corpus import SAMPLES, corpus_title, sample_text, sample_to_train_on
from pages.ui.inputs.opened_files import saved_files
from pages.ui.inputs.tokenizers import pattern_name_of, run_names, swatch, way_said
from pages.ui.run_registry.keeping import Run
from pages.ui.run_registry.registry import registry
from pages.ui.session import remembered
from pages.ui.train import keys
from pages.ui.train.divergence import show_divergence
from pages.ui.train.kept_rows import Row, delete_button, kept_rows, line_of, rename_box, trouble_note, where_kept
from pages.ui.widgets import formatting
from pages.ui.widgets.controls import fold, live_text_area
from pages.ui.widgets.token_view import token_view
from pages.ui.widgets.token_view.drawings import Text, drawing
from pages.ui.widgets.token_view.lanes import Label, Lane
from tokenizer_core.analysis.ratios import characters_per_token
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.errors import SavedRunsError
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Training, corpus_hash

REFRESH_SECONDS = 2.0


def runs_list() -> None:
    """List all runs of this visitor, and what else is kept for them; draw nothing if there is nothing."""
    runs = registry().runs(visitor.owner())
    if not (runs or saved_files().entries() or registry().damaged(visitor.owner())):
        return
    trouble_note()
    active = any(not run.job.ended for run in runs)
    st.fragment(_rows, run_every=refresh_interval(REFRESH_SECONDS) if active else None)()
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
    state = "interrupted" if _is_interrupted(job) else job.state
    return t(f"runs.state_{state}", merges=job.learned, goal=job.merge_goal)


def _rows() -> None:
    """List what belongs to this visit, then, folded, what is there from earlier ones, all with their times."""
    runs = registry().runs(visitor.owner())
    named = run_names(runs)
    rows = [Row(visitor.is_earlier(run.job), partial(_row, run, named[run.job.id])) for run in reversed(runs)]
    rows += kept_rows()
    earlier = [row for row in rows if row.is_earlier]
    if len(earlier) < len(rows):
        st.header(t("runs.title"), anchor=False)
    for row in rows:
        if not row.is_earlier:
            row.draw()
    if len(earlier) < len(rows):
        where_kept()
    if earlier:
        with fold(t("runs.earlier", count=len(earlier)), icon=":material/history:", key=keys.EARLIER_OPEN.key):
            for row in earlier:
                row.draw()
            if len(earlier) == len(rows):
                where_kept()
    if keys.RUN_OPENED.take():
        st.rerun()


def _row(run: Run, name: str) -> None:
    with line_of(run.job.id):
        _cells(run, name)


def _cells(run: Run, name: str) -> None:
    job = run.job
    shown = visitor.screen() == job.id
    said = f"{state_words(job)} · {formatting.dated(job.created)}" + (f" · {t('runs.shown')}" if shown else "")
    if run.name:  # a made name says all this
        size = job.training.vocab_size
        what = t(
            "runs.what", corpus=corpus_title(job.training.corpus_name), pattern=pattern_name_of(job), size=size
        )
        what += way_said(job)
        said = f"{what}  \n{said}"
    st.html(swatch(run), width="content")
    with st.container(width="stretch", gap=None):
        st.markdown(f"**{as_name(name)}**")
        st.caption(said)
    if _is_interrupted(job):
        _again_button(job)
    st.button(t("runs.open"), on_click=_open, args=(job,), key=f"open_{job.id}", disabled=shown)
    with st.popover(t("runs.more"), icon=":material/more_horiz:", key=f"more_{job.id}"):
        _more(run, name)


def _more(run: Run, name: str) -> None:
    """Draw what else can be done with a run."""
    job = run.job
    rename_box(job.id, run.name, name, registry().rename)
    if not _is_interrupted(job):
        _again_button(job)
    delete_button(job.id)


def _is_interrupted(job: Job) -> bool:
    return job.ending == "interrupted"


def _again_button(job: Job) -> None:
    gone = "runs.texts_gone" if job.training.counts is None else "counts.gone"
    st.button(
        t("runs.again"),
        icon=":material/replay:",
        on_click=again,
        args=(job,),
        key=f"again_{job.id}",
        help=None if known_training(job) else t(gone),
    )


def known_training(job: Job) -> Training | None:
    """Return a training with what it learned from: what is in memory, or a bundled sample; None if unknown."""
    training = job.training
    if training.has_corpus:
        return training
    if job.corpus_sha256 is None or training.counts is not None:
        return None
    for name, files in SAMPLES.items():
        for texts in (sample_to_train_on(name).texts, tuple(map(sample_text, files))):
            if corpus_hash(texts) == job.corpus_sha256:
                return replace(training, texts=texts)
    return None


def _open(job: Job) -> None:
    keys.KEPT_FAILURE.forget()
    if registry().get(job.id) is None:  # what it learned cannot be read
        keys.KEPT_FAILURE.put(SavedRunsError("entry_damaged"))
    else:
        visitor.set_job(job)
    keys.RUN_OPENED.put(True)


def again(job: Job) -> None:
    """Show the settings, filled in with those of a training and what it learned from, if that is known."""
    keys.fill_in(known_training(job) or job.training)
    visitor.show_setup(True)
    keys.RUN_OPENED.put(True)


def _compare_two(runs: list[Run]) -> None:
    """Show two runs side by side: their figures, their tokens for a text, and where their vocabularies part."""
    by_id = {run.job.id: run for run in reversed(runs)}
    named = run_names(registry().runs(visitor.owner()))
    chosen = []
    for n, column in enumerate(st.columns(2)):
        with column:
            chosen.append(by_id[_pick(n, by_id, named)])
            _figures(chosen[n].job)
    tokenizers = [run.job.tokenizer() for run in chosen]
    text = live_text_area(t("runs.text"), key=remembered("runs_text", t("examples.sample")), height=110)
    lanes = [
        Lane(
            f"{run.job.id}@{tokenizer.vocab_size}#{n}",
            Label(named[run.job.id], t("tokenizers.entries", count=tokenizer.vocab_size)),
            tokenizer,
            counts=[merge.count for merge in run.job.merges[: len(tokenizer.merges)]],
        )
        for n, (run, tokenizer) in enumerate(zip(chosen, tokenizers, strict=True))
    ]
    drawn = drawing(Text(text), lanes, language=language())
    token_view(drawn, key="runs_view", toolbar="none", max_height=None, large=True)
    show_divergence(
        (as_name(named[chosen[0].job.id]), as_name(named[chosen[1].job.id])),
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
    per_token = formatting.ratio(characters_per_token(job.corpus_characters, tokens))
    figures[1].metric(t("studio.metric_characters"), per_token, help=t("studio.metric_characters_help"))
