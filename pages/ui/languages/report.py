"""What can be taken away: the table as CSV, the charts as SVG and PNG, a report as one web page."""

import csv
import html
import io
from collections.abc import Sequence

import numpy as np
import streamlit as st

from pages.ui.choices.parallel_texts import Compared, remarks
from pages.ui.languages import keys
from pages.ui.languages.bill import (
    Terms,
    bars_in_words,
    bars_of,
    how_counted,
    premium_sentence,
    table,
    terms_said,
    worst,
)
from pages.ui.languages.charts import Bin, bars_svg, bins, distribution_svg
from pages.ui.languages.counts import Bill, pair_premiums, segmenter_of
from pages.ui.languages.metrics import DEFINED, metrics_table, words_said
from pages.ui.widgets.figures_table import table_html
from pages.ui.widgets.picture_button import picture_button
from pages.ui.words import language, t
from tokenizer_core.commands.csv_cells import harmless_cell
from tokenizer_core.measures.prices import cost
from tokenizer_core.measures.ratios import context_left

_STYLE = """
body { font: 15px/1.6 'Source Sans 3', 'Source Sans', 'Noto Sans Thai', Sarabun, 'Leelawadee UI', Thonburi,
  sans-serif; color: #1f2430; background: #fff; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; line-height: 1.4; }
h2 { font-size: 1.15rem; margin: 1.6rem 0 .4rem; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .2rem .5rem; border-bottom: 1px solid #d5d8de; text-align: right; }
th.words, td.words { text-align: left; }
svg { max-width: 100%; height: auto; }
dt { font-weight: 600; }
dd { margin: 0 0 .4rem 1rem; }
small { color: #4b5160; }
@page { size: A4; margin: 9mm 12mm; }
@media print {
  body { margin: 0; padding: 0; max-width: none; font-size: 9px; line-height: 1.45; }
  h1 { font-size: 15px; margin: 0; }
  h2 { font-size: 10px; margin: 6px 0 2px; break-after: avoid; }
  p { margin: 3px 0; }
  th, td { padding: 1px 4px; }
  .two { display: grid; grid-template-columns: 1fr 1fr; gap: 0 6mm; }
  dl { columns: 2; column-gap: 6mm; margin: 0; }
  dt { break-after: avoid; }
  dd { margin: 0 0 2px; }
  table, svg, dd { break-inside: avoid; }
}
"""


def take_away(compared: Compared, found: Sequence[Bill], terms: Terms) -> None:
    """Buttons for the table, the charts and the report."""
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
            report_html(compared, found, terms, language()),
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
    """The bars as SVG."""
    return bars_svg(bars_of(compared, found), title=bars_in_words(compared, found))


def distribution_picture(compared: Compared, found: Sequence[Bill]) -> str | None:
    """The distribution of the highest bill as SVG; None where no pair has a premium."""
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
    return distribution_svg(
        counted,
        middle,
        title=title,
        overall_name=t("languages.middle"),
        times=lambda text: t("languages.times", premium=text),
    )


# ---- the table


def csv_of(compared: Compared, found: Sequence[Bill], terms: Terms) -> bytes:
    """The bills as CSV with exact numbers; with a byte order mark, by which spreadsheets know UTF-8."""
    written = io.StringIO()
    writer = csv.writer(written)
    head = ["tokenizer", "language", "base", "pairs", "joining", "tokens", "premium", "window", "context_left"]
    writer.writerow([*head, "price_per_million", "cost"])
    for bill in found:
        names = [bill.lane.name, compared.full_names[bill.language], compared.full_names[compared.base]]
        writer.writerow(
            [
                *map(harmless_cell, names),
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


def report_html(compared: Compared, found: Sequence[Bill], terms: Terms, spoken: str) -> bytes:
    """One page that needs nothing besides itself: sentence, conditions, bars, tables, definitions."""
    bill = worst(compared, found)
    sentence = premium_sentence(bill, compared.names, compared.base) if bill else t("languages.title")
    plain = compared.with_plain_names()
    distribution = distribution_picture(compared, found)
    pictures = [bars_picture(compared, found)]
    if distribution:
        pictures.append(f"<h2>{html.escape(t('report.distribution'))}</h2>{distribution}")
    parts = [
        f"<h1>{html.escape(sentence)}</h1><p>{html.escape(how_counted(plain))}</p>",
        *(f"<p><strong>{html.escape(remark)}</strong></p>" for remark in remarks(compared.parallel, str)),
        _two_beside(pictures),
        table_html(table(compared, found, terms), words=(0, 1)),
        f"<p><small>{html.escape(terms_said(terms))}</small></p>",
        _two_beside(_metrics(compared, found)),
        f"<p><small>{html.escape(t('metrics.counted'))}</small></p>",
        f"<h2>{html.escape(t('metrics.definitions'))}</h2><dl>",
        *(_definition(name) for name in DEFINED),
        f"</dl><p><small>{html.escape(t('report.made_by', name=t('app.name')))}</small></p>",
    ]
    return (
        f'<!doctype html><html lang="{spoken}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(sentence)}</title><style>{_STYLE}</style></head><body><main>"
        f"{''.join(parts)}</main></body></html>"
    ).encode()


def _two_beside(parts: Sequence[str]) -> str:
    """Parts one above the other on a screen, two beside one another on paper."""
    return f"<div class='two'>{''.join(f'<section>{part}</section>' for part in parts)}</div>"


def _metrics(compared: Compared, found: Sequence[Bill]) -> list[str]:
    """The metrics of every language; words where the visitor asked for them."""
    lanes = list({bill.lane.key: bill.lane for bill in found}.values())
    parts = []
    for side, name in enumerate(compared.names):
        with_words = keys.WITH_WORDS.get()
        segmenter = segmenter_of(compared.parallel, side) if with_words else None
        said = f"<p><small>{html.escape(words_said(segmenter))}</small></p>" if with_words else ""
        parts.append(
            f"<h2>{html.escape(name)}</h2>{table_html(metrics_table(compared, lanes, side, segmenter))}{said}"
        )
    return parts


def _definition(name: str) -> str:
    return f"<dt>{html.escape(t(f'metrics.{name}'))}</dt><dd>{html.escape(t(f'metrics.{name}_is'))}</dd>"
