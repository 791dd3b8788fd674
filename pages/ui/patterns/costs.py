"""What a split pattern costs: the same text trained with two to four patterns, measured on held-out lines."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st
from altair.typing import ChartType

from pages.ui.i18n import error_sentence, language, t
from pages.ui.inputs.corpus import Corpus, is_bundled, sample_texts
from pages.ui.inputs.corpus_picker import corpus_picker
from pages.ui.inputs.pattern import shortened
from pages.ui.patterns.lab import Chosen
from pages.ui.run_registry.series import Plan, Series, follow, show_progress, stop_all_but
from pages.ui.session import Value
from pages.ui.widgets import formatting
from pages.ui.widgets.bars import premium_bars
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.charts import ROWS, draw, log_scale, log_spaced, with_line_ends
from pages.ui.widgets.controls import answer, fold, save_button, segmented
from pages.ui.widgets.figures_table import figures_table
from pages.ui.widgets.slides import Slide
from tokenizer_core.analysis.cuts import cuts
from tokenizer_core.analysis.lineage import token_counts_of
from tokenizer_core.analysis.segmenters import NEWMM, newmm
from tokenizer_core.bpe.segments import Ints, TextMap, token_lengths
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.trainer import FIRST_MERGES, Trainer, cluster_merges
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.errors import TokenizerError
from tokenizer_core.patterns.pretokens import counted_pretokens
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS, batches
from tokenizer_core.readers.mixing import first_lines, held_out, lines_by_script
from tokenizer_core.workers.training_settings import StopRules, Training

MOST_BYTES = 2_000_000
"""Bytes of the text that each variant learns from."""
WORDS_CHARACTERS = 130_000
"""Characters of the text to find words in: a segmenter takes a second for this many."""
MEASURED_BYTES = 200_000
"""Bytes of held-out lines to measure on, for each language."""
LEAST_MEASURED = 2_000
"""Characters of held-out lines below which nothing may be concluded from the counts."""
STOP = StopRules(min_count=2)
TWO_STAGES, WORDS = "two_stages", "words"
SIDES = ("thai", "latin", "other")


class Variant(NamedTuple):
    """One variant of a comparison: a named pattern, a custom pattern, or more than a pattern."""

    key: str
    pattern: str
    own: int = 0
    """The number of the visitor's custom pattern, counted from 1; 0 for the others."""

    @property
    def name(self) -> str:
        """The name for people, not for Markdown."""
        if self.own:
            return t("costs.own", number=self.own)
        return t(f"costs.{self.key}") if self.key in (TWO_STAGES, WORDS) else t(f"pattern.{self.key}_name")

    @property
    def short(self) -> str:
        """The name for places with little room."""
        return shortened(self.name)


class Result(NamedTuple):
    """The outcome of one variant; without a tokenizer if it failed."""

    variant: Variant
    tokenizer: Tokenizer | None = None
    counts: tuple[Ints, ...] = ()
    """For each side, the tokens in the held-out lines after each merge."""
    inside: float | None = None
    """The share of token boundaries that lie inside a letter with its marks."""
    failure: TokenizerError | None = None


@dataclass
class Comparison:
    """Some variants on one corpus with one vocabulary size: what they need, and their outcomes."""

    variants: Sequence[Variant]
    vocab_size: int
    learned: str = field(repr=False)
    """The text to learn from; dropped when all variants are done."""
    learned_bytes: int
    measured: dict[str, str] = field(repr=False)
    """Held-out lines by side."""
    from_sample: bool = False
    results: list[Result] = field(default_factory=list)
    series: Series = field(init=False)

    def __post_init__(self) -> None:
        self.series = Series(self._plan(), len(self.variants), takes_failures=True)

    def _plan(self) -> Plan:
        """Yield a training for each variant; a failure is a result too."""
        for variant in self.variants:
            learned = _words_of(_beginning(self.learned)) if variant.key == WORDS else [self.learned]
            first = _first_merges(variant)
            outcome = yield Training(
                list(learned), self.vocab_size, variant.pattern, stop=STOP, first_merges=first
            )
            if isinstance(outcome, TokenizerError):
                self.results.append(Result(variant, failure=outcome))
            else:
                self.results.append(self._result(variant, outcome.tokenizer()))
        self.learned = ""

    def finish(self) -> None:
        """Train here and now, without workers: a tenth of a second for each variant of the bundled sentences."""
        for variant in self.variants:
            least = STOP.min_count
            merges = cluster_merges(self.learned, _first_merges(variant), min_count=least)
            counted = counted_pretokens(self.learned, variant.pattern)
            trainer = Trainer(counted, self.vocab_size, least, merges=merges)
            merges += [(merge.left, merge.right) for merge in trainer.step(self.vocab_size)]
            self.results.append(self._result(variant, Tokenizer(merges, pattern=variant.pattern)))
        self.learned = ""
        self.series.is_complete = True

    def _result(self, variant: Variant, tokenizer: Tokenizer) -> Result:
        try:
            pretokens = {side: _pretokens(text, variant) for side, text in self.measured.items()}
        except TokenizerError as error:
            return Result(variant, failure=error.bare())
        counts = tuple(token_counts_of(Counter(each), tokenizer).astype(np.int64) for each in pretokens.values())
        return Result(variant, tokenizer, counts, _inside(tokenizer, self.measured, pretokens))


