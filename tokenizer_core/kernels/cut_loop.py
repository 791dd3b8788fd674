r"""The compiled loop under `cutter`: each named split pattern as a small machine over the bytes of a text.

A machine looks at the character where a pretoken starts, takes the first alternative of its pattern that fits, and
returns where the pretoken ends. It looks at each character a few times only, so a text takes linear time.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import regex
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from tokenizer_core.kernels.compiled import borrowing, inlined

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]

UPPER, LOWER, CASELESS, MARK, DIGIT, SPACE, LINE_END, OTHER = (np.int64(1 << n) for n in range(8))
r"""`[\p{Lu}\p{Lt}]`, `\p{Ll}`, `[\p{Lm}\p{Lo}]`, `\p{M}`, `\p{N}`, `\s` without line ends, `[\r\n]`, all else.
Each has a bit of its own, so that a class of a pattern is a sum of kinds. They are NumPy's numbers, because numba
compiles a function anew for each Python number that is passed to it."""
LETTER = UPPER | LOWER | CASELESS
BLANK = SPACE | LINE_END

CODE_POINTS = 0x110000
_RUNS = (
    (UPPER, r"([\p{Lu}\p{Lt}]++)"),
    (LOWER, r"(\p{Ll}++)"),
    (CASELESS, r"([\p{Lm}\p{Lo}]++)"),
    (MARK, r"(\p{M}++)"),
    (DIGIT, r"(\p{N}++)"),
    (LINE_END, r"([\r\n]++)"),
    (SPACE, r"([^\S\r\n]++)"),
    (OTHER, r"([^\s\p{L}\p{M}\p{N}]++)"),
)

GPT2, CL100K, LLAMA3, O200K, MARK_AWARE, NONE = map(np.int64, range(6))
_SPACE, _APOSTROPHE, _SLASH = ord(" "), ord("'"), ord("/")
_D, _E, _L, _M, _R, _S, _T, _V = (ord(letter) for letter in "delmrstv")
_LONG_S = "ſ".encode()  # an s, if case does not matter
_LONG_S_LEAD, _LONG_S_TRAIL = _LONG_S
_TO_LOWER = 0x20
_THAI_LEAD = "ก".encode()[0]
_CASED = UPPER | CASELESS | MARK
_UNCASED = LOWER | CASELESS | MARK
WORD = 8
"""Bytes that are read as one number."""


@cache
def every_character() -> str:
    """Return all code points in one string, surrogates included."""
    return np.arange(CODE_POINTS, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")


@cache
def character_kinds() -> NDArray[np.uint8]:
    """Return the kind of each code point, in a table of 1.1 MB; making it takes 0.03 s, once per process.

    >>> kinds = character_kinds()
    >>> [int(kinds[ord(character)]) for character in "Aaก่9 \\n!"]
    [1, 2, 4, 8, 16, 32, 64, 128]
    """
    kinds = np.zeros(CODE_POINTS, dtype=np.uint8)
    for run in regex.compile("|".join(source for _, source in _RUNS)).finditer(every_character()):
        assert run.lastindex is not None
        kinds[run.start() : run.end()] = _RUNS[run.lastindex - 1][0]
    return kinds


def _word_at(_context: Any, text: Any, _i: Any) -> tuple[Any, Any]:

    def load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        return builder.load(builder.bitcast(place, context.get_value_type(types.int64).as_pointer()), align=1)

    return types.int64(text, types.int64), load


word_at: Any = intrinsic(_word_at)
"""`word_at(text, i)` is the eight bytes from `i` on as one number, the first in its lowest bits.

