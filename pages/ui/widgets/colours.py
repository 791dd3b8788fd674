"""The colors of charts, saved pictures and tokens, each in a shade for light pages and one for dark pages.

A search over OKLab found tints of tokens that differ for normal, deuteranope, protanope and tritanope vision;
`tests/widgets/test_palette.py` checks contrast and distances."""

from dataclasses import dataclass
from typing import NamedTuple


class Colour(NamedTuple):
    """One color in both color schemes."""

    light: str
    dark: str

    @property
    def css(self) -> str:
        """The color of the scheme in which the page stands."""
        return f"light-dark({self.light}, {self.dark})"


CATEGORIES = (
    Colour("#0f766e", "#2dd4bf"),
    Colour("#b45309", "#fbbf24"),
    Colour("#4f46e5", "#a5b4fc"),
    Colour("#be185d", "#f9a8d4"),
)
"""The colors that tell things apart, as in `.streamlit/config.toml`, from which charts take them."""
INK = Colour("#1f2430", "#e6e8ee")
QUIET = Colour("#4b5160", "#b6bcc8")
ON_BAR = Colour("#ffffff", "#04211d")
"""Words on a bar of one of the categories."""


@dataclass(frozen=True)
class Scheme:
    """All colours of one scheme: tokens are light in both, so dark ink on them has a contrast of at least 7."""

    ink: str
    """Text on a tint. Not the theme's own text colour, which is light on a dark page."""
    tints: tuple[str, ...]
    """One for each token, by its bytes."""
    by_bytes: tuple[str, ...]
    """From a single byte to many bytes."""
    by_cut: tuple[str, ...]
    """Cut between clusters, inside a cluster, inside a character."""
    differ: str
    """On the page, the mark of what tokenizers cut differently."""
    cut_lines: tuple[str, str] = ("#7a5600", "#a3160c")
    """The lines under what is cut inside a cluster and inside a character."""
    differ_under: str = "#a3195b"
    """On a tint, the mark of what tokenizers cut differently."""
    lit: str = "#0a5650"
    """On a tint, the frame of what is pointed at."""


LIGHT = Scheme(
    ink="#1a1c23",
    tints=("#f8ad9b", "#f2cf8a", "#f1eea6", "#a6e6c8", "#caf3f2", "#acc0fd", "#d4d4fc", "#d3b9ce"),
    by_bytes=("#de9f88", "#f0c775", "#fef8a6", "#c6f9e1", "#aad7f6"),
    by_cut=("#e6eaf0", "#f5d36a", "#fb9a80"),
    differ="#a3195b",
)
DARK = Scheme(
    ink="#101218",
    tints=("#fd98bf", "#fcc76d", "#c3a94a", "#50be95", "#a7f6b5", "#97cbf9", "#b59bf5", "#fbdaf5"),
    by_bytes=("#f48fa0", "#eeb45c", "#e9ea85", "#86d9b4", "#8fb4f7"),
    by_cut=("#b4bccb", "#f5d36a", "#fb9a80"),
    differ="#ff8fc2",
)
TINT_COUNT = len(LIGHT.tints)


def palette_css() -> str:
    """Return the colours as custom properties of CSS: `--t0` and up for tokens, `--u0` for their paler shades.

    `--h0` and up are by bytes, `--b0` by cut.
    """
    return _rule(".token-view", LIGHT) + _rule(".token-view.dark", DARK)


def _paler(tint: str) -> str:
    """Mix a colour with white, by halves.

    >>> _paler("#c3a94a")
    '#e1d4a4'
    """
    return "#" + "".join(f"{(byte + 255) // 2:02x}" for byte in bytes.fromhex(tint[1:]))


def _rule(selector: str, scheme: Scheme) -> str:
    named = {"ink": scheme.ink, "differ": scheme.differ, "differ-under": scheme.differ_under, "lit": scheme.lit}
    shades = [_paler(tint) for tint in scheme.tints]
    for letter, tints in (("t", scheme.tints), ("u", shades), ("h", scheme.by_bytes), ("b", scheme.by_cut)):
        named |= {f"{letter}{number}": tint for number, tint in enumerate(tints)}
    named |= {f"cut{number}": line for number, line in enumerate(scheme.cut_lines, start=1)}
    return f"{selector} {{ {' '.join(f'--{name}: {value};' for name, value in named.items())} }}\n"
