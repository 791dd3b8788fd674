"""The Languages page: texts and tokenizers are chosen, the premium is said, and bills are drawn and printed."""

from collections.abc import Sequence

import streamlit as st
from msgspec.structs import replace

from pages.ui.frame.frame import bring_into_view
from pages.ui.frame.links import link_for
from pages.ui.i18n import as_name, language, t
from pages.ui.i18n.breaks import with_breaks, without_breaks
from pages.ui.inputs.opener import tokenizer_opener
from pages.ui.inputs.parallel_texts import Apart, Compared, pick_parallel, say_what_was_read, wants_upload
from pages.ui.inputs.tokenizers import lanes_that_encode
from pages.ui.inputs.uploads import is_kept
from pages.ui.languages import bill
from pages.ui.languages.apart import show_apart
from pages.ui.languages.bill import Terms, worst
from pages.ui.languages.counts import Bill, bills, countable
from pages.ui.languages.league import show_league
from pages.ui.languages.metrics import show_metrics
from pages.ui.languages.pairs import most_unfair, show_pairs
from pages.ui.languages.receipt import can_be_billed, choose_lane, choose_texts, link_to, says_of, take_link
from pages.ui.languages.report import take_away
from pages.ui.session import Value
from pages.ui.widgets.controls import fold
from pages.ui.widgets.receipt import receipt
from pages.ui.widgets.slides import MOST_CHARACTERS, Slide, present
from pages.ui.widgets.slides.talk import (
    MOST_BARS,
    Entry,
    Unfair,
    add_button,
    name_kept,
    receipt_slides,
    unfair_slides,
)
from pages.ui.widgets.token_view.lanes import Lane
from tokenizer_core.bpe.openai import OPENAI_NAMES

FOLDS = {
    "league": ":material/leaderboard:",
    "table": ":material/table:",
    "pairs": ":material/compare_arrows:",
    "metrics": ":material/monitoring:",
    "take_away": ":material/download:",
}
"""What is folded below the bills, and its icon."""


_PICKS: Value[bool] = Value("languages_texts", bool)
"""Whether the fold is open in which texts are picked."""
_LEAGUE: Value[bool] = Value("languages_league", bool)
_LEAGUE_ASKED: Value[int] = Value("languages_league_asked", int)


def compare_languages() -> None:
    """The premium in a sentence, the bars beside the receipt, and folded below what stands behind them."""
    take_link(link_for("languages"))
    top = st.container(key="answer_languages")  # styled as what `answer` draws, one container fewer
    left, right = st.columns([6, 7], gap="large")
    with left:
        bars = st.container()
        with st.container(key="languages_choices"):
            lanes = bill.choose_lanes()
            tokenizer_opener()
            with fold(t("languages.texts"), icon=":material/translate:", is_open=wants_upload(), key=_PICKS.key):
                picked = pick_parallel(is_shown=_PICKS.get())
    with top:
        found = bills(picked, countable(picked, lanes)) if isinstance(picked, Compared) else []
    with right:
        lane, terms, printed = _receipt(lanes, picked, found)
    with top:
        _answer(picked, found, lanes, lane, printed)
        if picked is not None and wants_upload():  # it stands above the place where files are chosen
            sides = picked.sides if isinstance(picked, Apart) else [picked.parallel]
            bring_into_view("answer_languages", " ".join(side.digest for side in sides))
    with bars:
        if isinstance(picked, Compared) and found:
            bill.show_bars(picked, found)
            _lead_to_league(picked, found)
        st.caption(t("languages.what"))
    if isinstance(picked, Compared) and found:
        _folds(picked, found, terms, lane)


def _lead_to_league(compared: Compared, found: Sequence[Bill]) -> None:
    """Say who needs the fewest tokens of those that are drawn, and lead to all that are at hand."""
    highest = worst(compared, found)
    same = [each for each in found if highest is not None and each.language == highest.language]
    if len(same) < 2:
        return
    best = min(same, key=lambda each: each.tokens)
    spoken, tokenizer = compared.spoken[best.language], as_name(without_breaks(best.lane.name))
    words = with_breaks(t("languages.fewest", language=spoken, count=len(same), tokenizer=tokenizer))
    st.button(words, icon=FOLDS["league"], type="tertiary", on_click=_open_league, key="languages_fewest")


def _open_league() -> None:
    _LEAGUE.put(True)
    _LEAGUE_ASKED.put(_LEAGUE_ASKED.get() + 1)


