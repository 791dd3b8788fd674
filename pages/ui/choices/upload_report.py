"""What the page says about uploaded files: what was read, what was left out and why, and what was guessed."""

import html
from collections.abc import Mapping, Sequence

import streamlit as st

from pages.ui.choices.encodings import encoding_name
from pages.ui.widgets import written
from pages.ui.words import as_plain_markdown, error_sentence, t
from tokenizer_core.errors import CorpusError
from tokenizer_core.texts.archives import PackedFile
from tokenizer_core.texts.files import CorpusFile
from tokenizer_core.texts.scripts import Shares
from tokenizer_core.texts.tables import TableReading

MAX_SHOWN = 10
"""Files listed as read; the page only counts the others."""
MAX_NAMED = 4
_HEADS = ("name", "kind", "characters", "read_as")
_STYLE = """<style>
.corpus-files { width: 100%; border-collapse: collapse; font-size: .875rem; line-height: 1.6; }
.corpus-files th { font-weight: 400; opacity: .8; text-align: start; }
.corpus-files td, .corpus-files th { padding: .1rem .75rem .1rem 0; vertical-align: top; overflow-wrap: anywhere; }
.corpus-files tr > :nth-child(3) { text-align: end; font-variant-numeric: tabular-nums; }
.corpus-files .whole { white-space: nowrap; }
/* Chosen columns: white is hard to read on the light teal of the dark scheme. */
[data-testid="stMultiSelectTagsContainer"] [data-tag], [data-testid="stMultiSelectTagsContainer"] [data-tag] * {
  color: light-dark(#ffffff, #04211d);
}
</style>"""


def shares_said(shares: Shares | None) -> str:
    """Say the shares of Thai, Latin and other letters."""
    if shares is None:
        return t("corpus.no_letters")
    words = "corpus.shares_of_sample" if shares.is_sample else "corpus.shares"
    return t(
        words,
        thai=written.share(shares.thai),
        latin=written.share(shares.latin),
        other=written.share(shares.other),
    )


def listed(names: Sequence[str]) -> str:
    """List the first names, safe in Markdown."""
    return as_plain_markdown(", ".join(name[:60] for name in names[:3])[:120] + (" …" if len(names) > 3 else ""))


def say_left_out(files: Mapping[str, PackedFile], readings: Mapping[str, CorpusFile | CorpusError]) -> None:
    """Show each reason why files are left out, with their names."""
    names: dict[str, list[str]] = {}
    for key, reading in readings.items():
        if isinstance(reading, CorpusError):
            names.setdefault(error_sentence(reading), []).append(as_plain_markdown(files[key].name))
    goes_on = any(isinstance(reading, CorpusFile) for reading in readings.values())
    say, icon = (st.warning, ":material/warning:") if goes_on else (st.error, ":material/error:")
    for sentence, left_out in list(names.items())[:MAX_SHOWN]:
        first = ", ".join(left_out[:MAX_NAMED])
        if len(left_out) > MAX_NAMED:
            first = t("files.and_more", names=first, count=len(left_out) - MAX_NAMED)
        say(f"{first} – {sentence}", icon=icon)
    if len(names) > MAX_SHOWN:
        say(t("files.more_left_out", count=sum(map(len, list(names.values())[MAX_SHOWN:]))), icon=icon)


def say_guessed(files: Sequence[CorpusFile]) -> None:
    """Show which files have a guessed encoding, because they do not state it."""
    guessed = [file for file in files if file.is_guess]
    if not guessed:
        return
    first = guessed[0]
    if len(guessed) == 1:
        encoding = encoding_name(first.encoding or "")
        sentence = t("corpus.guessed", name=as_plain_markdown(first.name), encoding=encoding)
    else:
        sentence = t("files.guessed", count=len(guessed))
    st.info(sentence, icon=":material/help:")


def show_read(files: Sequence[CorpusFile]) -> None:
    """Draw a row for each file, and report the broken rows of tables."""
    if not files:
        return
    rows = "".join(
        f"<tr><td dir='auto'>{html.escape(file.name)}</td>{_cells(file)}</tr>" for file in files[:MAX_SHOWN]
    )
    heads = "".join(f"<th scope='col'>{html.escape(t(f'files.head_{head}'))}</th>" for head in _HEADS)
    st.html(f"{_STYLE}<table class='corpus-files'><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>")
    if len(files) > MAX_SHOWN:
        more = files[MAX_SHOWN:]
        characters = sum(len(file.text) for file in more)
        st.caption(t("files.more_read", count=len(more), characters=characters))
    _say_skipped(files)


def _say_skipped(files: Sequence[CorpusFile]) -> None:
    skipped = [(file.name, file.table) for file in files if file.table and file.table.skipped_rows]
    for name, table in skipped[:MAX_NAMED]:
        values = {"name": as_plain_markdown(name), "count": table.skipped_rows, "line": table.first_skipped}
        st.warning(t("files.skipped", **values), icon=":material/warning:")
    if len(skipped) > MAX_NAMED:
        rest = skipped[MAX_NAMED:]
        count = sum(table.skipped_rows for _, table in rest)
        st.warning(t("files.skipped_more", files=len(rest), count=count), icon=":material/warning:")


def _cells(file: CorpusFile) -> str:
    cells = [t(f"files.kind_{file.kind}"), f"{len(file.text):,}"]
    if file.table is None:
        cells.append(encoding_name(file.encoding or ""))
    row = "".join(f"<td class='whole'>{html.escape(cell)}</td>" for cell in cells)
    if (table := file.table) is not None:
        row += f"<td dir='auto'>{html.escape(', '.join(column_name(table, each) for each in table.chosen))}</td>"
    return row


def column_name(table: TableReading, column: str) -> str:
    """Return the name of a column, or its number if the table has no header."""
    return t("files.column", number=column) if table.header is False else column
