/* Handles the updates of the event stream: decides whether the page can be updated in place or must be reloaded. */

import * as assets from "./assets.js";
import { attribute, guarded, warn } from "./dom.js";
import * as marks from "./marks.js";
import { morph } from "./morph.js";
import * as overlay from "./overlay.js";
import { ask, base, facts, own, read, root, setFacts } from "./page.js";
import { showRibbon } from "./ribbon.js";
import { hold, inView, show } from "./scroll.js";

export { setLost } from "./overlay.js";

const TRIES = 5;
const DELAY = 300; /* milliseconds, times the number of failures */

let heard = ""; /* the key that the page should have, if it differs from the current one */
let scrolls = false; /* whether the last update asks to scroll to its changes */
let isBusy = false;
let failures = 0;

/* Waits until a second has passed since the last load: a page that keeps changing must not cause a storm of reloads. */
function reload() {
  setTimeout(() => location.reload(), Math.max(0, 1000 - performance.now()));
}

/* Only one refresh runs at a time: if updates come in the meantime, the page is fetched once more afterwards. */
async function refresh() {
  if (isBusy) {
    return;
  }
  isBusy = true;
  try {
    while (heard && heard !== facts.key) {
      heard = "";
      await renew();
    }
    failures = 0;
  } catch (error) {
    warn(error);
    failures += 1;
    if (failures <= TRIES) {
      heard = heard || "?";
      setTimeout(refresh, DELAY * failures);
    }
  } finally {
    isBusy = false;
  }
}

async function renew() {
  const old = await base;
  const answer = await ask();
  if (answer.status >= 500) {
    throw new Error(`the page was answered with ${answer.status}`);
  }
  const page = await read(answer);
  if (!old || !page || answer.redirected || page.status !== old.status || !isInPlace(old, page)) {
    reload();
  } else if (page.facts.key !== facts.key) {
    bring(old, page);
  }
}

/* Whether the page can be updated in place: no script has to run again, and the new page may load no more than the
 * document on the screen, whose policy holds for as long as it is open. */
const isInPlace = (old, page) =>
  page.facts.policy === facts.policy &&
  attribute(old.body, "class") === attribute(page.body, "class") &&
  assets.scriptsOf(old.root) === assets.scriptsOf(page.root);

function bring(old, page) {
  assets.begin();
  const seen = inView();
  let changes = [];
  try {
    changes = morph(old.root, page.root);
  } catch (error) {
    warn(error);
    reload();
    return;
  }
  setFacts(page.facts);
  own.dataset.key = facts.key;
  old.marks = page.marks;
  /* For themes, whose scripts may have to process the new elements. */
  root.dispatchEvent(new CustomEvent("devlog:update", { bubbles: true }));
  hold(seen, changes);
  if (scrolls) {
    guarded(show)(changes, overlay.room());
  }
  decorate(old);
}

const decorate = guarded((page) => {
  showRibbon();
  marks.setMarks(page);
});

export async function update({ changed, files, problems, counts, scroll }) {
  overlay.report(problems, counts);
  /* For themes, whose scripts may have read files of the site that have changed. */
  root.dispatchEvent(new CustomEvent("devlog:change", { bubbles: true }));
  scrolls = scroll;
  const path = own.dataset.page;
  if (changed[path] === null) {
    reload();
    return;
  }
  if (changed[path]) {
    heard = changed[path];
    await refresh();
  }
  if (!assets.refreshFiles(files)) {
    reload();
  }
}

overlay.start();
showRibbon();
base.then(decorate);
marks.start();
