"""The biography of a token: how it was made, what is made from it, where it is used, and how others cut it."""

import html
from collections.abc import Sequence

import regex
import streamlit as st

from pages.ui.frame.frame import bring_into_view
from pages.ui.i18n import as_plain_markdown, language, t, translations
from pages.ui.session import Maybe, Value, remembered
from pages.ui.vocabulary.choices import CLICKS, OwnText, Uses, entries_in, merging, pick, picked_in, why_no_merges
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.figures_table import scroll_box, sideways
from pages.ui.widgets.slides import Slide
from pages.ui.widgets.token_view import token_view
from pages.ui.widgets.token_view.chips import (
    chip,
    chip_parts,
    chip_style,
    in_parts,
    placed_face,
    plain_token,
    shortened,
)
from pages.ui.widgets.token_view.drawings import Text, drawing
from pages.ui.widgets.token_view.lanes import Lane
from pages.ui.widgets.token_view.payload import tint
from tokenizer_core.analysis.lineage import (
    Context,
    Merging,
    Node,
    children_of,
    contexts_of,
    descendants_of,
    is_longer,
    merge_number,
    tree_of,
)
from tokenizer_core.bpe.openai import OPENAI_NAMES
from tokenizer_core.bpe.vocabulary import BYTES, utf8_text

MOST_CHILDREN = 40
_BARE_MARK = regex.compile(r"\A(?=[\p{M}\u0e33])")
TO_BYTES: Value[bool] = Value("vocabulary_to_bytes", bool)
"""Whether trees go down to the bytes."""
_families = Bounded[tuple[list[int], list[int]]](64, weigh=lambda family: 1)
_found = Bounded[list[Context]](64, weigh=lambda found: 1)
CONTEXT_CHARACTERS = 120
"""Characters on each side of a use: more than the widest page shows."""
CONTEXTS_STYLE = """<style>
.contexts { overflow-x: auto; }
.contexts table { width: 100%; border-collapse: collapse; line-height: 1.9; white-space: pre; }
.contexts td { border: 0; padding: .1rem .15rem; }
/* A use is one line: what is further from the token gives way to … */
.contexts td:is(:first-child, :last-child) {
  width: 50%; max-width: 0; overflow: hidden; text-overflow: ellipsis; opacity: .8; }
.contexts td:first-child { direction: rtl; text-align: right; }
</style>"""


def biography(lane: Lane, token_id: int, uses: Uses, text: OwnText) -> None:
    """Draw the tree and the figures of a token, and bring it into view if it was just clicked."""
    entries = entries_in(lane)
    token = entries.tokens[int(entries.ids.searchsorted(token_id))]
    tokenizer = merging(lane)
    with st.container(key="biography"):
        nodes = _nodes(token_id, tokenizer) if tokenizer and not _is_special(lane, token_id) else []
        if tokenizer and len(nodes) > 1:
            _tree(nodes, tokenizer, lane)
        else:
            st.html(f'{chip_style()}<div style="font-size:2rem">{_large(token)}</div>')
            st.markdown(_why_no_tree(lane, token_id))
        _figures(lane, token_id, token, uses, text)
    if CLICKS.get():
        bring_into_view("biography", str(CLICKS.get()))


def relations(lane: Lane, token_id: int, uses: Uses, text: OwnText, lanes: Sequence[Lane]) -> None:
    """Draw where a token is used, what is made from it, and how the other tokenizers cut it."""
    left, right = st.columns(2, gap="large")
    with left:
        _contexts(lane, token_id, uses, text)
    tokenizer = merging(lane)
    with right:
        if tokenizer is not None:
            _descendants(lane, token_id, tokenizer)
    if not _is_special(lane, token_id):  # as text it is cut like any other, by this tokenizer too
        _in_other_lanes(lane.tokenizer.token_bytes(token_id), lanes)


def _is_special(lane: Lane, token_id: int) -> bool:
    return token_id in lane.tokenizer.special_tokens.values()


def _large(token: bytes) -> str:
    return chip(token).replace("<bdi ", '<bdi style="font-size:inherit;line-height:1.9" ', 1)


