// The receipt: what a message costs in two languages, printed token by token on two paper bills.
// @ts-check

import { addNamed } from "../../token_view/browser/boxes/box_elements.js";
import { addButton, isDark, make } from "../../token_view/browser/elements.js";
import { tintStyle } from "../../token_view/browser/model/tints.js";
import { labelsOf } from "../../token_view/browser/words.js";
import { billLines } from "./lines.js";
import { ReceiptMenu } from "./menu.js";

/** @import { BoxElement } from "../../token_view/browser/types.d.ts" */
/** @import { Bill, Line, ReceiptOptions } from "./types.d.ts" */

const LINE_PACE = 45; // milliseconds of a line
const PRINTING_MOST = 4000; // milliseconds of all lines

/** @type {WeakMap<ShadowRoot | Element, Receipt>} */
const RECEIPTS = new WeakMap();

/**
 * What Streamlit calls for each run of the page. Another price is written at once; other tokens are printed.
 * @param {{ data: Uint8Array<ArrayBuffer>, parentElement: ShadowRoot | Element }} component
 */
export default function showReceipt({ data, parentElement }) {
  /** @type {ReceiptOptions} */
  const options = JSON.parse(new TextDecoder().decode(data));
  const before = RECEIPTS.get(parentElement);
  const fresh = new Receipt(options);
  fresh.element.append(fresh.controls());
  before?.remove();
  parentElement.append(fresh.element);
  RECEIPTS.set(parentElement, fresh);
  fresh.dress();
  if (before?.options.name === options.name && before.isDone) fresh.showAll();
  else fresh.printWhenSeen();
  return () => {
    RECEIPTS.get(parentElement)?.remove();
    RECEIPTS.delete(parentElement);
  };
}

export class Receipt {
  /**
   * @param {ReceiptOptions} options
   * @param {number} [level] of its heading
   */
  constructor(options, level = 2) {
    this.options = options;
    this.label = labelsOf(options);
    this.element = make("section", "token-view receipt");
    this.heading = this.element.appendChild(make("div", "receipt-title"));
    this.heading.setAttribute("role", "heading");
    this.heading.setAttribute("aria-level", String(level));
    options.title.split("**").forEach((part, at) => this.heading.append(at % 2 ? make("b", "", part) : part));
    this.element.append(make("div", "receipt-says", options.says));
    const papers = this.element.appendChild(make("div", "papers"));
    const [first, second] = options.bills;
    this.papers = [new Paper(first, second, this), new Paper(second, first, this)];
    papers.append(...this.papers.map(({ element }) => element));
    this.frame = 0;
    this.isDone = false;
    /** @type {() => void} called when the last line is printed */
    this.onDone = () => {};
  }

  /** Streamlit calls again when the theme changes. */
  dress() {
    this.element.classList.toggle("dark", isDark(this.papers[0].paper));
  }

  remove() {
    cancelAnimationFrame(this.frame);
    this.seen?.disconnect();
    this.element.remove();
  }

  /** What can be done with it: print it again, skip to its end, save it. */
  controls() {
    const row = make("div", "receipt-controls");
    this.again = addButton(row, "", () => (this.isDone ? this.print() : this.showAll()));
    this.again.className = "receipt-again";
    row.append(new ReceiptMenu(this).element);
    return row;
  }

  // ---- printing

  printWhenSeen() {
    this.showLines(0);
    this.seen = new IntersectionObserver(([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      this.seen?.disconnect();
      this.print();
    });
    this.seen.observe(this.papers[0].element);
  }

  /** Print line by line, both bills at the same pace; at once for those who want no motion. */
  print() {
    this.showLines(0);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.showAll();
    const most = Math.max(...this.papers.map(({ rows }) => rows.length));
    const pace = Math.min(LINE_PACE, PRINTING_MOST / most);
    /** @type {number | undefined} */
    let began;
    const step = (/** @type {number} */ now) => {
      began ??= now;
      const lines = Math.floor((now - began) / pace);
      if (lines >= most) return this.showAll();
      this.showLines(lines);
      this.frame = requestAnimationFrame(step);
    };
    this.frame = requestAnimationFrame(step);
  }

  showAll() {
    cancelAnimationFrame(this.frame);
    this.seen?.disconnect();
    this.showLines(Infinity);
    this.onDone();
  }

  /** @param {number} lines */
  showLines(lines) {
    for (const paper of this.papers) paper.showLines(lines);
    this.isDone = lines === Infinity;
    if (this.again) this.again.textContent = this.label(this.isDone ? "again" : "skip");
    this.element.dataset.printed = this.isDone ? "all" : String(lines);
  }
}

/** One paper bill. */
class Paper {
  /**
   * @param {Bill} bill
   * @param {Bill} other
   * @param {Receipt} receipt
   */
  constructor(bill, other, { options, label }) {
    this.bill = bill;
    this.options = options;
    this.label = label;
    this.shown = 0;
    const lines = billLines(bill, options.tints);
    this.rows = lines.map((line, at) => this.row(line, at + 1));
    this.element = make("div", "paper-edge");
    this.element.style.setProperty("--share", String(bill.count / Math.max(1, bill.count, other.count)));
    this.element.style.setProperty("--rows", String(this.rows.length));
    this.paper = this.element.appendChild(make("div", "paper"));
    const place = make("div", "message-place");
    place.dataset.other = other.text; // both messages get as many lines as the longer one needs
    const message = place.appendChild(make("div", "message", bill.text));
    message.dir = "auto";
    this.roll = make("div", "roll");
    this.roll.tabIndex = 0;
    this.roll.setAttribute("role", "region");
    this.roll.setAttribute("aria-label", label("lines", { name: bill.name }));
    this.roll.append(this.table());
    this.roll.addEventListener("scroll", () => this.sayAbove(), { passive: true });
    new ResizeObserver(() => this.toEnd()).observe(this.roll);
    this.tokens = make("b");
    this.cost = make("b");
    const total = make("div", "total");
    this.totalName = make("span", "", label("total"));
    total.append(this.totalName, this.tokens, this.cost);
    if (options.each !== null) total.append(make("small", "", label("for_one")), make("small", "", label("for_all")));
    this.paper.append(make("div", "paper-name", bill.name), place, this.roll, total);
  }

