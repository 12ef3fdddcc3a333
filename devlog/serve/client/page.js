/* The page as the server wrote it.
 *
 * What is on the screen is the server's page plus what the reader and the theme's scripts have done to it. So the
 * server's page is kept too, as a document of its own (the base), and for each of its nodes the node on the screen that
 * it has become (its counterpart).
 *
 * The base is fetched: scripts that block, in the head or at the end of the body, have changed the page on the screen
 * before any module can look at it. */

import { all, attribute, bodyOf, commentsOf, isComment, isElement, kidsOf, nameOf, rootOf, textOf } from "./dom.js";

const OWN = `script[src="${new URL("live.js", import.meta.url).pathname}"]`;
const MARK = /^devlog:(\d+)$/;
const FRAME = new Set("HEAD BODY MAIN HEADER FOOTER ARTICLE SECTION".split(" "));

export const root = rootOf(document);
export const [own] = all(root, OWN);

const counterparts = new WeakMap(); /* node of the base -> node on the screen */
const origins = new WeakMap(); /* and back; scripts' own nodes have none */
const began = new Map(); /* node on the screen -> its children before later scripts changed them */

export const counterpartOf = (ours) => counterparts.get(ours);
export const originOf = (there) => origins.get(there);

export function pair(ours, there) {
  counterparts.set(ours, there);
  origins.set(there, ours);
}

export function pairAll(ours, there) {
  pair(ours, there);
  const others = kidsOf(there);
  kidsOf(ours).forEach((kid, i) => others[i] && pairAll(kid, others[i]));
}

/* What the server says of a page beside its HTML. */
const factsOf = (script) => ({ key: "", policy: "", state: "", note: "", editor: "", ...script.dataset });

export const ask = () =>
  fetch(location.pathname + location.search, { headers: { Accept: "text/html" }, cache: "no-store" });

/* An answer as a document without our own script and without comments; `null` when it is no page of the preview.
 * Comments that tell source lines become `marks`: the number of the element, counted through the page, and its line. */
export async function read(answer) {
  const doc = new DOMParser().parseFromString(await answer.text(), "text/html");
  const top = rootOf(doc);
  const [script] = all(top, OWN);
  if (!script) {
    return null;
  }
  script.remove();
  const lines = new Map();
  for (const comment of commentsOf(top)) {
    const [, line] = MARK.exec(comment.data) || [];
    if (line && comment.nextElementSibling) {
      lines.set(comment.nextElementSibling, Number(line));
    }
    comment.remove();
  }
  /* Here it is parsed as elements, on the screen as text; it is never shown. */
  all(top, "noscript").forEach((one) => one.replaceChildren());
  top.normalize();
  const marks = all(top, "*").flatMap((element, number) => (lines.has(element) ? [[number, lines.get(element)]] : []));
  return { root: top, body: bodyOf(doc), facts: factsOf(script), status: answer.status, marks };
}

function record(node) {
  const kids = kidsOf(node).filter((kid) => !isComment(kid) && kid !== own);
  began.set(node, kids);
  kids.forEach(record);
}

/* Gives the base's nodes their counterparts. Where scripts have been at work already, only what is surely the same is
 * paired: the rest is put anew when it changes. */
function align(ours, there) {
  pair(ours, there);
  const from = kidsOf(ours);
  const to = began.get(there) || [];
  const alike = from.length === to.length && from.every((kid, i) => nameOf(kid) === nameOf(to[i]));
  let at = 0;
  for (const kid of from) {
    const found = alike ? at : to.findIndex((other, i) => i >= at && isSurelySame(kid, other));
    if (found >= 0) {
      align(kid, to[found]);
      at = found + 1;
    }
  }
}

function isSurelySame(one, other) {
  if (nameOf(one) !== nameOf(other) || (isElement(one) && attribute(one, "id") !== attribute(other, "id"))) {
    return false;
  }
  return FRAME.has(nameOf(one)) || textOf(one) === textOf(other);
}

/* What is on the screen came with a key; if the server has gone on since, or is gone, there is nothing to compare with,
 * and the next update loads the page. */
async function load() {
  const page = await ask().then(read).catch(() => null);
  const isIt = page && page.facts.key === facts.key;
  if (isIt) {
    align(page.root, root);
  }
  began.clear();
  return isIt ? page : null;
}

export let facts = factsOf(own); /* of what is on the screen */

export function setFacts(now) {
  facts = now;
}

/* Without the marks, as the base: where a block was cleaned away, two texts meet that are one there. */
const onScreen = commentsOf(root).filter((comment) => MARK.test(comment.data));
onScreen.forEach((comment) => comment.remove());
if (onScreen.length) {
  root.normalize();
}
record(root);
export const base = load(); /* a promise of what `read` returns */
