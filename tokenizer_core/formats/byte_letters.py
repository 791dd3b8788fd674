"""The 256 letters with which GPT-2's files write bytes, so that no token holds white space."""

from functools import cache


@cache
def letter_of_byte() -> dict[int, str]:
    """Return the letter of each byte: itself where it can be seen, and else the next letter from U+0100 up.

    >>> letters = letter_of_byte()
    >>> letters[0x41], letters[0x20], letters[0x0A]
    ('A', 'Ġ', 'Ċ')
    """
    seen = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in seen]
    return {byte: chr(byte) for byte in seen} | {byte: chr(256 + n) for n, byte in enumerate(hidden)}


@cache
def byte_of_letter() -> dict[str, int]:
    """Return the byte of each letter."""
    return {letter: byte for byte, letter in letter_of_byte().items()}


def as_letters(token: bytes) -> str:
    """Write a token in these letters.

    >>> as_letters(" the".encode())
    'Ġthe'
    """
    letters = letter_of_byte()
    return "".join(letters[byte] for byte in token)


def from_letters(writing: str) -> bytes | None:
    """Return the bytes that these letters write; None if one of them is not one of the 256.

    >>> from_letters("Ġthe"), from_letters("▁the")
    (b' the', None)
    """
    bytes_of = byte_of_letter()
    found = [bytes_of.get(letter) for letter in writing]
    return None if None in found else bytes(byte for byte in found if byte is not None)
