"""What a class takes along: the lessons as a file, and a plan with its answers, strips, worksheet and tickets."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from pages.ui.i18n import language, t
from pages.ui.i18n.breaks import without_breaks
from pages.ui.learn.lessons import LESSONS, OFFLINE, offline_page
from pages.ui.widgets.printing import bold, printed
from tokenizer_core.bpe.reference import get_stats, merge

STRIPS = "กาตากามาตากา"
TICKET = "มาตามาตามา"
COPIES, TICKETS, ROUNDS = 3, 4, 6
"""Sheets of strips, tickets on a sheet, and lines of the worksheet."""
MINUTES = {"guess": 5, "strips": 15, "app": 20, "ticket": 10}
_FIRST_MERGED = 0x110000
"""The number of the first token made by hand: the characters have their code points."""


class Round(NamedTuple):
    """A merge done on paper, how often its pair was found, and the tokens afterwards."""

    pair: tuple[str, str]
    found: int
    tokens: list[str]


def rounds_of(text: str) -> list[Round]:
    """Merge by the definition, beginning with characters, as long as a pair is found twice.

    >>> [("".join(each.pair), each.found, len(each.tokens)) for each in rounds_of("กาตากามาตากา")]
    [('กา', 3, 9), ('ตา', 2, 7), ('ตากา', 2, 5)]
    """
    ids, names = list(map(ord, text)), {ord(each): each for each in text}
    rounds: list[Round] = []
    while (counts := get_stats(ids)) and max(counts.values()) > 1:
        pair = max(counts, key=counts.__getitem__)
        token = _FIRST_MERGED + len(rounds)
        names[token] = names[pair[0]] + names[pair[1]]
        ids = merge(ids, pair, token)
        rounds.append(Round((names[pair[0]], names[pair[1]]), counts[pair], [names[each] for each in ids]))
    return rounds


@cache
def plan(spoken: str) -> bytes:
    """Return the plan and all its sheets in the language that the visitor speaks, as one page to print."""
    first = rounds_of(TICKET)[0]
    said = {name: without_breaks(t(f"lesson.{name}_name")) for name in ("see", "hand")}
    page = printed(
        Path(__file__).parent / "plan.html",
        title=without_breaks(t("plan.title")),
        strips=STRIPS,
        copies=COPIES,
        tickets=TICKETS,
        lines=ROUNDS,
        minutes=MINUTES,
        lessons=said,
        rounds=rounds_of(STRIPS),
        ticket=TICKET,
        first=" + ".join(first.pair),
        count=first.found,
        bold=bold,
    )
    return page.encode()


def for_a_class() -> None:
    """Offer the plan and the file of lessons."""
    with st.container(horizontal=True, key="for_a_class"):
        st.download_button(
            t("plan.save"),
            plan(language()),
            f"plan-{language()}.html",
            "text/html",
            icon=":material/print:",
            help=t("plan.help"),
            on_click="ignore",
            key="learn_plan",
        )
        st.download_button(
            t("learn.offline", numbers=", ".join(f"{list(LESSONS).index(name) + 1}" for name in OFFLINE)),
            offline_page(language()),
            f"lessons-{language()}.html",
            "text/html",
            icon=":material/download:",
            help=t("learn.offline_help"),
            on_click="ignore",
            key="learn_offline",
        )
