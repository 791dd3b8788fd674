"""The view of a training: its progress while it runs, what it has learned when it ends, and its files and link."""

from collections.abc import Sequence
from typing import Literal
from urllib.parse import urlencode

import streamlit as st

from pages.ui.frame import visitor
from pages.ui.frame.frame import bring_into_view
from pages.ui.frame.navigation import go, page
from pages.ui.frame.status import refresh_interval
from pages.ui.i18n import as_plain_markdown, error_sentence, errors_shown, language, t
from pages.ui.inputs.corpus import SAMPLES, corpus_title, sample_texts, text_to_train_on
from pages.ui.inputs.counts_upload import pattern_said, recipe_sentences
from pages.ui.inputs.parallel_texts import NamedTexts
from pages.ui.inputs.pattern import shortened
from pages.ui.inputs.text import WATCHED, line_to_watch, sentence_to_watch, show_text, take_sentence
from pages.ui.inputs.tokenizers import pattern_name_of, reference_counts, reference_lanes, way_said
from pages.ui.limits import MAX_TRAININGS, MAX_VOCAB_SIZE
from pages.ui.run_registry.registry import registry
from pages.ui.session import Maybe, Value
from pages.ui.train import keys
from pages.ui.train.parity import language_names, who_chose, whose_turn
from pages.ui.train.race import choose_race_texts, race, race_address
from pages.ui.train.recipes import recipe_outcome, show_recipe
from pages.ui.train.runs import again, known_training
from pages.ui.train.what_if import what_if_answer, what_if_asker
from pages.ui.widgets import formatting
from pages.ui.widgets.controls import fold, save_button
from pages.ui.widgets.export_panel import export_panel
from pages.ui.widgets.player import MOST_CHARACTERS, Wish, options, stage
from pages.ui.widgets.player.serve import PACES
from pages.ui.widgets.slides import Slide, View, present, verdict
from pages.ui.widgets.slides.talk import Entry, add_button
from pages.ui.widgets.token_view.chips import chip, chip_style, plain_token
from pages.ui.widgets.token_view.lanes import MINE, Label, Lane
from tokenizer_core.analysis.ratios import characters_per_token
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.trainer import Candidate
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.errors import ModelFileError
from tokenizer_core.workers.training_job import ENDED, Choice, Job


def sentence_of(job: Job) -> Maybe[str]:
    """Return the session value of the sentence that the visitor typed for the stage of a training."""
    return Maybe(f"studio_sentence_{job.id}")


REFRESH_SECONDS = 1.0
RACE_SECONDS = 3.0
"""Each refresh costs the browser a fifth of a second, in which React looks at all of the page."""
PAUSED_SECONDS = 3.0
"""Another tab with the same training may end a pause, so a paused training is refreshed too."""
STOP_WAIT = 0.2
NAMED_TIES = 3
MOST_SPECIAL = 12
MOSTLY_THAI = 1.5
"""Bytes of a character: English has 1, Thai 3, and of a half-Thai text each has 2."""


def studio(job: Job) -> None:
    """Draw the stage, which plays the training by itself; below it what goes with it, redrawn while it runs."""
    if job.ended and not job.merges:
        _without_merges(job)
        return
    shown = st.container(key="film")
    typed = sentence_of(job).get()
    text = sentence_to_watch(first_sentence(job)) if typed is None else typed
    text = text[:MOST_CHARACTERS]
    WATCHED.put(text)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        with st.popover(t("race.another"), icon=":material/flag:", type="tertiary"):
            texts, pairs_in_files = choose_race_texts()
        add_button(Entry(text=text), key="add_stage", job=job)
        watch_link(job)
        st.space("stretch")
        st.caption(_what(job))
    with shown, errors_shown():  # a split pattern of one's own may be too slow for the sentence
        levels = reference_counts(text)
        drawn = options(
            job,
            text,
            levels,
            is_steered=visitor.owns(job),
            title=t("train.title"),
            what=_what(job),
            race=race_address(job, texts),
            choosers=language_names(job.training),
            is_at_once=PACES[keys.PACE.get()] is None,
            is_learned=visitor.owns(job) and bool(text.strip()) and text.strip() in job.opening,
        )
        film = Slide("stage", stage={**drawn, "presents": True})
        if not present(lambda: [film, *_compared(job, text)]):
            _grant(stage(drawn), job, text)
            if _SENTENCES.get():
                bring_into_view("film", str(_SENTENCES.get()))
    if (counts := job.training.counts) is not None:  # only counts were there to learn from
        with fold(t("counts.title"), key="counts_fold", icon=":material/tag:"):
            st.markdown(" ".join(recipe_sentences(counts.recipe, counts.distinct)))
            st.caption(f"{pattern_said(counts.recipe)} {t('counts.cannot')}")
    refresh = PAUSED_SECONDS if job.state == "paused" else REFRESH_SECONDS
    st.fragment(_live, run_every=None if job.ended else refresh_interval(refresh))(job, job.state)
    with st.container():  # always one element, so that Streamlit does not redraw what follows
        take_run_along(job)
        if _EXPORTS_ASKED.get():
            bring_into_view(EXPORTS_OPEN.key, str(_EXPORTS_ASKED.get()))
    what_if_answer(job)
    race_refresh = None if job.ended or job.state == "paused" else refresh_interval(RACE_SECONDS)
    st.fragment(_race, run_every=race_refresh)(job, texts, pairs_in_files)


