"""The league table of the Languages page: all models at hand by what they need, and quoted figures of others."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.i18n import as_name, error_sentence, t
from pages.ui.i18n.breaks import with_breaks, without_breaks
from pages.ui.inputs.opened_files import (
    OPENED_FILES,
    REFERENCE_FILES,
    borrowed_from,
    key_of_model,
    known_name,
    open_model,
    title_of,
)
from pages.ui.inputs.parallel_texts import Compared
from pages.ui.inputs.tokenizers import DOUBTS, reference_lanes
from pages.ui.languages.bill import Terms, add_costs, costs_said, with_dollars
from pages.ui.languages.charts import Bar, bar_chart, bars_svg, packed_rows, premium_with
from pages.ui.languages.counts import Counts, counted
from pages.ui.limits import IS_PUBLIC
from pages.ui.session import distinct, one_of
from pages.ui.widgets import formatting
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.charts import draw
from pages.ui.widgets.controls import save_button
from pages.ui.widgets.figures_table import figures_table, sortable_table
from pages.ui.widgets.printing import picture_button
from pages.ui.widgets.token_view.lanes import Lane
from tokenizer_core.analysis.bootstrap import DRAWS, SHARE, Interval, premium_intervals
from tokenizer_core.analysis.entries import vocab_size_with_special, vocabulary_hash
from tokenizer_core.analysis.ratios import premium
from tokenizer_core.errors import TokenizerError
from tokenizer_core.interop.model_tables import KnownFile
from tokenizer_core.readers.labels import harmless_cell
from tokenizer_core.sources.at_hand import find_models
from tokenizer_core.sources.families import Quoted, families, quoted
from tokenizer_core.sources.model import ModelAtHand

MOST_COUNTED = 24
"""Models at hand that are counted beside those that are chosen."""
MOST_CHARACTERS = 2_000_000
"""Characters of both sides up to which models at hand are counted: each takes a second for them."""


class Player(NamedTuple):
    """A tokenizer in the league, with its tokens in each line of the two languages."""

    key: str
    name: str
    tokens: Counts
    base: Counts
    vocabulary: int
    borrowed: str = ""
    """Whose tokenizer it is, if it is not its own."""
    is_exact: bool = True
    known: KnownFile | None = None
    """What is known of its file."""
    vocabulary_hash: bytes = b""
    """Equal for equal entries with equal ids."""
    same_as: str = ""
    """Who stands before it with the same entries, ids and counts."""


class Standing(NamedTuple):
    """A place in the league."""

    player: Player
    tokens: int
    base: int
    premium: float | None
    interval: Interval | None


_players = Bounded[Player](32 * 2**20, weigh=lambda player: player.tokens.nbytes + player.base.nbytes + 1)
"""What was counted with a file, under the name that it had first."""
_keys = Bounded[str](256, weigh=lambda key: 1)
_hashes = Bounded[bytes](64, weigh=lambda found: 1)


def show_league(compared: Compared, lanes: Sequence[Lane], terms: Terms, first: int) -> None:
    """Count all models at hand, draw who needs the fewest tokens, and quote the figures of others apart.

    It is of the language `first` until the visitor chooses another one.
    """
    if not compared.others:
        st.info(t("languages.no_premium"))
        return
    side = first
    if len(compared.others) > 1:
        key = one_of(f"languages_league_of_{compared.parallel.digest[:12]}", compared.others, first)
        names = compared.names.__getitem__
        chosen = st.selectbox(t("languages.language"), compared.others, format_func=names, key=key, width=260)
        side = side if chosen is None else int(chosen)
    players = _all_players(compared, side, lanes)
    found = standings(players)
    says = _says(compared, side, found)
    st.header(with_breaks(says), anchor=False)
    bars = bars_of(compared, side, found)
    draw(bar_chart, packed_rows(tuple(bars)), key="languages_league_bars", says=says)
    st.caption(t("league.chart_how", language=compared.spoken[side], share=f"{SHARE:.0%}"))
    shown = table_of(compared, side, found)
    formats: dict[str, Callable[[Any], str]] = {t("languages.premium"): formatting.premium}
    add_costs(shown, formats, [each.tokens for each in found], terms, at=5)
    sortable_table(shown, t("languages.view_league"), formats=formats, key="languages_league_table")
    st.caption(t("league.how", pairs=compared.parallel.pairs, draws=DRAWS, share=f"{SHARE:.0%}"))
    if terms.price is not None:
        st.caption(with_dollars(" ".join([t("league.one_price"), *costs_said(terms)])))
    title = t("report.bars_title", pairs=compared.parallel.pairs, base=compared.names[compared.base])
    svg = without_breaks(bars_svg(bars, title=title, says=says))
    with st.container(horizontal=True, vertical_alignment="center"):
        csv = csv_of(compared, side, found)
        save_button(t("report.csv"), csv, "league.csv", key="league_csv", icon=":material/table:")
        save_button(t("report.svg"), svg.encode(), "league.svg", key="league_svg", icon=":material/image:")
        picture_button(t("report.png"), svg, "league.png", key="league_png")
    _quote({player.known.name for player in players if player.known} | {player.name for player in players})


# ---- who plays


def _all_players(compared: Compared, side: int, lanes: Sequence[Lane]) -> list[Player]:
    """Return the chosen tokenizers, the references, and what is at hand; each tokenizer plays once."""
    found = {lane.key: _player_of(compared, side, lane) for lane in [*lanes, *reference_lanes()]}
    players = {player.key: player for player in found.values()}
    for player in _at_hand(compared, side):
        players.setdefault(player.key, player)
    return list(players.values())


def _player_of(compared: Compared, side: int, lane: Lane) -> Player:
    tokens, base = (counted(compared.parallel, each, lane).counts for each in (side, compared.base))
    file = next((each for each in OPENED_FILES.get() if each.key == lane.choice), None)
    known = file.opened.known if file else None
    borrowed = borrowed_from(file.model.name) if file and file.model else ""
    is_exact = not (file and DOUBTS & {remark.code for remark in file.opened.remarks})
    size = vocab_size_with_special(lane.tokenizer)
    entries = _hashes.get(lane.key, lambda: vocabulary_hash(lane.tokenizer))
    return Player(lane.choice, lane.name, tokens, base, size, borrowed, is_exact, known, entries)


def _at_hand(compared: Compared, side: int) -> Iterator[Player]:
    """Count what each model at hand needs, and say which ones cannot; show progress while they are opened."""
    if sum(len(compared.parallel.texts[each]) for each in (side, compared.base)) > MOST_CHARACTERS:
        st.caption(t("league.too_long", limit=MOST_CHARACTERS))
        return
    models = [model for model in find_models(public=IS_PUBLIC) if model.name not in REFERENCE_FILES]
    place, refused = st.empty(), []
    for number, model in enumerate(models[:MOST_COUNTED]):
        name, count = known_name(model.files[0]) if model.kind == "package" else None, len(models[:MOST_COUNTED])
        said = t("league.counting", name=as_name(name or model.name), place=number + 1, count=count)
        place.progress(number / count, text=said)
        try:
            yield _counted_at_hand(compared, side, model)
        except TokenizerError as error:
            refused.append(f"{as_name(model.name)} – {error_sentence(error)}")
        except OSError:
            refused.append(t("models.gone", name=as_name(model.name)))
    place.empty()
    if len(models) > MOST_COUNTED:
        st.caption(t("models.not_listed", count=len(models) - MOST_COUNTED))
    for sentence in refused:
        st.caption(sentence)


def _counted_at_hand(compared: Compared, side: int, model: ModelAtHand) -> Player:
    """Count what a model needs; its tokenizer is let go again, and only the counts are kept."""
    parallel, base = compared.parallel, compared.base

    def make() -> Player:
        file = open_model(model)
        tokenizer = file.opened.tokenizer
        tokens, others = (tokenizer.encode_each(parallel.lines[each]).counts for each in (side, base))
        size, entries = vocab_size_with_special(tokenizer), vocabulary_hash(tokenizer)
        is_exact = not DOUBTS & {remark.code for remark in file.opened.remarks}
        return Player(file.key, file.name, tokens, others, size, "", is_exact, file.opened.known, entries)

    changed = tuple(file.stat().st_mtime_ns for file in model.files)
    key = _keys.get((model, changed), lambda: key_of_model(model))
    found = _players.get((parallel.digest, side, base, key), make)
    return found._replace(name=title_of(model, found.known), borrowed=borrowed_from(model.name))


# ---- what comes of it


def standings(players: Sequence[Player]) -> list[Standing]:
    """Return the players in order of their tokens, with the premium and its interval."""
    intervals = premium_intervals([each.tokens for each in players], [each.base for each in players])
    found = []
    for player, interval in zip(players, intervals, strict=True):
        tokens, base = int(player.tokens.sum()), int(player.base.sum())
        found.append(Standing(player, tokens, base, premium(tokens, base), interval))
    names = distinct({each.key: each.name for each in players})
    named = [each._replace(player=each.player._replace(name=names[each.player.key])) for each in found]
    return _explained(sorted(named, key=lambda each: (each.tokens, each.base, each.player.name)))


def _explained(found: Sequence[Standing]) -> list[Standing]:
    """Note which standings are equal because the tokenizers are."""
    first: dict[tuple[bytes, ...], str] = {}
    explained = []
    for each in found:
        player = each.player
        what = (player.vocabulary_hash, player.tokens.tobytes(), player.base.tobytes())
        other = first.setdefault(what, player.name) if player.vocabulary_hash else player.name
        is_first = other == player.name
        explained.append(each if is_first else each._replace(player=player._replace(same_as=other)))
    return explained


def _says(compared: Compared, side: int, found: Sequence[Standing]) -> str:
    first, last = found[0], found[-1]
    names = [as_name(without_breaks(each.player.name)) for each in (first, last)]
    values = {"first": names[0], "last": names[1], "tokens": first.tokens}
    times = formatting.ratio(last.tokens / first.tokens if first.tokens else None)
    values |= {"premium": formatting.ratio(first.premium), "base": compared.spoken[compared.base]}
    return t("league.says", language=compared.spoken[side], most=last.tokens, times=times, **values)


def bars_of(compared: Compared, side: int, found: Sequence[Standing]) -> list[Bar]:
    """Return a bar for each player; those that need the same in every line share one."""
    name, colour = compared.names[side], compared.colours[side]
    alike: dict[tuple[bytes, bytes], list[Standing]] = {}
    for each in found:
        alike.setdefault((each.player.tokens.tobytes(), each.player.base.tobytes()), []).append(each)
    return [
        Bar(_titled([each.player for each in same]), name, same[0].tokens, _label(same[0]), colour)
        for same in alike.values()
    ]


def _titled(players: Sequence[Player]) -> str:
    """Return the names of players that share a bar, or the name of one with its badge."""
    first, *others = players
    if others:
        return in_one([each.name for each in players])
    return f"{first.name} · {_badge(first)}" if _badge(first) else first.name


def in_one(names: Sequence[str]) -> str:
    """Join names, and say the words that all begin or end with once.

    >>> in_one(["Mistral v1 (SentencePiece)", "Mistral v2 (SentencePiece)"]), in_one(["Chinda", "Qwen 1–3"])
    ('Mistral v1, v2 (SentencePiece)', 'Chinda, Qwen 1–3')
    """
    words = [name.split() for name in names]
    start = _alike([each[:-1] for each in words])
    end = _alike([each[start + 1 :][::-1] for each in words])
    own = ", ".join(" ".join(each[start : len(each) - end]) for each in words)
    return " ".join([*words[0][:start], own, *words[0][len(words[0]) - end :]])


def _alike(lists: Sequence[Sequence[str]]) -> int:
    """Return with how many equal words all lists begin."""
    return next((place for place, each in enumerate(zip(*lists)) if len(set(each)) > 1), min(map(len, lists)))


def _badge(player: Player) -> str:
    """Say whose tokenizer it is, if it is not its own, or who stands before it with the same one."""
    if player.borrowed:
        return t("league.borrowed", other=player.borrowed)
    return t("league.same_as", other=player.same_as) if player.same_as else ""


def _label(standing: Standing) -> str:
    return f"{standing.tokens:,} · {premium_with(standing.interval, standing.premium)}"


def table_of(compared: Compared, side: int, found: Sequence[Standing]) -> pd.DataFrame:
    """Return a row for each player, the one with the fewest tokens first."""
    columns = {
        t("languages.tokenizer"): [each.player.name for each in found],
        compared.names[side]: [each.tokens for each in found],
        t("languages.premium"): [each.premium for each in found],  # on a phone no more is seen at first
        compared.names[compared.base]: [each.base for each in found],
        t("league.interval", share=f"{SHARE:.0%}"): [formatting.interval(each.interval) for each in found],
        t("league.vocabulary"): [each.player.vocabulary for each in found],
    }
    if any(_badge(each.player) for each in found):
        columns[t("league.whose")] = [_badge(each.player) or formatting.NONE for each in found]
    if not all(each.player.is_exact for each in found):
        words = {True: t("league.is_exact"), False: t("league.is_not_exact")}
        columns[t("league.ids")] = [words[each.player.is_exact] for each in found]
    return pd.DataFrame(columns)


def csv_of(compared: Compared, side: int, found: Sequence[Standing]) -> bytes:
    """Return the league as CSV with exact numbers, and a byte order mark, by which spreadsheets know UTF-8."""
    rows = [
        {
            "tokenizer": harmless_cell(without_breaks(each.player.name)),
            "language": harmless_cell(without_breaks(compared.full_names[side])),
            "base": harmless_cell(without_breaks(compared.full_names[compared.base])),
            "pairs": compared.parallel.pairs,
            "joining": "lines",
            "tokens": each.tokens,
            "base_tokens": each.base,
            "premium": each.premium,
            "low": each.interval[0] if each.interval else np.nan,
            "high": each.interval[1] if each.interval else np.nan,
            "vocabulary": each.player.vocabulary,
            "borrowed_from": harmless_cell(each.player.borrowed),
            "same_tokenizer_as": harmless_cell(without_breaks(each.player.same_as)),
        }
        for each in found
    ]
    return pd.DataFrame(rows).to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")


# ---- quoted


def _quote(counted_here: set[str]) -> None:
    """Draw figures of models that are not here, apart from what was counted, with their date and source."""
    rows = [row for row in quoted() if not counted_here & {row.title, *row.files}]
    if not rows:
        return
    frame = pd.DataFrame(
        {
            t("languages.tokenizer"): [_with_borrowers(row) for row in rows],
            t("languages.premium"): [row.premium for row in rows],
            t("languages.th"): [row.thai for row in rows],
            t("languages.en"): [row.english for row in rows],
            t("league.vocabulary"): [row.vocabulary for row in rows],
        }
    )
    with st.container(border=True, key="league_quoted"):
        st.markdown(f":material/format_quote: **{t('league.quoted')}**")
        st.caption(t("league.quoted_how", texts=rows[0].texts, lines=rows[0].lines, date=rows[0].date.isoformat()))
        figures_table(frame, t("league.quoted"), formats={t("languages.premium"): formatting.premium})


def _with_borrowers(row: Quoted) -> str:
    """Name a model, and those that read with its tokenizer."""
    borrowers = ", ".join(each.title for each in families() if each.borrows in row.models)
    return f"{row.title} · {borrowers}" if borrowers else row.title
