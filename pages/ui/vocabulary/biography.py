"""The biography of a token: where it comes from, what comes of it, where it is used, and how others cut it."""

import html
from collections.abc import Sequence

import streamlit as st

from pages.ui.shell.frame import bring_into_view
from pages.ui.token_view import token_view
from pages.ui.token_view.chips import chip_style, plain_token
from pages.ui.token_view.drawings import Text, drawing
from pages.ui.token_view.lanes import Lane
from pages.ui.vocabulary import keys
from pages.ui.vocabulary.lanes import Uses, entries_in, merging, why_no_merges
from pages.ui.vocabulary.picked import pick
from pages.ui.vocabulary.texts import OwnText
from pages.ui.vocabulary.tree import tree_html
from pages.ui.vocabulary.written_tokens import hex_chip, surroundings
from pages.ui.widgets import written
from pages.ui.widgets.bounded import Bounded
from pages.ui.words import as_plain_markdown, language, t
from tokenizer_core.measures.contexts import Context, contexts_of
from tokenizer_core.measures.entries import SCRIPTS
from tokenizer_core.measures.lineage import Merging, children_of, descendants_of, merge_number, tree_of
from tokenizer_core.openai import OPENAI_NAMES

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
    if keys.CLICKS.get():
        bring_into_view("biography", str(keys.CLICKS.get()))


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
        written.NONE if count is None else f"{count:,}",
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


def contexts_html(found: Sequence[Context], label: str) -> str:
    """Return the HTML of uses of a token, one under the other."""
    rows = "".join(
        f'<tr><td dir="auto">{html.escape(surroundings(each.before))}</td><td>{hex_chip(each.token)}</td>'
        f'<td dir="auto">{html.escape(surroundings(each.after))}</td></tr>'
        for each in found
    )
    said = html.escape(label, quote=True)
    return f'<div class="contexts" role="region" tabindex="0" aria-label="{said}"><table>{rows}</table></div>'


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
    box = keys.child_of(lane.choice, token_id)

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