def _receipt(
    lanes: Sequence[Lane], picked: Compared | Apart | None, found: Sequence[Bill]
) -> tuple[Lane | None, Terms, list[Slide]]:
    """Draw the receipt with its settings; return who counts it, the terms, and the receipt as a slide."""
    with st.container(horizontal=True, gap="xsmall", key="receipt_row"):
        lane = choose_lane(lanes) if lanes else None
        with st.container(horizontal=True, gap="xsmall", width="content", key="receipt_choices"):
            billed = choose_texts(picked, found)
            terms = bill.choose_terms()
    texts = billed.texts
    if lane is None or not can_be_billed(lane, texts):
        return lane, terms, []
    billed = replace(billed, price=terms.price, currency=terms.currency)
    slides = receipt_slides(billed, [lane])
    for slide in slides:
        options = slide.receipt or {}
        says = says_of(options, lane, lanes, texts)
        receipt({**options, "says": says, "link": link_to(lane, texts)})
    add_button(Entry(billed=billed, lanes=(lane.choice,)), key="receipt_add", words="talk.add_receipt")
    return lane, terms, slides


def _answer(
    picked: Compared | Apart | None,
    found: Sequence[Bill],
    lanes: Sequence[Lane],
    reader: Lane | None,
    printed: Sequence[Slide],
) -> None:
    """Say what the texts come to, and present it with the receipt."""
    if isinstance(picked, Compared):
        say_what_was_read(picked)
        bill.say_premium(picked, found, reader)
        present(lambda: _from_mean_to_extreme(slides_of(picked, lanes_of(found), found), printed))
        return
    if isinstance(picked, Apart):
        show_apart(picked, lanes_that_encode(lanes, [side.texts[0] for side in picked.sides]))
    elif not is_kept("languages"):  # else what is wrong is said beside the files
        st.info(t("languages.choose_texts"))
    if printed:
        present(lambda: printed)


def _from_mean_to_extreme(unfair: Sequence[Slide], printed: Sequence[Slide]) -> list[Slide]:
    """Return the premium of all pairs, then the receipt as an example, then the most unfair pair."""
    return [*unfair[:1], *printed, *unfair[1:]]


def _folds(compared: Compared, found: Sequence[Bill], terms: Terms, reader: Lane | None) -> None:
    """Draw what stands behind the bills, each part once it is opened."""
    lanes, highest = lanes_of(found), worst(compared, found)
    first = highest.language if highest else next(iter(compared.others), compared.base)
    show = {
        "league": lambda: show_league(compared, lanes, terms, first),
        "table": lambda: bill.show_table(compared, found, terms, reader),
        "pairs": lambda: show_pairs(compared, lanes, first, reader),
        "metrics": lambda: show_metrics(compared, lanes, first),
        "take_away": lambda: take_away(compared, found, terms, reader),
    }
    for name, icon in FOLDS.items():
        is_open: Value[bool] = Value(f"languages_{name}", bool)
        with fold(t(f"languages.view_{name}"), icon=icon, key=is_open.key):
            if is_open.get():
                show[name]()
    if _LEAGUE_ASKED.get():
        bring_into_view(_LEAGUE.key, str(_LEAGUE_ASKED.get()))
    add_button(entry_of(compared, lanes, found), key="languages_add", words="talk.add_premium")


def lanes_of(found: Sequence[Bill]) -> list[Lane]:
    """Return the tokenizers of the bills, each once."""
    return list({each.lane.key: each.lane for each in found}.values())


def slides_of(compared: Compared, lanes: Sequence[Lane], found: Sequence[Bill]) -> list[Slide]:
    """Return the highest premium in a sentence, and the pair with the highest premium by that tokenizer."""
    unfair = _unfair(compared, found)
    if unfair is None:
        return [Slide("words", title={language(): t("languages.no_premium")})]
    return unfair_slides(unfair, lanes)


def entry_of(compared: Compared, lanes: Sequence[Lane], found: Sequence[Bill]) -> Entry:
    """Return the same for the visitor's talk, in which references stay; nothing if no language has a premium."""
    kept = tuple(lane.key for lane in lanes if lane.key in OPENAI_NAMES)
    return Entry(unfair=_unfair(compared, found), lanes=kept)


def _bars(found: Sequence[Bill]) -> tuple[tuple[str, float], ...]:
    """Return the premium of each tokenizer, the highest first; of many, the highest and the lowest."""
    premiums = sorted(((name_kept(each.lane), each.premium or 0.0) for each in found), key=lambda each: -each[1])
    return (*premiums[: MOST_BARS - 1], *premiums[MOST_BARS - 1 :][-1:])


def _unfair(compared: Compared, found: Sequence[Bill]) -> Unfair | None:
    bill = worst(compared, found)
    if bill is None or bill.premium is None:
        return None
    names = compared.parallel.names if compared.is_sample else compared.names
    same = [each for each in found if each.language == bill.language and each.premium is not None]
    unfair = Unfair(
        name_kept(bill.lane),
        (names[bill.language], names[compared.base]),
        bill.premium,
        premiums=_bars(same),
        pairs=compared.parallel.pairs,
    )
    if (found_pair := most_unfair(compared, bill.language, bill.lane)) is None:
        return unfair
    pair, pair_premium = found_pair
    spoken, base = (
        compared.parallel.lines[place][pair][:MOST_CHARACTERS] for place in (bill.language, compared.base)
    )
    return replace(unfair, line=pair + 1, pair_premium=pair_premium, texts=(spoken, base))
