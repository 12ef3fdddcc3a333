/* Refreshes the files that the page uses: style sheets, images, audio, video, scripts. */

import { all, attribute, htmlOf, nameOf, parentOf, setAttribute } from "./dom.js";
import { originOf, own, pair, root } from "./page.js";

let swapped = new Set(); /* style sheets that the current update has already replaced */

/* Called at the start of an update. */
export function begin() {
  swapped = new Set();
}

export const isSheet = (node) => nameOf(node) === "LINK" && node.relList.contains("stylesheet");

/* Scripts run only when a page is loaded, so these must be unchanged; blocks of structured data are not scripts. */
export const scriptsOf = (page) =>
  all(page, "script")
    .filter((one) => /^(|module|text\/javascript|application\/javascript)$/i.test(one.type))
    .map(htmlOf)
    .join("\n");

/* The old style sheet stays until the new one has loaded, to avoid a flash of unstyled content. */
export function swapSheet(link, href) {
  const old = all(root, "link").filter(
    (one) => isSheet(one) && pathOf(one.href) === pathOf(link.href) && one.media === link.media
  );
  const fresh = link.cloneNode();
  fresh.href = href;
  fresh.addEventListener("load", () => old.forEach((one) => one.remove()));
  fresh.addEventListener("error", () => old.some((one) => one.isConnected) && fresh.remove());
  swapped.add(fresh);
  if (originOf(link)) {
    pair(originOf(link), fresh);
  }
  (old.at(-1) || link).after(fresh);
}

/* Different URLs can denote the same path. */
function pathOf(url) {
  const { pathname } = new URL(url, own.baseURI);
  try {
    return decodeURIComponent(pathname).normalize();
  } catch {
    return pathname; /* a % without digits */
  }
}

function anew(url) {
  const made = new URL(url, own.baseURI);
  made.searchParams.set("devlog", Date.now());
  return made.href;
}

/* Reloads changed files in place; returns false if the page itself has to be reloaded. */
export function refreshFiles(files) {
  const paths = new Set(files.map(pathOf));
  const isHit = (url) => Boolean(url) && URL.canParse(url, own.baseURI) && paths.has(pathOf(url));
  if (all(root, "script[src]").some((script) => script !== own && isHit(script.src))) {
    return false;
  }
  const links = all(root, "link[href]").filter((link) => isHit(link.href));
  const sheets = new Map(links.filter(isSheet).map((link) => [pathOf(link.href), link])); /* the last of each path */
  sheets.forEach((link) => swapped.has(link) || swapSheet(link, anew(link.href)));
  swapped = new Set();
  for (const icon of links.filter((link) => link.relList.contains("icon"))) {
    icon.href = anew(icon.href);
  }
  for (const image of all(root, "img, source[srcset]")) {
    const set = attribute(image, "srcset") || "";
    if (set.split(/[\s,]+/).some(isHit)) {
      image.srcset = set.replace(/[^\s,]+/g, (part) => (isHit(part) ? anew(part) : part));
    }
  }
  const players = new Set(); /* those that take no notice of a changed <source> by themselves */
  for (const shown of all(root, "img, audio, video, source, track")) {
    for (const name of ["src", "poster"].filter((one) => isHit(attribute(shown, one)))) {
      setAttribute(shown, name, anew(attribute(shown, name)));
      if (nameOf(shown) === "SOURCE") {
        players.add(parentOf(shown));
      }
    }
  }
  players.forEach((player) => player.load?.());
  return true;
}

/* Reloads all of the site's own style sheets, images, audio and video: they may have changed while the tab was
 * disconnected. What somebody has begun to play goes on. */
export function refreshAll() {
  const urls = all(root, "link[href], img[src]").map((one) => attribute(one, "href") || attribute(one, "src"));
  const players = all(root, "audio, video").filter(({ paused, currentTime }) => paused && !currentTime);
  urls.push(...players.flatMap(({ currentSrc, poster }) => [currentSrc, poster]).filter(Boolean));
  return refreshFiles(urls.filter((url) => URL.canParse(url, own.baseURI) && isOwn(new URL(url, own.baseURI))));
}

const isOwn = ({ origin }) => origin === location.origin;
