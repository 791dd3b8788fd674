"""The envelope of a chat: what a model's own chat template puts around the words that people type.

A template is a program of strangers, in the language of jinja2: a sandbox lets it touch nothing, and a child
limits its time and memory. The child is `python -m tokenizer_core.sources.chats`; it stays, since people wait for
it while they type. Its events are ready, then rendered or failed.
"""

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from importlib.util import find_spec
from queue import SimpleQueue
from typing import Any, Literal

import numpy as np

from tokenizer_core.bpe.openai import OpenAITokenizer, with_special_tokens
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.special_tokens import split_on_special_tokens
from tokenizer_core.errors import ChatError
from tokenizer_core.interop.limits import MAX_FILE_BYTES
from tokenizer_core.patterns.pretokens import check_text
from tokenizer_core.sources.model import ModelAtHand
from tokenizer_core.workers.child import Child, failures_sent, from_app, receive, send, take_commands

ROLES = ("system", "user", "assistant", "tool")
MAX_CHARACTERS = 200_000
"""Of a template, of a conversation, and of what they make. The longest known templates have 20,000."""
SECONDS = 5.0
MEMORY_BYTES = 2**29
SLOW = ChatError("chat_slow", seconds=SECONDS)
GPT_MARKERS = {"cl100k_base": 100_264, "o200k_base": 200_264}
"""The id of the first marker of a chat, as programs for OpenAI's models have it; tiktoken names none."""
_IM_PARTS = ("start", "end", "sep")
_SPECIAL = ("bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token")
_OPENS, _CLOSES, _ENDS = "\ufdd0", "\ufdd1", "\ufdd2"
"""Characters that no text has; around what was typed they mark it, with its place in the conversation."""
_MARKED = re.compile(f"{_OPENS}([cr])([0-9]{{1,9}}){_CLOSES}([^{_OPENS}{_CLOSES}{_ENDS}]*){_ENDS}")


@dataclass(frozen=True)
class Message:
    """What one side says."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    reasoning: str = ""
    """What an assistant thought before; many templates leave it out in later turns."""


@dataclass(frozen=True)
class Stretch:
    """A part of what a model reads: typed by somebody, or of the envelope around it."""

    text: str
    part: Literal["envelope", "content", "reasoning"]
    message: int | None = None
    """The place of the message that it is of; None for the envelope."""


@dataclass(frozen=True)
class ChatTemplate:
    """A model's own template, and the special tokens that it may name."""

    source: str
    special_tokens: Mapping[str, str]


@dataclass(frozen=True)
class ChatToken:
    """A token of a chat, and the stretch in which it begins."""

    token_id: int
    stretch: int
    is_special: bool
    span: tuple[int, int]
    """The bytes of the conversation that it covers."""


# ---- templates


def chat_template(model: ModelAtHand) -> ChatTemplate:
    """Read the chat template of a model at hand; raise `ChatError` if it has none."""
    files = {path.name: path.read_bytes() for path in model.chat_files if path.stat().st_size < MAX_FILE_BYTES}
    try:
        found = json.loads(files.get("tokenizer_config.json", b"{}"))
        source = found.get("chat_template")
        if isinstance(source, list):  # several by name
            source = next((each["template"] for each in source if each["name"] == "default"), None)
    except (ValueError, RecursionError, AttributeError, TypeError, KeyError):
        found, source = {}, None
    if "chat_template.jinja" in files:
        source = files["chat_template.jinja"].decode("utf-8", "replace")
    if not isinstance(source, str):
        raise ChatError("chat_none", name=model.name)
    named = {name: found.get(name) for name in _SPECIAL}
    texts = {name: each.get("content") if isinstance(each, dict) else each for name, each in named.items()}
    return ChatTemplate(source, {name: text for name, text in texts.items() if isinstance(text, str)})


def wrapped(
    template: ChatTemplate,
    messages: Sequence[Message],
    *,
    reply: bool = True,
    options: Mapping[str, Any] | None = None,
    today: date | None = None,
    seconds: float = SECONDS,
) -> list[Stretch]:
    """Wrap a conversation as the model's template does; with `reply`, an answer is begun.

    `options` are further variables of the template, such as `enable_thinking`. Raises `ChatError`.
    """
    typed = sum(len(message.content) + len(message.reasoning) for message in messages)
    if max(len(template.source), typed) > MAX_CHARACTERS:
        raise ChatError("chat_large", limit=MAX_CHARACTERS)
    order = {
        "source": template.source,
        "messages": list(map(_as_templates_have_it, messages)),
        "variables": {**template.special_tokens, **(options or {}), "add_generation_prompt": reply},
        "today": (today or date.today()).isoformat(),
    }
    plain, marked = RENDERER.ask(order, seconds)
    return _stretches(plain, marked, messages)


