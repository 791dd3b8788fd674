"""What the steps of a program do. They are compiled into `match_loop`, which holds the hash of this file."""

NO_BOUND = 2**62

# Three numbers follow each; of them, a "set" is a row of `Program.sets`, and a "step" a row of `Program.steps`.
MATCH = 0  # the pattern has matched
TAKE = 1  # take one character of a set
RUN = 2  # take characters of a set: at least, at most; give back if what follows does not fit
HELD_RUN = 3  # the same, without giving back
TRY = 4  # go on if a character of a set stands here, and come back to a step if that fails; else go to that step
SPLIT = 5  # go on, and come back to a step if that fails
JUMP = 6  # go to a step
BEHOLD = 7  # what follows up to LET_GO is held, or a look-ahead; the step after it, if it must not match
LET_GO = 8  # 0: forget the places to come back to. 1: go back to where BEHOLD stood, too. 2: fail
AHEAD = 9  # a character of a set stands here; or, if the second number is 0, none
END = 10  # 0: the text ends here. 1: or there is a last line end. 2: or there is a line end
