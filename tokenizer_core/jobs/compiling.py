"""A process that compiles what only long texts need, so that the app need not wait for it when it starts."""

from tokenizer_core.cutter import WORTH
from tokenizer_core.pretokens import counted_pretokens
from tokenizer_core.tokenizer import Tokenizer


def warm_up_for_long_texts() -> None:
    """Compile how long texts are encoded, and cut by patterns of one's own, or load it from the cache on disk."""
    Tokenizer([(97, 98)]).encode("ab" * 10_000)
    counted_pretokens("a" * WORTH, "a+")


if __name__ == "__main__":
    warm_up_for_long_texts()