One instruction; eight subscripts and shifts would be forty.
"""
number_at: Any = intrinsic(_word_at)
"""`number_at(numbers, i)` is `numbers[i]` of 64 bits, without asking whether `i` is counted from the end."""


def _put_word(_context: Any, numbers: Any, _i: Any, _word: Any) -> tuple[Any, Any]:

    def store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        builder.store(
            arguments[2], builder.bitcast(place, context.get_value_type(types.int64).as_pointer()), align=1
        )
        return context.get_dummy_value()

    return types.void(numbers, types.int64, types.int64), store


put_word: Any = intrinsic(_put_word)
"""`put_word(array, i, word)` writes eight bytes from `i` on, whatever the numbers of the array are."""
put_number: Any = intrinsic(_put_word)
"""`put_number(numbers, i, number)` is `numbers[i] = number`, as `number_at` reads it."""


def _prefetch(_context: Any, numbers: Any, _i: Any) -> tuple[Any, Any]:

    def fetch(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        number = ir.IntType(32)
        place = builder.bitcast(builder.gep(array.data, [arguments[1]]), ir.IntType(8).as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [place.type], kind)
        builder.call(function, [place, number(0), number(3), number(1)])  # to read it, into every cache, as data
        return context.get_dummy_value()

    return types.void(numbers, types.int64), fetch


prefetch: Any = intrinsic(_prefetch)
"""`prefetch(numbers, i)` lets the processor fetch the line with `numbers[i]`, and does not wait for it."""

_WIDE, _BLOCK = 16, 64
_WHOLE = 63
"""The bytes of a block that hold whole Thai characters, of three bytes each."""


def _bits_within(size: int, first: str, last: str, fold: int) -> Callable[..., Any]:
    """Return what writes the code for: which bytes are from `first` to `last`, a bit each, the first lowest."""

    def compare(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        block = ir.VectorType(ir.IntType(8), size)
        found = builder.load(builder.bitcast(place, block.as_pointer()), align=1)
        found = builder.sub(builder.or_(found, block([fold] * size)), block([ord(first)] * size))
        found = builder.icmp_unsigned("<=", found, block([ord(last) - ord(first)] * size))
        return builder.bitcast(found, ir.IntType(size))

    return compare


def _run_at(first: str, last: str, fold: int) -> Any:
    """Make an intrinsic that counts the bytes from `first` to `last` from a place on, up to 16."""
    compare = _bits_within(_WIDE, first, last, fold)

    def run_at(_context: Any, text: Any, _i: Any) -> tuple[Any, Any]:

        def count(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            others = builder.not_(compare(context, builder, signature, arguments))
            bits = builder.or_(builder.zext(others, ir.IntType(64)), ir.IntType(64)(1 << _WIDE))
            return builder.cttz(bits, ir.IntType(1)(1))

        return types.int64(text, types.int64), count

    return intrinsic(run_at)


letters_at: Any = _run_at("a", "z", _TO_LOWER)
"""`letters_at(text, i)` is the number of ASCII letters from `i` on, up to 16, without a branch for each."""
small_letters_at: Any = _run_at("a", "z", 0)


def _mask_at(first: str, last: str, fold: int = 0) -> Any:
    """Make an intrinsic that tells which of 64 bytes are from `first` to `last`: a bit each, the first lowest."""
    compare = _bits_within(_BLOCK, first, last, fold)

    def mask_at(_context: Any, text: Any, _i: Any) -> tuple[Any, Any]:
        return types.uint64(text, types.int64), compare

    return intrinsic(mask_at)


def _count_bits(_context: Any, _mask: Any) -> tuple[Any, Any]:

    def count(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), count


def _highest_bit(_context: Any, _mask: Any) -> tuple[Any, Any]:

    def count(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.sub(ir.IntType(64)(63), builder.ctlz(arguments[0], ir.IntType(1)(0)))

    return types.int64(types.uint64), count


def _lowest_bit(_context: Any, _mask: Any) -> tuple[Any, Any]:

    def count(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(0))

    return types.int64(types.uint64), count


letters_in = _mask_at("a", "z", _TO_LOWER)
capitals_in = _mask_at("A", "Z")
digits_in = _mask_at("0", "9")
spaces_in = _mask_at(" ", " ")
newlines_in = _mask_at("\n", "\n")
slashes_in = _mask_at("/", "/")
apostrophes_in = _mask_at("'", "'")
printable_in = _mask_at(" ", "~")
not_ascii_in = _mask_at("\x80", "\xff")
# The bytes of Thai letters and marks in UTF-8: E0, then B8 or B9, then one of these.
_thai_in = _mask_at("\xe0", "\xe0")
_first_half_in, _second_half_in = _mask_at("\xb8", "\xb8"), _mask_at("\xb9", "\xb9")
_letters_to_a_in, _letters_to_am_in, _letters_from_e_in = map(_mask_at, "\x81\xb2\x80", "\xb0\xb3\x86")
_sara_above_in, _signs_to_phinthu_in, _tones_in = map(_mask_at, "\xb1\xb4\x87", "\xb1\xba\x8e")
count_bits: Any = intrinsic(_count_bits)
highest_bit: Any = intrinsic(_highest_bit)
"""`highest_bit(mask)` is the place of the highest bit that is set, and -1 if there is none."""
lowest_bit: Any = intrinsic(_lowest_bit)
"""`lowest_bit(mask)` is the place of the lowest bit that is set, and 64 if there is none."""


@inlined
def thai_letters_in(text: Bytes, i: int) -> np.uint64:
    """Return which of 64 bytes begin a Thai letter, that is \\p{Lo} or \\p{Lm}: a bit each, the first lowest."""
    first = _first_half_in(text, i + 1) & (_letters_to_a_in(text, i + 2) | _letters_to_am_in(text, i + 2))
    return _thai_in(text, i) & (first | _second_half_in(text, i + 1) & _letters_from_e_in(text, i + 2))


@inlined
def thai_marks_in(text: Bytes, i: int) -> np.uint64:
    """Return which of 64 bytes begin a Thai vowel sign or tone mark, that is \\p{M}."""
    first = _first_half_in(text, i + 1) & (_sara_above_in(text, i + 2) | _signs_to_phinthu_in(text, i + 2))
    return _thai_in(text, i) & (first | _second_half_in(text, i + 1) & _tones_in(text, i + 2))


@inlined
def with_rest(leads: np.uint64) -> np.uint64:
    """Return the bits of all three bytes of these characters."""
    return leads | leads << np.uint64(1) | leads << np.uint64(2)


@inlined
def next_start(text: Bytes, i: int) -> int:
    """Return where the character after the one at `i` starts."""
    lead = text[i]
    return i + 1 if lead < 0x80 else i + 2 if lead < 0xE0 else i + 3 if lead < 0xF0 else i + 4


@inlined
def kind_at(text: Bytes, i: int, kinds: Bytes) -> int:
    """Return the kind of the character that starts at `i`: decode its UTF-8, and look it up."""
    lead = np.int64(text[i])
    if lead < 0x80:
        return kinds[lead]
    point = (lead << 6) & 0x7FF | text[i + 1] & 0x3F
    if lead < 0xE0:
        return kinds[point]
    point = (point << 6) & 0xFFFF | text[i + 2] & 0x3F
    if lead < 0xF0:
        return kinds[point]
    return kinds[(point << 6) & 0x1FFFFF | text[i + 3] & 0x3F]


@inlined
def run_end(text: Bytes, i: int, end: int, kinds: Bytes, wanted: int) -> int:
    """Return where a run of characters of the wanted kinds ends; `i` if there is none."""
    while i < end:
        if text[i] < 0x80:  # a byte alone: twice as fast as to decode it
            if not kinds[text[i]] & wanted:
                return i
            i += 1
        else:
            if not kind_at(text, i, kinds) & wanted:
                return i
            i = next_start(text, i)
    return i


@inlined
def word_run_end(text: Bytes, i: int, end: int, kinds: Bytes, wanted: int) -> int:
    """Return what `run_end` does, for kinds that include all letters."""
    while i + _WIDE <= end:
        letters = letters_at(text, i)
        i += letters
        if letters < _WIDE:
            break
    return run_end(text, i, end, kinds, wanted)


@inlined
def small_run_end(text: Bytes, i: int, end: int, kinds: Bytes, wanted: int) -> int:
    """Return what `run_end` does, for kinds that include all small letters."""
    while i + _WIDE <= end:
        letters = small_letters_at(text, i)
        i += letters
        if letters < _WIDE:
            break
    return run_end(text, i, end, kinds, wanted)


@inlined
def thai_run_end(text: Bytes, i: int, end: int) -> int:
    """Return where a run of Thai letters and marks ends, as far as a block of 64 bytes fits in before `end`."""
    while i + _BLOCK + 2 <= end:
        others = ~with_rest(thai_letters_in(text, i) | thai_marks_in(text, i))
        size = min(lowest_bit(others), _WHOLE)
        i += size
        if size < _WHOLE:
            break
    return i


@borrowing
def contraction_end(text: Bytes, i: int, end: int, pattern: int) -> int:
    """Return where a contraction such as 's or 'll ends; `i`, the place of the apostrophe, if there is none."""
    if i + 1 >= end:
        return i
    fold = 0 if pattern == GPT2 else _TO_LOWER
    first = text[i + 1] | fold
    if first in (_S, _D, _M, _T):
        return i + 2
    if i + 2 >= end:
        return i
    second = text[i + 2] | fold
    if (first == _L and second == _L) or (second == _E and first in (_V, _R)):
        return i + 3
    if fold and text[i + 1] == _LONG_S_LEAD and text[i + 2] == _LONG_S_TRAIL:
        return i + 3
    return i


@borrowing
def blank_end(text: Bytes, i: int, end: int, kinds: Bytes, pattern: int) -> int:
    r"""Cut white space: up to the last line end (not gpt2), else leave one character to what follows."""
    stop = run_end(text, i, end, kinds, BLANK)
    if stop == end and pattern in (GPT2, CL100K):  # \s++$
        return stop
    if pattern != GPT2:  # \s*[\r\n]+
        last = stop - 1
        while last >= i and kinds[text[last]] != LINE_END:  # no byte of a longer character is a line end
            last -= 1
        if last >= i:
            return last + 1
    if stop == end:  # \s+(?!\S), at the end of the text
        return stop
    last = stop - 1
    while text[last] & 0xC0 == 0x80:
        last -= 1
    return last if last > i else stop


@inlined
def gpt2_end(text: Bytes, i: int, end: int, kinds: Bytes) -> int:
    """The machine of gpt2: a run of letters, digits or other signs, with the space before it."""
    if text[i] == _APOSTROPHE:
        stop = contraction_end(text, i, end, GPT2)
        if stop > i:
            return stop
    first = i + 1 if text[i] == _SPACE and i + 1 < end else i
    kind = kind_at(text, first, kinds)
    if kind & BLANK:
        return blank_end(text, i, end, kinds, GPT2)
    wanted = LETTER if kind & LETTER else DIGIT if kind == DIGIT else MARK | OTHER
    return run_end(text, next_start(text, first), end, kinds, wanted)


@borrowing
def tail_end(text: Bytes, i: int, end: int, kinds: Bytes, pattern: int, word: int) -> int:
    """Cut what is no word, in every pattern but gpt2: up to three digits, other signs, or white space."""
    kind = kind_at(text, i, kinds)
    if kind == DIGIT:
        stop = i
        for _ in range(3):
            if stop < end and kind_at(text, stop, kinds) == DIGIT:
                stop = next_start(text, stop)
        return stop
    signs = (MARK | OTHER) & ~word
    stop = run_end(text, i + 1 if text[i] == _SPACE else i, end, kinds, signs)
    if stop == i or (stop == i + 1 and text[i] == _SPACE):
        return blank_end(text, i, end, kinds, pattern)
    while stop < end and (text[stop] in (10, 13) or (pattern == O200K and text[stop] == _SLASH)):
        stop += 1
    return stop


@inlined
def word_end(text: Bytes, i: int, end: int, kinds: Bytes, pattern: int) -> int:
    """The machine of cl100k, llama3 and mark_aware: a word may start with any one sign or space."""
    if text[i] == _APOSTROPHE:
        stop = contraction_end(text, i, end, pattern)
        if stop > i:
            return stop
    word = LETTER | MARK if pattern == MARK_AWARE else LETTER
    kind = kind_at(text, i, kinds)
    first = i if kind & (word | DIGIT | LINE_END) else next_start(text, i)
    stop = thai_run_end(text, first, end) if pattern == MARK_AWARE else first
    stop = word_run_end(text, stop, end, kinds, word)
    return stop if stop > first else tail_end(text, i, end, kinds, pattern, word)


@inlined
def cased_end(text: Bytes, i: int, end: int, kinds: Bytes) -> int:
    """Return where a word of o200k with lower or caseless letters at its end ends; `i` if there is none.

    Capitals come first, as many as there are; if no small letter follows, they give letters back up to the last
    caseless one.
    """
    stop = caseless_end = thai_run_end(text, i, end) if i < end and text[i] == _THAI_LEAD else i
    while stop < end:
        kind = kind_at(text, stop, kinds)
        if not kind & _CASED:
            break
        stop = next_start(text, stop)
        if kind & _UNCASED:
            caseless_end = stop
    small = small_run_end(text, stop, end, kinds, _UNCASED)
    return small if small > stop else caseless_end


@inlined
def o200k_end(text: Bytes, i: int, end: int, kinds: Bytes) -> int:
    """The machine of o200k: words end where capitals begin, and take a contraction with them."""
    kind = kind_at(text, i, kinds)
    first = i if kind & (LETTER | DIGIT | LINE_END) else next_start(text, i)
    stop = cased_end(text, first, end, kinds)
    if stop == first:
        stop = first = i
        if kind == MARK:  # a mark is a sign before a word, or a letter of it
            stop = cased_end(text, i, end, kinds)
    if stop == first:
        first = i if kind & (LETTER | DIGIT | LINE_END) else next_start(text, i)
        stop = run_end(text, first, end, kinds, UPPER)
    if stop > first:
        return contraction_end(text, stop, end, O200K) if stop < end and text[stop] == _APOSTROPHE else stop
    return tail_end(text, i, end, kinds, O200K, LETTER)


@inlined
def third_after(starts: np.uint64, digits: np.uint64) -> np.uint64:
    """Return which digits stand three places after one of these, with digits between."""
    return starts << np.uint64(3) & digits & digits << np.uint64(1) & digits << np.uint64(2)


@inlined
def margins_in(
    spaces: np.uint64, newlines: np.uint64, after_sign: np.uint64, printable: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Return which spaces start no pretoken, and the first line feed that may not be the last of its white space.

    White space up to its last line end is one pretoken, but a sign takes the line ends right behind it: only then
    does a space between two line feeds start a pretoken. Other margins must end before a printable character.
    """
    one = np.uint64(1)
    margins = newlines << one & spaces
    between = margins & newlines >> one
    after_taken = (newlines + (newlines & after_sign)) & ~newlines  # adding carries a bit through each run
    margins &= ~between
    after_margins = (spaces + margins) & ~spaces
    others = after_margins & ~printable
    unknown = np.uint64(0)
    if others or count_bits(margins) != count_bits(after_margins):
        margins &= (others & ~others + one) - one  # those that begin before the first other end
        unknown = one << np.uint64(highest_bit(margins) - 1)
    return between & ~after_taken, unknown


