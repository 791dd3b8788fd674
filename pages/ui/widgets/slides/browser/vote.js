// The slide on which a room votes: four pairs with their votes, the way for phones, and who is ahead.
// @ts-check

import { Board } from "../../player/browser/board.js";
import { PlacedText } from "../../player/browser/sentence.js";
import { addButton, make, makeSvg } from "../../token_view/browser/elements.js";
import { labelsOf } from "../../token_view/browser/words.js";

/** @import { Chip, DeckOptions, DeckView, VoteNews, VoteOptions, VoteRunner } from "./types.d.ts" */

const ASK_EVERY = 1000; // milliseconds
const PRESENTER_KEY = "X-Steering-Key";
const RACE = { wide: 520, high: 180, left: 68, free: 16, rounds: 50 }; // the drawing of both lines, and what is free around them

/** All commands, one after another: a slide that is drawn anew is shut and opened. */
let commands = Promise.resolve();

export class Vote {
  /**
   * @param {VoteOptions} vote
   * @param {DeckView} sentence
   * @param {DeckOptions} options
   */
  constructor(vote, sentence, options) {
    this.vote = vote;
    this.options = options;
    this.label = labelsOf(options);
    /** @type {VoteNews | null} */
    this.news = null;
    this.isAsking = this.isJoining = this.isLost = false;
    this.element = make("div", "vote");
    this.element.dataset.page = vote.page;
    this.isByPhone = false; // whether a phone has ever voted
    this.said = make("div", "vote-said");
    this.said.role = "status";
    this.cards = make("div", "vote-cards");
    this.side = make("div", "vote-side");
    this.votes = make("div", "vote-count");
    this.lines = make("div", "vote-lines");
    this.main = make("div", "vote-main");
    this.hands = make("p", "vote-hands", vote.code ? this.label("vote_scan") : this.label("vote_hands"));
    this.main.append(this.said, ...(vote.code ? [] : [this.hands]), this.cards);
    const figures = make("div", "vote-figures");
    this.rows = [this.label("vote_room"), "BPE"].map((name) => {
      const board = new Board(new PlacedText(sentence.text, sentence.clusters), options.tints);
      const [figure, count, text] = [make("div"), make("b"), make("span")];
      figure.append(count, make("span", "", name), text);
      figures.append(figure);
      return { count, board, text };
    });
    if (vote.code) this.side.append(squaresOf(vote.code, vote.link, ""), this.hands); // two ways to vote
    this.side.append(this.votes, figures, make("p", "vote-text", this.label("vote_text")), this.lines);
    this.element.append(this.main, this.side);
    this.ended = new AbortController();
    window.addEventListener("pagehide", () => this.send("shut"), { signal: this.ended.signal });
    this.ask("open");
    this.timer = setInterval(() => this.isAsking || this.ask("watch"), ASK_EVERY);
  }

  remove() {
    clearInterval(this.timer);
    this.ended.abort();
    commands = commands.then(() => this.send("shut")).then(() => {});
    this.element.remove();
  }

  /** Whether there is no round to close. */
  get isOver() {
    return this.isLost || Boolean(this.news?.isOver);
  }

  /** Whether there is a round, or the end, to take back; a slip is noticed before the app has answered. */
  get canTakeBack() {
    return !this.isLost && Boolean(this.isJoining || this.news?.isOver || this.news?.round);
  }

  // ---- what the presenter does

  /**
   * Close the round: join a pair, or else the winner.
   * @param {number} [choice]
   */
  join(choice) {
    if (!this.news || this.news.isOver) return;
    this.isJoining = true;
    this.ask("join", `?round=${this.news.round}${choice === undefined ? "" : `&choice=${choice}`}`);
  }

  end() {
    this.ask("end");
  }

  /** Undo the last round. */
  takeBack() {
    this.ask("back");
  }

  /**
   * @param {string} command
   * @param {string} [query]
   */
  ask(command, query = "") {
    this.isAsking = true;
    commands = commands.then(async () => {
      const response = await this.send(command, query);
      this.isAsking = false;
      if (this.ended.signal.aborted || !response) return;
      if (response.ok) this.show(await response.json());
      else this.lose(response.status === 503 ? "vote_busy" : "vote_lost");
    });
  }

  /**
   * @param {string} command
   * @param {string} [query]
   */
  send(command, query = "") {
    const headers = { [PRESENTER_KEY]: this.vote.key };
    const address = `${this.vote.steer}/${command}${query}`;
    return fetch(address, { method: "POST", headers, keepalive: command === "shut" }).catch(() => null);
  }

  // ---- what is shown

  /** @param {string} key of what has happened */
  lose(key) {
    this.said.textContent = this.label(key);
    this.isLost = true;
  }

  /** @param {VoteNews} news */
  show(news) {
    const before = this.news;
    this.news = news;
    this.isJoining = this.isLost = false;
    if (!news.isOpen) return this.lose("vote_lost");
    if (before?.round !== news.round || before.isOver !== news.isOver) this.draw(news, Boolean(before));
    const total = news.votes.reduce((sum, votes) => sum + votes, 0);
    [...this.cards.querySelectorAll(".vote-card")].forEach((card, at) => {
      const share = total ? news.votes[at] / total : 0;
      /** @type {HTMLElement} */ (card).style.setProperty("--share", `${share * 100}%`);
      card.querySelector(".votes")?.replaceChildren(String(news.votes[at]));
    });
    this.isByPhone ||= total > 0;
    this.element.classList.toggle("by-hand", !this.isByPhone);
    this.votes.replaceChildren(make("b", "", String(total)), ` ${this.label("vote_votes", { count: total })}`);
  }

