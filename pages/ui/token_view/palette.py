"""The tints of tokens, in light and in dark: the one place where they are written.

Found by a search over OKLab for soft tints that stay apart for normal, deuteranope, protanope and tritanope vision;
`tests/test_token_view.py` computes contrast and distances.
"""

LIGHT_TINTS = (
    *("#fdc6be", "#ffe6ba", "#cbd27a", "#c1b855", "#65c991"),
    *("#b3ffed", "#9dc8e6", "#b7aaff", "#d6d9ff", "#fca5bf"),
)
DARK_TINTS = (
    *("#3f232a", "#624a02", "#2f3b00", "#242000", "#045d41"),
    *("#184842", "#001d54", "#522864", "#4f4185", "#3c0031"),
)
TINT_COUNT = len(LIGHT_TINTS)

# Text on a tint. Not the theme's own text colour, whose contrast nobody has checked.
LIGHT_INK = "#1a1c23"
DARK_INK = "#fafafa"


def palette_css() -> str:
    """The tints as custom properties: `--t0`, `--t1`, … and `--ink`, for light and for dark."""
    return _rule(".token-view", LIGHT_TINTS, LIGHT_INK) + _rule(".token-view.dark", DARK_TINTS, DARK_INK)


def _rule(selector: str, tints: tuple[str, ...], ink: str) -> str:
    properties = "".join(f" --t{number}: {tint};" for number, tint in enumerate(tints))
    return f"{selector} {{ --ink: {ink};{properties} }}\n"