@inlined
def starts_in(text: Bytes, i: int, pattern: int) -> np.uint64:
    """Return where pretokens start in the 64 bytes from `i` on, where one starts: a bit for each, but not for `i`.

    It knows printable ASCII, Thai letters and marks, and, but for gpt2, line feeds. It tells starts up to the last
    byte but one before what it does not know, since a byte may start a pretoken because of the next one.
    """
    one = np.uint64(1)
    letters, digits, spaces = letters_in(text, i), digits_in(text, i), spaces_in(text, i)
    newlines, printable = newlines_in(text, i), printable_in(text, i)
    signs = printable & ~(letters | digits | spaces)
    marks = thai = np.uint64(0)
    if not_ascii_in(text, i):
        marks = thai_marks_in(text, i)
        thai = with_rest(thai_letters_in(text, i))
        if pattern in (O200K, MARK_AWARE):  # marks are letters
            letters |= thai | with_rest(marks)
        else:  # marks are signs
            letters |= thai
            signs |= with_rest(marks)
        thai |= with_rest(marks)
        printable |= thai
    after_space, after_sign = spaces << one, signs << one
    first_signs = signs & ~(after_sign | after_space)  # of a run of signs that has no space before it
    unknown = ~(printable | newlines) | first_signs & apostrophes_in(text, i) & letters >> one  # contractions
    first_letters = letters & ~(letters << one | after_space)
    first_digits = digits & ~(digits << one)
    # White space starts a pretoken with its first character, and with its last one, which goes with what follows.
    starts = first_signs | spaces & ~(after_space & ~(printable & ~spaces) >> one)
    if pattern == GPT2:
        unknown |= newlines
        starts |= first_letters | first_digits & ~after_space
    else:
        # Three digits make a pretoken, and one sign goes with the word behind it.
        fourth_digits = third_after(first_digits, digits)
        seventh_digits = third_after(fourth_digits, digits)
        unknown |= third_after(seventh_digits, digits)
        starts |= first_digits | fourth_digits | seventh_digits
        starts |= first_letters & ~(first_signs << one | (first_signs & marks) << np.uint64(3))
        starts |= newlines & ~(newlines << one | after_space | after_sign)
        if newlines << one & spaces:
            joined, unsure = margins_in(spaces, newlines, after_sign, printable)
            starts &= ~joined
            unknown |= unsure
    if pattern == O200K:  # words end before capitals, and line ends and slashes go with signs
        unknown |= newlines << one & slashes_in(text, i)
        # What capitals do after a caseless letter depends on what follows; some signs take marks with them.
        unknown |= capitals_in(text, i) & thai << one | marks & after_sign
        capitals = capitals_in(text, i)
        starts |= capitals & (letters & ~capitals) << one
    known = lowest_bit(unknown)
    if known < _BLOCK:
        starts &= (one << np.uint64(max(known - 1, 0))) - one
    else:
        starts &= ~(one << np.uint64(_BLOCK - 1))
    return starts & ~one


