// Explains technical words where they stand: the first of each has a dotted line, and its meaning under the mouse
// or after a tap. It only reads what Streamlit has drawn, so nothing that Streamlit writes can go wrong.

const TEXTS = ["Heading", "MarkdownContainer", "CaptionContainer", "MetricLabel"]
  .map((name) => `[data-testid="st${name}"]`)
  .join();
const NOT_IN = "h1, button, a, label, summary, code, pre, ul";
const MARKS = "\u2060\u200b"; // of line breaks, which are between the letters of Thai terms
const state = { terms: new Map(), finder: /$^/g, found: [], box: null, observer: null, later: 0 };

/** Mark these terms from now on, the texts that `finder` finds. */
export function explain({ finder, terms }) {
  state.finder = new RegExp(finder, "gi");
  state.terms = new Map(terms.flatMap((term) => term.forms.map((form) => [form.toLowerCase(), term])));
  if (!state.observer) start();
  look();
}

function start() {
  state.box = document.createElement("div");
  state.box.id = "meaning";
  state.box.setAttribute("role", "tooltip");
  state.box.hidden = true;
  document.body.append(state.box);
  state.observer = new MutationObserver(() => {
    clearTimeout(state.later);
    state.later = setTimeout(look, 300);
  });
  state.observer.observe(document.body, { childList: true, characterData: true, subtree: true });
  document.addEventListener("pointermove", point, { passive: true });
  document.addEventListener("pointerdown", ({ target }) => state.box.contains(target) || hide(), { capture: true });
  document.addEventListener("click", point);
  document.addEventListener("scroll", hide, { capture: true, passive: true });
  document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
}

/** Find the first place of each term that is seen, and mark it. */
function look() {
  const main = document.querySelector('[data-testid="stMain"]');
  const seen = new Map();
  const walk = document.createTreeWalker(main ?? document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const parent = node.parentElement;
    if (!parent.closest(TEXTS) || parent.closest(NOT_IN) || !parent.checkVisibility()) continue;
    for (const [term, range] of termsIn(node)) if (!seen.has(term)) seen.set(term, range);
  }
  state.found = [...seen];
  if (globalThis.Highlight) CSS.highlights.set("term", new Highlight(...seen.values()));
}

function* termsIn(node) {
  const places = [...Array(node.data.length).keys()].filter((at) => !MARKS.includes(node.data[at]));
  const plain = places.map((at) => node.data[at]).join("");
  for (const match of plain.matchAll(state.finder)) {
    const range = new Range();
    range.setStart(node, places[match.index]);
    range.setEnd(node, places[match.index + match[0].length - 1] + 1);
    yield [state.terms.get(match[0].toLowerCase()), range];
  }
}

function point({ clientX: x, clientY: y, target }) {
  if (target === state.box || state.box.contains(target)) return;
  const holds = ({ left, right, top, bottom }) => left <= x && x <= right && top <= y && y <= bottom;
  const hit = state.found.find(([, range]) => [...range.getClientRects()].some(holds));
  if (hit && target.contains(hit[1].startContainer)) show(...hit);
  else hide();
}

function show(term, range) {
  const { box } = state;
  const { color, backgroundColor, fontFamily } = getComputedStyle(document.querySelector('[data-testid="stApp"]'));
  const name = document.createElement("b");
  name.textContent = term.name;
  box.replaceChildren(name, " · " + term.meaning);
  Object.assign(box.style, { color: backgroundColor, backgroundColor: color, fontFamily });
  box.hidden = false;
  const [{ left, top, bottom }] = range.getClientRects();
  const { width, height } = box.getBoundingClientRect();
  box.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  box.style.top = `${bottom + height < innerHeight ? bottom : top - height}px`;
}

function hide() {
  state.box.hidden = true;
}
