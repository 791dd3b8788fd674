"""Downloads: the table as CSV, the charts as SVG and PNG, and a report as one web page."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import streamlit as st

from pages.ui.choices.parallel_texts import Compared, remarks
from pages.ui.languages import keys
from pages.ui.languages.bill import (
    Terms,
    bars_in_words,
    bars_of,
    how_counted,
    month_said,
    premium_sentence,
    table,
    terms_said,
    worst,
)
from pages.ui.languages.charts import Bin, bars_svg, bins, distribution_svg
from pages.ui.languages.counts import Bill, pair_premiums, segmenter_of
from pages.ui.languages.metrics import DEFINED, metrics_table, words_said
from pages.ui.widgets.figures_table import as_rows, table_html
from pages.ui.widgets.picture_button import picture_button
from pages.ui.widgets.printed import printed
from pages.ui.words import t
from pages.ui.words.breaks import without_breaks
from tokenizer_core.measures.prices import cost
from tokenizer_core.measures.ratios import context_left
from tokenizer_core.texts.csv_cells import harmless_cell

_PAGE = Path(__file__).parent / "report.html"


def take_away(compared: Compared, found: Sequence[Bill], terms: Terms) -> None:
    """Draw the buttons that save the table, the charts and the report."""
    st.markdown(t("report.what"))
    with st.container(horizontal=True):
        st.download_button(
            t("report.csv"),
            csv_of(compared, found, terms),
            "languages.csv",
            "text/csv",
            icon=":material/table:",
            on_click="ignore",
            key="languages_csv",
        )
        st.download_button(
            t("report.html"),
            report_html(compared, found, terms),
            "languages.html",
            "text/html",
            icon=":material/description:",
            on_click="ignore",
            key="languages_html",
        )
    pictures = {"bars": bars_picture(compared, found), "distribution": distribution_picture(compared, found)}
    for name, svg in pictures.items():
        if svg is None:
            continue
        st.markdown(f"**{t(f'report.{name}')}**")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.download_button(
                t("report.svg"),
                svg.encode(),
                f"languages-{name}.svg",
                "image/svg+xml",
                icon=":material/image:",
                on_click="ignore",
                key=f"languages_svg_{name}",
            )
            picture_button(t("report.png"), svg, f"languages-{name}.png", key=f"languages_png_{name}")


# ---- pictures


def bars_picture(compared: Compared, found: Sequence[Bill]) -> str:
    """Return the bars as SVG."""
    title = t("report.bars_title", pairs=compared.parallel.pairs, base=compared.names[compared.base])
    says = bars_in_words(compared, found)
    return without_breaks(bars_svg(bars_of(compared, found), title=title, says=says))


def distribution_picture(compared: Compared, found: Sequence[Bill]) -> str | None:
    """Return the distribution of the bill with the highest premium as SVG; None if no pair has a premium."""
    bill = worst(compared, found)
    if bill is None:
        return None
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
    middle = float(np.nanmedian(premiums))
    svg = distribution_svg(
        counted,
        middle,
        title=title,
        overall_name=t("languages.middle"),
        times=lambda text: t("languages.times", premium=text),
    )
    return without_breaks(svg)


# ---- the table


def csv_of(compared: Compared, found: Sequence[Bill], terms: Terms) -> bytes:
    """Return the bills as CSV with exact numbers, and a byte order mark, by which spreadsheets know UTF-8."""
    written = io.StringIO()
    writer = csv.writer(written)
    head = ["tokenizer", "language", "base", "pairs", "joining", "tokens", "premium", "window", "context_left"]
    writer.writerow([*head, "price_per_million", "cost"])
    for bill in found:
        names = [bill.lane.name, compared.full_names[bill.language], compared.full_names[compared.base]]
        writer.writerow(
            [
                *(harmless_cell(without_breaks(name)) for name in names),
                compared.parallel.pairs,
                compared.joining,
                bill.tokens,
                "" if bill.premium is None else repr(bill.premium),
                terms.window,
                context_left(terms.window, bill.tokens),
                "" if terms.price is None else repr(terms.price),
                "" if terms.price is None else repr(cost(bill.tokens, terms.price)),
            ]
        )
    return written.getvalue().encode("utf-8-sig")


# ---- the report


def report_html(compared: Compared, found: Sequence[Bill], terms: Terms) -> bytes:
    """Return one self-contained page: sentence, conditions, bars, tables, definitions."""
    bill = worst(compared, found)
    distribution = distribution_picture(compared, found)
    page = printed(
        _PAGE,
        title=premium_sentence(bill, compared.names, compared.base) if bill else t("languages.title"),
        how=how_counted(compared.with_plain_names()),
        remarks=remarks(compared.parallel, str),
        bars=bars_picture(compared, found),
        distribution=distribution,
        bills=table_html(as_rows(table(compared, found, terms)), words=(0, 1)),
        terms=terms_said(terms),
        month=month_said(compared.with_plain_names(), found, terms),
        metrics=_metrics(compared, found),
        definitions=DEFINED,
    )
    return without_breaks(page).encode()


def _metrics(compared: Compared, found: Sequence[Bill]) -> list[tuple[str, str, str]]:
    """Return the name of each language, its metrics as a table, and what found its words if they are counted."""
    lanes = list({bill.lane.key: bill.lane for bill in found}.values())
    parts = []
    for side, name in enumerate(compared.names):
        with_words = keys.WITH_WORDS.get()
        segmenter = segmenter_of(compared.parallel, side) if with_words else None
        figures = table_html(metrics_table(compared, lanes, side, segmenter))
        parts.append((name, figures, words_said(segmenter) if with_words else ""))
    return parts