def _without_merges(job: Job) -> None:
    """Say why a training ended before its first merge, and lead back to its settings."""
    st.title(t("train.title"), anchor=False)
    st.caption(_what(job))
    _draw(job)
    if visitor.owns(job):
        icon = ":material/restart_alt:"
        st.button(t("runs.again"), icon=icon, type="primary", key="again", on_click=again, args=(job,))


def _grant(wish: Wish, job: Job, text: str) -> None:
    """Do what the visitor asked for on the stage, which shows this text."""
    if wish.sentence is not None:
        sentence_of(job).put(wish.sentence)
        take_sentence(wish.sentence)
        _SENTENCES.put(_SENTENCES.get() + 1)
        st.rerun()
    if wish.compares:
        show_text(text)
        go("compare")
    if wish.exports:
        EXPORTS_OPEN.put(True)
        _EXPORTS_ASKED.put(_EXPORTS_ASKED.get() + 1)
    if wish.trains:
        if job.ending != "pairs":  # then only more text leads further
            keys.SIZE.put(min(2 * job.training.vocab_size, MAX_VOCAB_SIZE))
        visitor.show_setup(True)
        st.rerun()


def _compared(job: Job, text: str) -> list[Slide]:
    """Return the sentence in the tokens of what was learned and of the references, once the training has ended."""
    if not job.ended or not job.merges:
        return []
    own = Lane(MINE, Label(t("tokenizers.mine")), job.tokenizer())
    view = View(text, [own, *reference_lanes()])
    return [Slide("tokens", title=verdict(view), views=[view], is_outcome=True)]


def _live(job: Job, state_at_start: str) -> None:
    """Draw what changes while the training runs, and any error: a fragment's errors do not reach the frame."""
    registry().get(job.id)  # notes that it was viewed
    drawn = job.state
    with errors_shown():
        _draw(job)
    changed = drawn != state_at_start and (drawn in ENDED or "paused" in (drawn, state_at_start))
    if changed:
        st.rerun()  # the timer must start, stop or slow down; only now, so that a click shows at once


def _race(job: Job, texts: NamedTexts, pairs_in_files: int) -> None:
    """Say who is ahead in the race, in a fragment of its own, because counting takes longest."""
    if job.curve:
        with errors_shown(), st.container(key="race_figures"):
            race(job, job.tokenizer(), texts, pairs_in_files)


def _what(job: Job) -> str:
    """Say what is trained: corpus, size, pattern, and who chooses if not all together."""
    said = t(
        "studio.what",
        corpus=corpus_title(job.training.corpus_name),
        size=job.training.vocab_size,
        pattern=shortened(pattern_name_of(job)),
    )
    return said + way_said(job)


def _draw(job: Job) -> None:
    """Draw the current state of the training."""
    recipe_outcome(job)
    if job.failure is not None:
        st.error(error_sentence(job.failure), icon=":material/error:")
        if job.merges:
            st.info(t("studio.kept_after_failure", merges=len(job.merges)))
    place = registry().place(job)
    if place is not None:
        st.info(t("studio.waiting", place=place, limit=MAX_TRAININGS), icon=":material/hourglass_empty:")
    if not visitor.owns(job):
        st.info(t("studio.somebody_elses"), icon=":material/visibility:")
    if not job.ended:
        with st.container(horizontal=True, vertical_alignment="center", key="controls"):
            if visitor.owns(job):
                st.button(t("studio.stop"), key="stop", icon=":material/stop:", on_click=_stop, args=(job,))
            else:
                _train_another()
    elif job.merges:
        _summary(job)
        _ways_on(job)
    elif job.failure is None:
        _say_why_it_ended(job)
    if job.choice is not None:
        _choice(job, job.choice, job.tokenizer())


