"""What the browser needs for the whole page: its language, its styles, its terms, and where to scroll."""

import json
from functools import cache
from pathlib import Path

import msgspec
import streamlit as st

from pages.ui.frame.manual import terms_to_explain
from pages.ui.frame.navigation import ASIDE
from pages.ui.i18n import catalogue, language
from pages.ui.widgets.token_view.serve import bundle

_STYLE = """
/* White is hard to read on the light teal of the dark scheme. */
button[kind^="primary"]:not(:disabled),
button[kind^="primary"]:not(:disabled) * { color: light-dark(#ffffff, #04211d); }
/* The one before the chosen one may stand at the end of a line, where no other edge closes it. */
button[data-variant="segmented_control"]:not([data-selected="true"]):has(+ button[data-selected="true"]) {
  border-right-color: color-mix(in srgb, currentColor 20%, transparent) !important; }
/* A chosen switch under the mouse: Streamlit's teal on teal has a contrast below 4.5. */
[data-testid="stButtonGroup"] button[data-selected="true"] * { color: light-dark(#0a5650, #5eead4); }
/* Chosen options of a list: white is hard to read there, too. */
[data-testid="stMultiSelectTagsContainer"] [data-tag], [data-testid="stMultiSelectTagsContainer"] [data-tag] * {
  color: light-dark(#ffffff, #04211d); }
/* Streamlit's captions have an opacity of 60 %, which is too pale for small text. */
[data-testid="stCaptionContainer"], [data-testid="stCaptionContainer"] * { color: inherit; }
[data-testid="stCaptionContainer"] { opacity: .8; }
/* Show where the keyboard is. */
a[data-testid="stPageLink-NavLink"]:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
/* What plays by itself or fills the screen must not grow pale, and be seen through, while a page is drawn anew. */
:is(.st-key-stage, .st-key-deck, .st-key-learn), :is(.st-key-stage, .st-key-deck, .st-key-learn) *,
[data-stale="true"]:has(.st-key-stage, .st-key-deck, .st-key-learn) { opacity: 1 !important; }
/* Streamlit keeps 100 pixels free for its header, which holds one menu: the navigation stands beside that. */
[data-testid="stHeader"] { background: none; }
[data-testid="stHeader"], [data-testid="stHeader"] * { pointer-events: none; }
[data-testid="stHeader"] button, [data-testid="stHeader"] button * { pointer-events: auto; }
[data-testid="stMainBlockContainer"] { padding-top: .5rem; }
.st-key-navigation { margin-top: -1.25rem; } /* the gap of an element that draws nothing */
.st-key-present { margin-inline-start: auto; }
@media (max-width: 899px) {
  .st-key-navigation { padding-inline-end: 2.5rem; }
  [data-testid="stHeader"] button { background: light-dark(#ffffff, #191814); } /* it lies over what is scrolled */
}
@media (641px <= width < 900px) { /* a phone on its side: all of it in one line */
  .st-key-navigation { gap: .375rem !important; }
  .st-key-navigation a { padding-inline: .375rem !important; }
}
/* The sentence of Home can be read while it is typed. */
@media (min-width: 900px) { .st-key-home_text input { font-size: 1.25rem; } }
/* What a stripe is gives way to the examples and to the way on, in two lines if need be. */
@media (min-width: 900px) { :has(> .st-key-home_stripe) { flex: 1 1 9rem !important; min-width: 0; } }
/* The halves of a page stand beside its title where there is room. */
@media (min-width: 900px) { .st-key-halves { justify-content: flex-end; margin-top: -3.75rem; height: 3.25rem; } }
/* Where the text of Compare comes from stands beside its title, too. */
@media (min-width: 900px) {
  .st-key-compare_text_side { position: relative; }
  .st-key-text_source { position: absolute; top: -3.4rem; left: calc(100% + .75rem);
    width: max-content !important; }
}
/* So do few tabs. */
@media (min-width: 1000px) {
  .st-key-patterns_tabs { margin-top: -4.4rem; }
  .st-key-patterns_tabs [role="tablist"] {
    width: max-content; margin-inline-start: auto; margin-block-end: .35rem; }
  .st-key-pieces_head { position: relative; }
  .st-key-pieces_tabs { margin-top: -1.25rem; }
  .st-key-pieces_tabs [role="tablist"] { position: absolute; top: -4.4rem; right: 0; }
}
/* The frame of a tab with the focus is inside it above and below, where it would be cut off; a tab
   that lost it may still have it. */
[data-testid="stTab"][data-focus-visible]:focus {
  box-shadow: inset 0 2px, inset 0 -2px, 3px 0, -3px 0 !important; }
[data-testid="stTab"][data-focus-visible]:not(:focus) { box-shadow: none !important; }
[data-testid="stTab"]:not([data-selected], :focus, :hover) { color: inherit; }
/* On a phone, the sentence that says more stands far below. */
@media (min-width: 641px) { :has(> .st-key-compare_stripe) { display: none; } }
/* On a phone the first screen belongs to what people came for: a smaller title, and less above it. */
@media (max-width: 640px) {
  h1 { font-size: 1.6rem !important; padding: .25rem 0 .5rem !important; }
  [data-testid="stMainBlockContainer"] { padding-top: 3.5rem; }
  .st-key-navigation { row-gap: .5rem !important; padding-inline-end: 0; }
  [data-testid="stHeader"] { background: light-dark(#ffffff, #191814); height: 2.75rem; min-height: 0; }
  .st-key-lang, .st-key-present { position: fixed; top: .6rem; z-index: 999991; width: auto !important; }
  .st-key-lang { left: 1rem; }
  .st-key-present { left: 10.5rem; }
  /* What is chosen before one looks takes a line each, and is pushed aside. */
  .st-key-compare_row > .stElementContainer, .st-key-compare_example [role="radiogroup"],
  .st-key-vocabulary_lanes {
    flex-wrap: nowrap !important; overflow-x: auto; scrollbar-width: none;
    mask: linear-gradient(to right, #000 calc(100% - 2rem), #0000) 0 0 / calc(100% + 2rem) no-repeat;
    animation: row-goes-on linear; animation-timeline: scroll(self inline); }
  @keyframes row-goes-on { from { mask-position: -2rem 0; } to { mask-position: 0 0; } }
  .st-key-compare_row button, .st-key-compare_example button { flex: none; }
  .st-key-lab_example button { padding-inline: .6rem; } /* so that the last one in sight is cut, not whole */
  /* Six tabs take two lines, where each stands whole. */
  .st-key-vocabulary_tabs [role="tablist"] { flex-wrap: wrap; row-gap: 0; }
  .st-key-pieces_head { row-gap: .25rem; }
  .st-key-pieces_what p { line-height: 1.5; }
  .st-key-pieces_shown button { padding-inline: .4rem; } /* four in a row */
  .st-key-train_card [role="radiogroup"] { gap: .5rem !important; }
  .st-key-train_card [role="radiogroup"] > div {
    flex: 1 1 calc(50% - .25rem) !important; min-width: 0; padding: .5rem !important; }
  .st-key-train_card [data-testid="stRadioOption"] p { font-size: 1rem !important; }
  .st-key-train_card [data-testid="stRadioCaption"] { display: none; }
  .st-key-train_card [data-testid="stRadioOption"] > div { align-items: flex-start; }
  .st-key-train_card [data-testid="stRadioOption"] > div > :first-child { margin-top: .3rem; } /* the ring */
  .st-key-train_stripe > :has([data-testid="stCaptionContainer"]) { display: none; }
  .st-key-start_row > :has([data-testid="stCaptionContainer"]) { flex: 1 1 7rem; min-width: 0; }
  [class*="st-key-answer_"] h2 { font-size: 1.125rem; }
  .st-key-lab_pickers [data-testid="stHorizontalBlock"] { flex-wrap: nowrap; gap: .75rem; }
  .st-key-lab_pickers [data-testid="stColumn"] { min-width: 0; flex: 1 1 0; }
  /* The text of Compare takes the lines that it needs; its tokenizers take a line, as do the ways to others. */
  :is(.st-key-compare_text, .st-key-lab_text) textarea {
    field-sizing: content; height: auto !important; min-height: 2.75rem; max-height: 7rem; }
  :is(.st-key-compare_text, .st-key-lab_text) [data-testid="stTextAreaRootElement"] {
    height: auto; min-height: 0; }
  .st-key-compare_view, .st-key-lab_view { margin-top: -.5rem; }
  .st-key-vocabulary_lanes { flex-direction: row; align-items: center; }
  .st-key-compare_row { row-gap: .375rem; }
  .st-key-compare_ways button { min-height: 2rem; padding-block: .125rem; }
  :is(.st-key-compare_row, .st-key-vocabulary_lanes) :is([role="toolbar"], [role="radiogroup"]) {
    flex-wrap: nowrap !important; }
  .st-key-vocabulary_lanes > *,
  :is(.st-key-compare_row, .st-key-vocabulary_lanes) :is(.stButtonGroup, [role="toolbar"], [role="radiogroup"]) {
    flex: none; width: max-content !important; max-width: none; }
  /* Languages: one's own texts come at once below the answer, the receipt below the bars, and then what else is
     chosen, but for who counts. */
  [data-testid="stColumn"]:has(> * > * > :is(.st-key-languages_choices, .st-key-receipt_row)),
  [data-testid="stColumn"] > :has(> * > :is(.st-key-languages_choices, .st-key-receipt_row)) { display: contents; }
  [data-testid="stColumn"] > :has(> * > :is(.st-key-languages_choices, .st-key-receipt_row)) > * {
    flex: 1 1 100%; }
  .st-key-receipt_row, :has(> .st-key-receipt_row) { display: contents; }
  .st-key-receipt_row > [data-testid="stElementContainer"] { flex: none !important; }
  :has(> .st-key-languages_choices) { order: 1; }
  :has(> .st-key-receipt_choices) { order: -1; flex: 1 1 100%; }
  .st-key-receipt_add { flex: none !important; }
  /* A tokenizer of the list has a line for its names, and its buttons stand below. */
  [class*="st-key-run_"] > :has(> [data-testid="stVerticalBlock"]) { flex: 1 1 calc(100% - 3rem) !important; }
  /* Columns one under another are no further apart than all else. */
  [data-testid="stHorizontalBlock"]:has(> [data-testid="stColumn"]) { row-gap: 1rem; }
}
/* On a projector the last row reads along: all but the tokens, which fill the screen anyway, is larger. */
@media (min-width: 1700px) and (min-height: 950px) {
  html:root { font-size: 19px; }
  h1 { font-size: 2.25rem !important; }
}
/* Words that take two lines begin where others do, beside their icon. */
button[kind="tertiary"] > div { justify-content: start; text-align: start; }
/* The buttons of a table stand above it, on a phone all the time. */
[data-testid="stElementContainer"]:has(> [data-testid="stFullScreenFrame"] [data-testid="stDataFrame"]) {
  margin-top: 1.5rem; }
/* The answer of a page: its figures are as large as its title. */
[class*="st-key-answer_"] h2 { line-height: 1.5; padding-block: .25rem .5rem; font-variant-numeric: tabular-nums; }
[class*="st-key-answer_"] h2 strong { font-size: 1.8em; font-weight: 700; line-height: 1.1; }
.st-key-answer_languages h2 { padding-bottom: 1rem; }
/* How to read the tokens stands below them, and below what they cost. */
.st-key-home_tokens { margin-top: -.5rem; } /* the gaps of elements that draw nothing */
.st-key-home_tokens > :first-child { order: 1; }
.st-key-home_tokens > :first-child p { font-size: 1rem; }
/* The ring of an option that is not chosen can be seen, too. */
[data-testid="stRadioOption"]:not(:has(input:checked)) > div > div:first-child {
  border-color: light-dark(#6b7280, #9ca3af); }
/* The texts to train on, as cards. */
.st-key-train_card [role="radiogroup"] { gap: 1rem; align-items: stretch; }
.st-key-train_card [role="radiogroup"] > div {
  position: relative; flex: 1 1 14rem; margin: 0; padding: .9rem 1.1rem; border-radius: .75rem;
  border: 2px solid light-dark(#8a8f98, #6b7280); }
.st-key-train_card label::after { content: ""; position: absolute; inset: 0; cursor: pointer; }
.st-key-train_card [data-testid="stRadioCaption"] { pointer-events: none; } /* a press on it is one on the card */
.st-key-train_card [data-testid="stRadioOption"] p { font-weight: 600; font-size: 1.125rem; }
.st-key-train_card [role="radiogroup"] > div:has(input:checked) {
  border-color: light-dark(#0f766e, #2dd4bf); background: light-dark(#0f766e14, #2dd4bf1f); }
/* Code as large as the text around it: Thai is hard to read any smaller. */
[data-testid="stMarkdownContainer"] :not(pre) > code { font-size: 1em; }
/* A pattern of one's own: every character counts, and a branch stays on its line. */
[class*="st-key-lab_"][class*="_custom"] textarea {
  font-family: "Source Code Pro", "Noto Sans Thai", Sarabun, "Leelawadee UI", Thonburi, monospace;
  white-space: pre; overflow: auto !important; }
@media (max-height: 950px) { /* what it cuts stays in the first screen */
  [class*="st-key-lab_"][class*="_custom"] textarea { max-height: 8.25rem; }
}
/* A way to another page among folds looks as they do. */
.st-key-to_pieces a, .st-key-to_pieces a * { white-space: normal; height: auto; }
.st-key-to_pieces a { width: 100%; padding: .25rem .75rem; border-radius: .5rem;
  border: 1px solid light-dark(#31333f33, #fafafa33); }
/* What starts a training stays in sight, and is the largest button. */
.st-key-start button { min-height: 3rem; padding-inline: 1.5rem; }
.st-key-start button p { font-size: 1.25rem; }
.st-key-start_row { position: sticky; bottom: 0; z-index: 5; padding-block: .5rem;
  background: light-dark(#ffffff, #191814); }
.st-key-train_card, .st-key-train_card .stRadio { width: 100%; }
/* A press is answered at once: a line at the top says that the page works, if it takes longer than a blink. */
.stApp[data-test-script-state="running"]::before { content: ""; position: fixed; inset: 0 0 auto; block-size: 3px;
  z-index: 999998; background: linear-gradient(90deg, transparent, light-dark(#0f766e, #2dd4bf), transparent);
  background-size: 50% 100%; background-repeat: no-repeat;
  animation: 1.2s linear .05s infinite backwards page-works; }
@keyframes page-works { from { background-position: -100% 0; } to { background-position: 200% 0; } }
@media (prefers-reduced-motion: reduce) {
  .stApp[data-test-script-state="running"]::before { animation: none; background: light-dark(#0f766e, #2dd4bf); }
}
h1 { padding-top: .5rem !important; }
h1, h2, h3 { text-wrap: balance; }
:is(h1, h2, h3):lang(th) { font-weight: 700; } /* of Thai faces, many have no weight between regular and bold */
/* Without the shorthand, which lets the number of a slider wrap. */
[data-testid="stMarkdownContainer"] p { text-wrap-style: pretty; }
/* Streamlit's offer to stop a long run would lie over the choice of language. */
[data-testid="stStatusWidget"] { position: fixed; inset: auto 1rem 1rem auto; padding: .25rem .5rem;
  border-radius: .5rem; background: light-dark(#ffffff, #191814); box-shadow: 0 1px 6px rgb(0 0 0 / .3); }
/* They draw nothing where they stand, and take no room there. */
.st-key-page_terms, [class*="st-key-into_view_"], [class*="st-key-live_area_"] { display: none; }
/* Technical words that are explained where they stand, and what they mean. */
::highlight(term) { text-decoration: underline dotted; }
#meaning { position: fixed; z-index: 999999; max-width: min(22rem, calc(100vw - 1rem)); padding: .4rem .6rem;
  border-radius: .4rem; font-size: .875rem; line-height: 1.6; box-sizing: border-box; }
@media (hover: none) { #meaning { pointer-events: none; } } /* a tap reaches what it covers */
/* What is typed into these boxes is taken over by itself. */
:has(+ [class*="st-key-live_area_"]) [data-testid="InputInstructions"] { display: none; }
/* Streamlit names its own largest file here; each uploader's label says what it really takes. */
[data-testid="stFileUploaderDropzoneInstructions"] { display: none; }
"""

