"""The premium by topic: every pair has a topic, and a premium is the product of length and tokenizer."""

import unicodedata

from pages.ui.choices.samples import sample_text, sample_topics
from pages.ui.words import catalogue
from tests.helpers.app import sortable_tables
from tests.helpers.languages_page import opened
from tokenizer_core.openai import openai_tokenizer

THAI, ENGLISH = (sample_text(f"parallel.{side}.txt").splitlines() for side in ("th", "en"))


def test_every_pair_has_a_topic_with_a_name() -> None:
    topics = sample_topics()
    places = [place for found in topics.values() for place in found]
    assert sorted(places) == list(range(len(THAI)))
    assert len(THAI) == len(ENGLISH) >= 630
    for language in ("en", "th"):
        assert all(catalogue(language)[f"topics.{topic}"] for topic in topics)


def test_the_pairs_are_plausible_and_none_occurs_twice() -> None:
    assert len(set(THAI)) == len(set(ENGLISH)) == len(THAI)
    ratios = {place: len(thai) / len(english) for place, (thai, english) in enumerate(zip(THAI, ENGLISH))}
    assert {place: ratio for place, ratio in ratios.items() if not 0.3 < ratio < 2.2} == {}
    for line in [*THAI, *ENGLISH]:
        assert line == unicodedata.normalize("NFC", line).strip()
        assert not {"\u200b", "\u2060", "\ufeff", "\t"} & set(line)


def test_a_premium_is_the_product_of_length_and_tokenizer() -> None:
    app = opened(view="metrics")
    gpt2 = openai_tokenizer("gpt2")
    tokens = [sum(len(gpt2.encode(line)) for line in lines) for lines in (THAI, ENGLISH)]
    length = sum(map(len, THAI)) / sum(map(len, ENGLISH))
    times = tokens[0] / tokens[1]
    expected = (
        f"premium {times:.2f} ×, that is, {length:.2f} times as many characters, each taking {times / length:.2f} "
    )
    assert expected in " ".join(each.value for each in app.markdown)
    assert {row[0] for row in sortable_tables(app)[0][1:]} >= {"Chat", "News", "Royal vocabulary"}
