"""The pairs that could be merged next, as rows of chips."""

from collections.abc import Sequence

from pages.ui.token_view.chips import chip, chip_style
from tokenizer_core.trainer import Candidate


def choice_rows(candidates: Sequence[Candidate], vocabulary: Sequence[bytes]) -> str:
    """Return the HTML of the pairs that could be merged next, best first, each with a bar for its count."""
    most = max((candidate.count for candidate in candidates), default=1)
    rows = "".join(
        _choice_row(
            candidate, vocabulary, most, "next" if place == 0 else "tied" if candidate.count == most else ""
        )
        for place, candidate in enumerate(candidates)
    )
    return f'{_style()}<div class="merge-list" role="list">{rows}</div>'


def _choice_row(candidate: Candidate, vocabulary: Sequence[bytes], most: int, standing: str) -> str:
    left, right = (chip(vocabulary[n]) for n in (candidate.left, candidate.right))
    return (
        f'<div class="merge-row merge-{standing}" role="listitem">'
        f'<span class="merge-pair">{left}<i>+</i>{right}</span>'
        f'<span class="merge-bar" style="width:{30 * candidate.count / most:.1f}%"></span>'
        f'<span class="merge-count">× {candidate.count:,}</span></div>'
    )


def _style() -> str:
    """Return the styles of the list."""
    rules = [
        ".merge-list{display:flex;flex-direction:column;font-variant-numeric:tabular-nums}",
        ".merge-row{display:flex;align-items:center;gap:.5rem;padding:.32rem 0;"
        "border-bottom:1px solid rgba(128,128,128,.18);min-height:2.5rem;line-height:1.9}",
        ".merge-row i{font-style:normal;opacity:.6}",
        ".merge-pair{display:inline-flex;gap:.4rem;align-items:center}",
        ".merge-count{margin-left:auto;opacity:.8;font-size:.9rem;white-space:nowrap}",
        ".merge-next{box-shadow:inset 3px 0 light-dark(#0f766e,#2dd4bf);padding-left:.6rem}",
        ".merge-tied{box-shadow:inset 3px 0 light-dark(#99c9c4,#115e59);padding-left:.6rem}",
        ".merge-bar{height:.5rem;border-radius:.25rem;background:light-dark(#0f766e,#2dd4bf);opacity:.45;"
        "margin-left:auto;min-width:2px}",
        ".merge-bar+.merge-count{margin-left:.25rem;min-width:4.5rem;text-align:right}",
    ]
    return f"{chip_style()}<style>{''.join(rules)}</style>"
