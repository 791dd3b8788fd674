// What Python sends to the receipt.

import type { Stripe } from "../../token_view/browser/types.d.ts";

export interface Bill {
  name: string;
  text: string;
  /** Where letters start, in bytes. */
  clusters: number[];
  /** Where the tokens end, in bytes, and what belongs to no token. */
  ends: number[];
  /** Which of these stretches belong to no token, by number. */
  plain: number[];
  count: number;
}

export interface ReceiptOptions {
  /** Another name is another receipt, which is printed anew. */
  name: string;
  title: string;
  says: string;
  bills: Bill[];
  /** What a token costs; null where no price is known. */
  each: number | null;
  decimals: number;
  /** How an amount is written in its currency. */
  money: string;
  labels: Record<string, string>;
  locale: string;
  tints: number;
  /** The parameters of a link that shows it again, where there is one. */
  link?: Record<string, string>;
}

/** One line of a bill: a token, and the letters that it is a part of. */
export interface Line {
  text: string;
  /** The stripe of the token, between those of the other tokens of its letters, which stay bare. */
  stripes: Stripe[];
  part: number;
  parts: number;
}
