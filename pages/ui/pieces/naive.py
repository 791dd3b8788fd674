"""Characters and words as tokenizers, with BPE between them: vocabulary size against the length of the text."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from pages.ui.choices.corpus_names import corpus_called
from pages.ui.pieces.chips import draw_lane, seen
from pages.ui.pieces.compared import compare_naive
from pages.ui.pieces.naive_chart import Way, naive_chart
from pages.ui.session import remembered
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.figures_table import figures_table
from pages.ui.widgets.fold import fold
from pages.ui.words import t
from tokenizer_core.formats.naive import NaiveTokenizer, character_tokenizer, word_tokenizer
from tokenizer_core.jobs.fingerprint import corpus_hash
from tokenizer_core.measures.history import token_counts
from tokenizer_core.measures.segmenters import newmm
from tokenizer_core.pretokens import count_pretokens
from tokenizer_core.protocols import count_tokens
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import Trainer
from tokenizer_core.vocabulary import BYTES

MOST_CHARACTERS = 120_000
"""Characters of the corpus that are counted, so that the page answers at once."""
MOST_TYPED = 2_000
MOST_OF_BPE = 4_000
SHOWN_ENTRIES = 10


@dataclass(frozen=True)
class Naive:
    """The tokenizers of a corpus, and how long it is in each."""

    tokenizers: dict[str, NaiveTokenizer]
    lengths: dict[str, int]
    bpe: Tokenizer
    curve: list[tuple[int, int]]
    """Vocabulary size and tokens, from single bytes on."""


_kept = Bounded[Naive](8, weigh=lambda naive: 1)


def naive_of(texts: Sequence[str]) -> Naive:
    """Return the naive tokenizers of a corpus and the BPE between them; the same texts are counted once."""
    text = ""
    for each in texts:
        text = f"{text}\n{each[:MOST_CHARACTERS]}"[:MOST_CHARACTERS] if text else each[:MOST_CHARACTERS]
    return _kept.get(corpus_hash([text]), lambda: _count(text))


def _count(text: str) -> Naive:
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
    return Naive(tokenizers, lengths, bpe, list(counted))


def naive_section(texts: Sequence[str], corpus_name: str) -> None:
    """Draw a sentence cut into characters, by BPE and into words; the chart; and the tables."""
    naive = naive_of(texts)
    text = st.text_input(
        t("naive.text"),
        key=remembered("naive_text", t("naive.text_first")),
        persist_state="session",
    )
    most = naive.bpe.vocab_size
    size = st.slider(t("naive.size"), BYTES, most, min(1_000, most), key="naive_size") if most > BYTES else most
    text = (text or "")[:MOST_TYPED]
    bpe = naive.bpe.at(int(size))
    _lane("characters", naive, text)
    draw_lane(t("pieces.ours"), t("pieces.entries", count=bpe.vocab_size), bpe, text)
    for name in naive.tokenizers:
        if name != "characters":
            _lane(name, naive, text)
    st.caption(t("naive.unknown_says"))
    compare_naive(naive.tokenizers, corpus_name)
    st.subheader(t("naive.chart"), anchor=False)
    _chart(naive)
    st.caption(t("naive.from", corpus=corpus_called(corpus_name), characters=naive.lengths["characters"]))
    _table(naive)


def _lane(name: str, naive: Naive, text: str) -> None:
    tokenizer = naive.tokenizers[name]
    unknown = tokenizer.encode(text).count(0)
    entries = t("pieces.entries", count=tokenizer.vocab_size)
    draw_lane(t(f"naive.{name}"), f"{entries} · {t('naive.unknown', count=unknown)}", tokenizer, text)


def _chart(naive: Naive) -> None:
    ways = [
        Way(t(f"naive.{name}"), naive.tokenizers[name].vocab_size, length)
        for name, length in naive.lengths.items()
    ]
    sentence = t(
        "naive.chart_says",
        characters=naive.tokenizers["characters"].vocab_size,
        longest=naive.lengths["characters"],
        words=naive.tokenizers["words"].vocab_size,
        shortest=naive.lengths["words"],
    )
    rows, spec = naive_chart(
        naive.curve,
        ways,
        curve_name=t("pieces.ours"),
        size_title=t("curves.axis_size"),
        tokens_title=t("naive.axis_tokens"),
    )
    st.vega_lite_chart(rows, spec, key="naive_chart", alt=sentence)
    st.markdown(f":material/lightbulb: {sentence}")


def _table(naive: Naive) -> None:
    """Show the most frequent entries of each vocabulary."""
    names = list(naive.tokenizers)
    head = [t("naive.rank"), *(cell for name in names for cell in (t(f"naive.{name}"), "×"))]
    rows = []
    for place in range(SHOWN_ENTRIES):
        cells = [f"{place + 1}"]
        for name in names:
            counts = naive.tokenizers[name].counts
            cells += [seen(counts[place][0])[:30], f"{counts[place][1]:,}"] if place < len(counts) else ["", ""]
        rows.append(cells)
    with fold(t("naive.table"), icon=":material/table:", key="naive_table"):
        figures_table([head, *rows], t("naive.table"), words=tuple(range(1, 2 * len(names), 2)))
