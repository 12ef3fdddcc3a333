/* Applies an update: compares the server's new page with the base, and changes only the differences, both in the base
 * and on the screen. */

import { isSheet, swapSheet } from "./assets.js";
import {
  attribute, attributeNames, copyAttribute, elementsOf, firstOf, imported, insert, isBlank, isConnected, isEqual, isText, kidsOf,
  nameOf, nextOf, parentOf, previousOf, remove, setAttribute, textOf, within,
} from "./dom.js";
import { loadedIn, match, sourcesOf } from "./match.js";
import { originOf, pairAll, counterpartOf } from "./page.js";

let changes = []; /* nodes on the screen that have changed, in document order */
let gone = []; /* nodes on the screen that are removed when all new ones are in place */
let loadedAnew = []; /* nodes of the base for new players and frames */

/* Makes the base equal to `next`, and updates the screen with it; returns the nodes on the screen that have changed. */
export function morph(base, next) {
  [changes, gone, loadedAnew] = [[], [], []];
  if (!merge(base, next)) {
    throw new Error("the page's scripts have taken its frame away");
  }
  keepLoaded();
  gone.forEach(clearAway);
  return changes;
}

function changed(node) {
  if (node && !isBlank(node)) {
    changes.push(node);
  }
}

const isThere = (ours) => isBlank(ours) || Boolean(counterpartOf(ours) && isConnected(counterpartOf(ours)));

/* Returns false, without any change, if a script has removed a child that would have to change: then the whole node
 * must be replaced. */
function merge(ours, next) {
  const there = counterpartOf(ours);
  if (isText(ours)) {
    there.data = ours.data = next.data;
    changed(there);
    return true;
  }
  const [from, to] = [kidsOf(ours), kidsOf(next)];
  const pairs = match(from, to);
  const found = [...pairs.values()];
  const kept = new Set(found.map((one) => one.node));
  const dropped = from.filter((kid) => !kept.has(kid));
  const moving = found.filter((one) => one.moved || !one.same).map((one) => one.node);
  if (![...dropped, ...moving].every(isThere)) {
    return false;
  }
  const playsOther = /^(AUDIO|VIDEO)$/.test(nameOf(ours)) && sourcesOf(ours) !== sourcesOf(next);
  mergeAttributes(ours, next);
  dropped.forEach((kid) => drop(ours, kid));
  let last = null;
  for (const kid of to) {
    last = mergeChild(ours, there, kid, pairs.get(kid), last);
  }
  if (playsOther) {
    there.load(); /* required for new sources to take effect */
  }
  return true;
}

function mergeAttributes(ours, next) {
  for (const name of new Set([...attributeNames(ours), ...attributeNames(next)])) {
    const [was, is] = [attribute(ours, name), attribute(next, name)];
    if (was === is) {
      continue;
    }
    const there = counterpartOf(ours);
    copyAttribute(ours, next, name);
    if (name === "href" && is !== null && isSheet(there)) {
      swapSheet(there, next.href);
    } else if (name === "class" && attribute(there, name) !== was) {
      setAttribute(there, name, mergedClasses(attribute(there, name), was, is));
    } else {
      copyAttribute(there, next, name);
    }
    changed(there);
  }
}

/* Classes that scripts have added stay. */
function mergedClasses(...values) {
  const [has, was, is] = values.map((value) => (value || "").match(/\S+/g) || []);
  const kept = has.filter((one) => !was.includes(one) || is.includes(one));
  return [...new Set([...kept, ...is])].join(" ");
}

function drop(ours, kid) {
  const there = counterpartOf(kid);
  if (!isBlank(kid)) {
    changed(counterpartOf(beside(kid, nextOf) || beside(kid, previousOf) || ours));
  }
  remove(kid);
  if (there) {
    gone.push(there);
  }
}

function beside(node, step) {
  let at = step(node);
  while (at && isBlank(at)) {
    at = step(at);
  }
  return at;
}

/* Merges the new child `kid`, which follows `last`; returns its node in the base. */
function mergeChild(ours, there, kid, found, last) {
  const following = last ? nextOf(last) : firstOf(ours);
  if (!found) {
    insert(there, copied(kid), spot(ours, there, last));
    insert(ours, kid, following);
    return kid;
  }
  if (found.moved) {
    const counterpart = within(there, counterpartOf(found.node)) || counterpartOf(found.node);
    put(there, counterpart, spot(ours, there, last));
    insert(ours, found.node, following);
    changed(counterpart);
  }
  if (found.same || merge(found.node, kid)) {
    return found.node;
  }
  const old = counterpartOf(found.node);
  insert(ours, kid, found.node);
  remove(found.node);
  insert(parentOf(old), copied(kid), old);
  gone.push(old);
  return kid;
}

function copied(node) {
  const copy = imported(node);
  pairAll(node, copy);
  loadedAnew.push(...loadedIn(node));
  changed(copy);
  return copy;
}

/* The node on the screen before which a new node is inserted, if it follows `last` in the base. */
function spot(ours, there, last) {
  for (let node = last; node; node = previousOf(node)) {
    const at = within(there, counterpartOf(node));
    if (at) {
      return nextOf(at);
    }
  }
  for (let node = firstOf(ours); node; node = nextOf(node)) {
    const at = within(there, counterpartOf(node));
    if (at) {
      return at;
    }
  }
  return null;
}

/* `moveBefore` keeps the focus, and the state of frames and players, in browsers that support it. */
function put(parent, node, next) {
  const { moveBefore } = Element.prototype;
  if (moveBefore && isConnected(node) && isConnected(parent)) {
    moveBefore.call(parent, node, next);
  } else {
    insert(parent, node, next);
  }
}

/* A removed player or frame is kept in place of a new one with the same sources. */
function keepLoaded() {
  const alike = new Map();
  for (const ours of loadedAnew.toReversed()) {
    const key = keyOfLoaded(ours);
    if (!alike.has(key)) {
      alike.set(key, []);
    }
    alike.get(key).push(ours);
  }
  const kept = new Set();
  for (const old of gone.flatMap((node) => (isConnected(node) ? loadedIn(node) : []))) {
    const ours = sourcesOf(old) && alike.get(keyOfLoaded(old))?.pop();
    if (ours) {
      const copy = counterpartOf(ours);
      put(parentOf(copy), old, copy);
      remove(copy);
      kept.add(old);
      become(old, copy);
      pairAll(ours, old);
    }
  }
  gone = gone.filter((node) => !kept.has(node));
}

const keyOfLoaded = (node) => `${nameOf(node)} ${sourcesOf(node)}`;

/* A kept player gets the attributes and the content of the new one. What is equal is left alone: setting the source
 * again would load it again. */
function become(old, copy) {
  for (const name of new Set([...attributeNames(old), ...attributeNames(copy)])) {
    if (attribute(old, name) !== attribute(copy, name)) {
      copyAttribute(old, copy, name);
    }
  }
  const [had, has] = [kidsOf(old), kidsOf(copy)];
  if (had.length !== has.length || !had.every((kid, at) => isEqual(kid, has[at]))) {
    had.forEach(remove);
    has.forEach((kid) => insert(old, kid, null));
  }
}

/* Removes a node, and the empty elements that a script had put around it. */
function clearAway(node) {
  let parent = parentOf(node);
  remove(node);
  while (parent && !originOf(parent) && !elementsOf(parent).length && !textOf(parent).trim()) {
    const empty = parent;
    parent = parentOf(parent);
    remove(empty);
  }
}