def _stop(job: Job) -> None:
    """End the training and keep what it learned; wait a moment, so that the page shows it at once."""
    job.stop()
    job.wait(STOP_WAIT, lambda: job.ended)


def _summary(job: Job) -> None:
    """Say why the training ended, and show in numbers what it learned."""
    _say_why_it_ended(job)
    if not job.curve:
        return
    _fold_on_a_phone("figures", _FIGURES_OPEN)
    with st.container(key="training_figures"):
        _figures(job)


def _fold_on_a_phone(what: Literal["figures", "files"], is_shown: Value[bool]) -> None:
    """Draw the button that shows and hides on a phone what wider screens always show."""
    st.html(_FOLD_STYLE)
    is_open = is_shown.get()
    with st.container(key=f"{what}_shown" if is_open else f"{what}_hidden"):
        st.button(
            {"figures": t("studio.figures"), "files": t("studio.files")}[what],
            key=f"fold_{what}",
            icon=f":material/{'expand_less' if is_open else 'expand_more'}:",
            width="stretch",
            on_click=is_shown.put,
            args=(not is_open,),
        )


def _figures(job: Job) -> None:
    learned, before, after = len(job.merges), job.curve[0][1], job.curve[-1][1]
    figures = st.columns(4)
    figures[0].metric(
        t("studio.metric_size"),
        f"{BYTES + learned:,}",
        help=t("studio.metric_size_help", bytes=BYTES, merges=learned),
    )
    figures[1].metric(t("studio.metric_tokens"), f"{after:,}", help=t("studio.metric_tokens_help", before=before))
    per_token = formatting.ratio(characters_per_token(job.corpus_characters, after))
    figures[2].metric(t("studio.metric_characters"), per_token, help=t("studio.metric_characters_help"))
    figures[3].metric(
        t("studio.metric_seconds"),
        t("studio.seconds_exact", seconds=_seconds(job.work_seconds)),
        help=t("studio.metric_seconds_help"),
    )
    figures[3].caption(t("studio.seconds_watched", seconds=_seconds(job.seconds)))
    if said := who_chose(job):
        st.caption(said)
    if special := job.tokenizer().special_tokens:
        listed = [f"{as_plain_markdown(token)} → {token_id:,}" for token, token_id in special.items()]
        st.caption(t("studio.special", listed=" · ".join(listed[:MOST_SPECIAL])))


def _seconds(seconds: float) -> str:
    """Write seconds with two decimals below 10, and with none from 10 up.

    >>> _seconds(0.004), _seconds(0.913), _seconds(57.2)
    ('<0.01', '0.91', '57')
    """
    return "<0.01" if seconds < 0.005 else f"{seconds:.2f}" if seconds < 9.995 else f"{seconds:,.0f}"


def _say_why_it_ended(job: Job) -> None:
    """Say that the training is done, or which rule ended it early."""
    training, learned = job.training, len(job.merges)
    values = {"size": BYTES + learned, "wanted": training.vocab_size, "merges": learned, "goal": job.merge_goal}
    match job.ending:
        case "interrupted":
            st.info(t("studio.interrupted", **values), icon=":material/pause_circle:")
        case "stopped":
            st.info(t("studio.stopped", **values), icon=":material/stop_circle:")
        case "length":
            st.info(t("studio.too_long", **values), icon=":material/info:")
        case "pairs" if learned < job.merge_goal:
            key = "studio.out_of_pairs" if training.stop.min_count == 2 else "studio.out_of_frequent_pairs"
            st.info(t(key, count=training.stop.min_count, **values), icon=":material/info:")
        case "time":
            minutes = f"{(training.stop.max_seconds or 0) / 60:g}"
            st.info(t("studio.time_is_up", minutes=minutes, **values), icon=":material/timer:")
        case "beaten" if goal := training.stop.beat:
            st.success(
                t("studio.beaten", name=t(f"tokenizers.{goal.reference}"), tokens=goal.tokens, **values),
                icon=":material/flag:",
            )
        case "size" | "pairs":
            st.success(t("studio.done", **values), icon=":material/check_circle:")


