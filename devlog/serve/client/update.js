/* Acts on what the stream tells: decides whether the page can be changed in place, and has it done. */

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
const DELAY = 300; /* milliseconds, more with every failure */

const path = own.dataset.page;
let heard = ""; /* the key that the page should have, when that is not the one it has */
let scrolls = false; /* whether the last update wants its changes shown */
let isBusy = false;
let failures = 0;

/* A page may change again and again while it is loaded: that must not become a storm. */
function reload() {
  setTimeout(() => location.reload(), Math.max(0, 1000 - performance.now()));
}

/* Never two at a time: what comes in between is fetched once, afterwards. */
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

/* Whether no script has to run anew for a page, and it loads no more than the document on the screen may: a policy holds
 * for as long as a document is open. */
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
  /* For themes: what is new may want what their scripts add. */
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

export async function update({ changed, files, problems, scroll }) {
  overlay.report(problems);
  scrolls = scroll;
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
