"""What axe-core finds on a screen of the app."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page, expect

from tests.helpers.browser import STILL
from tests.helpers.paths import REPOSITORY

AXE = Path(os.environ.get("AXE_CORE", REPOSITORY / ".axe" / "node_modules" / "axe-core" / "axe.min.js"))
Scheme = Literal["light", "dark"]
Look = tuple[int, int, Scheme]
WIDE: Look = (1280, 900, "light")
NARROW: Look = (390, 844, "dark")
# Faults of Streamlit's own widgets, which neither its options nor our style can mend: rule, element, reason.
STREAMLITS_OWN = [
    (
        "presentation-role-conflict",
        "section[data-testid=stFileUploaderDropzone]",
        "the area files are dropped on has a label though it is no control; the button in it has its own",
    ),
]
RUN = """async (streamlits) => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"], elementRef: true });
  const ours = (id, element) => !streamlits.some(([rule, selector]) => rule === id && element.matches(selector));
  return violations.flatMap(({ id, nodes }) => nodes
    .filter(({ element }) => ours(id, element))
    .map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`));
}"""


def violations(tab: Page, axe: str, looks: Sequence[Look] = (WIDE, NARROW)) -> list[str]:
    """What axe finds on a screen as it stands: at each width in its scheme, or, if none is given, as it is."""
    tab.evaluate(axe)  # from outside: the page's own policy lets no script of a stranger in
    found: list[str] = [] if looks else list(tab.evaluate(RUN, STREAMLITS_OWN))
    for width, height, scheme in looks:
        tab.set_viewport_size({"width": width, "height": height})
        dress(tab, scheme)
        broken: list[str] = tab.evaluate(RUN, STREAMLITS_OWN)
        found += [f"{scheme}, {width} pixels wide: {each}" for each in broken]
    return found


def dress(tab: Page, scheme: Scheme) -> None:
    """Change between light and dark, and wait until the drawing has followed."""
    tab.emulate_media(color_scheme=scheme)
    for app in tab.get_by_test_id("stApp").all():  # the page taken away has none
        expect(app).to_have_css("color-scheme", scheme)
    expect(tab.locator(f".token-view{':not(.dark)' if scheme == 'dark' else '.dark'}")).to_have_count(0)
    tab.evaluate(STILL)
