// The token view: builds its parts, and tells them when the model or a choice has changed.
// @ts-check

import { Rows } from "./boxes/rows.js";
import { isDark, make } from "./elements.js";
import { Bar } from "./frame/bar.js";
import { BranchLists } from "./frame/branches.js";
import { Differences, Rail } from "./frame/differences.js";
import { drawHeads, legendOf } from "./frame/heads.js";
import { Sizes } from "./frame/sizes.js";
import { loadLooped } from "./model/looped.js";
import { Model, fetchPayload, fetchedModel, keepFetched, optionsOf } from "./model/model.js";
import { Inspector } from "./pointing/inspector.js";
import { Cursor, listenToKeys } from "./pointing/keyboard.js";
import { Light } from "./pointing/light.js";
import { SaveMenu } from "./saving/save_menu.js";
import { NARROW, ViewState, dress } from "./state.js";

/** @import { Choice, Lane } from "./types.d.ts" */

// One view for each place where Streamlit mounts the component.
/** @type {WeakMap<ShadowRoot | Element, TokenView>} */
const INSTANCES = new WeakMap();
// The bars that stand apart from their views, and the places for them, by the keys of the views.
/** @type {Map<string, Element>} */
const BARS = new Map();
/** @type {Map<string, Element>} */
const PLACES = new Map();

/**
 * What Streamlit calls for each run of the page.
 * @param {{ data: Uint8Array<ArrayBuffer>, parentElement: ShadowRoot | Element,
 *   setStateValue?: (name: string, value: unknown) => void }} component
 */
export default function showTokenView({ data, parentElement, setStateValue }) {
  const { bar_of: key } = optionsOf(data);
  if (key !== undefined) return placeBar(key, parentElement);
  const model = new Model(data);
  const view = INSTANCES.get(parentElement) ?? new TokenView(parentElement, model);
  INSTANCES.set(parentElement, view);
  view.tell = setStateValue ?? view.tell;
  view.show(model);
  return () => {
    view.remove();
    INSTANCES.delete(parentElement);
  };
}

/**
 * Be the place for the bar of a view, which has it at once, or when it is drawn.
 * @param {string} key
 * @param {ShadowRoot | Element} parent
 */
function placeBar(key, parent) {
  const place = parent.querySelector(".bar-place") ?? parent.appendChild(make("div", "token-view bar-place"));
  place.classList.toggle("dark", isDark(place));
  PLACES.set(key, place);
  const bar = BARS.get(key);
  if (bar) place.replaceChildren(bar);
  return () => {
    if (PLACES.get(key) === place) PLACES.delete(key);
  };
}

export class TokenView {
  /**
   * @param {ShadowRoot | Element} parent
   * @param {Model} model
   */
  constructor(parent, model) {
    this.state = new ViewState(model);
    /** @type {(name: string, value: unknown) => void} what tells the page, where there is one */
    this.tell = () => {};
    this.sizes = new Sizes(this);
    this.rows = new Rows(this.state, (row) => {
      this.light.mark(row);
      this.branches.mark(row);
    });
    this.branches = new BranchLists(this);
    this.inspector = new Inspector(this);
    this.light = new Light(this);
    this.cursor = new Cursor(this);
    this.differences = new Differences(this);
    this.saving = new SaveMenu(this);
    this.bar = new Bar(this);
    this.rail = new Rail(this);
    this.legend = make("div", "legend");
    this.place(parent);
    listenToKeys(this);
    this.width = 0;
    this.resize = new ResizeObserver(() => this.resized());
    this.resize.observe(this.state.scroller);
    document.fonts.ready.then(() => this.rows.fit());
  }

  /** @param {ShadowRoot | Element} parent */
  place(parent) {
    const { root, scroller, heads, model } = this.state;
    const frame = make("div", "frame");
    const { key, toolbar } = model.options;
    if (toolbar === "apart") {
      BARS.set(key, this.bar.element);
      PLACES.get(key)?.replaceChildren(this.bar.element);
    }
    const settings = [...(toolbar === "apart" ? [] : [this.bar.element]), this.legend];
    const [branches, inspector] = [this.branches.element, this.inspector.element];
    scroller.tabIndex = 0;
    scroller.append(heads, this.rows.element);
    frame.append(scroller, this.rail.element);
    const isTextFirst = model.options.text_first; // the keyboard's order is that of the eyes
    root.classList.toggle("text-first", isTextFirst);
    root.append(...(isTextFirst ? [frame, inspector, ...settings, branches] : [...settings, frame, branches, inspector]));
    root.append(this.light.card);
    parent.append(root);
  }

  remove() {
    this.rows.stop();
    this.resize.disconnect();
    this.state.ended.abort();
    this.state.root.remove();
    const { key } = this.state.model.options;
    if (BARS.get(key) === this.bar.element) BARS.delete(key);
  }