  /**
   * Draw a round, or the result.
   * @param {VoteNews} news
   * @param {boolean} moves
   */
  draw(news, moves) {
    const { isOver, runners } = news;
    this.element.classList.toggle("done", isOver);
    this.cards.replaceChildren(...(isOver ? this.resultOf(news) : this.cardsOf(news)));
    this.said.replaceChildren(...(isOver ? [] : this.saidOf(news)));
    runners.forEach(({ ends, inSentence, inText }, at) => {
      const { count, board, text } = this.rows[at];
      (isOver ? this.cards.children[at + 1] : this.main).append(board.element);
      count.textContent = String(inSentence[inSentence.length - 1]);
      board.draw(board.sentence.piecesOf(ends.map((to, place) => ({ from: place ? ends[place - 1] : 0, to }))), moves ? 1 : 0);
      text.textContent = isOver ? inText.toLocaleString(this.options.locale) : "";
    });
    this.lines.replaceChildren(raceOf(runners, news.rounds));
    if (isOver) addButton(this.lines, this.label("vote_again"), () => this.ask("again")).className = "vote-again";
  }

  /** @param {VoteNews} news */
  cardsOf({ pairs }) {
    return pairs.map(({ parts: [left, right], count }, at) => {
      const card = make("button", "vote-card");
      card.type = "button";
      card.onclick = () => this.join(at);
      const head = make("span", "vote-head");
      head.append(make("span", "vote-number", String(at + 1)), make("b", "votes", "0"));
      const pair = make("span", "vote-pair");
      pair.append(voteChip(left), make("i", "sign", "+"), voteChip(right));
      card.append(head, pair, make("span", "times", this.label("vote_found", { count })));
      return card;
    });
  }

  /** @param {VoteNews} news */
  saidOf({ round, rounds, runners, whys }) {
    const place = make("span", "vote-round", this.label("vote_round", { round: round + 1, rounds }));
    if (!round) return [place];
    const why = whys[round - 1];
    const room = why === "tie" ? "vote_tie" : why === "none" ? "vote_none" : "vote_room";
    const moves = runners.map(({ chosen, inSentence }, at) => {
      const move = make("span", "", at ? "BPE" : this.label(room));
      move.append(voteChip(chosen[round - 1]));
      // The count in the training text was large, and yet nothing became shorter.
      if (!at && why !== "none" && inSentence[round] === inSentence[round - 1]) move.append(this.label("vote_missing"));
      return move;
    });
    return [place, ...moves];
  }

  /** @param {VoteNews} news */
  resultOf({ runners, whys }) {
    const [room, bpe] = runners.map(({ inSentence }) => inSentence[inSentence.length - 1]);
    const isUnvoted = whys.length > 0 && whys.every((why) => why === "none");
    const key = isUnvoted ? "vote_unvoted" : room < bpe ? "vote_room_ahead" : bpe < room ? "vote_bpe_ahead" : "vote_even";
    const result = make("p", "vote-result", this.label(key, { count: Math.abs(room - bpe) || room }));
    const chosen = runners.map((runner, at) => {
      const row = make("div", "vote-chosen");
      row.append(make("span", "", at ? "BPE" : this.label("vote_room")), ...runner.chosen.map(voteChip));
      return row;
    });
    return [result, ...chosen];
  }
}

/** @param {Chip} chip */
function voteChip({ text, tint }) {
  const chip = make("span", "chip", text);
  chip.style.backgroundColor = `var(--t${tint})`;
  return chip;
}

/**
 * The tokens of the sentence over the rounds: the room's line whole, BPE's dashed.
 * @param {VoteRunner[]} runners
 * @param {number} rounds
 */
function raceOf(runners, rounds) {
  const all = runners.flatMap(({ inSentence }) => inSentence);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const x = (/** @type {number} */ round) => RACE.left + (round / rounds) * (RACE.wide - RACE.left - RACE.free);
  const y = (/** @type {number} */ tokens) => RACE.free + ((most - tokens) / Math.max(1, most - least)) * (RACE.high - 2 * RACE.free);
  const svg = makeSvg("svg", { viewBox: `0 0 ${RACE.wide} ${RACE.high + RACE.rounds}`, "aria-hidden": "true" });
  const write = (/** @type {number} */ number, /** @type {number} */ left, /** @type {number} */ top) =>
    svg.append(makeSvg("text", { x: left, y: top }, String(number)));
  for (const tokens of new Set([least, most])) write(tokens, RACE.left / 2 - 10, y(tokens) + 14);
  for (let round = 1; round <= rounds; round++) write(round, x(round), RACE.high + RACE.rounds - 8);
  runners.forEach(({ inSentence }, at) => {
    const points = inSentence.map((tokens, round) => `${x(round)},${y(tokens)}`).join(" ");
    const end = inSentence.length - 1;
    svg.append(makeSvg("polyline", { points, class: at ? "bpe" : "room" }));
    svg.append(makeSvg("circle", { cx: x(end), cy: y(inSentence[end]), r: at ? 8 : 12, class: at ? "bpe" : "room" }));
  });
  return svg;
}

/**
 * An address as a QR code; where nobody else can reach it, words that say so.
 * @param {number[][] | null} code
 * @param {string} address
 * @param {string} otherwise
 */
export function squaresOf(code, address, otherwise) {
  const place = make("div", "code");
  if (!code) {
    place.append(make("p", "", otherwise));
    return place;
  }
  const size = code.length;
  const svg = makeSvg("svg", { viewBox: `-4 -4 ${size + 8} ${size + 8}`, role: "img", "aria-label": address });
  const squares = code.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  svg.append(makeSvg("path", { d: squares.join("") }));
  const written = make("p");
  const [host, ...path] = address.replace(/^https?:\/\//, "").split("/");
  written.append(host, make("wbr"), ["", ...path].join("/"));
  place.append(svg, written);
  return place;
}
