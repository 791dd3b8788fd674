"""The tints of tokens, in light and in dark: the one place where they are written.

Found by a search over OKLab for soft tints that stay apart for normal, deuteranope, protanope and tritanope
vision; `tests/test_token_view.py` computes contrast and distances.
"""

LIGHT_TINTS = ("#f8ad9b", "#f2cf8a", "#f1eea6", "#a6e6c8", "#caf3f2", "#acc0fd", "#d4d4fc", "#d3b9ce")
DARK_TINTS = ("#552c32", "#6f3f00", "#302900", "#48513f", "#004356", "#00537b", "#112658", "#480e31")
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
