/* Matches the new children of a node with its old ones. */

import { all, attribute, htmlOf, isBlank, isElement, isEqual, isText, matches, nameOf, textOf } from "./dom.js";

const LOADED = "audio, video, iframe";
const FIELD = /^(INPUT|TEXTAREA|SELECT)$/;
const MOST = 2500; /* the maximum number of comparisons of changed children */

/* The sources of a player or a frame. */
export const sourcesOf = (element) =>
  [element, ...all(element, "source")].map((one) => attribute(one, "src")).join(" ");

/* The players and frames in a node, which must not restart. */
export const loadedIn = (node) =>
  isElement(node) ? [...(matches(node, LOADED) ? [node] : []), ...all(node, LOADED)] : [];

/* A map from each matched new child to the old one, with whether it is equal and whether it has to move. Equal children
 * are matched first, wherever they are; then the most similar of the others, in order. */
export function match(from, to) {
  const pairs = new Map();
  const most = Math.min(from.length, to.length);
  let start = 0;
  while (start < most && isEqual(from[start], to[start])) {
    pairs.set(to[start], { node: from[start], same: true });
    start += 1;
  }
  let end = 0;
  while (end < most - start && isEqual(from.at(-1 - end), to.at(-1 - end))) {
    pairs.set(to.at(-1 - end), { node: from.at(-1 - end), same: true });
    end += 1;
  }
  const left = from.slice(start, from.length - end);
  const right = to.slice(start, to.length - end);
  const found = left.length * right.length > 1 ? equalPairs(left, right) : []; /* a single pair is known to differ */
  const steady = new Set(inOrder(found));
  for (const one of found) {
    const [i, j] = one;
    pairs.set(right[j], { node: left[i], same: isEqual(left[i], right[j]), moved: !steady.has(one) });
  }
  const taken = new Set(found.map(([i]) => left[i]));
  let [i, j] = [0, 0];
  for (const [toI, toJ] of [...steady, [left.length, right.length]]) {
    const gapLeft = left.slice(i, toI).filter((node) => !taken.has(node));
    const gapRight = right.slice(j, toJ).filter((node) => !pairs.has(node));
    for (const [node, other] of likeliest(gapLeft, gapRight)) {
      pairs.set(other, { node, same: isEqual(node, other) });
    }
    [i, j] = [toI + 1, toJ + 1];
  }
  return pairs;
}

const contentKey = (node) => (isElement(node) ? htmlOf(node) : node.data.trim() && node.data);
const idKey = (node) => (isElement(node) && attribute(node, "id") ? `${nameOf(node)}#${attribute(node, "id")}` : "");

/* Pairs of indexes whose nodes are equal or have the same id, sorted by the second. Whitespace is ignored. */
function equalPairs(left, right) {
  const found = new Map();
  const used = new Set();
  for (const keyOf of [contentKey, idKey]) {
    const places = new Map();
    for (let i = left.length - 1; i >= 0; i -= 1) {
      const key = used.has(i) ? "" : keyOf(left[i]);
      if (key && places.has(key)) {
        places.get(key).push(i);
      } else if (key) {
        places.set(key, [i]);
      }
    }
    right.forEach((node, j) => {
      const place = found.has(j) ? undefined : places.get(keyOf(node))?.pop();
      if (place !== undefined) {
        found.set(j, place);
        used.add(place);
      }
    });
  }
  return [...found].map(([j, i]) => [i, j]).sort((one, other) => one[1] - other[1]);
}

/* The longest subsequence of pairs whose first indexes increase too: those nodes stay where they are. */
function inOrder(pairs) {
  const tails = [];
  const before = [];
  pairs.forEach(([place], index) => {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      [low, high] = pairs[tails[middle]][0] < place ? [middle + 1, high] : [low, middle];
    }
    before[index] = tails[low - 1];
    tails[low] = index;
  });
  const chain = [];
  for (let index = tails.at(-1); index !== undefined; index = before[index]) {
    chain.push(pairs[index]);
  }
  return chain.reverse();
}