  // ---- new data

  /**
   * Draw a model. A long text comes in two steps: its opening at once, the whole when it has been fetched.
   * @param {Model} model
   */
  show(model) {
    const { whole } = model.options;
    const fetched = whole ? fetchedModel(whole, model.options) : undefined;
    this.update(fetched ?? model);
    if (whole && !fetched) this.fetch(whole);
  }

  /** @param {string} address */
  async fetch(address) {
    const opening = this.state.model;
    const answer = await fetchPayload(address);
    const { options } = this.state.model;
    if (this.state.ended.signal.aborted || options.whole !== address) return;
    if (answer instanceof Uint8Array) this.update(keepFetched(address, answer, options));
    else this.state.heads.replaceChildren(make("div", "note", answer ?? opening.labels.failed));
  }

  /** @param {Model} model */
  update(model) {
    const { state, rows, light, inspector } = this;
    const before = state.model;
    const heightBefore = state.maxHeight;
    state.take(model);
    this.branches.update(model);
    this.dress();
    this.words();
    const isSameText = before.text === model.text && before.lanes.length === model.lanes.length;
    const isSameHeight = heightBefore === state.maxHeight;
    if (isSameText && rows.areCurrent && isSameHeight && !state.isChips) {
      rows.refill();
      light.refresh();
      for (const row of rows.drawn) row.rename();
    } else this.rebuild();
    drawHeads(this);
    this.rail.draw();
    if (inspector.pinned && isSameText) inspector.repin(inspector.pinned.lane);
    else inspector.close();
  }

  /** @param {Partial<Choice>} change */
  switchTo(change) {
    const { state, rows } = this;
    const hasOtherRows = ("view" in change && change.view !== state.choice.view) || "chipsOf" in change || "marks" in change;
    const unit = hasOtherRows ? rows.topUnit() : 0;
    Object.assign(state.choice, change);
    if ("looped" in change) state.lostLooped = false;
    if ("base" in change || "against" in change) this.differences.forget();
    this.dress();
    this.words();
    this.light.turnOff();
    if (hasOtherRows) {
      this.rebuild();
      if (unit) rows.scrollTo(unit);
    } else rows.refill();
    drawHeads(this);
    this.rail.draw();
  }

  rebuild() {
    this.light.turnOff();
    this.rows.rebuild();
  }

  // ---- looks

  /** Look as the model and the choices say. */
  dress() {
    const { state } = this;
    dress(state, this.light.card);
    if (state.wantsLooped && !state.isLooped) this.fetchLooped();
    this.limit();
  }

  /** Draw with looped letters when they have come; until then the others stay. */
  async fetchLooped() {
    const { state } = this;
    try {
      await loadLooped(state.model.options.faces);
    } catch {
      state.lostLooped = true;
      state.choice.looped = false;
    }
    if (state.ended.signal.aborted) return;
    this.dress();
    this.words();
    this.rows.resize();
    this.rail.draw();
  }

  /** While the inspector is open, the text makes room for it, as far as the opened box stays in sight. */
  limit() {
    const { style, classList } = this.state.scroller;
    const { maxHeight: height } = this.state;
    classList.toggle("limited", Boolean(height)); // else the page scrolls
    const { pinned } = this.inspector;
    const most = height && pinned ? Math.min(height, Math.max(240, height - 220, this.depthOf(pinned.lane))) : height;
    style.maxHeight = height ? `${most}px` : "";
    style.overflow = height ? "" : "visible";
  }

  /**
   * How far down in the text the opened box reaches with all its lanes, in pixels of the scroller.
   * @param {Lane} lane
   */
  depthOf(lane) {
    const place = this.inspector.place();
    if (!place) return 0;
    const [, below] = this.light.reach(lane);
    return place.bottom + below + 16 - this.state.scroller.getBoundingClientRect().top;
  }

  fit() {
    this.limit();
    this.rail.draw();
  }

  resized() {
    const { state } = this;
    const before = this.width;
    this.width = state.scroller.clientWidth;
    if (before === this.width) return;
    this.dress(); // another width may have room for larger letters
    if (!before) return this.rows.fit();
    if (before <= NARROW !== state.isNarrow) {
      this.rebuild();
      drawHeads(this);
    } else this.rows.resize();
    this.rail.draw();
  }

  words() {
    const { scroller, model } = this.state;
    this.bar.words();
    this.branches.open();
    scroller.setAttribute("role", "group");
    scroller.setAttribute("aria-label", model.labels.text_view);
    this.inspector.element.setAttribute("aria-label", model.labels.inspector);
    const hadFocus = this.legend.matches(":focus-within");
    this.legend.replaceChildren(...legendOf(this));
    if (hadFocus) /** @type {HTMLElement | null} */ (this.legend.querySelector("[aria-pressed=true]"))?.focus();
  }
}
