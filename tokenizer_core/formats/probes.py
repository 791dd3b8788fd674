"""Texts on which two tokenizers differ soonest, to hold one to the other."""

_PIECES = (
    *("a", " the cat", "don't WE'LL i'm ſ'S", "x_1 12345 ٣٤ ๑๒๓", "ǆﬁßİ", "e\u0301 \u0301\u0301", "1234567 1 22"),
    *("ที่ น้ำใจ กำ ำ ่ เแ", "ภาษาไทย ไม่ ๆ ฿", "ดื่มน้ำเยอะๆ นะ", "กํา"),
    *("😀👨\u200d👩\u200d👧🇹🇭👍🏽❤\ufe0f", "\u200b\ufeff\u202e", "مرحبا 한국 漢字 \ud55c\u1112\u1161"),
    *("   x", "x   ", " \t \n\n  y", "\r\n\r\n", "a\rb", "\v\f\x1c\x1d\x85\u2028\u00a0\u3000", "\n", " ", "     "),
    *("\0\x1b\x7f", "<|endoftext|> [UNK] <s> ▁ ##a Ġ", "{}\\'\"...!!!\n//=)", "\uffff\ue000\U0010ffff𝒳ﷺ"),
)
PROBES = (
    "",
    *_PIECES,
    *(left + right for left, right in zip(_PIECES, _PIECES[1:])),
    " ".join(_PIECES),
    "\n".join(reversed(_PIECES)),
    " " * 200,
    "ก" * 100 + "่" * 40,
)
