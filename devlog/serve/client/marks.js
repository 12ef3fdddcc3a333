/* Links from the blocks of a post to their source lines in an editor. */

import { all, boxOf, isConnected, made } from "./dom.js";
import { editorLink, hostOf } from "./look.js";
import { facts, root, counterpartOf } from "./page.js";
import { content } from "./scroll.js";

const STYLE = `
  :host { position: absolute !important; inset: 0 auto auto 0 !important; z-index: 2147483000 !important; }
  a {
    position: absolute; width: 30px; padding-block: 3px; border-radius: 5px; background: var(--paper);
    color: var(--soft); box-shadow: 0 0 0 1px var(--rule); font: 600 11px/13px var(--mono); text-align: center;
    text-decoration: none; white-space: nowrap; opacity: 0; pointer-events: none; transition: opacity 0.12s;
  }
  a:focus-visible, a.on, a.always { opacity: 1; pointer-events: auto; }
  a:hover { color: var(--ink); background: var(--code); }
  @media (prefers-reduced-motion: reduce) { a { transition: none; } }
`;

const MOST = 300; /* more blocks than a screen shows: those without a height are all at one place */

const host = hostOf("devlog-marks", STYLE);
const links = new Map(); /* visible block -> its link */
let blocks = []; /* {element, line} in document order */
let isWhole = false; /* whether there is a single link, for the whole page */
let waiting = 0;
let pointer = -1;

export function start() {
  for (const name of ["scroll", "resize", "pointermove", "focusin", "load"]) {
    addEventListener(name, arrangeSoon, { passive: true });
  }
}

export function setMarks(page) {
  const elements = page && page.marks.length ? all(page.root, "*") : [];
  blocks = (page ? page.marks : [])
    .map(([number, line]) => ({ element: counterpartOf(elements[number]), line }))
    .filter(({ element }) => element && isConnected(element));
  isWhole = !blocks.length;
  if (isWhole) {
    blocks = [{ element: all(root, "main h1, h1")[0] || content(), line: 1 }];
  }
  links.forEach((link) => link.remove());
  links.clear();
  if (editorLink(facts.editor)) {
    root.append(host);
    arrange();
  } else {
    host.remove();
  }
}

function arrangeSoon(event) {
  if (event.type === "pointermove") {
    pointer = event.clientY;
  } else if (event.type === "focusin" && event.target !== host) {
    pointer = boxOf(event.target).top;
  }
  waiting = waiting || requestAnimationFrame(arrange);
}

/* Creates links only for visible blocks: a long post has thousands. All are measured before any link moves, or the page
 * would be laid out once for each. */
function arrange() {
  waiting = 0;
  if (!host.isConnected) {
    return;
  }
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    [low, high] = boxOf(blocks[middle].element).bottom < 0 ? [middle + 1, high] : [low, middle];
  }
  const seen = new Map();
  for (const { element, line } of blocks.slice(low)) {
    const box = boxOf(element);
    if (box.top > innerHeight || seen.size === MOST) {
      break;
    }
    if (box.width) {
      seen.set(element, { line, box });
    }
  }
  const [right, down] = [scrollX, scrollY];
  let chosen = null;
  for (const [element, { line, box }] of seen) {
    const link = links.get(element) || sourceLink(line);
    links.set(element, link);
    const hasRoom = box.left >= 42;
    link.style.left = `${(hasRoom ? box.left - 38 : box.right - 30) + right}px`;
    link.style.top = `${box.top + down + (hasRoom ? 3 : -20)}px`;
    chosen = pointer >= box.top - 8 && (pointer <= box.bottom + 8 || !chosen) ? link : chosen;
  }
  links.forEach((link, element) => {
    link.classList.toggle("on", link === chosen);
    if (!seen.has(element) && !link.matches(":focus")) {
      link.remove();
      links.delete(element);
    }
  });
}

function sourceLink(line) {
  const link = made("a", {
    href: facts.editor.replaceAll("{line}", line),
    title: `Open line ${line} in the editor`,
    "aria-label": isWhole ? "Source of this page" : `Source, line ${line}`,
  }, "</>");
  link.classList.toggle("always", isWhole);
  host.shadowRoot.append(link);
  return link;
}
