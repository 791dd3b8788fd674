"""The biography of a token: where it comes from, what comes of it, where it is used, and how others cut it."""

import html
from collections.abc import Sequence

import streamlit as st

from pages.ui.frame.frame import bring_into_view
from pages.ui.i18n import as_plain_markdown, language, t
from pages.ui.session import Maybe
from pages.ui.vocabulary.choices import CLICKS, OwnText, Uses, entries_in, merging, pick, why_no_merges
from pages.ui.widgets import formatting
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.figures_table import scroll_box
from pages.ui.widgets.token_view import token_view
from pages.ui.widgets.token_view.chips import chip_parts, chip_style, hex_chip, plain_token, shortened
from pages.ui.widgets.token_view.drawings import Text, drawing
from pages.ui.widgets.token_view.lanes import Lane
from pages.ui.widgets.token_view.payload import tint
from tokenizer_core.analysis.entries import SCRIPTS
from tokenizer_core.analysis.lineage import (
    Context,
    Merging,
    Node,
    children_of,
    contexts_of,
    descendants_of,
    merge_number,
    tree_of,
)
from tokenizer_core.bpe.openai import OPENAI_NAMES

MOST_CHILDREN = 40
_families = Bounded[tuple[list[int], list[int]]](64, weigh=lambda family: 1)
_found = Bounded[list[Context]](64, weigh=lambda found: 1)
_CONTEXTS_STYLE = """<style>
.contexts { overflow-x: auto; } .contexts table { border-collapse: collapse; line-height: 1.9; white-space: pre; }
.contexts td { border: 0; padding: .1rem .15rem; } .contexts td:first-child { text-align: end; opacity: .8; }
.contexts td:last-child { opacity: .8; }
</style>"""


