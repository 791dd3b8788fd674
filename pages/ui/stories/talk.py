"""Stories for a room: each in five steps, and a talk of ten minutes made of them."""

from collections.abc import Callable, Sequence
from functools import cache

from pages.ui.choices.corpus_names import corpus_called
from pages.ui.choices.first_training import first_training
from pages.ui.choices.tokenizers import reference_counts, reference_lanes
from pages.ui.deck import Slide, View
from pages.ui.stage import replay_options
from pages.ui.stories.form import Story
from pages.ui.words import in_every_language, t
from tokenizer_core.jobs.training import Training
from tokenizer_core.pretokens import count_pretokens
from tokenizer_core.trainer import Merge, Trainer

TALK = ("water", "no_letter", "doctor", "never", "tables_turned", "polite")
"""The stories of the talk; the stage stands before the last two."""
STAGE_BEFORE = "tables_turned"


def slides_of(told: Story, *, is_in_talk: bool = False) -> list[Slide]:
    """Return the steps of a story: setting, question, pieces, numbers, and what to remember."""
    over = told.says_in_every_language("name")
    texts = [View(part.text, label=part.label) for part in told.parts]
    drawn = [View(part.text, told.drawn, part.label) for part in told.parts]
    prediction = told.prediction
    extra = in_every_language(f"talk.{told.name}_notes") if is_in_talk else {}
    return [
        Slide(
            "words",
            title=over,
            says=told.says_in_every_language("setting"),
            views=texts,
            notes=_joined(extra, in_every_language("talk.notes_setting")),
        ),
        Slide(
            "ask",
            over=over,
            title=told.says_in_every_language("question"),
            views=texts,
            choices=prediction.choices,
            right=prediction.right,
            notes=in_every_language("talk.notes_question"),
        ),
        Slide("tokens", over=over, views=drawn, notes=in_every_language("talk.notes_tokens")),
        Slide(
            "words",
            over=over,
            says=told.says_in_every_language("says"),
            notes=in_every_language("talk.notes_says"),
        ),
        Slide(
            "words",
            over=over,
            title=told.says_in_every_language("remember"),
            is_strong=True,
            notes=in_every_language("talk.notes_remember"),
        ),
    ]


def talk(tell: Callable[[str], Story]) -> list[Slide]:
    """Return the talk "How a machine reads Thai"; `tell` makes a story of its name."""
    slides = [
        Slide(
            "words",
            title=in_every_language("talk.title"),
            says=in_every_language("talk.subtitle"),
            notes=in_every_language("talk.start_notes"),
        ),
        Slide(
            "tokens",
            title=in_every_language("talk.token"),
            views=[View(t("examples.thai"), reference_lanes())],
            notes=in_every_language("talk.token_notes"),
        ),
    ]
    for name in TALK:
        if name == STAGE_BEFORE:
            slides += _stage()
        slides += slides_of(tell(name), is_in_talk=True)
    ending = Slide(
        "words",
        title=in_every_language("talk.end"),
        says=in_every_language("talk.end_says"),
        is_strong=True,
        notes=in_every_language("talk.end_notes"),
    )
    return [*slides, ending]


def _stage() -> list[Slide]:
    """Return what comes before the stage, and the stage, which plays a training that was done just now."""
    training, text = first_training(), t("examples.thai")
    merges = _learned(training.corpus_name, tuple(training.texts), training.vocab_size)
    options = replay_options(
        training.pattern,
        corpus_called(training.corpus_name),
        [(merge.left, merge.right, merge.count) for merge in merges],
        text,
        reference_counts(text),
        title=t("train.title"),
    )
    before = Slide(
        "words",
        title=in_every_language("talk.stage"),
        says=in_every_language("talk.stage_says"),
        notes=in_every_language("talk.stage_notes"),
    )
    return [
        before,
        Slide("stage", title=before.title, notes=in_every_language("talk.stage_runs_notes"), stage=options),
    ]


@cache
def _learned(name: str, texts: tuple[str, ...], vocab_size: int) -> Sequence[Merge]:
    training = Training(texts, vocab_size, corpus_name=name)
    trainer = Trainer(count_pretokens(texts, training.pattern), vocab_size, min_count=2)
    return trainer.step(vocab_size)


def _joined(first: dict[str, str], second: dict[str, str]) -> dict[str, str]:
    """Put two notes after one another, in each language."""
    return {spoken: f"{first[spoken]} {words}" if first else words for spoken, words in second.items()}
