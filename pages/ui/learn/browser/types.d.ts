// What Python sends to the lessons, and what they know.

export interface Pair {
  left: number;
  right: number;
  count: number;
}

/** The tokens after a step of encoding, and the token that it made; -1 before the first. */
export interface Picture {
  ids: number[];
  made: number;
}

export interface Further {
  /** A page of the app. */
  page: string;
  query: Record<string, string>;
  words: string;
}

export interface LessonFacts {
  /** Its place among all lessons, from 1; a file has some of them. */
  number: number;
  minutes: number;
  further: Further[];
}

export interface TraceStep {
  /** The line of `code` that runs next. */
  line: number;
  values: [string, string][];
}

export interface LearnOptions {
  labels: Record<string, string>;
  /** The words for the keys of a presentation. */
  deck: Record<string, string>;
  locale: string;
  tints: number;
  /** By name, in order: lessons that are offered. */
  lessons: Record<string, LessonFacts>;
  /** Names of characters, by code point. */
  names: Record<string, string>;
  /** By name: where the tokens of a tokenizer are fetched; in a file of its own, they themselves in base64. */
  tokens: Record<string, string>;
  /** The ids around what is typed in a chat with GPT-4, and its special tokens by their ids. */
  envelope: { before: number[]; after: number[]; markers: Record<string, string> };
  /** The lines from which the SentencePiece model of the lessons was trained. */
  lines: number;
  /** The lines of reference.py, and what they do to aaabdaaabac. */
  code: string[];
  trace: TraceStep[];
  text: string;
  word: string;
  /** The lesson that a link opens. */
  open: string;
  presents: boolean;
  /** What is presented, as the address says it. */
  what: string;
  /** In a file of its own, without the app. */
  isAlone: boolean;
}

/** What Streamlit gives a component to tell the page something. */
export type Tell = (name: string, value: unknown) => void;