# Words that Streamlit writes in English, each as the element that holds it, and our word for it. The text is made
# too small to see, not removed: Streamlit would write into what is gone.
COUNTED = (
    *("languages_price", "languages_name_", "train_rival_text", "name_", "name_file_"),
    *("compare_next", "envelope_", "methods_own"),
)
"""What the keys of text boxes with `max_chars` begin with: there the last span is a count, not words."""
_PRESS = "span:first-child:not(:is({}) span:last-child)".format(
    ", ".join(f'[class*="st-key-{key}"]' for key in COUNTED)
)
_UPLOADER = '[data-testid="stFileUploaderDropzone"]'
_ENGLISH_OF_STREAMLIT = {
    f'{_UPLOADER} button [data-testid="stMarkdownContainer"] > p': "upload",
    f"{_UPLOADER} > input + div:not(:last-child) > span": "drop",
    f'[data-testid="InputInstructions"] > {_PRESS}': "enter",
    f'.stTextArea [data-testid="InputInstructions"] > {_PRESS}': "control_enter",
    '[data-testid="stStatusWidget"] button': "stop",
    '[role="option"][data-key="__select_all__"] > div': "select_all",
    '[role="listbox"][data-empty] [role="option"] span': "no_results",
}

INTO_VIEW = """
const shown = new Set();
export default function ({ data }) {
  const { target, occasion } = JSON.parse(new TextDecoder().decode(data));
  if (shown.has(occasion)) return; // whoever has scrolled away since then is left alone
  shown.add(occasion);
  // After two frames the page has taken in what was drawn with it.
  requestAnimationFrame(() => requestAnimationFrame(() => scroll(target)));
}

function scroll(target) {
  const element = document.querySelector(`.st-key-${target}`);
  const { top } = element?.getBoundingClientRect() ?? {};
  if (!element || (top >= 0 && top < innerHeight / 2)) return; // it is in sight
  element.style.scrollMarginTop = "4rem"; // below the bar at the top
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  // What is drawn later changes the page's length: follow it for a moment, unless the visitor moves.
  const follower = new ResizeObserver(() => element.scrollIntoView({ block: "start", behavior }));
  follower.observe(document.querySelector('[data-testid="stMainBlockContainer"]') ?? document.body);
  const stop = () => follower.disconnect();
  setTimeout(stop, 2000);
  for (const moved of ["wheel", "touchstart", "pointerdown", "keydown"]) {
    addEventListener(moved, stop, { once: true, passive: true });
  }
}
"""

