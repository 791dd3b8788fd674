// The types that the modules of the stage share: what Python sends, and what is drawn of it.

export type { Label } from "../../token_view/browser/types.d.ts";

/** How many tokens another tokenizer needs for a text. */
export interface Level {
  name: string;
  count: number;
}

/** What Python gives the stage: stage() in __init__.py. */
export interface Options {
  /** What the stage shows; another name is another training or another sentence. */
  name: string;
  /** Where merges are asked for, and where commands go; null if the training is somebody else's. */
  feed: string;
  steer: string | null;
  /** What lets the owner command; a header carries it, because addresses are logged. */
  key: string;
  /** Where the counts of the parallel texts are asked for. */
  race: string | null;
  /** The languages that take turns to choose merges, with their colours; none if all texts choose together. */
  choosers?: Chooser[];
  /** After so many merges the most frequent pair is chosen, whatever it is; not known of a replay. */
  free_after?: number;
  text: string;
  pretokens: number[];
  /** Where the pretokens end once tokens may cross spaces; only if they may in the end. */
  superwords?: number[];
  clusters: number[];
  levels: Level[];
  labels: Record<string, string>;
  locale: string;
  tints: number;
  title: string;
  /** What is trained, in a line. */
  what: string;
  /** The most characters of a sentence, where another one can be typed. */
  most?: number;
  /** Where the page to save is fetched from. */
  page: string | null;
  /** Whether it fills the screen for a room; then the deck has the keys. */
  presents?: boolean;
  /** Whether a training that has ended shows its end and not its film: full speed was chosen. */
  is_at_once?: boolean;
  /** Whether the tokenizer learns from this very sentence. */
  is_learned?: boolean;
  /** What a saved page plays. */
  saved?: Saved;
}

export interface Chooser {
  name: string;
  light: string;
  dark: string;
}

/** Where a film is, and how it goes on. */
export interface FilmPlace {
  position: number;
  isLive: boolean;
  isPlaying: boolean;
  isHeld: boolean;
  hurries: boolean;
  seconds: number;
  /** The seconds for which merges stayed. */
  stayed: number;
  /** The speed that somebody chose; "" for that of the training. */
  pace: string;
}

/** A training as a saved page holds it. */
export interface Saved {
  answer: Answer;
  runners: Runner[];
  note: string;
}

export type State = "waiting" | "starting" | "counting" | "running" | "paused" | "done" | "stopped" | "failed";

/** What the app answers when it is asked for merges. */
export interface Answer {
  state: State;
  /** A sentence about the state, for people; empty while merges come. */
  says: string;
  pace: string;
  /** Merges learned in all, and merges asked for. */
  learned: number;
  goal: number;
  /** Whether it ended because no pair was left that occurs often enough. */
  ran_out?: boolean;
  /** How often a pair has to occur, so that it is joined. */
  least?: number;
  /** Left, right and count of each merge that is new. */
  merges: number[];
  /** After so many merges tokens may cross spaces; null while they may not. */
  superwords_after?: number | null;
  /** With choosers, which of them chose each of these merges; null for one that was given. */
  served?: (number | null)[];
}

/** Bytes of the sentence, from and to. */
export interface Cut {
  from: number;
  to: number;
  /** Whether this stretch belongs to no token. */
  isPlain?: boolean;
  /** Whether it is a special token. */
  isSpecial?: boolean;
}

/** A part of a token: whole text (then its size is 0), or the bytes `from` to `to` of a letter of `size` bytes. */
export interface Part {
  /** The text, or the letter if it is known which one it becomes. */
  letter: string;
  /** If it is not known: the script of most letters that it may become; "" if there is none. */
  script: string;
  /** Whether nobody calls it a letter. */
  isSign: boolean;
  from: number;
  to: number;
  /** Of a letter of which nobody knows it: -1. */
  size: number;
  /** The byte of the token at which the letter begins. */
  at: number;
  /** Letters of the sentence that it may be a part of; none if one of them is known. */
  here: string[];
}

export interface Piece extends Cut {
  text: string;
  tokens: Cut[];
}

export interface Milestone {
  merge: number;
  kind: string;
  name: string;
  says: string;
}

/** A text in the race: its tokens after the merges that changed them. */
export interface Runner {
  name: string;
  steps: { merge: number; tokens: number }[];
  levels: Level[];
  learned: number;
}

/** What the app answers when it is asked for the race. */
export interface RaceAnswer {
  runners: Runner[];
  note: string;
}