def new_comparison(texts: Sequence[str], variants: Sequence[Variant], vocab_size: int) -> Comparison:
    """Hold out every fifth line, sorted by language; use the bundled sample if there are too few lines."""
    learned, measured = _parted(texts)
    from_sample = not any(measured.values()) or not learned
    if from_sample:
        learned, measured = _parted(sample_texts())
    size = len(learned.encode("utf-8", "surrogatepass"))
    return Comparison(variants, vocab_size, learned, size, measured, from_sample)


def _first_merges(variant: Variant) -> int:
    """Return how many merges are learned inside letters with their marks first."""
    return FIRST_MERGES if variant.key == TWO_STAGES else 0


def _parted(texts: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return the text to learn from, and the held-out lines of each language that has some.

    Lines in other scripts are measured only if there are no Thai and no Latin ones.
    """
    lines, out = held_out([line for text in texts for line in text.removesuffix("\n").split("\n")])
    sides = dict(zip(SIDES, lines_by_script("\n".join(out)), strict=True))
    sides["other"] = [] if sides["thai"] or sides["latin"] else [line for line in sides["other"] if line.strip()]
    measured = {side: "\n".join(first_lines(lines, MEASURED_BYTES)) for side, lines in sides.items() if lines}
    return "\n".join(first_lines(lines, MOST_BYTES)), measured


def _beginning(text: str) -> str:
    """Return the first lines of a text, short enough to find words in while a visitor waits."""
    if len(text) <= WORDS_CHARACTERS:
        return text
    return text[: text.rfind("\n", 0, WORDS_CHARACTERS) + 1 or WORDS_CHARACTERS]


def _words_of(text: str) -> Sequence[str]:
    segmenter = newmm()
    assert segmenter is not None  # without it, words cannot be chosen
    return [word for word in segmenter.split(text) if word]


def _pretokens(text: str, variant: Variant) -> list[str]:
    if variant.key == WORDS:
        return list(_words_of(text))
    return [pretoken for batch in batches(text, variant.pattern) for pretoken in batch]


def _inside(tokenizer: Tokenizer, measured: dict[str, str], pretokens: dict[str, list[str]]) -> float | None:
    """Return the share of token boundaries inside a grapheme cluster, over the lines of all sides together."""
    bare = Tokenizer(tokenizer.merges, pattern="none")  # the pretokens are already cut
    known: dict[str, Ints] = {}
    torn = boundaries = 0
    for side, text in measured.items():
        for pretoken in pretokens[side]:
            if pretoken not in known:
                known[pretoken] = token_lengths(bare.encode(pretoken), bare)
        found = cuts(TextMap(text), np.concatenate([known[pretoken] for pretoken in pretokens[side]]))
        torn, boundaries = torn + found.inside_clusters, boundaries + found.boundaries
    return torn / boundaries if boundaries else None


COMPARISONS: Value[dict[Any, Comparison]] = Value("pattern_contests", dict)
"""Contests by the hash of the corpus, the variants and the vocabulary size."""
_of_samples = Bounded[Comparison](16, weigh=lambda comparison: 1)
"""Comparisons on bundled sentences, which are the same for all visitors."""
VARIANTS: Value[list[str]] = Value("costs_entrants", list)
PICKED_BY_HAND: Value[bool] = Value("costs_picked", bool)
"""Whether the visitor has picked variants; until then, those above on the page are picked."""

SIZES = (1_000, 2_000, 4_000, 8_000)
DEFAULT_SIZE = 2_000
LEAST, MOST = 2, 4
MAX_KEPT = 6
POINTS = 60
"""Points of each line; vocabulary sizes stand evenly on a logarithmic scale."""
HEIGHT = 300
TICKS = [digit * 10**power for power in range(7) for digit in (1, 1.5, 2, 3, 4, 6, 8)]
"""Of the logarithmic axis of tokens, which is short; Vega leaves out those beyond the lines."""
DASHES = [[1, 0], [7, 3], [2, 3], [9, 3, 2, 3]]


def pattern_costs(chosen: Sequence[Chosen]) -> list[Slide]:
    """Offer to train with some patterns, show the outcomes as they arrive, and let the visitor choose the text.

    Returns a slide once all are trained: what the one that saves most costs, and a bar for each.
    """
    said, place = st.container(), st.container()
    with fold(t("costs.text"), icon=":material/notes:", key="costs_text"):
        corpus = corpus_picker()
    with place:
        if corpus is None:
            st.info(t("costs.choose_text"), icon=":material/edit_note:")
            return []
        comparison = _compare(corpus, chosen)
    if comparison is None or not comparison.series.is_complete:
        return []
    with said:
        return _say(comparison)


def _say(comparison: Comparison) -> list[Slide]:
    """Draw the answer, above it a caution if the text is too short; return its beginning as a slide."""
    done = [result for result in comparison.results if result.tokenizer is not None]
    if len(done) < 2:
        return []
    characters = sum(map(len, comparison.measured.values()))
    if comparison.from_sample:
        st.warning(t("costs.uses_sample"), icon=":material/warning:")
    elif characters < LEAST_MEASURED:
        st.warning(t("costs.few", characters=characters), icon=":material/warning:")
    first, *others = verdict(done, list(comparison.measured))
    answer(first, key="patterns_costs")
    for each in others:
        st.markdown(each)
    if any(result.variant.key == TWO_STAGES for result in done):
        st.caption(t("costs.two_stages_short", merges=FIRST_MERGES))
    source = t("costs.slide_source", size=comparison.vocab_size, characters=characters)
    bars = _bars(done, next(iter(comparison.measured)), says=first)
    return [Slide("bars", over={language(): source}, title={language(): first}, html=bars)]


def _bars(done: Sequence[Result], side: str, says: str) -> str:
    """Return a bar for each pattern but the base: its tokens on the first side, divided by those of the base."""
    base = _base(done)
    others = sorted((each for each in done if each is not base), key=lambda each: int(each.counts[0][-1]))
    named = [(_called(each.variant), float(each.counts[0][-1] / base.counts[0][-1])) for each in others]
    return premium_bars(named, base=f"{base.variant.short} · {t(f'costs.{side}')}", says=says)


def _called(variant: Variant) -> str:
    """Name a variant for a room, which has not read what two stages are."""
    return variant.name if variant.key == TWO_STAGES else variant.short


def _compare(corpus: Corpus, chosen: Sequence[Chosen]) -> Comparison | None:
    """Let the visitor choose what to train, and start, stop and show a comparison."""
    st.markdown(t("costs.what"))
    variants = _picker(chosen)
    fits = LEAST <= len(variants) <= MOST
    if not fits:
        st.info(t("costs.how_many", least=LEAST, most=MOST), icon=":material/checklist:")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        size = segmented(
            t("costs.size"), SIZES, "{:,}".format, key="costs_size", default=DEFAULT_SIZE, show_label=True
        )
        kept = COMPARISONS.get()
        key = (corpus.sha256, tuple(variants), size)
        comparison = kept.get(key)
        if comparison is None and fits and is_bundled(corpus) and all(map(_is_quick, variants)):
            with st.spinner(t("costs.training")):
                comparison = _of_samples.get(key, partial(_finished, corpus.texts, variants, size))
        stop_all_but(comparison.series if comparison else None, (each.series for each in kept.values()))
        if comparison is None or comparison.series.stopped:
            words = t("costs.resume") if comparison else t("costs.start", count=len(variants))
            if st.button(
                words, icon=":material/play_arrow:", type="primary", key="costs_start", disabled=not fits
            ):
                while comparison is None and len(kept) >= MAX_KEPT:
                    kept.pop(next(iter(kept))).series.stop()
                kept[key] = comparison = comparison or new_comparison(corpus.texts, variants, size)
                comparison.series.resume()
                st.rerun()
    if comparison is not None:
        follow(comparison.series, partial(_show, comparison))
    return comparison


def _is_quick(variant: Variant) -> bool:
    """Tell whether a variant needs no worker: its pattern is never slow, and it needs no segmenter."""
    return variant.pattern in SPLIT_PATTERNS and variant.key != WORDS


def _finished(texts: Sequence[str], variants: Sequence[Variant], vocab_size: int) -> Comparison:
    comparison = new_comparison(texts, variants, vocab_size)
    comparison.finish()
    return comparison


def _picker(chosen: Sequence[Chosen]) -> list[Variant]:
    """Let the visitor pick variants: named patterns, custom patterns, two stages, and words if they can be found.

    Until the visitor picks some, they are the two patterns above on the page, and two stages.
    """
    own = [each.pattern for each in chosen if each.choice == "custom"]
    options = [Variant(name, name) for name in SPLIT_PATTERNS]
    options += [Variant(f"custom {pattern}", pattern, number) for number, pattern in enumerate(own, 1)]
    options.append(Variant(TWO_STAGES, "mark_aware"))
    if newmm() is not None:
        options.append(Variant(WORDS, "none"))
    by_key = {each.key: each for each in options}
    cut_above = [each.pattern if each.choice != "custom" else f"custom {each.pattern}" for each in chosen]
    wanted = VARIANTS.get() if PICKED_BY_HAND.get() else [*cut_above, TWO_STAGES]
    VARIANTS.put([each for each in wanted if each in by_key])
    words = t("costs.words_what" if newmm() else "costs.no_words", name=NEWMM)
    picked = st.pills(
        t("costs.entrants"),
        list(by_key),
        selection_mode="multi",
        format_func={each.key: each.name for each in options}.__getitem__,
        key=VARIANTS.key,
        persist_state="session",
        on_change=PICKED_BY_HAND.put,
        args=(True,),
        wrap=True,
        help=f"{t('costs.two_stages_what', merges=FIRST_MERGES)} {words}",
    )
    return [by_key[each] for each in by_key if each in picked]


# ---- showing


def _show(comparison: Comparison) -> None:
    """Draw progress, a chart for each language, the table, and the tokenizers to save."""
    series = comparison.series
    if series.at_work:
        name = comparison.variants[series.done].short
        words = t("costs.progress", done=series.done, count=series.count, name=name)
        show_progress(series, words, stop=t("costs.stop"), key="costs_stop")
    for result in comparison.results:
        if result.failure is not None:
            st.error(f"{result.variant.short}: {error_sentence(result.failure)}", icon=":material/error:")
    done = [result for result in comparison.results if result.tokenizer is not None]
    if not done:
        return
    for number, (side, column) in enumerate(
        zip(comparison.measured, st.columns(len(comparison.measured), gap="large"))
    ):
        with column:
            st.markdown(f"**{t(f'costs.{side}')}**")
            lines = cost_lines([(result.variant.short, result.counts[number]) for result in done])
            # There is no winner before all are done.
            sentence = _what_to_see(done, number) if comparison.series.is_complete and len(done) > 1 else ""
            says = f"{t(f'costs.{side}')} {sentence}".strip()
            draw(costs_chart, lines, key=f"costs_{side}", says=says)
            st.caption(f"{t('costs.chart')} {sentence}".strip())
    figures_table(_table(comparison, done), t("costs.title"), formats={t("costs.inside"): formatting.fine_share})
    st.caption(" ".join(_conditions(comparison, done)))
    if comparison.series.is_complete:
        _downloads(done)


def cost_lines(counts: Sequence[tuple[str, Ints]]) -> pd.DataFrame:
    """Return a line for each name: tokens at some vocabulary sizes, and the place of the name at its end."""
    points: list[tuple[int, str, int, int]] = []
    for number, (name, tokens) in enumerate(counts):
        merges = log_spaced(len(tokens), POINTS)
        points += [(number, name, BYTES + merge, int(tokens[merge])) for merge in merges]
    frame = pd.DataFrame(points, columns=["line", "name", "size", "tokens"])
    return with_line_ends(frame, "tokens", height=HEIGHT - 80)


def costs_chart() -> ChartType:
    """Define a line for each pattern, tokens against vocabulary size, with its name at its end.

    Both axes are logarithmic: equal steps are equal ratios. Lines differ in dashes as well as in color.
    """
    colour = alt.Color("line:N", legend=None)
    rows = alt.Chart(ROWS)
    lines = rows.encode(
        alt.X(
            "size:Q",
            title=t("curves.axis_size"),
            scale=log_scale(0),
            axis=alt.Axis(values=[256, 500, 1_000, 2_000, 4_000, 8_000], format=",d", grid=False),
        ),
        alt.Y("tokens:Q", title=None, scale=log_scale(6), axis=alt.Axis(format="~s", values=TICKS)),
        alt.StrokeDash("line:N", legend=None, scale=alt.Scale(range=DASHES)),
        colour,
        tooltip=[
            alt.Tooltip("name:N", title=" "),
            alt.Tooltip("size:Q", title=t("curves.axis_size"), format=",d"),
            alt.Tooltip("tokens:Q", title=t("curves.axis_tokens"), format=",d"),
        ],
    )
    ends = rows.transform_filter("isValid(datum.place)")
    names = ends.encode(colour, x=alt.value("width"), y="place:Q", text="name:N")
    return alt.layer(lines.mark_line(), names.mark_text(style="right", limit=150), height=HEIGHT)


def _what_to_see(done: Sequence[Result], side: int) -> str:
    """Say in one sentence which need the fewest tokens at the end, and which the most."""
    last = {result.variant.short: int(result.counts[side][-1]) for result in done}
    fewest, most = min(last.values()), max(last.values())
    if fewest == most:
        return t("costs.says_equal", tokens=fewest)
    best, worst = ("” · “".join(name for name, count in last.items() if count == end) for end in (fewest, most))
    return t("costs.says", best=best, fewest=fewest, worst=worst, most=most)


def verdict(done: Sequence[Result], sides: Sequence[str]) -> list[str]:
    """Say in plain words what each pattern costs in each language, against GPT-2's or else the first one.

    The one that needs the fewest tokens in the first language comes first, and its figures are marked.
    """
    base = _base(done)
    others = sorted((each for each in done if each is not base), key=lambda each: [n[-1] for n in each.counts])
    return [_needs(each, base, sides, "**" if each is others[0] else "") for each in others]


def _base(done: Sequence[Result]) -> Result:
    return next((result for result in done if result.variant.key == "gpt2"), done[0])


def _needs(result: Result, base: Result, sides: Sequence[str], mark: str) -> str:
    pairs = zip(result.counts, base.counts, strict=True)
    ratios = [float(counts[-1] / of_base[-1]) for counts, of_base in pairs]
    needs = ["fewer" if ratio < 1 else "more" if ratio > 1 else "same" for ratio in ratios]
    parts = [
        t(f"costs.{need}", share=f"{mark}{formatting.share(abs(ratio - 1))}{mark}", place=t(f"costs.in_{side}"))
        for need, ratio, side in zip(needs, ratios, sides, strict=True)
    ]
    said = t("costs.and", first=parts[0], second=parts[1]) if len(parts) > 1 else parts[0]
    return t("costs.verdict", base=base.variant.short, name=result.variant.short, says=said)


def _table(comparison: Comparison, done: Sequence[Result]) -> pd.DataFrame:
    """Return the final tokens by language, and the share of cuts inside letters; sizes if one was not reached."""
    frame = pd.DataFrame(
        {
            t("pattern.label"): [result.variant.short for result in done],
            **{
                t(f"costs.{side}"): [int(result.counts[number][-1]) for result in done]
                for number, side in enumerate(comparison.measured)
            },
            t("costs.inside"): [result.inside for result in done],
        }
    )
    if not all(_reached(each, comparison.vocab_size) for each in done):
        frame[t("frontier.entries")] = [each.tokenizer.vocab_size if each.tokenizer else None for each in done]
    return frame


def _conditions(comparison: Comparison, done: Sequence[Result]) -> list[str]:
    """Say how the table was measured, and what may be surprising in it."""
    measured = [
        t("costs.measured", side=t(f"costs.{side}"), characters=len(text))
        for side, text in comparison.measured.items()
    ]
    kilobytes = formatting.kilobytes(comparison.learned_bytes)
    how = t("costs.how", kilobytes=kilobytes, measured="; ".join(measured))
    sentences = [how, t("costs.inside_why")]
    if not all(_reached(result, comparison.vocab_size) for result in done):
        sentences.append(t("costs.ran_out", size=comparison.vocab_size))
    return sentences


def _reached(result: Result, size: int) -> bool:
    return result.tokenizer is not None and result.tokenizer.vocab_size == size


def _downloads(done: Sequence[Result]) -> None:
    """Offer each tokenizer as a file; say why if a tokenizer cannot be written to a file."""
    with st.container(horizontal=True):
        for number, result in enumerate(done):
            if result.variant.key == WORDS or result.tokenizer is None:
                continue
            try:
                model = result.tokenizer.model_text()
            except TokenizerError as error:
                st.caption(f"{result.variant.short}: {error_sentence(error)}")
                continue
            label, key = t("costs.download", name=result.variant.short), result.variant.key
            name = key if key in (*SPLIT_PATTERNS, TWO_STAGES) else f"custom-{result.variant.own}"
            save_button(label, model, f"{name}.model", key=f"costs_download_{number}")
    if any(result.variant.key == TWO_STAGES for result in done):
        st.caption(t("costs.two_stages_file"))
    if any(result.variant.key == WORDS for result in done):
        st.info(t("costs.words_file", name=NEWMM), icon=":material/block:")
