"""Downloads: the table as CSV, the charts as SVG and PNG, and a report as one web page."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.i18n import t
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.parallel_texts import Compared, remarks
from pages.ui.inputs.tokenizers import name_of
from pages.ui.languages.bill import (
    Terms,
    bars_in_words,
    bars_of,
    bills_table,
    how_counted,
    month_said,
    premium_in_words,
    said_of,
    terms_said,
)
from pages.ui.languages.charts import Bin, bars_svg, bins, distribution_svg
from pages.ui.languages.counts import Bill, pair_premiums, segmenter_of
from pages.ui.languages.metrics import DEFINED, WITH_WORDS, metrics_table, words_said
from pages.ui.widgets.controls import save_button
from pages.ui.widgets.figures_table import table_html
from pages.ui.widgets.printing import picture_button, printed
from pages.ui.widgets.token_view.lanes import Lane
from tokenizer_core.analysis.costs import cost
from tokenizer_core.readers.labels import harmless_cell

_PAGE = Path(__file__).parent / "report.html"


def take_away(compared: Compared, found: Sequence[Bill], terms: Terms, reader: Lane | None) -> None:
    """Draw the buttons that save the table, the charts and the report."""
    st.markdown(t("report.what"))
    with st.container(horizontal=True):
        csv, page = csv_of(compared, found, terms), report_html(compared, found, terms, reader)
        save_button(t("report.csv"), csv, "languages.csv", key="languages_csv", icon=":material/table:")
        save_button(t("report.html"), page, "languages.html", key="languages_html", icon=":material/description:")
    said = said_of(compared, found, reader)
    pictures = {"bars": bars_picture(compared, found), "distribution": distribution_picture(compared, said)}
    for name, svg in pictures.items():
        if svg is None:
            continue
        by = f" · {name_of(said[0].lane)}" if name == "distribution" else ""
        st.markdown(f"**{t(f'report.{name}')}{by}**")
        with st.container(horizontal=True, vertical_alignment="center"):
            label, file = t("report.svg"), f"languages-{name}.svg"
            save_button(label, svg.encode(), file, key=f"languages_svg_{name}", icon=":material/image:")
            picture_button(t("report.png"), svg, f"languages-{name}.png", key=f"languages_png_{name}")


# ---- pictures


def bars_picture(compared: Compared, found: Sequence[Bill]) -> str:
    """Return the bars as SVG."""
    title = t("report.bars_title", pairs=compared.parallel.pairs, base=compared.names[compared.base])
    says = bars_in_words(compared, found)
    return without_breaks(bars_svg(bars_of(compared, found), title=title, says=says))


def distribution_picture(compared: Compared, said: Sequence[Bill]) -> str | None:
    """Return the distribution of the bill that is said first as SVG; None if no pair has a premium."""
    if not said:
        return None
    bill = said[0]
    premiums = pair_premiums(compared, bill.language, bill.lane)
    counted: list[Bin] = bins(premiums)
    if not counted:
        return None
    title = t(
        "report.distribution_title",
        tokenizer=bill.lane.name,
        language=compared.names[bill.language],
        base=compared.names[compared.base],
    )
    svg = distribution_svg(counted, float(np.nanmedian(premiums)), title=title)
    return without_breaks(svg)


# ---- the table


def csv_of(compared: Compared, found: Sequence[Bill], terms: Terms) -> bytes:
    """Return the bills as CSV with exact numbers, and a byte order mark, by which spreadsheets know UTF-8."""

    def name(text: str) -> str:
        return harmless_cell(without_breaks(text))

    rows = [
        {
            "tokenizer": name(bill.lane.name),
            "language": name(compared.full_names[bill.language]),
            "base": name(compared.full_names[compared.base]),
            "pairs": compared.parallel.pairs,
            "joining": compared.joining,
            "tokens": bill.tokens,
            "premium": bill.premium,
            "low": bill.interval[0] if bill.interval else None,
            "high": bill.interval[1] if bill.interval else None,
            "window": terms.window,
            "context_left": terms.window - bill.tokens,
            "price_per_million": terms.price,
            "cost": None if terms.price is None else cost(bill.tokens, terms.price),
        }
        for bill in found
    ]
    return pd.DataFrame(rows).to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")


# ---- the report


def report_html(compared: Compared, found: Sequence[Bill], terms: Terms, reader: Lane | None = None) -> bytes:
    """Return one self-contained page: sentence, conditions, bars, tables, definitions."""
    said = said_of(compared, found, reader)
    bills, formats = bills_table(compared, found, terms)
    metrics = _metrics(compared, found)
    page = printed(
        _PAGE,
        title=premium_in_words(compared, said) or t("languages.title"),
        how=how_counted(compared.with_plain_names()),
        remarks=remarks(compared.parallel, str),
        bars=bars_picture(compared, found),
        distribution=distribution_picture(compared, said),
        bills=table_html(bills, formats=formats, words=(0, 1)),
        terms=terms_said(terms),
        month=month_said(compared.with_plain_names(), found, terms, reader=reader),
        metrics=[(name, table_html(frame), words) for name, frame, words in metrics],
        definitions=[
            name
            for name in DEFINED
            if any((frame.iloc[:, 0] == t(f"metrics.{name}")).any() for _, frame, _ in metrics)
        ],
    )
    return without_breaks(page).encode()


def _metrics(compared: Compared, found: Sequence[Bill]) -> list[tuple[str, pd.DataFrame, str]]:
    """Return the name of each language, its metrics, and what found its words if they are counted."""
    lanes = list({bill.lane.key: bill.lane for bill in found}.values())
    parts = []
    for side, name in enumerate(compared.names):
        with_words = WITH_WORDS.get()
        segmenter = segmenter_of(compared.parallel, side) if with_words else None
        figures = metrics_table(compared, lanes, side, segmenter)
        parts.append((name, figures, words_said(segmenter) if with_words else ""))
    return parts
