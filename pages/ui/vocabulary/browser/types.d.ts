// The types that the modules of the vocabulary share: what Python sends, and what people choose.

/** What Python gives the view: entries_view() in browse.py. */
export interface Options {
  /** Where the entries are fetched; another address is another vocabulary. */
  address: string;
  /** The name of the tokenizer. */
  name: string;
  /** The name of the part of the vocabulary that is shown alone; "" for all of it. */
  part: string;
  labels: Record<string, string>;
  locale: string;
  tints: number;
  /** The scripts by their codes. */
  scripts: string[];
  /** The script that is shown at first. */
  script: string | null;
  /** The id that is looked at first, which stands before all others. */
  opens: number;
  /** The id that is looked at. */
  picked: number | null;
  /** A text that was looked for and that no token has, and the ids of the tokens that it is cut into. */
  missed: { query: string; ids: number[] } | null;
  /** How many different tokens the visitor's text uses: as many ids and counts follow the options. */
  used: number;
  /** Which text the counts are from; empty where nothing is counted. */
  counted: string;
}

export type { Label } from "../../widgets/token_view/browser/types.d.ts";

export type Kind = "text" | "bytes" | "id" | "regex";
export type Order = "best" | "known" | "order" | "newest" | "longest" | "shortest" | "letters" | "used";
export type Use = "all" | "used" | "unused";

/** What people choose. */
export interface Choice {
  kind: Kind;
  query: string;
  /** Whether capital letters matter where text is looked for. */
  matchesCase: boolean;
  /** The code of a script, or null for all. */
  script: number | null;
  use: Use;
  order: Order;
  /** Bytes of a token. */
  shortest: number;
  longest: number;
  /** Token ids, in the order learned. */
  first: number;
  last: number;
}

/** Which entries a search finds, by their places; null for all of them. */
export type Found = Uint8Array | null;

/** Entries in the order to be shown, and how many of each script there are with the other filters. */
export interface Selection {
  places: Uint32Array;
  counts: Uint32Array;
}