def _as_templates_have_it(message: Message) -> dict[str, str]:
    """Write a message with the names that the templates of the Hub give to its parts."""
    found = {"role": message.role, "content": message.content}
    if message.reasoning:
        found |= {"reasoning_content": message.reasoning, "thinking": message.reasoning}
    return found | ({"name": "tool", "tool_call_id": "call00001"} if message.role == "tool" else {})


def gpt_tokenizer(name: str) -> OpenAITokenizer:
    """Return a reference whose special tokens include the markers of chats: "cl100k_base" or "o200k_base"."""
    first = GPT_MARKERS[name]
    return with_special_tokens(name, tuple((f"<|im_{part}|>", first + n) for n, part in enumerate(_IM_PARTS)))


def gpt_wrapped(messages: Sequence[Message], *, reply: bool = True) -> list[Stretch]:
    """Wrap a conversation as OpenAI's models read it, as far as that is published.

    OpenAI's cookbook counts three tokens for each message besides its role and its text, and three with which the
    answer begins. Its own reasoning is not given to a model again.
    """
    stretches = []
    for place, message in enumerate(messages):
        stretches.append(Stretch(f"<|im_start|>{message.role}<|im_sep|>", "envelope"))
        stretches += [Stretch(message.content, "content", place)] if message.content else []
        stretches.append(Stretch("<|im_end|>", "envelope"))
    return _joined([*stretches, *([Stretch("<|im_start|>assistant<|im_sep|>", "envelope")] if reply else [])])


def _stretches(plain: str, marked: str, messages: Sequence[Message]) -> list[Stretch]:
    """Tell apart what was typed in a rendered conversation, by its marks.

    If the template would write another text with the marks, because it looks into what was typed, the messages are
    looked for in the text one after the other.
    """
    pieces = list(_pieces(marked))
    if "".join(piece.text for piece in pieces) != plain:
        pieces, end = [], 0
        for place, message in enumerate(messages):
            typed = message.content.strip()
            if typed and (start := plain.find(typed, end)) >= 0:
                pieces += [Stretch(plain[end:start], "envelope"), Stretch(typed, "content", place)]
                end = start + len(typed)
        pieces.append(Stretch(plain[end:], "envelope"))
    return _joined(pieces)


def _pieces(marked: str) -> Iterator[Stretch]:
    end = 0
    for mark in _MARKED.finditer(marked):
        yield Stretch(marked[end : mark.start()], "envelope")
        yield Stretch(mark[3], "content" if mark[1] == "c" else "reasoning", int(mark[2]))
        end = mark.end()
    yield Stretch(marked[end:], "envelope")


def _joined(pieces: Sequence[Stretch]) -> list[Stretch]:
    """Join neighbours of the same kind, and drop what is empty."""
    joined: list[Stretch] = []
    for piece in pieces:
        if joined and (joined[-1].part, joined[-1].message) == (piece.part, piece.message):
            piece = Stretch(joined.pop().text + piece.text, piece.part, piece.message)
        joined += [piece] if piece.text else []
    return joined


# ---- tokens


def chat_tokens(tokenizer: AnyTokenizer, stretches: Sequence[Stretch], *, typed_acts: bool) -> list[ChatToken]:
    """Encode a wrapped conversation: special tokens of the envelope act.

    Those that somebody typed act only if `typed_acts`: most programs let them, and a careful one does not.
    """
    check_text("".join(stretch.text for stretch in stretches))
    special = tokenizer.special_tokens
    ends = np.cumsum([len(stretch.text.encode()) for stretch in stretches])
    tokens: list[ChatToken] = []
    offset = 0
    for text, acts in _between_special(stretches, special, typed_acts=typed_acts):
        size = len(text.encode())
        found = [(special[text], 0, size)] if acts else _placed(tokenizer, text)
        for token_id, start, end in found:
            stretch = int(np.searchsorted(ends, offset + start, side="right"))
            span = (offset + start, offset + end)
            tokens.append(ChatToken(token_id, min(stretch, len(stretches) - 1), acts, span))
        offset += size
    return tokens


def _between_special(
    stretches: Sequence[Stretch], special: Mapping[str, int], *, typed_acts: bool
) -> Iterator[tuple[str, bool]]:
    """Cut a conversation at the special tokens that act; the text between may be of several stretches."""
    ordinary = ""
    whole = [Stretch("".join(each.text for each in stretches), "envelope")] if typed_acts else stretches
    for stretch in whole:
        allowed = special if stretch.part == "envelope" else {}
        for text, acts in split_on_special_tokens(stretch.text, allowed):
            if acts:
                if ordinary:
                    yield ordinary, False
                yield text, True
            ordinary = "" if acts else ordinary + text
    if ordinary:
        yield ordinary, False