def biography(lane: Lane, token_id: int, uses: Uses, text: OwnText, lanes: Sequence[Lane]) -> None:
    """Draw the biography of a token, and scroll to it if it was just clicked."""
    entries = entries_in(lane)
    place = int(entries.ids.searchsorted(token_id))
    token, is_special = entries.tokens[place], SCRIPTS[entries.scripts[place]] == "special"
    with st.container(key="biography"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.header(t("biography.title"), anchor=False, width="content")
            st.html(f'{chip_style()}<div style="font-size:1.75rem">{_large(token)}</div>', width="content")
        tokenizer = merging(lane)
        _figures(lane, token_id, token, uses, text)
        if tokenizer is not None and not is_special:
            _tree(token_id, tokenizer, lane)
        else:
            st.markdown(t("biography.special") if is_special else why_no_merges(lane))
        left, right = st.columns(2, gap="large")
        with left:
            _contexts(lane, token_id, uses, text)
        with right:
            if tokenizer is not None:
                _descendants(lane, token_id, tokenizer)
        if not is_special:  # as text it is cut like any other, by this tokenizer too
            _in_other_lanes(lane.tokenizer.token_bytes(token_id), lanes)
    if CLICKS.get():
        bring_into_view("biography", str(CLICKS.get()))


def _large(token: bytes) -> str:
    return hex_chip(token).replace("<bdi ", '<bdi style="font-size:inherit;line-height:1.9" ', 1)


def _figures(lane: Lane, token_id: int, token: bytes, uses: Uses, text: OwnText) -> None:
    tokenizer = merging(lane)
    merge = tokenizer and merge_number(token_id, tokenizer)
    figures = st.columns(4)
    figures[0].metric(t("biography.id"), f"{token_id}", help=t("biography.bytes", count=len(token)))
    if merge and tokenizer:
        figures[1].metric(
            t("biography.merge"), f"{merge:,}", help=t("biography.merge_help", merges=len(tokenizer.merges))
        )
    count = lane.counts[merge - 1] if merge and merge <= len(lane.counts) else None
    figures[2].metric(
        t("biography.count"),
        formatting.NONE if count is None else f"{count:,}",
        help=t("biography.count_help" if count else "biography.count_unknown"),
    )
    figures[3].metric(t("biography.uses"), f"{uses.of(token_id):,}", help=t("biography.uses_help", text=text.name))


def _tree(token_id: int, tokenizer: Merging, lane: Lane) -> None:
    nodes = tree_of(token_id, tokenizer)
    if len(nodes) == 1:
        st.markdown(t("biography.byte"))
        return
    says = t("biography.tree_says", merges=sum(not node.is_leaf for node in nodes))
    if any(node.is_leaf and merge_number(node.token_id, tokenizer) for node in nodes):
        says += " " + t("biography.tree_part")
    st.html(tree_html(nodes, tokenizer, says))
    st.caption(f"{says} {t('biography.recovered')}" if lane.key in OPENAI_NAMES else says)


def _contexts(lane: Lane, token_id: int, uses: Uses, text: OwnText) -> None:
    st.subheader(t("biography.contexts"), anchor=False)
    count = uses.of(token_id)
    if not count:
        st.markdown(t("biography.unused", text=text.name))
        return
    key = (lane.key, token_id, text.digest)
    found = _found.get(key, lambda: contexts_of(token_id, text.texts, lane.tokenizer))
    st.html(_CONTEXTS_STYLE + chip_style() + contexts_html(found, t("biography.contexts")))
    st.caption(t("biography.contexts_says", shown=len(found), count=count, text=text.name))


def surroundings(text: str) -> str:
    """Write the text beside a token: line breaks seen, bytes outside whole characters as hex.

    >>> surroundings("a\\nb"), surroundings("\\udce0\\udcb8")
    ('a⏎b', 'E0 B8')
    """
    shown = "".join(
        f" {ord(each) - 0xDC00:02X}" if "\udc80" <= each <= "\udcff" else "⏎" if each == "\n" else each
        for each in text
    )
    return shown.strip() if shown.strip() and "\udc80" <= max(text) <= "\udcff" else shown


def contexts_html(found: Sequence[Context], label: str) -> str:
    """Return the HTML of uses of a token, one under the other."""
    rows = "".join(
        f'<tr><td dir="auto">{html.escape(surroundings(each.before))}</td><td>{hex_chip(each.token)}</td>'
        f'<td dir="auto">{html.escape(surroundings(each.after))}</td></tr>'
        for each in found
    )
    return scroll_box("contexts", f"<table>{rows}</table>", label)


def _descendants(lane: Lane, token_id: int, tokenizer: Merging) -> None:
    st.subheader(t("biography.descendants"), anchor=False)
    every, children = _families.get(
        (lane.key, token_id), lambda: (descendants_of(token_id, tokenizer), children_of(token_id, tokenizer))
    )
    if not every:
        st.markdown(t("biography.childless"))
        return
    shown = children[:MOST_CHILDREN]
    names = {each: as_plain_markdown(plain_token(tokenizer.token_bytes(each))) for each in shown}
    box = Maybe[int](f"vocabulary_child_{lane.choice}_{token_id}")

    def follow() -> None:
        chosen = box.get()
        if chosen is not None:
            pick(lane, chosen)
            box.put(None)

    st.pills(
        t("biography.descendants"),
        list(names),
        format_func=names.__getitem__,
        key=box.key,
        on_change=follow,
        label_visibility="collapsed",
        wrap=True,
    )
    st.caption(t("biography.descendants_says", shown=len(names), children=len(children), every=len(every)))


def _in_other_lanes(token: bytes, lanes: Sequence[Lane]) -> None:
    st.subheader(t("biography.others"), anchor=False)
    try:
        text = token.decode("utf-8")
    except UnicodeDecodeError:
        st.markdown(t("biography.no_text"))
        return
    drawn = drawing(Text(text), lanes, language=language())
    token_view(drawn, key="biography_view", toolbar="none", large=True, show_white_space=True, max_height=None)


_STYLE = """<style>
.token-tree { overflow-x: auto; padding: .25rem 0; }
.token-tree > div { display: grid; gap: 3px 2px; min-width: max-content; }
.token-tree .node { display: flex; flex-direction: column; align-items: center; justify-content: center;
  padding: .1rem 0; border-radius: .35rem; line-height: 1.7; font-size: 1.125rem; max-width: none; }
.token-tree .node:first-child { font-size: 2rem; }
.token-tree .node b { font-weight: 400; font-size: .75rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.token-tree .hex { font-size: .8125rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.token-tree .node:first-child .hex { font-size: 1.5rem; }
</style>"""


def tree_html(nodes: Sequence[Node], tokenizer: Merging, said: str) -> str:
    """Return the HTML of a tree; `said` describes it to people who do not see it."""
    leaves = [node for node in nodes if node.is_leaf]
    column = {leaf.start: place for place, leaf in enumerate(leaves, start=1)}
    ends = {leaf.end: place for place, leaf in enumerate(leaves, start=2)}
    drawn = "".join(
        _node(node, tokenizer.token_bytes(node.token_id), column[node.start], ends[node.end]) for node in nodes
    )
    grid = f'<div style="grid-template-columns:repeat({len(leaves)},minmax(1.625rem,1fr))">{drawn}</div>'
    return chip_style() + _STYLE + scroll_box("token-tree", grid, said)


def _node(node: Node, token: bytes, column: int, end: int) -> str:
    inner = "".join(
        f"<span>{html.escape(shortened(text))}</span>" if whole else f'<span class="hex">{text}</span>'
        for text, whole in chip_parts(token)
    )
    place = f"grid-row:{node.depth + 1};grid-column:{column}/{end}"
    return f'<div class="node token-chip tint-{tint(token)}" style="{place}">{inner}<b>{node.token_id}</b></div>'
