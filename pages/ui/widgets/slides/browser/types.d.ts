// What Python sends to the deck.

import type { Options as StageOptions } from "../../player/browser/types.d.ts";
import type { ReceiptOptions } from "../../receipt/browser/types.d.ts";

/** Words in each language that they have. */
export type Said = Record<string, string>;

export interface DeckLane {
  name: string;
  count: number;
  kind: "tokens" | "pretokens";
  /** The tokens of another text, to compare with. */
  before?: number;
  /** Where the tokens end, in bytes, and what belongs to no token. */
  ends: number[];
  /** Which of these stretches belong to no token, by number. */
  plain: number[];
  /** Which of them are special tokens, by number. */
  special: number[];
}

export interface DeckView {
  label: string;
  text: string;
  clusters: number[];
  /** Whether a number below a letter says how many tokens it is cut into. */
  countsLetters?: boolean;
  lanes: DeckLane[];
}

export interface Slide {
  kind: "words" | "bars" | "ask" | "tokens" | "tree" | "chips" | "stage" | "receipt" | "vote";
  /** The line above: the name of the story. */
  over: Said;
  title: Said;
  says: Said;
  notes: Said;
  isStrong?: boolean;
  /** Whether it shows the QR code of the address, where phones can open it. */
  showsCode?: boolean;
  views?: DeckView[];
  choices?: string[];
  right?: number;
  stage?: StageOptions | null;
  receipt?: ReceiptOptions | null;
  /** Whether it shows what has become of the film before it. */
  isOutcome?: boolean;
  /** HTML of the app's own: bars, or how a token was made. */
  html?: string;
  vote?: VoteOptions | null;
}

/** A vote of the room, as the slide gets it. */
export interface VoteOptions {
  /** What lets the presenter command, and where commands go. */
  key: string;
  steer: string;
  /** The path of the page for phones. */
  page: string;
  /** What phones open, and the squares of its QR code; empty where phones cannot reach the app. */
  link: string;
  code: number[][] | null;
}

/** A token as a chip. */
export interface Chip {
  text: string;
  tint: number;
}

export interface Pair {
  parts: Chip[];
  made: Chip;
  count: number;
}

/** Who takes part: the room, or BPE. */
export interface VoteRunner {
  /** Where the tokens of the sentence end now, in bytes. */
  ends: number[];
  /** Tokens of the sentence at the start and after each round, and of the training text now. */
  inSentence: number[];
  inText: number;
  chosen: Chip[];
}

/** What the app answers to the presenter. */
export interface VoteNews {
  round: number;
  rounds: number;
  isOver: boolean;
  isOpen: boolean;
  pairs: Pair[];
  votes: number[];
  runners: VoteRunner[];
  /** How the room's pair was chosen in each round. */
  whys: ("votes" | "tie" | "none" | "clicked")[];
}

/** What it answers to a phone. */
export interface PhoneNews {
  round: number;
  rounds: number;
  isOpen: boolean;
  pairs: Pair[];
  chosen: number | null;
}

export interface DeckOptions {
  /** Another name is another deck to draw; windows with the same talk follow one another. */
  name: string;
  talk: string;
  slides: Slide[];
  labels: Record<string, string>;
  locale: string;
  tints: number;
  showsNotes: boolean;
  /** Whether the app has something to show after the last slide, once somebody asks for it. */
  goesOn?: boolean;
  /** What is presented, as the address says it. */
  what: string;
  /** The address as others can open it, and the squares of its QR code, row by row; empty where they cannot. */
  code: number[][] | null;
  address: string;
}
