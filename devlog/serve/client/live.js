/* The entry point of the preview's script, which listens for changes and updates the page in place.
 *
 * This module keeps the event stream of updates open. */

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

/* A hidden tab keeps no connection, since browsers allow only six per server. The first message after connecting has
 * the page's key and all problems, and styles and images are reloaded then, so no change is missed. */
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

/* Browsers reconnect by themselves, but some only after seconds, and not at all after an answer that is not an event
 * stream. */
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