_component = st.components.v2.component("page_frame", js=bundle(Path(__file__).parent / "frame.js"))
_into_view = st.components.v2.component("into_view", js=INTO_VIEW)


def frame(screen: str, page: str) -> None:
    """Tell the browser the page's language and terms, and its screen, so that a new screen starts at its top."""
    st.html(_style(page, language()))
    options = {"language": language(), "screen": screen, "explained": _terms(page or "home", language())}
    _component(key="page_frame", data=msgspec.json.encode(options))


@cache
def _terms(page: str, spoken: str) -> msgspec.Raw:
    """Return the terms of a page in a language as JSON, which is put as it is into what a visitor gets."""
    return msgspec.Raw(msgspec.json.encode(terms_to_explain(page, spoken)))


class _Html(str):
    """HTML that Streamlit takes as it is; in other strings it looks for an indent in each line, at every run."""

    def _repr_html_(self) -> str:
        return self


@cache
def _style(page: str, spoken: str) -> _Html:
    """Return the styles of a page in a language."""
    return _Html(f"<style>{_STYLE}{_mark_parent(page)}{_our_words(spoken)}</style>")


def bring_into_view(target: str, occasion: str) -> None:
    """Scroll to the container with this key, once for each occasion; the keyboard's focus stays where it is."""
    data = json.dumps({"target": target, "occasion": f"{target} {occasion}"}).encode()
    _into_view(key=f"into_view_{target}", data=data)


def _mark_parent(page: str) -> str:
    """Return a style that marks, in the navigation, the page to which a page outside it belongs."""
    if page not in ASIDE:
        return ""
    return (
        f'.st-key-navigation a[href$="{ASIDE[page]}"] {{ background: light-dark(#97a6c326, #acb1c333); '
        "font-weight: 600; }"
    )


def _our_words(spoken: str) -> str:
    """Return styles that show our words in place of Streamlit's; English pages keep Streamlit's."""
    if spoken == "en":
        return ""
    words = {
        name: json.dumps(catalogue(spoken)[f"streamlit.{name}"], ensure_ascii=False)
        for name in _ENGLISH_OF_STREAMLIT.values()
    }
    return "".join(
        f"{element} {{ font-size: 0 !important; }}"
        f"{element}::after {{ content: {words[name]}; font-size: .875rem; }}"
        for element, name in _ENGLISH_OF_STREAMLIT.items()
    )
