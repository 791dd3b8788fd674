// What Python sends to the deck.

import type { Options as StageOptions } from "../../player/browser/types.d.ts";
import type { ReceiptOptions } from "../../receipt/browser/types.d.ts";

/** Words in each language that captions can have. */
export type Said = Record<string, string>;

export interface DeckLane {
  name: string;
  count: number;
  /** Where the tokens end, in bytes, and what belongs to no token. */
  ends: number[];
  /** Which of these stretches belong to no token, by number. */
  plain: number[];
}

export interface DeckView {
  label: string;
  text: string;
  clusters: number[];
  lanes: DeckLane[];
}

export interface Slide {
  kind: "words" | "ask" | "tokens" | "stage" | "receipt";
  /** The line above: the name of the story. */
  over: Said;
  title: Said;
  says: Said;
  notes: Said;
  isStrong?: boolean;
  views?: DeckView[];
  choices?: string[];
  right?: number;
  stage?: StageOptions;
  receipt?: ReceiptOptions;
}

export interface DeckOptions {
  /** Another name is another deck to draw; windows with the same talk follow one another. */
  name: string;
  talk: string;
  slides: Slide[];
  labels: Record<string, string>;
  languages: string[];
  locale: string;
  tints: number;
  showsNotes: boolean;
  /** The squares of a QR code of the address, row by row; null where others cannot reach it. */
  code: number[][] | null;
  address: string;
}