def _choice(job: Job, choice: Choice, tokenizer: Tokenizer) -> None:
    """Show the pairs that could be merged next, and say why the first one wins."""
    st.header(t("studio.choice"), anchor=False)
    known = [each for each in choice.candidates if max(each.left, each.right) < tokenizer.vocab_size]
    if not known:
        st.caption(t("studio.choice_none"))
        return
    if said := whose_turn(job, choice):
        st.markdown(said)
    st.html(choice_rows(known, tokenizer.vocabulary))
    st.caption(_tie_sentence(choice, known, tokenizer))
    if visitor.owns(job):
        what_if_asker(job, choice, tokenizer)


def _tie_sentence(choice: Choice, known: Sequence[Candidate], tokenizer: Tokenizer) -> str:
    """Say whether the first pair is tied, with which pairs, and what decides."""
    if not choice.ties:
        return t("studio.no_tie")
    tied = [pair for pair in known[1:] if pair.count == known[0].count][:NAMED_TIES]
    pairs = [[plain_token(tokenizer.vocabulary[part]) for part in (pair.left, pair.right)] for pair in tied]
    named = ", ".join(as_plain_markdown(" + ".join(pair)) for pair in pairs)
    if choice.ties > len(tied):
        named = t("studio.tie_more", pairs=named, more=choice.ties - len(tied))
    return t("studio.tie", pairs=named, count=known[0].count)


def first_sentence(job: Job) -> str:
    """Return a sentence that is in no bundled text, for those and for counts; for others, `line_to_watch`.

    Saved runs and counts have no text, and a link shows none.
    """
    if job.training.counts is not None:
        return t("examples.thai" if job.training.counts.bytes_each > MOSTLY_THAI else "examples.english")
    known = known_training(job)
    texts = known.texts if known else ()
    if texts and texts[0] == text_to_train_on(SAMPLES["en"][0]):
        return t("examples.english")
    is_ours = bool(texts) and texts[0] in (sample_texts()[0], text_to_train_on(SAMPLES["th"][0]))
    if not job.opening or is_ours or not visitor.owns(job):
        return t("examples.thai")
    return line_to_watch(job.opening)


def _ways_on(job: Job) -> None:
    """Let the visitor compare the tokenizer, save it, or train another one."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(page("vocabulary"), label=t("studio.vocabulary"), icon=":material/menu_book:")
        _train_another()
        _fold_on_a_phone("files", _FILES_OPEN)
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="training_files"):
            _model_and_recipe(job)


def _model_and_recipe(job: Job) -> None:
    try:
        model = job.tokenizer().model_text()
        save_button(t("studio.download_model"), model, "tokenizer.model", key="save_model")
    except ModelFileError as error:
        st.warning(error_sentence(error))
    show_recipe(job)


def _train_another() -> None:
    """Lead to the settings of a training of the visitor's own."""
    if st.button(t("studio.again"), icon=":material/restart_alt:", key="again"):
        visitor.show_setup(True)
        st.rerun()


_FOLD_STYLE = """<style>
:has(> :is(.st-key-figures_shown, .st-key-figures_hidden, .st-key-files_shown, .st-key-files_hidden)) {
  display: none; }
@media (max-width: 640px) {
  :has(> :is(.st-key-figures_shown, .st-key-figures_hidden, .st-key-files_shown, .st-key-files_hidden)) {
    display: flex; flex-basis: 100%; }
  :root:has(.st-key-figures_hidden) :is(.st-key-training_figures, .st-key-race_figures) { display: none; }
  :root:has(.st-key-files_hidden) .st-key-training_files { display: none; }
}
</style>"""
_MERGES_STYLE = """<style>
.merge-list { display: flex; flex-direction: column; font-variant-numeric: tabular-nums; }
.merge-row { display: flex; align-items: center; gap: .5rem; padding: .32rem 0;
  min-height: 2.5rem; line-height: 1.9; border-bottom: 1px solid rgba(128,128,128,.18); }
.merge-row i { font-style: normal; opacity: .6; }
.merge-pair { display: inline-flex; gap: .4rem; align-items: center; }
.merge-next { box-shadow: inset 3px 0 light-dark(#0f766e,#2dd4bf); padding-left: .6rem; }
.merge-tied { box-shadow: inset 3px 0 light-dark(#99c9c4,#115e59); padding-left: .6rem; }
.merge-bar { height: .5rem; border-radius: .25rem; background: light-dark(#0f766e,#2dd4bf); opacity: .45;
  margin-left: auto; min-width: 2px; }
.merge-count { margin-left: .25rem; min-width: 4.5rem; text-align: right; opacity: .8; font-size: .9rem;
  white-space: nowrap; }
</style>"""