/* The alignment with the greatest total likeness; if that is too much work, each node gets the next possible match. */
function likeliest(left, right) {
  if (left.length * right.length > MOST) {
    return nextPossible(left, right);
  }
  const pairs = [];
  const [texts, otherTexts] = [left, right].map((nodes) => nodes.map(textOf));
  const like = left.map((one, i) => right.map((other, j) => likeness(one, other, texts[i], otherTexts[j])));
  const best = Array.from({ length: left.length + 1 }, () => new Array(right.length + 1).fill(0));
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      const together = like[i][j] && like[i][j] + best[i + 1][j + 1];
      best[i][j] = Math.max(together, best[i + 1][j], best[i][j + 1]);
    }
  }
  for (let [i, j] = [0, 0]; i < left.length && j < right.length;) {
    if (like[i][j] && best[i][j] === like[i][j] + best[i + 1][j + 1]) {
      pairs.push([left[i++], right[j++]]);
    } else if (best[i][j] === best[i + 1][j]) {
      i += 1;
    } else {
      j += 1;
    }
  }
  return pairs;
}

/* Each new node with the next old one of its kind. The old ones are listed by kind, since a search for each new node
 * would freeze the tab after an edit of thousands of lines. */
function nextPossible(left, right) {
  const places = new Map(); /* kind -> indexes, the last first */
  for (let i = left.length - 1; i >= 0; i -= 1) {
    const kind = kindOf(left[i]);
    if (!places.has(kind)) {
      places.set(kind, []);
    }
    places.get(kind).push(i);
  }
  const pairs = [];
  let i = 0;
  for (const node of right) {
    const those = places.get(kindOf(node)) || [];
    while (those.length && those.at(-1) < i) {
      those.pop();
    }
    if (those.length) {
      const place = those.pop();
      pairs.push([left[place], node]);
      i = place + 1;
    }
  }
  return pairs;
}

/* Only nodes of one kind may be matched: a different form field must not inherit typed text, and neither a block of
 * another first class nor another image what the theme's scripts have added, such as buttons and labels. */
function kindOf(node) {
  const name = nameOf(node);
  if (name === "DIV") {
    return `${name}.${(attribute(node, "class") || "").trim().split(/\s+/)[0]}`;
  }
  const keys = FIELD.test(name) ? ["name", "type", "id"] : name === "IMG" ? ["src", "alt", "width"] : [];
  return keys.length ? JSON.stringify([name, ...keys.map((key) => attribute(node, key))]) : name;
}

/* How similar two nodes are; 0 if they must not be matched. */
function likeness(one, other, text, otherText) {
  if (kindOf(one) !== kindOf(other)) {
    return 0;
  }
  if (isText(one)) {
    return isBlank(one) === isBlank(other) ? 0.5 + share(text, otherText) : 0.1;
  }
  const alike = (key) => attribute(one, key) === attribute(other, key);
  if (FIELD.test(nameOf(one))) {
    return 2;
  }
  const played = loadedIn(one).map(sourcesOf);
  const goesOn = played.length && loadedIn(other).some((node) => played.includes(sourcesOf(node)));
  return 1 + share(text, otherText) + (goesOn ? 8 : 0) + (alike("class") ? 0.1 : 0);
}

/* The share of two texts that is equal at their start and end, from 0 to 1; at most 1,000 characters are compared. */
function share(one, other) {
  const most = Math.min(one.length, other.length, 1000);
  let head = 0;
  while (head < most && one[head] === other[head]) {
    head += 1;
  }
  let tail = 0;
  while (tail < most - head && one.at(-1 - tail) === other.at(-1 - tail)) {
    tail += 1;
  }
  return (head + tail) / Math.max(Math.min(one.length, 1000), Math.min(other.length, 1000), 1);
}
