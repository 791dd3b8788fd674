"""Mutants that no caller can tell from the core itself: each with its module, its line and the change, and why."""

EQUIVALENT = {
    (
        "patterns",
        "HELD_CHARACTERS = 1_000_000",
        "1_000_000 → 1000001",
    ): "nobody feels a millionth",
    ("patterns", 'count = float(regex.sub("[^0-9]", "", repeat[1]) or 1)', "1 → (0)"): (
        "group 0 adds only braces, which are taken out; no digits count as 1 in the next line"
    ),
}
