"""The bills of the Languages page: the sentence, the bars, the table of all figures, and a month of chats."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from pages.ui.i18n import errors_shown, t, translations
from pages.ui.i18n.breaks import with_breaks, without_breaks
from pages.ui.inputs.parallel_texts import NAME_CHARACTERS, Compared
from pages.ui.inputs.tokenizers import choose_tokenizers, is_trained_here, lanes_of_choices, name_of
from pages.ui.languages.charts import Bar, bar_chart, packed_rows
from pages.ui.languages.counts import Bill
from pages.ui.session import Maybe, Value, remembered
from pages.ui.widgets import formatting
from pages.ui.widgets.charts import draw
from pages.ui.widgets.controls import popover
from pages.ui.widgets.figures_table import Formats, sortable_table
from pages.ui.widgets.receipt import is_example_price
from pages.ui.widgets.token_view.lanes import Lane
from tokenizer_core.analysis.bootstrap import SHARE
from tokenizer_core.analysis.costs import cost, currency_of, parse_price, with_currency
from tokenizer_core.errors import TokenizerError

PRICE: Maybe[str] = Maybe("languages_price")
_CURRENCY: Value[str] = Value("languages_currency", str)
_WINDOW: Maybe[int] = Maybe("languages_window")
_SETS_TERMS: Value[bool] = Value("languages_terms", bool)
"""Whether the box of price and context window is open."""
WINDOW = 128_000
"""Tokens of the context window by default; visitors can set another number."""
MOST_WINDOW = 1_000_000_000
CHATS_A_DAY = 1_000
DAYS = 30


class Terms(NamedTuple):
    """What the visitor sets for a bill: the context window, and the price per million tokens."""

    window: int
    price: float | None
    currency: str = ""
    is_example: bool = False
    """Whether the price is the example that the app begins with."""


def choose_lanes() -> list[Lane]:
    """Let the visitor choose tokenizers, at first all; return their lanes, the visitor's own first."""
    chosen = choose_tokenizers("languages_names", label_visible=False)
    lanes = lanes_of_choices(chosen)
    if not lanes:
        st.info(t("compare.choose_one"))
    return lanes


# ---- the sentence


def worst(compared: Compared, found: Sequence[Bill]) -> Bill | None:
    """Return the bill with the highest premium over the base language."""
    of_others = [bill for bill in found if bill.language != compared.base and bill.premium is not None]
    return max(of_others, key=lambda bill: bill.premium or 0.0, default=None)


def said_of(compared: Compared, found: Sequence[Bill], reader: Lane | None) -> list[Bill]:
    """Return the bill of the receipt's tokenizer, and the one farthest from it, both of one language.

    The language is that with the highest premium. Without a reader, the highest premium comes first. What was
    trained here is the other one only beside its like: it may have learned from these very sentences.
    """
    highest = worst(compared, found)
    if highest is None:
        return []
    same = [each for each in found if each.language == highest.language and each.premium is not None]
    first = next((each for each in same if reader is not None and each.lane.key == reader.key), highest)
    others = [each for each in same if not is_trained_here(each.lane)] or same
    other = max(others, key=lambda each: abs((each.premium or 0.0) - (first.premium or 0.0)))
    return [first] if other is first else [first, other]


def say_premium(compared: Compared, found: Sequence[Bill], reader: Lane | None) -> None:
    """Say in a sentence the premium of the receipt's tokenizer, and that at the other end of the range."""
    if said := said_of(compared, found, reader):
        sentence = premium_said(compared, said, name_of, stressed="**{}**".format)
        st.header(with_breaks(sentence), anchor=False)  # in English, too, GPT-2 stays on one line


def premium_said(
    compared: Compared,
    said: Sequence[Bill],
    called: Callable[[Lane], str],
    stressed: Callable[[str], str] = str,
) -> str:
    """Say how many times as many tokens each of these tokenizers needs as in the base language, all of one."""
    bill, *others = said
    sentence = t(
        "languages.says",
        tokenizer=called(bill.lane),
        premium=stressed(formatting.ratio(bill.premium or 0.0)),
        language=compared.spoken[bill.language],
        base=compared.spoken[compared.base],
    )
    for each in others:
        premium = stressed(formatting.ratio(each.premium or 0.0))
        sentence += " " + t("languages.says_other", tokenizer=called(each.lane), premium=premium)
    return sentence


