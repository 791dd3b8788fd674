"""The tints of the token view can be told apart, and text on them can be read."""

import itertools
import tomllib
from typing import Any

import numpy as np
import pytest

from pages.ui.widgets.colours import DARK, LIGHT, TINT_COUNT, Scheme
from pages.ui.widgets.token_view.payload import tint
from tests.helpers.paths import REPOSITORY

THEMES = pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
THEME = tomllib.loads((REPOSITORY / ".streamlit" / "config.toml").read_text())["theme"]


# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
VISIONS = {
    "normal": np.eye(3),
    "protanope": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranope": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "tritanope": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


# Björn Ottosson's OKLab, from linear RGB.
LMS = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip


OKLAB = np.array([[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
                  [0.0259040371, 0.7827717662, -0.808675766]])  # fmt: skip


def linear(colour: str) -> Any:
    """The linear RGB of a colour written as #rrggbb."""
    shares = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """The contrast of WCAG 2."""
    dark, light = sorted(float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def fills(scheme: Scheme) -> list[str]:
    return [*scheme.tints, *scheme.by_bytes, *scheme.by_cut]


@THEMES
def test_text_on_every_tint_has_a_contrast_of_at_least_7(scheme: Scheme) -> None:
    assert len(scheme.tints) == TINT_COUNT >= 8
    assert min(contrast(tint, scheme.ink) for tint in fills(scheme)) >= 7


def test_on_a_dark_page_every_tint_stands_out_from_it() -> None:
    """As the controls of WCAG do; on a white page tints that text can be read on never do."""
    assert min(contrast(tint, THEME["dark"]["backgroundColor"]) for tint in fills(DARK)) >= 3


@THEMES
def test_marks_stand_out_from_what_they_mark(scheme: Scheme) -> None:
    page = THEME["light" if scheme is LIGHT else "dark"]["backgroundColor"]
    grounds = dict(zip(scheme.cut_lines, scheme.by_cut[1:], strict=True))
    assert min(contrast(line, tint) for line, tint in grounds.items()) >= 3
    for fill in fills(scheme):
        assert contrast(scheme.differ_under, fill) >= 3
        assert contrast(scheme.lit, fill) >= 3
        assert contrast(mixed(scheme.ink, fill, 0.6), fill) >= 3, "the name of a space"
    assert contrast(scheme.differ, page) >= 3


def mixed(colour: str, ground: str, opacity: float) -> str:
    """A colour with this opacity over another."""
    pairs = ((int(colour[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(one * opacity + other * (1 - opacity)):02x}" for one, other in pairs)


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("kind", ["tints", "by_bytes", "by_cut"])
@THEMES
def test_any_two_tints_differ_for_every_vision(scheme: Scheme, kind: str, vision: str) -> None:
    """By at least 0.05 in OKLab, where 0.02 is just visible."""
    seen = [np.clip(np.array(VISIONS[vision]) @ linear(tint), 0, 1) for tint in getattr(scheme, kind)]
    places = [OKLAB @ np.cbrt(LMS @ colour) for colour in seen]
    assert min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(places, 2)) >= 0.05


def test_a_token_keeps_its_tint() -> None:
    assert [tint(token) for token in (b" the", "ที่".encode(), b"\xe0\xb8")] == [6, 1, 5]


def test_the_bytes_of_a_thai_letter_have_colours_of_their_own_wherever_they_are_seen() -> None:
    """In the equation of a merge as in the sentence: no byte needs another tint because of the one beside it."""
    for letter in map(chr, [*range(0x0E01, 0x0E3B), *range(0x0E3F, 0x0E5C)]):
        tints = [tint(bytes([byte])) for byte in letter.encode()]
        assert len(set(tints)) == 3 or letter.encode()[1:] == b"\xb8\xb8", letter
    starts = {tint(bytes([byte])) for byte in range(0xC2, 0xF5)}
    ends = {tint(bytes([byte])) for byte in range(0x80, 0xC0)}
    assert len(starts) == 1
    assert not starts & ends
