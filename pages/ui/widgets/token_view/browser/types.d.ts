// The types that modules share: what Python sends, what is drawn of it, and what a visitor chose.

import type { Lane } from "./model/lane.js";
import type { Model } from "./model/model.js";

export type { Lane, Model };

// ---- what Python sends: token_view() and payload.py

export type View = "staff" | "columns" | "chips";
export type Colour = "piece" | "bytes" | "broken" | "branch";

/** How a page wants the view; what visitors can switch is where they start. */
export interface Options {
  key: string;
  view: View;
  colour: Colour;
  white_space: boolean;
  looped: boolean;
  marks: boolean;
  ruler: boolean;
  large: boolean;
  largest: boolean;
  /** Whether each row of a short text has its number of tokens at its left, and fills the screen. */
  numbers_first: boolean;
  /** "apart": as the short one, but where the page draws it. */
  toolbar: "full" | "short" | "none" | "apart";
  /** Of a place for a bar that stands apart: the key of its view. */
  bar_of?: string;
  /** Whether the bar and the legend stand below the text. */
  text_first: boolean;
  max_height: number | null;
  /** Where the whole of a long text is fetched from. */
  whole: string | null;
  /** Where each weight of the looped Thai face is fetched from; none where it is not offered. */
  faces: Record<string, string>;
  /** Where the page to save is fetched from. */
  page: string | null;
  link: Link | null;
  /** The stages of lanes that have several, by the number of the lane; null where nobody can change them. */
  sizes?: Record<number, Stages> | null;
  /** Of a saved page: the lane that others were compared with, and the other one, by their names. */
  base?: string | null;
  against?: string | null;
}

/** The vocabulary sizes that a lane can have, and the one that it has; `of` is what Python calls the lane. */
export interface Stages {
  of: string;
  least: number;
  most: number;
  at: number;
  special: number;
}

/** What a link to this view says besides text and view. */
export interface Link {
  parameters: Record<string, string>;
  has_text: boolean;
  leaves_out_mine: boolean;
  holds: "tokenizers" | "patterns" | "story";
}

/** The words of the view in the visitor's language, by their keys in the catalogue. */
export type Labels = Record<string, string>;

/** A word of the catalogue by its key, with values filled in. */
export type Label = (key: string, values?: Record<string, unknown>) => string;

/** Where an array lies: its offset in bytes, its length in items, the bytes of one item. */
export type Place = [offset: number, length: number, width: 1 | 2 | 4];
export type Numbers = Uint8Array | Uint16Array | Uint32Array | number[];
export type ReadArray = (place: Place) => Uint8Array | Uint16Array | Uint32Array;

export interface PayloadHeader {
  text: string;
  chars: number;
  whole: boolean;
  locale: string;
  tint_count: number;
  labels: Labels;
  names: Record<string, string>;
  clusters: Place;
  rows: Place;
  differences: {
    /** The lanes that are compared, and the one that others are compared with at first. */
    lanes: number[];
    base: number | null;
    pairs: {
      lanes: number[];
      share: number | null;
      /** UTF-16 units before each difference, and of it. */
      gaps: Place;
      lengths: Place;
      agreed: Place[];
    }[];
  };
  columns: Column[];
}

/** A lane's words and figures, and where its arrays lie. */
export interface Column {
  name: string;
  caption: string;
  details: string;
  kind: "tokens" | "pretokens";
  count: number;
  parts: number;
  boundaries: number;
  inside_characters: number;
  inside_clusters: number;
  figures: [value: string, label: string][];
  truth: string;
  tokens: Place;
  segment_tokens: Place;
  segment_units: Place;
  /** Of each distinct token; null for text that belongs to no token. */
  ids: (number | null)[];
  /** Each distinct token as its tokenizer writes it, where that is not its text. */
  writings: (string | null)[] | null;
  sizes: Place;
  tints: Place;
  bytes: Place;
  /** Which of the distinct tokens are special. */
  specials: number[];
  /** Which of them only say that the vocabulary lacks some text, which is lost. */
  lost: number[];
  made: Made<Place> | null;
  branches: Branch[] | null;
  taken_by: Place | null;
}

