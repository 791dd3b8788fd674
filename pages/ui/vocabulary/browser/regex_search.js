// Finds entries by a regular expression, in a worker of its own: one that never ends is stopped, and harms nothing.
// @ts-check

/** @import { Vocabulary } from "./search.js" */

/** Milliseconds that an expression may take over all entries. */
export const MOST_TIME = 2000;

/** The code of the worker; it stands alone, because a worker sees nothing of this module. */
function workerCode() {
  const scope = /** @type {any} */ (self);
  /** @type {string[]} */
  let texts = [];
  /** A script needs no prefix elsewhere, as in \p{Thai}, but in JavaScript it does. */
  const scriptOrNot = (/** @type {string} */ start, /** @type {string} */ kind, /** @type {number} */ at, /** @type {string} */ all) => {
    const [name] = all.slice(at + start.length).split("}", 1);
    try {
      return new RegExp(`\\p{Script=${name}}`, "u") && `\\${kind}{Script=`;
    } catch {
      return start; // a category, such as \p{Letter}
    }
  };
  scope.onmessage = (/** @type {MessageEvent} */ { data }) => {
    if (data.ends) {
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      texts = Array.from(data.ends, (end, i) => decoder.decode(data.bytes.subarray(i ? data.ends[i - 1] : 0, end)));
      scope.postMessage({ isReady: true });
      return;
    }
    try {
      const expression = new RegExp(data.source.replace(/\\(p)\{(?=[A-Z][a-z]{2,}\})/gi, scriptOrNot), "u");
      const found = new Uint8Array(texts.length);
      for (let i = 0; i < texts.length; i++) if (expression.test(texts[i])) found[i] = 1;
      scope.postMessage({ found }, [found.buffer]);
    } catch (error) {
      scope.postMessage({ fault: error instanceof Error ? error.message : String(error) });
    }
  };
}

/** @typedef {{ found: Uint8Array } | { fault: string } | { isSlow: true }} Answer */

export class RegexSearch {
  /** @param {Vocabulary} vocabulary */
  constructor(vocabulary) {
    this.vocabulary = vocabulary;
    /** @type {Worker | null} */
    this.worker = null;
    this.isReady = false;
    /** @type {{ source: string, then: (answer: Answer) => void } | null} */
    this.asked = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** Let a worker read all entries, so that the first search finds it ready. */
  warm() {
    if (this.worker) return;
    const code = URL.createObjectURL(new Blob([`(${workerCode})()`], { type: "text/javascript" }));
    const worker = (this.worker = new Worker(code));
    URL.revokeObjectURL(code);
    worker.onmessage = ({ data }) => {
      if (!data.isReady) return this.end(data);
      this.isReady = true;
      if (this.asked) this.ask();
    };
    worker.onerror = (event) => this.end({ fault: event.message });
    const { ends, bytes } = this.vocabulary;
    worker.postMessage({ ends, bytes });
  }

  /**
   * Search, and give up a search that is under way.
   * @param {string} source
   * @param {(answer: Answer) => void} then
   */
  run(source, then) {
    if (this.asked) this.stop();
    this.warm();
    this.asked = { source, then };
    if (this.isReady) this.ask();
  }

  /** The time counts from here: reading 200,000 entries is not the expression's fault. */
  ask() {
    this.worker?.postMessage({ source: this.asked?.source });
    this.timer = setTimeout(() => {
      const { asked } = this;
      this.stop();
      asked?.then({ isSlow: true });
    }, MOST_TIME);
  }

  /** @param {Answer} answer */
  end(answer) {
    clearTimeout(this.timer);
    const { asked } = this;
    this.asked = null;
    asked?.then(answer);
  }

  stop() {
    clearTimeout(this.timer);
    this.worker?.terminate();
    [this.worker, this.asked, this.isReady] = [null, null, false];
  }
}