def _placed(tokenizer: AnyTokenizer, text: str) -> list[tuple[int, int, int]]:
    """Return each token of a text with the bytes that it covers."""
    if hasattr(tokenizer, "encode_placed"):
        placed = tokenizer.encode_placed(text)
        return list(zip(placed.ids.tolist(), placed.starts.tolist(), placed.ends.tolist()))
    ids = tokenizer.encode(text)
    ends = np.cumsum([0, *(len(tokenizer.token_bytes(token_id)) for token_id in ids)]).tolist()
    return list(zip(ids, ends, ends[1:]))


# ---- the child, from the app's side


class Renderer:
    """The child that renders; it starts when it is first asked, and again after it had to be ended."""

    def __init__(self) -> None:
        self._child: Child | None = None
        self._turn = threading.Lock()

    def ask(self, order: Mapping[str, Any], seconds: float) -> tuple[str, str]:
        """Return what a template makes of a conversation, without marks and with them."""
        with self._turn:
            child = self._child = self._child or self._started()
            try:
                with child.limited(seconds, ChatError("chat_slow", seconds=seconds), patience=5):
                    child.send(order)
                    rendered = next(child.events())
            except ChatError as error:
                if error.code == SLOW.code:
                    self.end()
                raise
        return rendered["plain"], rendered["marked"]

    def end(self) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child is not None:
            child.close()

    def _started(self) -> Child:
        if find_spec("jinja2") is None:
            raise ChatError("chat_engine")
        child = Child(__name__, died=SLOW)
        child.send({"memory_bytes": MEMORY_BYTES})
        next(child.events())  # it is warm
        return child


RENDERER = Renderer()


# ---- within the child


def main() -> None:
    """Render one conversation after the other."""
    stream = from_app()
    if receive(stream) is None:
        return
    environment = _environment()
    orders: SimpleQueue[dict[str, Any]] = SimpleQueue()
    take_commands(stream, orders.put)
    send("ready")
    while True:
        with failures_sent(SLOW):
            order = orders.get()
            plain = _rendered(environment, order, order["messages"])
            try:
                messages = [_marked(place, message) for place, message in enumerate(order["messages"])]
                marked = _rendered(environment, order, messages)
            except ChatError:  # it looks into the words, and refuses the marks
                marked = ""
            send("rendered", plain=plain, marked=marked)


def _environment() -> Any:
    """Return the sandbox, with what templates expect in it."""
    from jinja2.exceptions import TemplateError
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """A block around an answer, which only training needs."""

        tags = {"generation"}  # noqa: RUF012  as jinja2 asks for it

        def parse(self, parser: Any) -> Any:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    def refuse(why: str) -> None:
        raise TemplateError(why)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    environment.filters["tojson"] = _as_json
    environment.globals["raise_exception"] = refuse
    return environment


def _as_json(value: Any, indent: int | None = None, **options: Any) -> str:
    """Write JSON as templates expect it: jinja2's own filter would escape it for a page."""
    return json.dumps(value, **{"ensure_ascii": False, "indent": indent, **options})


def _rendered(environment: Any, order: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> str:
    today = datetime.fromisoformat(order["today"])
    parts, length = [], 0
    try:
        template = environment.from_string(order["source"], globals={"strftime_now": today.strftime})
        for part in template.generate(messages=messages, tools=None, documents=None, **order["variables"]):
            parts.append(part)
            length += len(part)
            if length > 2 * MAX_CHARACTERS:
                raise ChatError("chat_large", limit=MAX_CHARACTERS)
    except (ChatError, MemoryError):
        raise
    except Exception as error:  # whatever a program of strangers does wrong
        raise ChatError("chat_refused", why=" ".join(str(error).split())[:200]) from None
    return "".join(parts)


def _marked(place: int, message: Mapping[str, Any]) -> dict[str, Any]:
    """Put marks around what was typed, within the white space around it, which templates may cut off."""
    marks = {"content": f"{_OPENS}c{place}{_CLOSES}", "reasoning_content": f"{_OPENS}r{place}{_CLOSES}"}
    marks["thinking"] = marks["reasoning_content"]
    found = dict(message)
    for key, opens in marks.items():
        text = message.get(key, "")
        if typed := text.strip():
            start = text.index(typed)
            found[key] = f"{text[:start]}{opens}{typed}{_ENDS}{text[start + len(typed) :]}"
    return found


if __name__ == "__main__":
    main()