/** Of each distinct token: its merge by number (0 for a byte), its left part in bytes, its pair's count. */
export interface Made<Array> {
  merges: Array;
  left: Array;
  counts: Array | null;
}

/** One branch of a split pattern, by its source and in plain words. */
export interface BranchWords {
  source: string;
  words: string;
}

export interface Branch extends BranchWords {
  tint: number;
}

// ---- what is drawn

/** A part of a token: whole characters as text, or bytes in hex. */
export type Part = { text: string; hex?: undefined } | { hex: string; text?: undefined };

/** A stretch of the text in UTF-16 units; a box has it whole, even where its row shows a part of it. */
interface Stretch {
  from: number;
  to: number;
  /** The token that a box stands for, or the first one of its segment. */
  token: number;
  /** The first token that a box has bytes of, and how many tokens these are. */
  first: number;
  count: number;
}

/** One tint and its share: the bytes that a token has in a box. */
export type Stripe = [tint: string, bytes: number];

/** A stripe by its number, and the part of a box's height that it takes, in percent from below: over the consonant, or "after" it. */
export type Zone = [stripe: number, low: number, high: number, place?: "after"];

/** A segment or a cluster of the text as it is. */
export interface ReadingBox extends Stretch {
  kind: "reading";
  text: string;
  stripes: Stripe[];
  /** From below, where the consonant and the marks of a Thai letter stand that a split pattern cuts apart. */
  zones?: Zone[] | null;
  /** Whether a token starts, ends with this box. */
  starts: boolean;
  ends: boolean;
  differs: boolean;
  /** Whether the cluster has more letters than are drawn. */
  isEndless: boolean;
}

/** One token by itself; `from` and `to` are the characters that it has bytes of. */
export interface ChipBox extends Stretch {
  kind: "chip";
  tint: string;
  differs: boolean;
}

/** How many chips of a segment are not drawn. */
export interface NoteBox extends Stretch {
  kind: "note";
  note: string;
}

export type Box = ReadingBox | ChipBox | NoteBox;

/** A stretch of the ruler, with a number where a tenth character stands. */
export interface RulerBox {
  text: string;
  number: number | null;
  differs: boolean;
  /** Whether it is the difference that a visitor went to. */
  isCurrent: boolean;
  isEndless: boolean;
}

/** The element of a box, and what it shows at present: it is used again for other boxes. */
export interface BoxElement extends HTMLElement {
  lane?: Lane;
  box?: Box;
  shownText: string | null;
  shownStyle: string | null;
}

/** The number of tokens of a lane. */
export interface TotalElement extends HTMLButtonElement {
  lane: Lane;
}

/** The boxes that one lane has in a row, with an element for each. */
interface LaneCell {
  lane: Lane;
  holder: HTMLElement;
  element: HTMLElement;
  boxes: Box[];
}

interface RulerCell {
  lane: null;
  holder: HTMLElement;
  element: HTMLElement;
  boxes: RulerBox[];
}

export type Cell = LaneCell | RulerCell;

// ---- what a visitor chose

/** What a person switched. */
export interface Choice {
  view: View;
  white_space: boolean;
  /** Whether Thai letters have their loops. */
  looped: boolean;
  colour: Colour;
  marks: boolean;
  /** The lane that others are compared with, and whose differences from it are walked, by their names. */
  base: string | null;
  against: string | null;
  /** The lane that is drawn in chips. */
  chipsOf: number;
}

// ---- pictures

export interface Font {
  family: string;
  size: number;
  weight: string;
  fill: string;
}

export interface SceneRect {
  x: number;
  y: number;
  width: number;
  height: number;
  fill: string;
  round: number;
}

/** A text with its baseline at y; where its width is known, it is fitted to it. */
export interface SceneText extends Font {
  text: string;
  x: number;
  y: number;
  anchor: "start" | "middle";
  opacity: number;
  width: number;
  rtl: boolean;
}