def say_how_sure(compared: Compared, found: Sequence[Bill], reader: Lane | None) -> None:
    """Say between what the premiums of that sentence lie, for other sentences of this kind."""
    intervals = ((each.lane.name, each.interval) for each in said_of(compared, found, reader))
    if said := formatting.resampled(intervals, pairs=compared.parallel.pairs):
        st.caption(said)


def premium_in_words(compared: Compared, said: Sequence[Bill]) -> str:
    """Say the same outside Markdown."""
    return premium_said(compared.with_plain_names(), said, lambda lane: lane.name) if said else ""


def how_counted(compared: Compared) -> str:
    """Say which texts were counted, how many pairs they have, and how lines were joined."""
    what = "languages.how_sample" if compared.is_sample else "languages.how"
    joined = t(f"languages.how_{compared.joining}")
    return t(what, pairs=compared.parallel.pairs, joined=joined, base=compared.spoken[compared.base])


# ---- bars and table


def show_bars(compared: Compared, found: Sequence[Bill]) -> None:
    """Draw one chart of the bills."""
    empty = compared.parallel.empty.some_sides
    title = t(
        "languages.bars_some_empty" if empty else "languages.bars", pairs=compared.parallel.pairs, count=empty
    )
    st.markdown(f"**{title}**")
    draw(
        bar_chart, packed_rows(bars_of(compared, found)), key="languages_bars", says=bars_in_words(compared, found)
    )
    if compared.is_sample and any(is_trained_here(bill.lane) for bill in found):
        st.caption(t("languages.own_note"))


def show_table(compared: Compared, found: Sequence[Bill], terms: Terms, reader: Lane | None) -> None:
    """Say how the bills were counted, draw the table, and say what a month of chats costs by this tokenizer."""
    st.markdown(how_counted(compared))
    say_how_sure(compared, found, reader)
    frame, formats = bills_table(compared, found, terms)
    sortable_table(frame, t("languages.table"), formats=formats, key="languages_table")
    st.caption(with_dollars(terms_said(terms)))
    month = month_said(compared, found, terms, reader=reader, stressed="**{}**".format)
    st.markdown(with_breaks(with_dollars(month)))


def bars_of(compared: Compared, found: Sequence[Bill]) -> tuple[Bar, ...]:
    """Return a bar for each bill, labeled with its tokens and its premium; who needs the fewest comes first."""
    names, colours = compared.names, compared.colours
    needed: Counter[str] = Counter()
    for bill in found:
        needed[bill.lane.key] += bill.tokens if bill.language != compared.base else 0
    return tuple(
        Bar(bill.lane.name, names[side := bill.language], bill.tokens, _label(compared, bill), colours[side])
        for bill in sorted(found, key=lambda bill: needed[bill.lane.key])
    )


def _label(compared: Compared, bill: Bill) -> str:
    name = compared.names[bill.language][:NAME_CHARACTERS]
    if bill.language == compared.base or bill.premium is None:
        return f"{name} {bill.tokens:,}"
    return f"{name} {bill.tokens:,} · {formatting.premium(bill.premium)}"


def bars_in_words(compared: Compared, found: Sequence[Bill]) -> str:
    """Say what the bars show, for visitors who cannot see them; the table below has the figures."""
    return f"{t('languages.alt')} {premium_in_words(compared, said_of(compared, found, None)[:1])}".strip()


def choose_terms() -> Terms:
    """Let the visitor set the price and the context window; if the price is not a number, say so and use none."""
    _translate_example()
    entered, price = PRICE.get() or "", None
    with popover(t("languages.terms"), icon=":material/payments:", key=_SETS_TERMS.key):
        if _SETS_TERMS.get():
            _boxes_of_terms()
        with errors_shown():
            price = parse_price(entered)
    currency = currency_of(entered)
    _CURRENCY.put(currency)
    return Terms(_WINDOW.get() or WINDOW, price, currency, is_example_price(price, currency))


def _translate_example() -> None:
    """While the price is the example, write that of the visitor's language."""
    examples = map(without_breaks, translations("languages.price_example").values())
    if PRICE.get() in (None, *examples):
        PRICE.put(without_breaks(t("languages.price_example")))


def _boxes_of_terms() -> None:
    """Let the visitor enter a price and a context window."""
    st.text_input(
        t("languages.price"),
        key=PRICE.key,
        persist_state="session",
        placeholder=t("languages.price_placeholder"),
        help=t("languages.price_help"),
        max_chars=40,
        on_change=_keep_currency,
    )
    st.number_input(
        t("languages.window"),
        min_value=1,
        max_value=MOST_WINDOW,
        step=1_000,
        key=remembered(_WINDOW.key, WINDOW),
        persist_state="session",
        help=t("languages.window_help"),
    )


