// What Python gives the race of several ways: abreast_options() in __init__.py.

/** The tokens of the sentence from a vocabulary size on. */
export interface WayFrame {
  size: number;
  /** Where tokens end, in bytes, and stretches that belong to none. */
  ends: number[];
  plain: number[];
  tokens: number;
}

export interface WayOptions {
  name: string;
  light: string;
  dark: string;
  frames: WayFrame[];
  sizes: number[];
  thai: number[];
  english: number[];
  /** Whether each size continues the one before; otherwise each is a tokenizer of its own. */
  grows: boolean;
}

export interface AbreastOptions {
  name: string;
  text: string;
  clusters: number[];
  ways: WayOptions[];
  sizes: number[];
  says: string;
  labels: Record<string, string>;
  locale: string;
  tints: number;
}

/** What a chart shows of each way at each size. */
export interface Measure {
  title: string;
  value: (way: WayOptions, at: number) => number;
  written: (value: number) => string;
  isLog: boolean;
  /** A value at which a line is drawn, with its name. */
  level?: { value: number, name: string };
}
