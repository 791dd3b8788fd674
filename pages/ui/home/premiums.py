"""What the same message costs in Thai and in English, counted on the bundled sentences."""

import streamlit as st

from pages.ui.choices.samples import sample_text
from tokenizer_core.openai import references
from tokenizer_core.protocols import count_tokens


@st.cache_resource(max_entries=1, show_spinner=False)
def sample_premiums() -> list[tuple[str, float]]:
    """Return the premium of the sample by reference: Thai tokens / English tokens, a ratio of sums over lines."""
    thai, english = (sample_text(f"parallel.{name}.txt").splitlines() for name in ("th", "en"))
    premiums = []
    for name, tokenizer in references().items():
        counts = [count_tokens(tokenizer, side) for side in (thai, english)]
        premiums.append((name, counts[0] / counts[1]))
    return premiums
