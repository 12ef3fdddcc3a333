/* The preview's end in the browser: it listens for changes, and brings the page that is shown up to date in place.
 *
 * This is where it begins: it keeps the stream of updates open, and decides what is to be done about each. */

import * as assets from "./assets.js";
import { attribute, guarded, warn } from "./dom.js";
import * as marks from "./marks.js";
import { morph } from "./morph.js";
import * as overlay from "./overlay.js";
import { ask, base, facts, own, read, setFacts } from "./page.js";
import { showRibbon } from "./ribbon.js";
import { hold, inView, show } from "./scroll.js";

const FIRST_DELAY = 300; /* milliseconds */
const LAST_DELAY = 3000;
const LOST_AFTER = 2000;
const TRIES = 5;

const path = own.dataset.page;

/* ---- the page */

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
      setTimeout(refresh, FIRST_DELAY * failures);
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

/* Whether no script has to run anew for a page. */
const isInPlace = (old, page) =>
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
  document.dispatchEvent(new CustomEvent("devlog:update"));
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

/* ---- the stream */

let stream = null;
let retry = 0;
let lostSoon = 0;
let delay = 0;

/* A tab that nobody looks at keeps no connection: browsers allow six to a server. The first message after connecting
 * has the page's key, so nothing is missed. */
function connect() {
  clearTimeout(retry);
  if (stream || document.visibilityState === "hidden") {
    return;
  }
  stream = new EventSource(`/__devlog__/events?page=${encodeURIComponent(path)}`);
  stream.addEventListener("open", onOpen);
  stream.addEventListener("update", (event) => onUpdate(JSON.parse(event.data)).catch(warn));
  stream.addEventListener("error", onLost);
}

function disconnect() {
  clearTimeout(retry);
  clearTimeout(lostSoon);
  lostSoon = 0;
  stream?.close();
  stream = null;
}

function onOpen() {
  delay = 0;
  clearTimeout(lostSoon);
  lostSoon = 0;
  overlay.setLost(false);
}

/* Browsers try again by themselves, some after seconds, and not at all after an answer that is no stream. */
function onLost() {
  stream.close();
  stream = null;
  delay = Math.min(delay * 2 || FIRST_DELAY, LAST_DELAY);
  retry = setTimeout(connect, delay);
  lostSoon = lostSoon || setTimeout(overlay.setLost, LOST_AFTER, true);
}

async function onUpdate({ changed, files, problems, scroll }) {
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
document.addEventListener("visibilitychange", () => {
  (document.visibilityState === "hidden" ? disconnect : connect)();
});
addEventListener("pagehide", disconnect);
addEventListener("pageshow", connect);
connect();
