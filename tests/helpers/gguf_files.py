"""GGUF files that the package of llama.cpp writes, from the same tokenizer in another format."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import sentencepiece

if TYPE_CHECKING:  # it takes as long as everything else of the tests together
    import gguf


def gguf_of_json(content: bytes, path: Path, *, pre: str) -> Path:
    """Write the tokenizer of a `tokenizer.json` in GPT-2's letters, as llama.cpp converts it."""
    import gguf

    found = json.loads(content)
    added = {token["id"]: token for token in found["added_tokens"]}
    ids = {token_id: token for token, token_id in found["model"]["vocab"].items()}
    ids |= {token_id: token["content"] for token_id, token in added.items()}
    tokens, kinds = [], []
    for token_id in range(max(ids) + 1):
        tokens.append(ids.get(token_id, f"[PAD{token_id}]"))
        if token_id not in ids:
            kinds.append(gguf.TokenType.UNUSED)
        elif token_id not in added:
            kinds.append(gguf.TokenType.NORMAL)
        else:
            is_special = added[token_id]["special"]
            kinds.append(gguf.TokenType.CONTROL if is_special else gguf.TokenType.USER_DEFINED)
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in found["model"]["merges"]]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    return written(writer, path)


def gguf_of_pieces(content: bytes, path: Path, *, dummy_prefix: bool = True) -> Path:
    """Write a SentencePiece model of the kind BPE, as llama.cpp converts it."""
    import gguf

    pieces = sentencepiece.SentencePieceProcessor(model_proto=content)
    ids = range(pieces.get_piece_size())
    kinds: Sequence[tuple[gguf.TokenType, list[bool]]] = [
        (gguf.TokenType.UNKNOWN, list(map(pieces.is_unknown, ids))),
        (gguf.TokenType.CONTROL, list(map(pieces.is_control, ids))),
        (gguf.TokenType.BYTE, list(map(pieces.is_byte, ids))),
        (gguf.TokenType.UNUSED, list(map(pieces.is_unused, ids))),
    ]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(list(map(pieces.id_to_piece, ids)))
    writer.add_token_scores(list(map(pieces.get_score, ids)))
    writer.add_token_types([next((kind for kind, flags in kinds if flags[n]), gguf.TokenType.NORMAL) for n in ids])
    writer.add_add_space_prefix(dummy_prefix)
    return written(writer, path)


def written(writer: "gguf.GGUFWriter", path: Path) -> Path:
    """Write the header of a file, as far as it was described."""
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
