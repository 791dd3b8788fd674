"""A contest of merges: each round the room joins one of the most frequent pairs, and BPE always the most frequent.

Both start from the same tokenizer, in which each Thai letter with its marks is one token already."""

from collections import Counter
from functools import cache

from pages.ui.inputs.corpus import sample_to_train_on
from tokenizer_core.analysis.cuts import piece_ends
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.trainer import Candidate, Trainer, cluster_merges, join_while_found
from tokenizer_core.bpe.vocabulary import BYTES, Pair
from tokenizer_core.patterns.pretokens import count_pretokens

ROUNDS, FEWER_ROUNDS, FEWEST_ROUNDS = 8, 5, 3
"""In the game, and in the talks of ten and of five minutes."""
CHOICES = 4
SENTENCE = "แอร์ในห้องนอนไม่เย็นเลยค่ะ สงสัยต้องเรียกช่างมาล้างและเติมน้ำยา"
"""A held-out line of the sample. A room can need fewer tokens for it than BPE, or more, after so few rounds."""
_PATTERN = "mark_aware"
_MOST_MERGES = 10_000
"""More than the letters of the sample need."""


@cache
def _letters() -> tuple[Counter[str], list[Pair]]:
    """Return the counted pretokens of the Thai sample, and the merges that make a token of each letter in it."""
    texts = sample_to_train_on("th").texts
    return count_pretokens(texts, _PATTERN), cluster_merges(texts, _MOST_MERGES)


class Runner:
    """A tokenizer that learns one merge at a time, and what the sentence and the training text need after each."""

    def __init__(self) -> None:
        counts, letters = _letters()
        self._trainer = Trainer(counts, BYTES + len(letters) + ROUNDS)
        self._merges = [(merge.left, merge.right) for merge in join_while_found(self._trainer, letters)]
        self.chosen: list[bytes] = []
        """The tokens learned in the contest."""
        self.ends: list[int] = []
        """Where the tokens of the sentence end now, in bytes."""
        self.in_sentence: list[int] = []
        self.in_text: list[int] = []
        """Tokens at the start and after each merge."""
        self._measure()

    def candidates(self) -> list[Candidate]:
        """Return the most frequent pairs, which BPE would join in this order."""
        return self._trainer.candidates(CHOICES)

    def parts_of(self, pair: Candidate) -> tuple[bytes, bytes]:
        """Return the two tokens of a pair."""
        return self._vocabulary[pair.left], self._vocabulary[pair.right]

    def join(self, pair: Candidate) -> None:
        """Learn a merge."""
        self.chosen.append(b"".join(self.parts_of(pair)))
        merge = self._trainer.join(pair.left, pair.right)
        self._merges.append((merge.left, merge.right))
        self._measure()

    def _measure(self) -> None:
        tokenizer = Tokenizer(self._merges, pattern=_PATTERN)
        self._vocabulary = tokenizer.vocabulary
        self.ends = piece_ends(SENTENCE, tokenizer)[1].tolist()
        self.in_sentence.append(len(self.ends))
        self.in_text.append(self._trainer.token_count)


class Contest:
    """The room's tokenizer and BPE's own, which learn a merge each in every round.

    >>> contest = Contest()
    >>> contest.join(0)
    >>> contest.room.chosen == contest.bpe.chosen, contest.round
    (True, 1)
    """

    def __init__(self, rounds: int = ROUNDS) -> None:
        self.rounds = rounds
        self.room = Runner()
        self.bpe = Runner()
        self.choices: list[int] = []
        """Which candidate the room joined in each round."""
        self.has_stopped = False
        """Whether it ended before its last round."""

    @property
    def round(self) -> int:
        """Rounds played."""
        return len(self.room.chosen)

    @property
    def is_over(self) -> bool:
        return self.has_stopped or self.round >= self.rounds

    def join(self, choice: int) -> None:
        """Play a round: the room joins this one of its candidates."""
        self.choices.append(choice)
        self.room.join(self.room.candidates()[choice])
        self.bpe.join(self.bpe.candidates()[0])

    def without_last(self) -> "Contest":
        """Return the contest as it was before its last round."""
        earlier = Contest(self.rounds)
        for choice in self.choices[:-1]:
            earlier.join(choice)
        return earlier