def _figures(lane: Lane, token_id: int, token: bytes, uses: Uses, text: OwnText) -> None:
    tokenizer = merging(lane)
    merge = tokenizer and merge_number(token_id, tokenizer)
    count = lane.counts[merge - 1] if merge and merge <= len(lane.counts) else None
    with st.container(horizontal=True, gap="medium"):
        known = t("biography.bytes", count=len(token))
        if merge and tokenizer:
            known += " · " + t("biography.merge", merge=merge, merges=len(tokenizer.merges))
            if token_id == merge + BYTES - 1:
                known += " " + t("biography.merge_id", bytes=BYTES, more=BYTES - 1)
        st.metric(t("biography.id"), f"{token_id}", help=known, width="content")
        if count is not None:
            st.metric(t("biography.count"), f"{count:,}", help=t("biography.count_help"), width="content")
        if used := uses.of(token_id):
            st.metric(t("biography.uses", text=text.name), t("biography.times", count=used), width="content")


def _nodes(token_id: int, tokenizer: Merging) -> list[Node]:
    """Return the tree of a token down to its characters; to its bytes if asked for, or if it is one character."""
    short = tree_of(token_id, tokenizer, to_bytes=False)
    return tree_of(token_id, tokenizer) if len(short) == 1 or TO_BYTES.get() else short


def _why_no_tree(lane: Lane, token_id: int) -> str:
    if _is_special(lane, token_id):
        return t("biography.special")
    return why_no_merges(lane) if merging(lane) is None else t("biography.byte")


def _tree(nodes: Sequence[Node], tokenizer: Merging, lane: Lane) -> None:
    """Draw a tree, say how to read it, and let the visitor see its bytes if it has characters of more than one."""
    token = tokenizer.token_bytes(nodes[0].token_id)
    drawn, whole = sum(not node.is_leaf for node in nodes), len(token) - 1
    says, more = t("biography.tree_says", merges=drawn), t("biography.tree_ids")
    if any(node.is_leaf and _goes_on(node, tokenizer) for node in nodes):
        says += " " + t("biography.tree_part")
    if drawn < whole:
        more += " " + t("biography.tree_bytes", merges=whole)
    st.html(sideways(tree_html(nodes, tokenizer, f"{says} {more}")))
    if not token.isascii():
        st.toggle(t("biography.to_bytes"), key=remembered(TO_BYTES.key, False), persist_state="session")
    st.caption(says, help=f"{more} {t('biography.recovered')}" if lane.key in OPENAI_NAMES else more)


def tree_slides(lane: Lane) -> list[Slide]:
    """Return how the token that is looked at was made; nothing if no merge made it."""
    return tree_slides_of(lane, picked_in(lane))


def tree_slides_of(lane: Lane, token_id: int) -> list[Slide]:
    """Return how a token was made; nothing if no merge made it."""
    tokenizer = merging(lane)
    if tokenizer is None or _is_special(lane, token_id) or len(nodes := _nodes(token_id, tokenizer)) < 2:
        return []
    drawn = tree_html(nodes, tokenizer, t("biography.made"))
    return [Slide("tree", title=translations("biography.made"), html=drawn)]


def _goes_on(leaf: Node, tokenizer: Merging) -> bool:
    """Tell whether a leaf has parts that the tree should show."""
    is_shown_whole = not TO_BYTES.get() and not is_longer(tokenizer.token_bytes(leaf.token_id))
    return merge_number(leaf.token_id, tokenizer) is not None and not is_shown_whole


def _contexts(lane: Lane, token_id: int, uses: Uses, text: OwnText) -> None:
    st.header(t("biography.contexts"), anchor=False)
    count = uses.of(token_id)
    if not count:
        st.markdown(t("biography.unused", text=text.name))
        return
    key = (lane.key, token_id, text.digest)
    found = _found.get(key, lambda: contexts_of(token_id, text.texts, lane.tokenizer, width=CONTEXT_CHARACTERS))
    st.html(CONTEXTS_STYLE + chip_style() + contexts_html(found, t("biography.contexts")))
    if len(found) < count:
        st.caption(t("biography.contexts_says", shown=len(found), count=count, text=text.name))


def surroundings(text: str) -> str:
    """Write the text beside a token: line breaks seen, bytes outside whole characters as hex.

    >>> surroundings("a\\nb"), surroundings("\\udce0\\udcb8"), surroundings("\\udc92\\u0e34a")
    ('a⏎b', 'E0 B8', '92 ◌ิa')
    """
    runs = regex.findall(r"[\udc80-\udcff]+|[^\udc80-\udcff]+", text)
    written = [
        " ".join(f"{ord(each) - 0xDC00:02X}" for each in run) if "\udc80" <= run[0] <= "\udcff" else run
        for run in runs
    ]
    # A mark that has no letter before it stands on a circle.
    return " ".join([*written[:1], *(_BARE_MARK.sub("◌", each) for each in written[1:])]).replace("\n", "⏎")