  table() {
    const table = make("table");
    const head = table.createTHead().insertRow();
    const names = this.options.each === null ? ["token", "count"] : ["token", "price", "sum"];
    for (const name of names) {
      const cell = head.appendChild(make("th", "", this.label(name)));
      cell.scope = "col";
    }
    this.firstHead = head.cells[0];
    table.createTBody().append(...this.rows);
    return table;
  }

  /** How many lines are scrolled away above those in sight. */
  get above() {
    const { rows, shown } = this;
    // A single row is measured in whole pixels, and is not as high.
    const height = shown > 1 ? (rows[shown - 1].offsetTop - rows[0].offsetTop) / (shown - 1) : 0;
    return height ? Math.round(this.roll.scrollTop / height) : 0;
  }

  sayAbove(count = this.above) {
    const words = count ? this.label("above", { count }) : this.label("token");
    if (this.firstHead && this.firstHead.textContent !== words) this.firstHead.textContent = words;
  }

  /**
   * @param {Line} line
   * @param {number} number
   */
  row({ text, stripes, part, parts }, number) {
    const row = make("tr");
    const token = row.insertCell();
    token.className = "token";
    const box = /** @type {BoxElement} */ (token.appendChild(make("span", parts > 1 ? "p s e shared" : "p s e")));
    if (stripes.length) box.style.cssText = tintStyle({ stripes, text });
    box.box = /** @type {BoxElement["box"]} */ ({ kind: "reading", stripes, starts: true, ends: true });
    if (parts > 1) token.append(make("small", "short", `${this.label("part_short", { part, parts })} `)); // where it is narrow
    const letters = parts > 1 ? token.appendChild(make("span", "letter")) : box; // on stripes as thin they are hard to read
    if (text) addNamed(letters, text);
    else box.textContent = this.label("no_text"); // a token that only says where a text starts
    if (parts > 1) token.append(" ", make("small", "", this.label("part", { part, parts })));
    const { each } = this.options;
    if (each === null) row.insertCell().textContent = number.toLocaleString(this.options.locale);
    else for (const amount of [each, each * number]) row.insertCell().textContent = this.amount(amount);
    return row;
  }

  /**
   * @param {number} value
   * @param {number} digits
   */
  amount(value, digits = this.options.decimals) {
    const { locale } = this.options;
    return value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }

  /**
   * Show the first lines, and what they add up to.
   * @param {number} lines
   */
  showLines(lines) {
    const { rows, bill, options } = this;
    const count = Math.min(lines, rows.length);
    if (count < this.shown) for (const row of rows) row.hidden = true;
    for (let at = count < this.shown ? 0 : this.shown; at < count; at++) rows[at].hidden = false;
    for (let at = count; at < rows.length; at++) rows[at].hidden = true;
    this.shown = count;
    this.toEnd();
    const isWhole = count === rows.length;
    const tokens = isWhole ? bill.count : count;
    this.totalName.textContent = this.label(isWhole ? "total" : "so_far");
    this.tokens.textContent = this.label("tokens", { count: tokens });
    this.cost.textContent = options.each === null ? "" : this.written(options.each * tokens);
  }

  /** Keep the last lines only, with how many stand above. @param {number} most */
  keepLast(most) {
    const above = Math.max(0, this.rows.length - most);
    this.rows.forEach((row, at) => (row.hidden = at < above));
    this.sayAbove(above);
  }

  /** Show the last line above the total, also when the window changes. */
  toEnd() {
    this.roll.scrollTop = this.roll.scrollHeight;
    this.sayAbove();
  }

  /**
   * The total: two decimals where both bills can be told by them; the sums of the lines keep theirs, so that each token
   * is seen to count. Halves are rounded up, also where 8.505 is kept as a little less.
   * @param {number} value
   */
  written(value) {
    const { bills, each, money } = this.options;
    const totals = bills.map(({ count }) => count * (each ?? 0));
    if (Math.max(...totals) < 1 || Math.min(...totals) < 0.1) return money.replace("{amount}", this.amount(value));
    const rounded = Math.round(value * 100 * (1 + Number.EPSILON)) / 100;
    return money.replace("{amount}", this.amount(rounded, 2));
  }
}
