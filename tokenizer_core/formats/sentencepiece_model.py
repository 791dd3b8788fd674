"""SentencePiece models, through the `sentencepiece` library, with the bytes of the text that each piece covers."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal

import numpy as np
import sentencepiece
from numpy.typing import NDArray

from tokenizer_core.formats.sentencepiece_file import FileFacts, PieceKind, check_file, damaged_file
from tokenizer_core.pretokens import check_text
from tokenizer_core.protocols import EncodedTexts, PlacedTokens
from tokenizer_core.special_tokens import allowed_tokens
from tokenizer_core.vocabulary import unknown_id

SPACE_MARK = "▁"
"""U+2581, which stands for a space in pieces."""


class SentencePieceTokenizer:
    """A SentencePiece model: the same ids as the library's, and for each the bytes of the text that it covers.

    A dummy prefix covers nothing. `<unk>` covers its characters. A byte piece covers one byte, unless the
    normalizer has changed the character. A run of white space that became one `▁` is covered by it; white space
    that was dropped at either end is covered by no piece. Control pieces never act in a text.
    """

    def __init__(self, content: bytes, *, name: str = "sentencepiece") -> None:
        """Open the bytes of a `.model` file; raise `ModelFileError` if they are no model to be trusted."""
        self.name = name
        self.content = content
        self.facts: FileFacts = check_file(content)
        try:
            self._processor = sentencepiece.SentencePieceProcessor(model_proto=content)
        except (RuntimeError, OSError, ValueError, IndexError, TypeError):
            raise damaged_file() from None

    @property
    def vocab_size(self) -> int:
        """All pieces, with `<unk>`, the control pieces and the byte pieces."""
        return len(self.facts.kinds)

    @property
    def model_type(self) -> str:
        """ "bpe", "unigram", "char" or "word"."""
        return self.facts.model_type

    @cached_property
    def special_tokens(self) -> dict[str, int]:
        """The control pieces, such as `<s>`."""
        return {self.pieces[n]: n for n, kind in enumerate(self.kinds) if kind == "control"}

    @cached_property
    def pieces(self) -> list[str]:
        """The texts of all pieces, by id."""
        return [str(self._processor.id_to_piece(token_id)) for token_id in range(self.vocab_size)]

    @property
    def kinds(self) -> Sequence[PieceKind]:
        """The kinds of all pieces, by id."""
        return self.facts.kinds

    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]:
        """Return the ids of a text; control pieces never act, as in the library."""
        allowed_tokens(self.special_tokens, allowed_special)
        ids: list[int] = self._processor.encode(check_text(text).encode())
        return ids

    def encode_each(self, texts: Iterable[str]) -> EncodedTexts:
        """Encode each text separately."""
        encoded = [self.encode(text) for text in texts]
        ids = np.array([token_id for ids in encoded for token_id in ids], dtype=np.int32)
        return EncodedTexts(ids, np.array(list(map(len, encoded)), dtype=np.int64))

    def encode_placed(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> PlacedTokens:
        """Return the ids of a text, and the bytes of it that each covers; control pieces never act."""
        allowed_tokens(self.special_tokens, allowed_special)
        content = check_text(text).encode()
        found = self._processor.encode(content, return_type="offset_mapping")
        ids = np.array(found["ids"], dtype=np.int32)
        spans = np.array(found["offsets"], dtype=np.int64).reshape(-1, 2)
        starts, ends = spans[:, 0].copy(), spans[:, 1].copy()
        self._part_bytes(content, ids, starts, ends)
        return PlacedTokens(ids, starts, ends)

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of the ids, as the library writes it: `<unk>` as ` ⁇ `, a dummy prefix dropped."""
        return str(self._processor.decode(self._known(ids)))

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes of the ids, without a dummy prefix.

        Unlike `decode`, this keeps bytes that are no whole character.
        """
        written = bytearray()
        drops_prefix = self.facts.adds_dummy_prefix or self.facts.removes_extra_spaces
        for token_id in self._known(ids):
            token = self.token_bytes(token_id)
            if drops_prefix and not written and self.pieces[token_id].startswith(SPACE_MARK):
                token = token[1:]
                drops_prefix = self.facts.removes_extra_spaces
            written += token
        return bytes(written)

    def token_bytes(self, token_id: int) -> bytes:
        """Return what a piece writes: `▁` as a space, `<unk>` as the model's surface, controls as nothing."""
        piece = self.token_text(token_id)
        match self.kinds[token_id]:
            case "byte":
                return bytes([int(piece[3:5], 16)])
            case "unknown":
                return self.facts.unk_surface
            case "control":
                return b""
        return piece.replace(SPACE_MARK, " ").encode()

    def token_text(self, token_id: int) -> str:
        """Return a piece as the model writes it, such as `▁the`, `<unk>` or `<0xE0>`."""
        (known,) = self._known([token_id])
        return self.pieces[known]

    def token_kind(self, token_id: int) -> PieceKind:
        """Return the kind of a piece."""
        (known,) = self._known([token_id])
        return self.kinds[known]

    def vocab_text(self) -> str:
        """Return the `.vocab` file as the library writes it: each piece and its score on a line."""
        scores = map(self._processor.get_score, range(self.vocab_size))
        return "".join(f"{piece}\t{score:g}\n" for piece, score in zip(self.pieces, scores, strict=True))

    def _known(self, ids: Iterable[int]) -> list[int]:
        """Return the ids; raise `TokenIdError` for one that the model does not have."""
        listed = [int(token_id) for token_id in ids]
        for token_id in listed:
            if not 0 <= token_id < self.vocab_size:
                raise unknown_id(token_id, self.name, self.vocab_size)
        return listed

    def _part_bytes(
        self, content: bytes, ids: NDArray[np.int32], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> None:
        """Give each byte piece its own byte; the library gives a whole character to the last one of it."""
        is_byte = self._is_byte[ids]
        for last in np.flatnonzero(is_byte & (ends - starts > 1)).tolist():
            size = int(ends[last] - starts[last])
            first = last + 1 - size
            if first < 0 or not is_byte[first : last + 1].all():
                continue
            start = int(starts[last])
            if b"".join(map(self.token_bytes, ids[first : last + 1].tolist())) == content[start : start + size]:
                starts[first : last + 1] = np.arange(start, start + size)
                ends[first : last + 1] = starts[first : last + 1] + 1

    @cached_property
    def _is_byte(self) -> NDArray[np.bool_]:
        return np.array([kind == "byte" for kind in self.kinds], dtype=np.bool_)
