/* Scrolling after an update: keeps the visible content in place, or scrolls to the edited block. */

import { all, bodyOf, boxOf, contains, elementsOf, isConnected, isText, parentOf, within } from "./dom.js";
import { root } from "./page.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/* The visible elements with their top positions, without fixed and sticky ones. */
export function inView() {
  const found = [];
  const walk = (parent) => {
    for (const child of elementsOf(parent)) {
      const box = boxOf(child);
      const isSeen = box.height && box.bottom > 0 && box.top < innerHeight;
      if (isSeen && found.length < 300 && !/fixed|sticky/.test(getComputedStyle(child).position)) {
        found.push([child, box.top]);
        walk(child);
      }
    }
  };
  walk(bodyOf(document));
  return found;
}

/* Keeps the first visible unchanged element at its position. */
export function hold(seen, changes) {
  const touched = new Set();
  for (const node of changes) {
    for (let at = node; at && !touched.has(at); at = parentOf(at)) {
      touched.add(at);
    }
  }
  const anchor = seen.find(([element]) => isConnected(element) && !touched.has(element));
  const moved = anchor ? boxOf(anchor[0]).top - anchor[1] : 0;
  if (Math.abs(moved) >= 0.5) {
    scrollBy({ top: moved, behavior: "instant" });
  }
}

/* The part of the page that contains the body of a post. */
export function content() {
  const found = all(root, ".e-content");
  return found.length === 1 ? found[0] : all(root, "main, [role=main]")[0] || bodyOf(document);
}

/* Scrolls to the first change in the content, unless one of them is already visible. `room` is the height of the panel
 * that covers the bottom of the window. */
export function show(changes, room) {
  const inside = content();
  const places = changes.filter((node) => isConnected(node) && node !== inside && contains(inside, node));
  const isSeen = (box) => box.bottom > 0 && box.top < innerHeight - room;
  if (!places.length || places.some((node) => isSeen(boxOf(node)))) {
    return;
  }
  const [place] = places;
  const isTall = () => boxOf(block).height > innerHeight * 0.8;
  let block = within(inside, place);
  while (block !== place && isTall() && !isText(within(block, place))) {
    block = within(block, place);
  }
  if (isText(block)) {
    block = parentOf(block);
  }
  const box = boxOf(block);
  const isNear = Math.min(Math.abs(box.top), Math.abs(box.bottom)) < innerHeight * 2;
  const behavior = isNear && !calm.matches ? "smooth" : "instant";
  block.scrollIntoView({ block: isTall() ? "start" : "center", behavior });
  if (!calm.matches) {
    const outline = (color) => ({ outline: `2px solid ${color}`, outlineOffset: "0.4em" });
    const shown = outline("var(--accent, Highlight)");
    block.animate([shown, { ...shown, offset: 0.5 }, outline("transparent")], { duration: 1800 });
  }
}
