/* The entry point of the preview's script, which listens for changes and updates the page in place.
 *
 * This module keeps the event stream of updates open. */

import { refreshAll } from "./assets.js";
import { warn } from "./dom.js";
import { base, own } from "./page.js";
import { setLost, update } from "./update.js";

const FIRST_DELAY = 300; /* milliseconds */
const LAST_DELAY = 3000;
const LOST_AFTER = 2000;

let stream = null;
let retry = 0;
let lostSoon = 0;
let delay = 0;
let wasAway = false;
let isGreeted = false; /* whether the stream has sent its first message */

/* A hidden tab keeps no connection, since browsers allow only six per server. The first message after connecting has
 * the page's key and all problems, and styles and images are reloaded then, so no change is missed. */
function connect() {
  clearTimeout(retry);
  if (stream || isHidden()) {
    return;
  }
  isGreeted = false;
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

/* Goes on with the page under its new path, without loading it again, so that the reader stays at the same place. A tab
 * that has just connected does so only if it has shown the page before: else its visitor asks for a missing page. */
async function follow(path, isFirst) {
  if (!path || (isFirst && (await base)?.status !== 200)) {
    return false;
  }
  own.dataset.page = path;
  const there = path.split("/").map(encodeURIComponent).join("/");
  history.replaceState(history.state, "", there + location.search + location.hash);
  disconnect();
  connect();
  return true;
}

async function onUpdate(event) {
  const missed = wasAway;
  const isFirst = !isGreeted;
  wasAway = false;
  isGreeted = true;
  try {
    const message = JSON.parse(event.data);
    if (await follow(message.moved[own.dataset.page], isFirst)) {
      return;
    }
    await update(message);
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
