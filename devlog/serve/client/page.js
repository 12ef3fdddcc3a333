/* The page as the server sent it.
 *
 * The page on the screen is the server's page with changes by the reader and the theme's scripts. So the server's page
 * is also kept as a separate document (the base), with a map from each of its nodes to the corresponding node on the
 * screen (its counterpart).
 *
 * The base is fetched, since blocking scripts in the head or at the end of the body change the page on the screen
 * before any module runs. */

import { all, attribute, bodyOf, commentsOf, isComment, isElement, kidsOf, nameOf, rootOf, textOf } from "./dom.js";

const OWN = `script[src="${new URL("live.js", import.meta.url).pathname}"]`;
const MARK = /^devlog:(\d+)$/;
const FRAME = new Set("HEAD BODY MAIN HEADER FOOTER ARTICLE SECTION".split(" "));

export const root = rootOf(document);
export const [own] = all(root, OWN);

const counterparts = new WeakMap(); /* node of the base -> node on the screen */
const origins = new WeakMap(); /* node on the screen -> node of the base; nodes that scripts have added have none */
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

/* The data that the server sends with a page, as attributes of the script element. */
const factsOf = (script) => ({ key: "", policy: "", state: "", note: "", editor: "", ...script.dataset });

export const ask = () =>
  fetch(location.pathname + location.search, { headers: { Accept: "text/html" }, cache: "no-store" });

/* Parses an answer as a document without our own script and without comments; `null` if it is no page of the preview.
 * Comments with source lines become `marks`: the index of the element among all of the page, and its line. */
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
  /* <noscript> is parsed as elements here, but as text on the screen; it is never shown. */
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

/* Finds the counterparts of the base's nodes. Where scripts have already changed the page, only nodes that are surely
 * the same are paired; the others are replaced when they change. */
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

/* Fetches the base. If its key differs from that of the page on the screen, since the site has changed, or if the
 * server does not answer, there is no base, and the next update reloads the page. */
async function load() {
  const page = await ask().then(read).catch(() => null);
  const isIt = page && page.facts.key === facts.key;
  if (isIt) {
    align(page.root, root);
  }
  began.clear();
  return isIt ? page : null;
}

export let facts = factsOf(own); /* of the page on the screen */

export function setFacts(now) {
  facts = now;
}

/* Remove the marks, as in the base. If a block was removed by sanitizing, two adjacent text nodes remain, which are one
 * node in the base. */
const onScreen = commentsOf(root).filter((comment) => MARK.test(comment.data));
onScreen.forEach((comment) => comment.remove());
if (onScreen.length) {
  root.normalize();
}
record(root);
export const base = load(); /* a promise of the result of `read`, or of `null` */
