"""The tree of a token as HTML: the token on top, under it the parts that were merged, at the bottom its bytes."""

import html
from collections.abc import Sequence

from pages.ui.token_view.chips import chip_parts, chip_style
from pages.ui.token_view.payload import tint
from pages.ui.vocabulary.written_tokens import shortened
from pages.ui.words.breaks import without_breaks
from tokenizer_core.measures.lineage import Merging, Node

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
    words = html.escape(without_breaks(said), quote=True)
    return (
        f'{chip_style()}{_STYLE}<div class="token-tree" role="region" tabindex="0" aria-label="{words}">'
        f'<div style="grid-template-columns:repeat({len(leaves)},minmax(1.625rem,1fr))">{drawn}</div></div>'
    )


def _node(node: Node, token: bytes, column: int, end: int) -> str:
    inner = "".join(
        f"<span>{html.escape(shortened(text))}</span>" if whole else f'<span class="hex">{text}</span>'
        for text, whole in chip_parts(token)
    )
    place = f"grid-row:{node.depth + 1};grid-column:{column}/{end}"
    return f'<div class="node token-chip tint-{tint(token)}" style="{place}">{inner}<b>{node.token_id}</b></div>'
