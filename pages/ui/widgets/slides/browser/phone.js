// The page on a phone: four pairs to choose from, round after round. It is served as it is, so it imports nothing.
// @ts-check

/** @import { PhoneNews } from "./types.d.ts" */

export {}; // a module, for the checks of types

const EVERY = 1000; // milliseconds
const words = JSON.parse(document.body.dataset.words ?? "{}");
const place = document.querySelector("div");
const told = document.querySelector("[role=status]");
const heading = document.querySelector("h1");
const about = document.querySelector("section");
const ENDS = ["closed", "gone"]; // nothing is asked any more
let round = -1;
/** What stands on the screen, so that only what is new is drawn, and read aloud. */
let shown = "";

/**
 * @param {string} text
 * @param {Record<string, number | string>} values
 */
function filled(text, values) {
  return text.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (_, name, one, many) => {
    if (many !== undefined) return values[name] === 1 ? one : many;
    return values[name].toLocaleString(document.documentElement.lang);
  });
}

/** @param {string} key */
function say(key) {
  const isOver = ENDS.includes(key);
  write(heading, words[isOver ? key : "ask"]);
  write(told, isOver ? "" : (words[key] ?? ""));
  if (about) about.hidden = isOver;
}

/** Only what is new, so that it is read aloud once. @param {Element | null} element @param {string} text */
function write(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

/**
 * Ask what there is to choose, or choose.
 * @param {number} [choice]
 */
async function ask(choice) {
  const isVote = choice !== undefined;
  try {
    const path = isVote ? `${round}/${choice}` : "now";
    const response = await fetch(`${location.pathname}/${path}`, { method: isVote ? "POST" : "GET", cache: "no-store" });
    if (response.ok) return show(await response.json());
    say({ 404: "gone", 403: "no_cookie", 429: "full" }[response.status] ?? "lost");
  } catch {
    say("lost");
  }
}

/** @param {PhoneNews} news */
function show(news) {
  const now = JSON.stringify(news);
  if (now !== shown) draw(news);
  shown = now;
  say(!news.isOpen ? "closed" : news.chosen === null ? "" : "thanks");
}

/** @param {PhoneNews} news */
function draw({ round: now, rounds, pairs, isOpen, chosen }) {
  write(document.querySelector("section span"), filled(words.round, { round: now + 1, rounds }));
  if (now !== round) place?.replaceChildren(...pairs.map(() => document.createElement("button")));
  round = now;
  pairs.forEach(({ parts, count }, at) => {
    const button = /** @type {HTMLButtonElement} */ (place?.children[at]);
    const [left, right] = parts.map(({ text, tint }) => chip(text, tint));
    button.type = "button";
    button.replaceChildren(`${at + 1} `, left, " + ", right, " ", span("count", filled(words.seen, { count })));
    button.setAttribute("aria-pressed", String(chosen === at));
    button.disabled = !isOpen;
    button.onclick = () => ask(at);
  });
}

/**
 * @param {string} className
 * @param {string} text
 */
function span(className, text) {
  const element = document.createElement("span");
  element.className = className;
  element.textContent = text;
  return element;
}

/**
 * @param {string} text
 * @param {number} tint
 */
function chip(text, tint) {
  const element = span("chip", text);
  element.style.background = `var(--t${tint})`;
  return element;
}

async function follow() {
  if (!document.hidden) await ask();
  setTimeout(follow, EVERY);
}
follow();