@inlined
def put_places(ends: Numbers, found: int, i: int, starts: np.uint64) -> None:
    """Note the places of the bits, eight at a time; this may overwrite seven places behind them."""
    past = found + count_bits(starts)
    while found < past:
        for k in range(8):
            put_number(ends, found + k, i + lowest_bit(starts))
            starts &= starts - np.uint64(1)
        found += 8


@borrowing
def cut(text: Bytes, i: int, end: int, kinds: Bytes, pattern: int, ends: Numbers) -> int:
    """Note where the next pretokens end, from `i` on, until `ends` has no room for those of another block or the
    text ends; return how many.
    """
    found = 0
    if pattern == NONE:
        ends[0] = end
        return 1
    while i < end and found + _BLOCK <= ends.size:
        if (text[i] < 0x80 or text[i] == _THAI_LEAD) and i + _BLOCK + 2 <= end:
            starts = starts_in(text, i, pattern)
            if starts:
                put_places(ends, found, i, starts)
                found += count_bits(starts)
                i += highest_bit(starts)  # not the last end, for which the next block would have to wait
                continue
        if pattern == GPT2:
            i = gpt2_end(text, i, end, kinds)
        elif pattern == O200K:
            i = o200k_end(text, i, end, kinds)
        else:
            i = word_end(text, i, end, kinds, pattern)
        ends[found] = i
        found += 1
    return found
