"""Texts to train on, or only their counts; their names, and the bundled samples."""

import re
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui.i18n import catalogue, names, t
from pages.ui.session import Maybe, Value
from pages.ui.widgets import formatting
from pages.ui.widgets.player.serve import DEFAULT_PACE, PACES
from tokenizer_core.bpe.openai import openai_tokenizer, references
from tokenizer_core.bpe.protocols import count_tokens
from tokenizer_core.readers.labels import opening
from tokenizer_core.readers.mixing import Mix, Shares, held_out, script_shares
from tokenizer_core.workers.training_settings import CountedCorpus, StopRules, Training, corpus_hash

OPENING_CHARACTERS = 240
CHUNK = 4_000_000
"""Characters encoded at once to count bytes: 200 MB at once would need as much memory again."""


@dataclass(frozen=True)
class Corpus:
    """Texts to train on, and their name; or a file of counted pretokens in place of the texts."""

    name: str  # safe in Markdown; `corpus_title` puts it into words
    texts: tuple[str, ...] = field(repr=False)
    counts: CountedCorpus | None = None

    @cached_property
    def characters(self) -> int:
        return self.counts.characters if self.counts else sum(map(len, self.texts))

    @cached_property
    def lines(self) -> int:
        return sum(text.count("\n") + (not text.endswith("\n")) for text in self.texts if text)

    @cached_property
    def size(self) -> int:
        """UTF-8 bytes."""
        if self.counts is not None:
            return self.counts.recipe.bytes_read
        return sum(map(_size, self.texts))

    @cached_property
    def shares(self) -> Shares | None:
        """The shares of Thai, Latin and other letters; None without letters."""
        return script_shares(self.texts)

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The language of each text, as its letters tell; none if a text has several scripts, or all are alike."""
        if self.counts is not None or not 1 < len(self.texts) <= MOST_TEXTS:
            return ()
        latin = "en" if given_name("sample_both") in self.name else "latin"
        found = tuple(_language(text, latin) for text in self.texts)
        return found if "" not in found and len(set(found)) > 1 else ()

    @cached_property
    def sha256(self) -> str:
        """The fingerprint: the same for the same texts in the same order."""
        return self.counts.sha256 if self.counts else corpus_hash(self.texts)

    @cached_property
    def opening(self) -> str:
        """The first lines of the first two nonempty texts."""
        return openings([text for text in self.texts[:100] if text][:2])


LANGUAGES_OF_TEXTS = ("th", "en", "latin")
"""English only of the bundled sentences: other texts in Latin letters may be in any language."""
MOST_TEXTS = 200
"""Texts whose language is looked for: the cells of a table may be a million texts."""
ONE_SCRIPT = 0.9
"""Of the letters of a text in one language; Thai texts have English names in them."""


def _language(text: str, latin: str) -> str:
    """Return "th" or the language in Latin letters; "" if no script has nearly all letters."""
    shares = script_shares([text])
    if shares is None or max(shares.thai, shares.latin) < ONE_SCRIPT:
        return ""
    return "th" if shares.thai > shares.latin else latin


def _size(text: str) -> int:
    """Return the UTF-8 bytes of a text."""
    return sum(
        len(text[start : start + CHUNK].encode("utf-8", errors="surrogatepass"))
        for start in range(0, len(text), CHUNK)
    )


def openings(texts: list[str]) -> str:
    """Return the first lines of each text, with an ellipsis if the text continues."""
    shown = [(opening(text, OPENING_CHARACTERS).rstrip(), text) for text in texts]
    return "\n".join(first + ("" if text.strip() == first else " …") for first, text in shown)


CORPORA: Value[dict[str, Corpus]] = Value("corpora", dict)
"""The last corpus of each source, with its figures."""
MIXED: Maybe[tuple[Any, Mix]] = Maybe("mix_mixed")
"""The last mix by scripts, and what it was made of."""


def shares_sentence(shares: Shares | None) -> str:
    """Say the shares of Thai, Latin and other letters."""
    if shares is None:
        return t("corpus.no_letters")
    words = "corpus.shares_of_sample" if shares.is_sample else "corpus.shares"
    return t(
        words,
        thai=formatting.share(shares.thai),
        latin=formatting.share(shares.latin),
        other=formatting.share(shares.other),
    )


# ---- names: a training keeps the name of its corpus, so a name that the app gives is a key until it is shown


GIVEN = {
    "sample_th": "corpus.sample_th",
    "sample_en": "corpus.sample_en",
    "sample_both": "corpus.sample_both",
    "pasted": "corpus.pasted",
    "small": "pieces.card_small",
}
"""Corpora that the app names: bundled sentences, pasted text, and the few lines on the Pieces page."""
_GIVEN = re.compile(f"corpus:({'|'.join(GIVEN)})")
_ARTICLES = re.compile("wikipedia:(.*)", re.DOTALL)
_MIX = re.compile(r"mix:(\d+ : \d+):(bytes|characters):(.*)", re.DOTALL)


def given_name(name: str) -> str:
    """Return the name of a corpus that the app names."""
    return f"corpus:{name}"


def name_of_articles(titles: str) -> str:
    """Return the name of Wikipedia articles with these titles, which are safe in Markdown."""
    return f"wikipedia:{titles}"


def name_of_mix(corpus: str, weights: str, unit: str) -> str:
    """Return the name of a corpus that was mixed by these weights."""
    return f"mix:{weights}:{unit}:{corpus}"


def corpus_title(name: str) -> str:
    """Return the name of a corpus in the visitor's language, safe in Markdown if `name` is; files keep theirs."""
    if given := _GIVEN.fullmatch(name):
        return t(GIVEN[given[1]])
    if articles := _ARTICLES.fullmatch(name):
        return t("wikipedia.name", titles=articles[1])
    if mix := _MIX.fullmatch(name):
        return t("mix.name", corpus=corpus_title(mix[3]), weights=mix[1], unit=t(f"mix.{mix[2]}"))
    return name


