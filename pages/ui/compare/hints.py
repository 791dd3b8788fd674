"""A hint at invisible and look-alike characters in a text, with the cleaned text to compare."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from pages.ui.token_view import token_view
from pages.ui.token_view.drawings import Text, drawing
from pages.ui.token_view.lanes import Lane
from pages.ui.widgets.bounded import Bounded
from pages.ui.words import as_plain_markdown, language, t, told
from tokenizer_core.texts.lookalikes import KINDS, Finding, cleaned, find_lookalikes

MAX_CHECKED = 200_000
_found = Bounded[list[Finding]](200_000, weigh=lambda findings: len(findings) + 1)


def hint_at_lookalikes(content: str | bytes, lanes: Sequence[Lane]) -> None:
    """Say which invisible and look-alike characters the text contains; draw the cleaned text if asked."""
    if isinstance(content, bytes):
        return
    text = content[:MAX_CHECKED]
    findings = _found.get(text, lambda: find_lookalikes(text))
    if not findings:
        return
    with st.container(border=True):
        st.markdown(_sentence(text, findings))
        if len(content) > MAX_CHECKED:
            st.caption(t("hints.checked", characters=MAX_CHECKED))
        if st.toggle(t("hints.show"), key="show_cleaned", persist_state="session"):
            clean = cleaned(text, findings) + content[MAX_CHECKED:]
            with told():  # a tokenizer from a file may not know the cleaned text
                drawn = drawing(Text(clean), lanes, language=language())
                token_view(drawn, key="cleaned_view", toolbar="short", max_height=480)
                st.caption(t("hints.shown"))


def _sentence(text: str, findings: Sequence[Finding]) -> str:
    """Say what was found, by kind, each with its first place."""
    counts = Counter(finding.kind for finding in findings)
    first = {finding.kind: finding for finding in reversed(findings)}
    lines = [
        "- "
        + t(f"hints.{kind}", count=counts[kind], place=first[kind].start + 1, example=_example(text, first[kind]))
        for kind in KINDS
        if counts[kind]
    ]
    return "\n".join([f":material/visibility: {t('hints.found')}", "", *lines])


def _example(text: str, finding: Finding) -> str:
    """Write a finding as code points, because it may be invisible, and then the text that would replace it."""
    before = " ".join(f"U+{ord(character):04X}" for character in text[finding.start : finding.end][:6])
    after = finding.replacement[:12]
    return f"{before} → {as_plain_markdown(after)}" if after.strip() else before