def _keep_currency() -> None:
    """Write the currency of the last price at a bare number."""
    entered = PRICE.get() or ""
    with suppress(TokenizerError):
        if parse_price(entered) is not None and not currency_of(entered):
            PRICE.put(with_currency(entered.strip(), _CURRENCY.get()))


def terms_said(terms: Terms) -> str:
    """Say what the columns of the table mean."""
    return " ".join([t("languages.table_says", window=terms.window), *costs_said(terms)])


def costs_said(terms: Terms) -> list[str]:
    """Say how costs are computed, and that the price is an example."""
    said = [] if terms.price is None else [t("languages.cost_says")]
    if terms.price is not None and terms.is_example:
        price = with_currency(formatting.money(terms.price), terms.currency)
        said.append(t("languages.price_is_example", price=price))
    return said


def month_said(
    compared: Compared,
    found: Sequence[Bill],
    terms: Terms,
    *,
    reader: Lane | None = None,
    stressed: Callable[[str], str] = str,
) -> str:
    """Say what a month of chats costs in each language, by this tokenizer or that kindest to others.

    `stressed` writes the costs, which come first.
    """
    of_others = [bill for bill in found if bill.language != compared.base and bill.premium is not None]
    if terms.price is None or not of_others:
        return ""
    by_reader = [bill for bill in of_others if reader is not None and bill.lane.key == reader.key]
    lane = min(by_reader or of_others, key=lambda bill: bill.premium or 0.0).lane
    costs = [
        _month_cost(compared, bill, terms)
        for bill in sorted(found, key=lambda bill: bill.language == compared.base)
        if bill.lane is lane
    ]
    costs_said = stressed(", ".join(costs))
    return t("languages.month_says", chats=CHATS_A_DAY, days=DAYS, tokenizer=lane.name, costs=costs_said)


def with_dollars(sentence: str) -> str:
    """Keep Markdown from reading what stands between two dollar signs as a formula."""
    return sentence.replace("$", r"\$")


def _month_cost(compared: Compared, bill: Bill, terms: Terms) -> str:
    """Say what a month of chats costs in one language."""
    assert terms.price is not None
    tokens = bill.tokens / compared.parallel.pairs
    amount = cost(tokens * CHATS_A_DAY * DAYS, terms.price)
    said = with_currency(formatting.money(amount), terms.currency)
    return t("languages.month_cost", cost=said, language=compared.spoken[bill.language])


def bills_table(compared: Compared, found: Sequence[Bill], terms: Terms) -> tuple[pd.DataFrame, Formats]:
    """Return a row for each tokenizer and language, and how its numbers are written."""
    frame = pd.DataFrame(
        {
            t("languages.tokenizer"): [bill.lane.name for bill in found],
            t("languages.language"): [compared.names[bill.language] for bill in found],
            t("languages.tokens"): [bill.tokens for bill in found],
            t("languages.premium"): [bill.premium for bill in found],
            t("languages.left"): [terms.window - bill.tokens for bill in found],
        }
    )
    if any(bill.interval for bill in found):
        head = t("league.interval", share=formatting.share(SHARE))
        frame.insert(4, head, [formatting.interval(bill.interval) or formatting.NONE for bill in found])
    formats: dict[str, Callable[[Any], str]] = {
        t("languages.premium"): formatting.premium,
        t("languages.left"): partial(left_of, terms.window),
    }
    add_costs(frame, formats, [bill.tokens for bill in found], terms, at=len(frame.columns))
    return frame, formats


def add_costs(
    frame: pd.DataFrame,
    formats: dict[str, Callable[[Any], str]],
    tokens: Sequence[int],
    terms: Terms,
    *,
    at: int,
) -> None:
    """Add to a table, at this place, what its rows cost at the visitor's price, if there is one."""
    if terms.price is not None:
        costs = [cost(each, terms.price) for each in tokens]
        head = t("languages.cost_in", currency=terms.currency) if terms.currency else t("languages.cost")
        frame.insert(at, head, costs)
        formats[head] = formatting.money_like(costs)


def left_of(window: int, left: int) -> str:
    """Say what is left of a window, in tokens and as a share, or by how many tokens the text is too long."""
    if left < 0:
        return t("languages.too_long", tokens=-left)
    return f"{left:,} ({formatting.share(left / window)})"
