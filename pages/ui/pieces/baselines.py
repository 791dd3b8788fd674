"""Characters and words as tokenizers, the baselines of BPE: vocabulary size against the length of a text."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd
import streamlit as st
from altair.typing import ChartType
from streamlit.delta_generator import DeltaGenerator

from pages.ui.i18n import t
from pages.ui.inputs.corpus import corpus_title
from pages.ui.inputs.opened_files import OpenedFile
from pages.ui.pieces.chips import ShownLane, chips_slide, compare_button, draw_lanes
from pages.ui.session import remembered
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.charts import ROUND_NUMBERS, ROWS, draw, log_scale, log_spaced
from pages.ui.widgets.controls import answer, fold
from pages.ui.widgets.figures_table import figures_table
from pages.ui.widgets.slides import Slide
from pages.ui.widgets.token_view.chips import visible
from tokenizer_core.analysis.baselines import NaiveTokenizer, character_tokenizer, word_tokenizer
from tokenizer_core.analysis.lineage import token_counts
from tokenizer_core.analysis.segmenters import newmm
from tokenizer_core.bpe.protocols import AnyTokenizer, count_tokens
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.trainer import Trainer
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.interop.opening import Opened
from tokenizer_core.patterns.pretokens import count_pretokens
from tokenizer_core.workers.training_settings import corpus_hash

MOST_CHARACTERS = 120_000
"""Characters of the corpus that are counted, so that the page answers at once."""
MOST_TYPED = 2_000
MOST_OF_BPE = 4_000
SHOWN_ENTRIES = 10
POINTS = 160
"""Points of the line of BPE."""


@dataclass(frozen=True)
class Baselines:
    """The tokenizers of a corpus, and how long it is in each."""

    tokenizers: dict[str, NaiveTokenizer]
    lengths: dict[str, int]
    bpe: Tokenizer
    curve: list[tuple[int, int]]
    """Vocabulary size and tokens, from single bytes on."""


_kept = Bounded[Baselines](8, weigh=lambda baselines: 1)


def baselines_of(texts: Sequence[str]) -> Baselines:
    """Return the baselines of a corpus and the BPE between them; the same texts are counted once."""
    text = "\n".join(each[:MOST_CHARACTERS] for each in texts if each)[:MOST_CHARACTERS]
    return _kept.get(corpus_hash([text]), lambda: _count(text))


def _count(text: str) -> Baselines:
    lines = text.split("\n")
    tokenizers = {"characters": character_tokenizer([text]), "words": word_tokenizer(lines)}
    lengths = {name: count_tokens(each, text) for name, each in tokenizers.items()}
    segmenter = newmm()
    if segmenter is not None:
        tokenizers["newmm"] = word_tokenizer([text], segmenter)
        lengths["newmm"] = sum(count for _, count in tokenizers["newmm"].counts)
    merges = Trainer(count_pretokens([text], "mark_aware"), MOST_OF_BPE, 2).step(MOST_OF_BPE)
    bpe = Tokenizer([(merge.left, merge.right) for merge in merges])
    counted = enumerate(token_counts([text], bpe).tolist(), BYTES)
    return Baselines(tokenizers, lengths, bpe, list(counted))


def baselines_section(place: DeltaGenerator, texts: Sequence[str], corpus_name: str) -> Callable[[], list[Slide]]:
    """Draw a sentence cut into characters, by BPE and into words at a place, and here a chart and tables.

    Returns what makes a slide of the sentence.
    """
    baselines = baselines_of(texts)
    most = baselines.bpe.vocab_size
    size = st.slider(t("naive.size"), BYTES, most, min(1_000, most), key="naive_size") if most > BYTES else most
    bpe = baselines.bpe.at(int(size))
    with place:
        text = st.text_input(
            t("naive.text"),
            key=remembered("naive_text", t("naive.text_first")),
            persist_state="session",
        )
        text = (text or "")[:MOST_TYPED]
        characters, *words = (_lane(name, baselines, text) for name in baselines.tokenizers)
        lanes = [characters, ShownLane("pieces.ours", bpe, t("pieces.entries", count=bpe.vocab_size)), *words]
        counts = [len(lane.tokenizer.encode(text)) for lane in (*lanes[:2], words[0])]
        lost = words[0].tokenizer.encode(text).count(0)
        counted = dict(zip(("characters", "bpe", "words"), counts, strict=True))
        answered = t("naive.answer", **counted, lost=lost) if text else t("naive.no_text")
        answer(answered, key="naive")
        draw_lanes(lanes, text)
        st.caption(t("lessons.naive_says"))
    compare_button(t("naive.compare"), lambda: _files(baselines, bpe, corpus_name), text, key="naive_compare")
    st.header(t("naive.chart"), anchor=False)
    _chart(baselines)
    measured = baselines.lengths["characters"]
    key = "naive.from" if measured == MOST_CHARACTERS else "naive.from_all"
    st.caption(t(key, corpus=corpus_title(corpus_name), characters=measured))
    _table(baselines)
    return lambda: [chips_slide("naive", answered, lanes, text)]


def _lane(name: str, baselines: Baselines, text: str) -> ShownLane:
    tokenizer = baselines.tokenizers[name]
    unknown = tokenizer.encode(text).count(0)
    entries = t("pieces.entries", count=tokenizer.vocab_size)
    return ShownLane(f"naive.{name}", tokenizer, f"{entries} · {t('naive.unknown', count=unknown)}")


def _chart(baselines: Baselines) -> None:
    sentence = chart_sentence(baselines)
    draw(baselines_chart, baselines_rows(baselines), key="naive_chart", says=sentence)
    st.markdown(f":material/lightbulb: {sentence}")


def chart_sentence(baselines: Baselines) -> str:
    """Say what characters and words take; a few words said again and again need fewer entries than characters."""
    characters, words = (baselines.tokenizers[name].vocab_size for name in ("characters", "words"))
    return t(
        "naive.chart_says" if words > characters else "naive.chart_says_few",
        characters=characters,
        longest=baselines.lengths["characters"],
        words=words,
        shortest=baselines.lengths["words"],
    )


def baselines_rows(baselines: Baselines) -> pd.DataFrame:
    """Return the points of BPE's line, whose middle one carries its name, and the baselines."""
    curve = [("", *baselines.curve[merge], False) for merge in log_spaced(len(baselines.curve), POINTS)]
    curve[len(curve) // 2] = (t("pieces.ours"), *curve[len(curve) // 2][1:])
    ways = [
        (t(f"naive.{name}"), baselines.tokenizers[name].vocab_size, length, True)
        for name, length in baselines.lengths.items()
    ]
    return pd.DataFrame([*curve, *ways], columns=["name", "size", "tokens", "is_baseline"])


def baselines_chart() -> ChartType:
    """Define vocabulary size against length: BPE as a line, each baseline as a named diamond."""
    said = [
        alt.Tooltip("size:Q", title=t("curves.axis_size"), format=",d"),
        alt.Tooltip("tokens:Q", title=t("naive.axis_tokens"), format=",d"),
    ]
    rows = alt.Chart(ROWS)
    curve, ways = rows.transform_filter("!datum.is_baseline"), rows.transform_filter("datum.is_baseline")
    diamonds = ways.mark_point(style="quiet", shape="diamond", size=120)
    round_numbers = alt.Axis(values=ROUND_NUMBERS, format=",d")
    return alt.layer(
        curve.mark_line().encode(tooltip=said),
        curve.mark_text(style="strong", align="left", dx=10, dy=-12).encode(text="name:N"),
        diamonds.encode(tooltip=[alt.Tooltip("name:N", title=" "), *said]),
        ways.mark_text(style="quiet", dy=18).encode(text="name:N"),
        height=340,
    ).encode(
        alt.X("size:Q", title=t("curves.axis_size"), scale=log_scale(50), axis=round_numbers),
        alt.Y("tokens:Q", title=t("naive.axis_tokens"), scale=log_scale(30), axis=round_numbers),
    )


def _table(baselines: Baselines) -> None:
    """Show the most frequent entries of each vocabulary."""
    names = list(baselines.tokenizers)
    head = [t("naive.rank"), *(cell for name in names for cell in (t(f"naive.{name}"), t("naive.times")))]
    rows = []
    for place in range(SHOWN_ENTRIES):
        cells = [f"{place + 1}"]
        for name in names:
            counts = baselines.tokenizers[name].counts
            cells += [visible(counts[place][0])[:30], f"{counts[place][1]:,}"] if place < len(counts) else ["", ""]
        rows.append(cells)
    with fold(t("naive.table"), icon=":material/table:", key="naive_table"):
        words = tuple(range(1, 2 * len(names), 2))
        figures_table(pd.DataFrame(rows, columns=head), t("naive.table"), words=words)


def _files(baselines: Baselines, bpe: Tokenizer, corpus_name: str) -> list[OpenedFile]:
    """Return the tokenizers of the tab as Compare takes them, BPE at the size that is set."""
    learned: dict[str, tuple[AnyTokenizer, str, object]] = {
        t(f"naive.{name}"): (each, "characters" if name == "characters" else "words", each.counts)
        for name, each in baselines.tokenizers.items()
    }
    learned[f"BPE {bpe.vocab_size:,}"] = (bpe, "BPE", list(bpe.merges))
    files = []
    for name, (tokenizer, model, content) in learned.items():
        digest = hashlib.sha256(repr((name, content)).encode()).hexdigest()
        opened = Opened(tokenizer, "corpus", model, files=(corpus_name,), digest=digest)
        files.append(OpenedFile(name, opened, {}))
    return files