def contexts_html(found: Sequence[Context], label: str) -> str:
    """Return the HTML of uses of a token, one under the other."""
    rows = "".join(
        f"<tr><td><bdi>{html.escape(surroundings(each.before))}</bdi></td><td>{chip(each.token)}</td>"
        f'<td dir="auto">{html.escape(surroundings(each.after))}</td></tr>'
        for each in found
    )
    return scroll_box("contexts", f"<table>{rows}</table>", label)


def _descendants(lane: Lane, token_id: int, tokenizer: Merging) -> None:
    st.header(t("biography.descendants"), anchor=False)
    every, children = _families.get(
        (lane.key, token_id), lambda: (descendants_of(token_id, tokenizer), children_of(token_id, tokenizer))
    )
    if not every:
        st.markdown(t("biography.childless"))
        return
    shown = children[:MOST_CHILDREN]
    names = {each: as_plain_markdown(in_parts(tokenizer.token_bytes(each))) for each in shown}
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
    st.header(t("biography.others"), anchor=False)
    try:
        text = token.decode("utf-8")
    except UnicodeDecodeError:
        st.markdown(t("biography.no_text"))
        return
    drawn = drawing(Text(text), lanes, language=language())
    token_view(
        drawn,
        key="biography_view",
        toolbar="none",
        ruler=False,
        text_first=True,
        numbers_first=True,
        large=True,
        show_white_space=True,
        max_height=None,
    )


_STYLE = """<style>
.st-key-biography [data-testid="stMetricValue"] { font-size: 1.5rem; }
.token-tree { overflow-x: auto; padding: .25rem 0; container-type: inline-size; }
/* It fades at its edge as long as more of it stands there. */
@keyframes tree-goes-on { from { mask-position: -3rem 0; } to { mask-position: 0 0; } }
.token-tree { mask: linear-gradient(to right, #000 calc(100% - 3rem), #0000) 0 0 / calc(100% + 3rem) no-repeat;
  animation: tree-goes-on linear; animation-timeline: scroll(self inline); }
.token-tree > div { display: grid; gap: 3px 2px; min-width: max-content; }
.token-tree .node { display: flex; flex-direction: column; align-items: center; justify-content: center;
  padding: .1rem 0; border-radius: .35rem; line-height: 1.7; font-size: 1.125rem; max-width: none;
  overflow: visible; }
/* In sight where the tree is wider than its place. */
.token-tree .node > * { position: sticky; left: 0; right: 0; }
.token-tree .node:first-child { font-size: clamp(1rem, 150cqi / var(--letters), 2rem); }
.token-tree .node b { font-weight: 400; line-height: 1.3; font-variant-numeric: tabular-nums;
  font-size: clamp(.65rem, 34cqi / var(--leaves), .75rem); }
.token-tree .hex { font-size: .8125rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.token-tree .node:first-child .hex { font-size: 1.5rem; }
</style>"""


def tree_html(nodes: Sequence[Node], tokenizer: Merging, said: str) -> str:
    """Return the HTML of a tree; `said` describes it to people who do not see it."""
    leaves = [node for node in nodes if node.is_leaf]
    column = {leaf.start: place for place, leaf in enumerate(leaves, start=1)}
    ends = {leaf.end: place for place, leaf in enumerate(leaves, start=2)}
    whole = tokenizer.token_bytes(nodes[0].token_id)
    drawn = "".join(_node(node, whole, column[node.start], ends[node.end]) for node in nodes)
    letters = max(len(plain_token(whole)), 1)
    columns = f"grid-template-columns:repeat({len(leaves)},minmax(min-content,1fr))"
    grid = f'<div style="--leaves:{len(leaves)};--letters:{letters};{columns}">{drawn}</div>'
    return chip_style() + _STYLE + scroll_box("token-tree", grid, said)


def _node(node: Node, whole: bytes, column: int, end: int) -> str:
    token, most = whole[node.start : node.end], 24 if node.depth else 32
    if utf8_text(token) is None and utf8_text(whole) is not None:
        inner = f"<span>{placed_face(whole, node.start, node.end)}</span>"
    else:
        inner = "".join(
            f"<span>{html.escape(shortened(text, most))}</span>" if is_text else f'<span class="hex">{text}</span>'
            for text, is_text in chip_parts(token)
        )
    place = f"grid-row:{node.depth + 1};grid-column:{column}/{end}"
    return f'<div class="node token-chip tint-{tint(token)}" style="{place}">{inner}<b>{node.token_id}</b></div>'