# ---- bundled samples


FOLDER = Path(__file__).resolve().parents[3] / "sample_data"
SAMPLES = {"th": ("parallel.th.txt",), "en": ("parallel.en.txt",), "both": ("parallel.th.txt", "parallel.en.txt")}


def sample_texts() -> tuple[str, ...]:
    """Return the bundled samples of both languages."""
    return tuple(map(sample_text, SAMPLES["both"]))


@cache
def sample_text(file: str) -> str:
    """Return the text of a bundled sample."""
    return (FOLDER / file).read_text(encoding="utf-8")


@cache
def sample_topics() -> dict[str, tuple[int, ...]]:
    """Return the topics of the sample in its order, each with its pairs, numbered from 0 up."""
    places: dict[str, list[int]] = {}
    for place, topic in enumerate(sample_text("parallel.topics.txt").split()):
        places.setdefault(topic, []).append(place)
    return {topic: tuple(found) for topic, found in places.items()}


DEFAULT_SAMPLE = "both"
DEFAULT_SIZE = 1_000
DEFAULT_STOP = StopRules(min_count=2)
"""A pair that occurs once is memorized text, not a rule."""


def pick_sample() -> Corpus:
    """Let the visitor pick the bundled sentences: Thai, English, or both."""
    choice = st.pills(
        t("corpus.which_sample"),
        list(SAMPLES),
        format_func=names("corpus.sample_{}", SAMPLES),
        default="both",
        required=True,
        key="corpus_sample",
        persist_state="session",
        label_visibility="collapsed",
    )
    return sample_corpus(choice or "both")


@cache
def sample_corpus(choice: str) -> Corpus:
    """Return bundled sentences: one corpus for all visitors, whose figures are computed once."""
    return Corpus(given_name(f"sample_{choice}"), tuple(map(sample_text, SAMPLES[choice])))


def is_bundled(corpus: Corpus) -> bool:
    """Tell whether a corpus is a bundled one as it is: short, and the same for all visitors."""
    return any(corpus.texts == sample_corpus(name).texts for name in SAMPLES)


def first_training(sentence: str, pattern: str = "mark_aware") -> Training:
    """Return the training that one click starts, to watch a sentence: but for the pattern, the usual one."""
    corpus = sample_to_train_on(sample_for(sentence))
    pace = PACES[DEFAULT_PACE]
    return Training(corpus.texts, DEFAULT_SIZE, pattern, stop=DEFAULT_STOP, pace=pace, corpus_name=corpus.name)


def sample_for(sentence: str) -> str:
    """Return the bundled sample to watch a sentence with: Thai letters come first, and may not be in it."""
    return "en" if _language(sentence, "en") == "en" else DEFAULT_SAMPLE


def sample_to_train_on(name: str) -> Corpus:
    """Return a bundled sample without its held-out lines, which the race counts."""
    return Corpus(given_name(f"sample_{name}"), tuple(map(text_to_train_on, SAMPLES[name])))


@cache
def text_to_train_on(file: str) -> str:
    """Return the text of a bundled sample without its held-out lines, and without the sentence on the stage."""
    shown = {catalogue("th")[f"examples.{name}"] for name in ("thai", "english")}
    return "\n".join(line for line in held_out(sample_text(file).splitlines())[0] if line not in shown)


def sample_premiums() -> list[tuple[str, float]]:
    """Return the premium of the sample by reference: Thai tokens / English tokens, a ratio of sums over lines."""
    return [(name, _sample_premium(name)) for name in references()]


@cache
def _sample_premium(name: str) -> float:
    tokenizer = openai_tokenizer(name)
    thai, english = (count_tokens(tokenizer, sample_text(file).splitlines()) for file in SAMPLES["both"])
    return thai / english