def choice_rows(candidates: Sequence[Candidate], vocabulary: Sequence[bytes]) -> str:
    """Return the HTML of the pairs that could be merged next, best first, each with a bar for its count."""
    most = max((candidate.count for candidate in candidates), default=1)
    rows = []
    for place, each in enumerate(candidates):
        standing = "next" if place == 0 else "tied" if each.count == most else ""
        left, right = chip(vocabulary[each.left]), chip(vocabulary[each.right])
        rows.append(
            f'<div class="merge-row merge-{standing}" role="listitem">'
            f'<span class="merge-pair">{left}<i>+</i>{right}</span>'
            f'<span class="merge-bar" style="width:{30 * each.count / most:.1f}%"></span>'
            f'<span class="merge-count">× {each.count:,}</span></div>'
        )
    return f'{chip_style()}{_MERGES_STYLE}<div class="merge-list" role="list">{"".join(rows)}</div>'


def watch_link(job: Job) -> None:
    """Draw the link for its owner to copy; nobody else can hand on a training."""
    if not visitor.owns(job):
        return
    with st.popover(t("watch.link"), icon=":material/link:", type="tertiary", key="watch_link"):
        st.caption(t("watch.says"))
        query = urlencode({"lang": language(), "job": job.id})
        st.code(f"{(st.context.url or '').partition('?')[0]}?{query}", language=None, wrap_lines=True)


EXPORTS_OPEN: Value[bool] = Value("train_exports", bool)
_EXPORTS_ASKED: Value[int] = Value("train_exports_asked", int)
"""How often the end of the show led to the exports."""
_SENTENCES: Value[int] = Value("train_sentences", int)
"""How many sentences the visitor typed for the stage, whose film begins anew with each."""
_FIGURES_OPEN: Value[bool] = Value("train_figures", bool)
"""Whether a phone shows the figures of a training that has ended; wider screens always do."""
_FILES_OPEN: Value[bool] = Value("train_files", bool)
"""Whether a phone shows its model file and its recipe."""
EXPORTED_MERGES: Maybe[tuple[str, int]] = Maybe("train_exported")
"""The training whose files were asked for while it learns, and how many merges it had then."""


def take_run_along(job: Job) -> None:
    """Let the visitor take what a training has learned; while it learns, as it was when this was opened."""
    if job.ended and not job.merges:
        return
    with fold(
        t("exports.title"), icon=":material/download:", key=EXPORTS_OPEN.key, on_change=_note_size, args=(job,)
    ):
        if EXPORTS_OPEN.get():
            _files(job)


def _note_size(job: Job) -> None:
    EXPORTED_MERGES.put((job.id, len(job.merges)))


def _files(job: Job) -> None:
    tokenizer = job.tokenizer()
    if not job.ended:
        noted = EXPORTED_MERGES.get()
        if noted is None or noted[0] != job.id:
            _note_size(job)
        noted_merges = (EXPORTED_MERGES.get() or ("", 0))[1]
        tokenizer = tokenizer.at(BYTES + noted_merges)
        if tokenizer.pattern != (pattern := job.pattern_after(noted_merges)):  # since then, tokens cross spaces
            tokenizer = Tokenizer(tokenizer.merges, pattern=pattern, special_tokens=tokenizer.special_tokens)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(t("exports.so_far", size=tokenizer.vocab_size), width="stretch")
            st.button(
                t("exports.newer"),
                icon=":material/refresh:",
                key="exports_newer",
                on_click=_note_size,
                args=(job,),
            )
    if job.training.counts is not None:
        st.caption(t("counts.proof"))
    export_panel(tokenizer, f"{job.id}@{tokenizer.vocab_size}", visitor.texts_of(job))
