/* The preview's end in the browser: it listens for changes, and has the page that is shown brought up to date in place.
 *
 * This is where it begins: it keeps the stream of updates open. */

import { refreshAll } from "./assets.js";
import { warn } from "./dom.js";
import { own } from "./page.js";
import { setLost, update } from "./update.js";

const FIRST_DELAY = 300; /* milliseconds */
const LAST_DELAY = 3000;
const LOST_AFTER = 2000;

let stream = null;
let retry = 0;
let lostSoon = 0;
let delay = 0;
let wasAway = false;

/* A tab that nobody looks at keeps no connection: browsers allow six to a server. The first message after connecting
 * has the page's key and all problems, and styles and pictures are shown anew then, so nothing is missed. */
function connect() {
  clearTimeout(retry);
  if (stream || isHidden()) {
    return;
  }
  stream = new EventSource(`/__devlog__/events?page=${encodeURIComponent(own.dataset.page)}`);
  stream.addEventListener("open", onOpen);
  stream.addEventListener("update", onUpdate);
  stream.addEventListener("error", onLost);
}

function disconnect() {
  clearTimeout(retry);
  clearTimeout(lostSoon);
  lostSoon = 0;
  stream?.close();
  stream = null;
  wasAway = true;
}

function onOpen() {
  delay = 0;
  clearTimeout(lostSoon);
  lostSoon = 0;
  setLost(false);
}

/* Browsers try again by themselves, some after seconds, and not at all after an answer that is no stream. */
function onLost() {
  stream.close();
  stream = null;
  wasAway = true;
  delay = Math.min(delay * 2 || FIRST_DELAY, LAST_DELAY);
  retry = setTimeout(connect, delay);
  lostSoon = lostSoon || setTimeout(setLost, LOST_AFTER, true);
}

async function onUpdate(event) {
  const missed = wasAway;
  wasAway = false;
  try {
    await update(JSON.parse(event.data));
    if (missed) {
      refreshAll();
    }
  } catch (error) {
    warn(error);
  }
}

const isHidden = () => document.visibilityState === "hidden";
addEventListener("visibilitychange", () => (isHidden() ? disconnect : connect)(), true);
addEventListener("pagehide", disconnect);
addEventListener("pageshow", connect);
connect();
