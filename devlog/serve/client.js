/* The preview's end in the browser: it listens for changes and brings the page that is shown up to date in place.
 *
 * The page on the screen is the server's page plus what the reader and the theme's scripts have done to it. So the
 * server's page is kept too, as a document of its own (the base), with the element on the screen that each of its nodes
 * has become (its twin). An update is compared with the base, and only the differences are made on the screen.
 *
 *   1 the page        3 merging                         5 updates      7 panel, badge and ribbon
 *   2 matching        4 what the reader looks at        6 the stream   8 source marks
 */
(() => {
  "use strict";

  const own = document.currentScript;
  const root = document.documentElement;
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  /* ------------------------------------------------------------------------------------------------ 1 the page */

  const TEXT = 3;
  const COMMENT = 8;
  const twins = new WeakMap(); /* node of the base -> node on the screen */
  const origins = new WeakMap(); /* and back; scripts' own nodes have none */
  const began = new Map(); /* node on the screen -> its children before later scripts changed them */

  const factsOf = (script) => ({
    key: script.dataset.key || "",
    state: script.dataset.state || "",
    note: script.dataset.note || "",
    editor: script.dataset.editor || "",
  });

  let facts = factsOf(own);
  let base = null; /* promise of {document, status, marks}; null inside when there is none to compare with */

  const blank = (node) => node.nodeType === TEXT && !node.data.trim();
  const warn = (error) => console.warn("devlog:", error);

  /* Nothing that goes wrong here may hurt the page. */
  const guarded = (action) => (...values) => {
    try {
      return action(...values);
    } catch (error) {
      return warn(error);
    }
  };

  /* A page may fail again after it was loaded again: that must not become a storm. */
  function reload() {
    const KEY = "devlog-reloaded";
    let last = 0;
    try {
      last = Number(sessionStorage.getItem(KEY));
      sessionStorage.setItem(KEY, String(Date.now()));
    } catch (error) {
      warn(error); /* storage may be forbidden */
    }
    setTimeout(() => location.reload(), Date.now() - last < 1000 ? 1000 : 0);
  }

  /* The server's text as a document without our own script and without comments. Comments that tell source lines become
   * `marks`: the number of the element, counted through the body, and its line. */
  function read(text) {
    const doc = new DOMParser().parseFromString(text, "text/html");
    const script = [...doc.querySelectorAll("script[data-key]")].find((one) => one.src === own.src);
    if (!script) {
      return null;
    }
    script.remove();
    const lines = new Map();
    const comments = [];
    for (const walk = doc.createTreeWalker(doc, NodeFilter.SHOW_COMMENT); walk.nextNode();) {
      comments.push(walk.currentNode);
    }
    for (const comment of comments) {
      const found = /^devlog:(\d+)$/.exec(comment.data);
      if (found && comment.nextElementSibling) {
        lines.set(comment.nextElementSibling, Number(found[1]));
      }
      comment.remove();
    }
    /* Here it is parsed as elements, on the screen as text; it is never shown. */
    doc.querySelectorAll("noscript").forEach((one) => one.replaceChildren());
    doc.normalize();
    const marks = [];
    if (lines.size) {
      doc.body.querySelectorAll("*").forEach((element, number) => {
        if (lines.has(element)) {
          marks.push([number, lines.get(element)]);
        }
      });
    }
    return { document: doc, facts: factsOf(script), marks };
  }

  const ask = () =>
    fetch(location.pathname + location.search, { headers: { Accept: "text/html" }, cache: "no-store" });

  function record(node) {
    const children = [...node.childNodes].filter((kid) => kid.nodeType !== COMMENT && kid !== own);
    began.set(node, children);
    children.forEach(record);
  }

  function pair(ours, there) {
    twins.set(ours, there);
    origins.set(there, ours);
  }

  function pairAll(ours, there) {
    pair(ours, there);
    ours.childNodes.forEach((kid, i) => there.childNodes[i] && pairAll(kid, there.childNodes[i]));
  }

  /* Gives the base's nodes their twins. Where scripts have been at work already, only what is surely the same is
   * paired: the rest is put anew when it changes. */
  function align(ours, there) {
    pair(ours, there);
    const from = [...ours.childNodes];
    const to = began.get(there) || [];
    const alike = from.length === to.length && from.every((kid, i) => kid.nodeName === to[i].nodeName);
    let at = 0;
    for (const kid of from) {
      const found = alike ? at : to.findIndex((other, i) => i >= at && sameAtFirst(kid, other));
      if (found >= 0) {
        align(kid, to[found]);
        at = found + 1;
      }
    }
  }

  const FRAME = new Set("HEAD BODY MAIN HEADER FOOTER ARTICLE SECTION".split(" "));

  function sameAtFirst(one, other) {
    if (one.nodeName !== other.nodeName || one.id !== other.id) {
      return false;
    }
    return FRAME.has(one.nodeName) || one.textContent === other.textContent;
  }

  /* What is on the screen came with a key; if the server has gone on since, there is nothing to compare with. */
  async function load() {
    try {
      const answer = await ask();
      const page = read(await answer.text());
      if (!page || page.facts.key !== facts.key) {
        return null;
      }
      align(page.document.documentElement, root);
      began.clear();
      return { document: page.document, status: answer.status, marks: page.marks };
    } catch (error) {
      warn(error);
      return null;
    }
  }

  /* ------------------------------------------------------------------------------------------------ 2 matching */

  const LOADED = "audio, video, iframe";
  const sources = (node) =>
    [node, ...node.querySelectorAll("source")].map((one) => one.getAttribute("src")).join(" ");
  const loadedIn = (node) =>
    node.querySelectorAll ? [...(node.matches(LOADED) ? [node] : []), ...node.querySelectorAll(LOADED)] : [];

  /* Which of the base's children `from` each of the new children `to` continues: equal ones first, whatever stands
   * between; then, among those left over, the likeliest in order. */
  function match(from, to) {
    const pairs = new Map();
    const most = Math.min(from.length, to.length);
    let start = 0;
    let end = 0;
    while (start < most && from[start].isEqualNode(to[start])) {
      pairs.set(to[start], { node: from[start], same: true });
      start += 1;
    }
    while (end < most - start && from[from.length - 1 - end].isEqualNode(to[to.length - 1 - end])) {
      pairs.set(to[to.length - 1 - end], { node: from[from.length - 1 - end], same: true });
      end += 1;
    }
    const left = from.slice(start, from.length - end);
    const right = to.slice(start, to.length - end);
    const same = left.length * right.length > 1 ? equalPairs(left, right) : []; /* two alone are known to differ */
    const steady = new Set(inOrder(same));
    for (const found of same) {
      const equal = left[found[0]].isEqualNode(right[found[1]]);
      pairs.set(right[found[1]], { node: left[found[0]], same: equal, moved: !steady.has(found) });
    }
    const taken = new Set(same.map(([i]) => left[i]));
    let [i, j] = [0, 0];
    for (const [toI, toJ] of [...steady, [left.length, right.length]]) {
      const gapLeft = left.slice(i, toI).filter((node) => !taken.has(node));
      const gapRight = right.slice(j, toJ).filter((node) => !pairs.has(node));
      for (const [one, other] of likeliest(gapLeft, gapRight)) {
        pairs.set(other, { node: one, same: one.isEqualNode(other) });
      }
      [i, j] = [toI + 1, toJ + 1];
    }
    return pairs;
  }

  /* Pairs of places whose nodes are equal or have the same id, by the second place. White space tells nothing. */
  function equalPairs(left, right) {
    const found = new Map();
    const used = new Set();
    for (const keyOf of [
      (node) => (blank(node) ? "" : node.outerHTML || node.data),
      (node) => (node.id ? `${node.nodeName}#${node.id}` : ""),
    ]) {
      const places = new Map();
      for (let i = left.length - 1; i >= 0; i -= 1) {
        const key = used.has(i) ? "" : keyOf(left[i]);
        if (key && places.has(key)) {
          places.get(key).push(i);
        } else if (key) {
          places.set(key, [i]);
        }
      }
      right.forEach((node, j) => {
        const place = found.has(j) ? undefined : places.get(keyOf(node))?.pop();
        if (place !== undefined) {
          found.set(j, place);
          used.add(place);
        }
      });
    }
    return [...found].map(([j, i]) => [i, j]).sort((one, other) => one[1] - other[1]);
  }

  /* The longest part of the pairs whose first places rise too: those nodes stay where they are. */
  function inOrder(pairs) {
    const tails = [];
    const before = [];
    pairs.forEach(([place], index) => {
      let [low, high] = [0, tails.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        [low, high] = pairs[tails[middle]][0] < place ? [middle + 1, high] : [low, middle];
      }
      before[index] = low ? tails[low - 1] : -1;
      tails[low] = index;
    });
    const chain = [];
    for (let index = tails.length ? tails[tails.length - 1] : -1; index >= 0; index = before[index]) {
      chain.unshift(pairs[index]);
    }
    return chain;
  }

  /* Alignment by likeness; where that would be too much work, the next of the same name. */
  function likeliest(left, right) {
    const pairs = [];
    if (left.length * right.length > 2500) {
      let i = 0;
      for (const node of right) {
        const found = left.findIndex((other, place) => place >= i && likeness(other, node, "", ""));
        if (found >= 0) {
          pairs.push([left[found], node]);
          i = found + 1;
        }
      }
      return pairs;
    }
    const texts = [left, right].map((nodes) => nodes.map((node) => node.textContent));
    const [rows, columns] = [left.length, right.length];
    const best = Array.from({ length: rows + 1 }, () => new Float64Array(columns + 1));
    const like = left.map((one, i) => right.map((other, j) => likeness(one, other, texts[0][i], texts[1][j])));
    for (let i = rows - 1; i >= 0; i -= 1) {
      for (let j = columns - 1; j >= 0; j -= 1) {
        const together = like[i][j] ? like[i][j] + best[i + 1][j + 1] : 0;
        best[i][j] = Math.max(together, best[i + 1][j], best[i][j + 1]);
      }
    }
    for (let [i, j] = [0, 0]; i < rows && j < columns;) {
      if (like[i][j] && best[i][j] === like[i][j] + best[i + 1][j + 1]) {
        pairs.push([left[i++], right[j++]]);
      } else if (best[i][j] === best[i + 1][j]) {
        i += 1;
      } else {
        j += 1;
      }
    }
    return pairs;
  }

  /* 0 for nodes that cannot continue each other; a field that is another must not inherit what was typed. */
  function likeness(one, other, text, otherText) {
    if (one.nodeName !== other.nodeName) {
      return 0;
    }
    if (one.nodeType === TEXT) {
      return blank(one) === blank(other) ? 0.5 + share(text, otherText) : 0.1;
    }
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(one.nodeName)) {
      return ["name", "type", "id"].every((name) => one.getAttribute(name) === other.getAttribute(name)) ? 2 : 0;
    }
    const media = loadedIn(one).map(sources);
    const kept = media.length && loadedIn(other).some((node) => media.includes(sources(node)));
    return 1 + share(text, otherText) + (kept ? 8 : 0) + (one.className === other.className ? 0.1 : 0);
  }

  /* How much of two texts is the same at their ends, from 0 to 1; of long ones, how much of the ends. */
  function share(one, other) {
    const most = Math.min(one.length, other.length, 1000);
    let head = 0;
    let tail = 0;
    while (head < most && one[head] === other[head]) {
      head += 1;
    }
    while (tail < most - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) {
      tail += 1;
    }
    return (head + tail) / Math.max(Math.min(one.length, 1000), Math.min(other.length, 1000), 1);
  }

  /* ------------------------------------------------------------------------------------------------- 3 merging */

  let changes = []; /* nodes on the screen that have changed, in their order */
  let gone = []; /* nodes on the screen that go when all new ones are in place */
  let loadedAnew = []; /* nodes of the base for new players and frames */
  let swapped = new Set(); /* new style sheets */

  const attached = (ours) => blank(ours) || Boolean(twins.get(ours)?.isConnected);

  function changed(node) {
    if (node && !blank(node)) {
      changes.push(node);
    }
  }

  /* The part of `parent`'s children that holds a node: a script may have wrapped it. */
  function within(parent, node) {
    let at = node;
    while (at && at.parentNode !== parent) {
      at = at.parentNode;
    }
    return at || null;
  }

  /* What a new node is put before on the screen, if it follows `last` in the base. */
  function spot(ours, there, last) {
    for (let node = last; node; node = node.previousSibling) {
      const at = within(there, twins.get(node));
      if (at) {
        return at.nextSibling;
      }
    }
    for (let node = ours.firstChild; node; node = node.nextSibling) {
      const at = within(there, twins.get(node));
      if (at) {
        return at;
      }
    }
    return null;
  }

  function copied(node) {
    const copy = document.importNode(node, true);
    pairAll(node, copy);
    loadedIn(node).forEach((one) => loadedAnew.push(one));
    changed(copy);
    return copy;
  }

  /* Neither focus nor frames nor players mind a move where the browser can do it in one step. */
  function put(parent, node, next) {
    if (parent.moveBefore && node.isConnected && parent.isConnected) {
      parent.moveBefore(node, next);
    } else {
      parent.insertBefore(node, next);
    }
  }

  function setAttribute(element, name, from) {
    if (from) {
      element.setAttributeNode(from.cloneNode()); /* takes names that a parser allows and setAttribute does not */
    } else {
      element.removeAttribute(name);
    }
  }

  function mergeAttributes(ours, next) {
    for (const name of new Set([...ours.getAttributeNames(), ...next.getAttributeNames()])) {
      const was = ours.getAttribute(name);
      const is = next.getAttributeNode(name);
      if (was === (is && is.value)) {
        continue;
      }
      const there = twins.get(ours);
      setAttribute(ours, name, is);
      if (name === "class" && there.classList) {
        const [old, now] = [was, is && is.value].map((value) => (value || "").split(/\s+/).filter(Boolean));
        there.classList.remove(...old.filter((one) => !now.includes(one)));
        there.classList.add(...now);
        if (!is && !there.classList.length) {
          there.removeAttribute("class");
        }
      } else if (name === "href" && is && isSheet(there)) {
        swap(there, next.href);
      } else {
        setAttribute(there, name, is);
      }
      changed(there);
    }
  }

  /* Makes a node of the base what `next` is, and its twin with it. False, with nothing done yet, when a script has
   * taken a child away that would have to change: then the whole is to be put anew. */
  function merge(ours, next) {
    const there = twins.get(ours);
    if (ours.nodeType === TEXT) {
      there.data = ours.data = next.data;
      changed(there);
      return true;
    }
    const pairs = match([...ours.childNodes], [...next.childNodes]);
    const kept = new Set([...pairs.values()].map((one) => one.node));
    const dropped = [...ours.childNodes].filter((kid) => !kept.has(kid));
    const moving = [...pairs.values()].filter((one) => one.moved || !one.same).map((one) => one.node);
    if (![...dropped, ...moving].every(attached)) {
      return false;
    }
    const otherSources = /^(AUDIO|VIDEO)$/.test(ours.nodeName) && sources(ours) !== sources(next);
    mergeAttributes(ours, next);
    dropped.forEach((kid) => drop(ours, kid));
    let last = null;
    for (const kid of [...next.childNodes]) {
      last = mergeChild(ours, there, kid, pairs.get(kid), last);
    }
    if (otherSources) {
      there.load(); /* they count only then */
    }
    return true;
  }

  function drop(ours, kid) {
    const there = twins.get(kid);
    if (!blank(kid)) {
      changed(twins.get(kid.nextElementSibling || kid.previousElementSibling || ours));
    }
    kid.remove();
    if (there) {
      gone.push(there);
    }
  }

  function mergeChild(ours, there, kid, found, last) {
    const following = last ? last.nextSibling : ours.firstChild;
    if (!found) {
      const at = spot(ours, there, last);
      ours.insertBefore(kid, following);
      there.insertBefore(copied(kid), at);
      return kid;
    }
    if (found.moved) {
      const twin = within(there, twins.get(found.node)) || twins.get(found.node);
      put(there, twin, spot(ours, there, last));
      ours.insertBefore(found.node, following);
      changed(twin);
    }
    if (found.same || merge(found.node, kid)) {
      return found.node;
    }
    const old = twins.get(found.node);
    found.node.replaceWith(kid);
    old.parentNode.insertBefore(copied(kid), old);
    gone.push(old);
    return kid;
  }

  /* A player or frame that goes here and comes there with the same sources is the same one. */
  function keepLoaded() {
    for (const old of gone.flatMap((node) => (node.isConnected ? loadedIn(node) : []))) {
      const alike = (one) => one.nodeName === old.nodeName && sources(one) === sources(old);
      const place = sources(old) ? loadedAnew.findIndex(alike) : -1;
      if (place >= 0) {
        const [ours] = loadedAnew.splice(place, 1);
        const copy = twins.get(ours);
        put(copy.parentNode, old, copy);
        copy.remove();
        gone = gone.filter((node) => node !== old);
        pairAll(ours, old);
      }
    }
  }

  function clearAway() {
    keepLoaded();
    for (const node of gone) {
      let parent = node.parentNode;
      node.remove();
      /* What a script had put around it. */
      while (parent && !origins.has(parent) && !parent.firstElementChild && !parent.textContent.trim()) {
        const empty = parent;
        parent = parent.parentNode;
        empty.remove();
      }
    }
  }

  /* -------------------------------------------------------------------------------- 4 what the reader looks at */

  /* The elements in view with their places, but none that stands still while the page is scrolled. */
  function inView() {
    const found = [];
    (function walk(parent) {
      for (const child of parent ? parent.children : []) {
        const box = child.getBoundingClientRect();
        if (found.length > 300 || !box.height || box.bottom <= 0 || box.top >= innerHeight) {
          continue;
        }
        if (!/fixed|sticky/.test(getComputedStyle(child).position)) {
          found.push([child, box.top]);
          walk(child);
        }
      }
    })(document.body);
    return found;
  }

  /* What was in view and has not changed must not move. */
  function hold(seen) {
    const touched = new Set();
    for (const node of changes) {
      for (let at = node; at && !touched.has(at); at = at.parentNode) {
        touched.add(at);
      }
    }
    const anchor = seen.find(([element]) => element.isConnected && !touched.has(element));
    const moved = anchor ? anchor[0].getBoundingClientRect().top - anchor[1] : 0;
    if (Math.abs(moved) >= 0.5) {
      scrollBy({ top: moved, behavior: "instant" });
    }
  }

  function content() {
    const found = document.querySelectorAll(".e-content");
    return found.length === 1 ? found[0] : document.querySelector("main, [role=main]") || document.body;
  }

  function boxOf(node) {
    if (node.nodeType !== TEXT) {
      return node.getBoundingClientRect();
    }
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  }

  /* Goes to the first change in the content, unless one of them is in view already. */
  function show() {
    const inside = content();
    const places = changes.filter((node) => node.isConnected && node !== inside && inside.contains(node));
    const seen = (box) => box.bottom > 0 && box.top < innerHeight - overlay.room();
    if (!places.length || places.some((node) => seen(boxOf(node)))) {
      return;
    }
    let block = within(inside, places[0]);
    const tall = () => block.getBoundingClientRect().height > innerHeight * 0.8;
    while (block !== places[0] && tall() && within(block, places[0]).nodeType !== TEXT) {
      block = within(block, places[0]);
    }
    if (block.nodeType === TEXT) {
      block = block.parentNode;
    }
    const box = block.getBoundingClientRect();
    const near = Math.min(Math.abs(box.top), Math.abs(box.bottom)) < innerHeight * 2;
    const behavior = near && !calm.matches ? "smooth" : "instant";
    block.scrollIntoView({ block: tall() ? "start" : "center", behavior });
    if (!calm.matches && block.animate) {
      const line = (color) => ({ outline: `2px solid ${color}`, outlineOffset: "0.4em" });
      const color = "var(--accent, Highlight)";
      block.animate([line(color), { ...line(color), offset: 0.5 }, line("transparent")], { duration: 1800 });
    }
  }

  /* ------------------------------------------------------------------------------------------------- 5 updates */

  const isSheet = (node) => node.localName === "link" && node.relList.contains("stylesheet");

  /* Scripts run only when a page is loaded; data for machines is no script. */
  const scriptsOf = (doc) =>
    [...doc.scripts]
      .filter((one) => /^(|module|text\/javascript|application\/javascript)$/i.test(one.type))
      .map((one) => one.outerHTML)
      .join("\n");

  /* The old style sheet stays until the new one can take its place, so that nothing flashes. */
  function swap(link, href) {
    const path = new URL(link.href).pathname;
    const old = [...document.querySelectorAll("link")].filter(
      (one) => isSheet(one) && new URL(one.href).pathname === path && one.media === link.media
    );
    const fresh = link.cloneNode();
    fresh.href = href;
    fresh.addEventListener("load", () => old.forEach((one) => one.remove()));
    fresh.addEventListener("error", () => old.some((one) => one.isConnected) && fresh.remove());
    swapped.add(fresh);
    if (origins.has(link)) {
      pair(origins.get(link), fresh);
    }
    (old[old.length - 1] || link).after(fresh);
  }

  let newest = { scroll: false };
  let heard = ""; /* the key that the page should have, when that is not the one it has */
  let busy = false;
  let failures = 0;

  /* Never two at a time: what comes in between is fetched once, afterwards. */
  async function refresh() {
    if (busy) {
      return;
    }
    busy = true;
    try {
      while (heard && heard !== facts.key) {
        heard = "";
        if (!(await renew())) {
          return;
        }
      }
      failures = 0;
    } catch (error) {
      warn(error);
      failures += 1;
      if (failures <= 5) {
        heard = heard || "?";
        setTimeout(refresh, 300 * failures);
      }
    } finally {
      busy = false;
    }
  }

  /* Whether the page is up to date now; otherwise it is loaded again. */
  async function renew() {
    const old = await base;
    const answer = await ask();
    if (answer.status >= 500) {
      throw new Error(`the page was answered with ${answer.status}`);
    }
    const page = read(await answer.text());
    if (!old || !page || answer.redirected || answer.status !== old.status) {
      reload();
      return false;
    }
    if (page.facts.key === facts.key) {
      return true;
    }
    const [from, to] = [old.document, page.document];
    if (from.body.className !== to.body.className || scriptsOf(from) !== scriptsOf(to)) {
      reload();
      return false;
    }
    try {
      bring(old, page);
      return true;
    } catch (error) {
      warn(error);
      reload();
      return false;
    }
  }

  function bring(old, page) {
    [changes, gone, loadedAnew, swapped] = [[], [], [], new Set()];
    const seen = inView();
    if (!merge(old.document.documentElement, page.document.documentElement)) {
      throw new Error("the page's scripts have taken its frame away");
    }
    clearAway();
    facts = page.facts;
    own.dataset.key = facts.key;
    old.marks = page.marks;
    /* For themes: what is new may want what their scripts add. */
    guarded(() => document.dispatchEvent(new CustomEvent("devlog:update")))();
    hold(seen);
    if (newest.scroll) {
      guarded(show)();
    }
    guarded(decorate)(old);
  }

  /* ---- files that are published as they are */

  const pathOf = (url) => {
    try {
      return decodeURI(new URL(url, document.baseURI).pathname);
    } catch (error) {
      return "";
    }
  };

  function anew(url) {
    const made = new URL(url, document.baseURI);
    made.searchParams.set("devlog", String(Date.now()));
    return made.href;
  }

  function refreshFiles(files) {
    const paths = new Set(files.map(pathOf));
    const hit = (url) => Boolean(url) && paths.has(pathOf(url));
    if ([...document.scripts].some((script) => script !== own && hit(script.getAttribute("src")))) {
      reload();
      return;
    }
    const links = new Map();
    document.querySelectorAll("link[href]").forEach((link) => {
      if (hit(link.href) && isSheet(link)) {
        links.set(pathOf(link.href), link); /* the newest of them */
      } else if (hit(link.href) && link.relList.contains("icon")) {
        link.href = anew(link.href);
      }
    });
    /* A new version may have been put in with the page already. */
    links.forEach((link) => swapped.has(link) || swap(link, anew(link.href)));
    swapped = new Set();
    document.querySelectorAll("img, source[srcset]").forEach((image) => {
      const set = image.getAttribute("srcset");
      if (set && set.split(/[\s,]+/).some(hit)) {
        image.srcset = set.replace(/[^\s,]+/g, (part) => (hit(part) ? anew(part) : part));
      }
      if (image.localName === "img" && hit(image.getAttribute("src"))) {
        image.src = anew(image.src);
      }
    });
  }

  /* -------------------------------------------------------------------------------------------------- 6 stream */

  const page = own.dataset.page || location.pathname;
  let stream = null;
  let retry = 0;
  let lostSoon = 0;
  let delay = 0;

  const FIRST_DELAY = 300;
  const LAST_DELAY = 3000;
  const LOST_AFTER = 2000;

  /* A tab that nobody looks at keeps no connection: browsers allow six to a server. The first message after connecting
   * has the page's key, so nothing is missed. */
  function connect() {
    clearTimeout(retry);
    if (stream || document.visibilityState === "hidden") {
      return;
    }
    stream = new EventSource(`/__devlog__/events?page=${encodeURIComponent(page)}`);
    stream.onopen = guarded(() => {
      delay = 0;
      clearTimeout(lostSoon);
      lostSoon = 0;
      overlay.lost(false);
    });
    stream.addEventListener("update", (event) => onUpdate(event).catch(warn));
    stream.onerror = guarded(onLost);
  }

  function disconnect() {
    clearTimeout(retry);
    clearTimeout(lostSoon);
    lostSoon = 0;
    if (stream) {
      stream.close();
      stream = null;
    }
  }

  /* Browsers try again by themselves, some after seconds, and not at all after an answer that is no stream. */
  function onLost() {
    stream.close();
    stream = null;
    delay = Math.min(delay ? delay * 2 : FIRST_DELAY, LAST_DELAY);
    retry = setTimeout(connect, delay);
    lostSoon = lostSoon || setTimeout(guarded(() => overlay.lost(true)), LOST_AFTER);
  }

  async function onUpdate(event) {
    const update = JSON.parse(event.data);
    guarded(() => overlay.report(update.problems || []))();
    newest = update;
    if (page in update.changed) {
      const key = update.changed[page];
      if (key === null) {
        reload();
        return;
      }
      heard = key;
      await refresh();
    }
    if (update.files.length) {
      guarded(refreshFiles)(update.files);
    }
  }

  /* --------------------------------------------------------------------------------- 7 panel, badge and ribbon */

  /* Hosts are children of <html> and inherit the theme's choice of light or dark by `color-scheme`. */
  const LOOK = `
    :host {
      all: initial !important; color-scheme: inherit !important; overflow-wrap: anywhere !important;
      z-index: 2147483000 !important;
      --paper: light-dark(#fdfdfc, #1b1f21); --ink: light-dark(#1d2224, #e6eaea); --soft: light-dark(#596064, #a3adb0);
      --rule: light-dark(#dfe2e2, #363d40); --code: light-dark(#f3f4f3, #24292c);
      --error: light-dark(#b3261e, #ff9b8f); --warning: light-dark(#855300, #f0b95c);
      --info: light-dark(#23619e, #8fc1f5);
      --lift: 0 0 0 1px var(--rule), 0 6px 28px rgb(0 0 0 / 0.16);
      --sans: -apple-system, "Segoe UI", "Noto Sans", Roboto, Ubuntu, "Helvetica Neue", Arial, sans-serif;
      --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
    }
    @supports not (color: light-dark(#000, #fff)) {
      :host {
        --paper: #fdfdfc; --ink: #1d2224; --soft: #596064; --rule: #dfe2e2; --code: #f3f4f3; --error: #b3261e;
        --warning: #855300; --info: #23619e;
      }
    }
    * { box-sizing: border-box; margin: 0; padding: 0; font: inherit; color: inherit; }
    [hidden] { display: none !important; }
    :focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
    .error { --tone: var(--error); } .warning { --tone: var(--warning); } .info { --tone: var(--info); }
  `;
  const PRINT = "@media print { :host { display: none !important; } }";

  const OVERLAY = `
    :host { display: block !important; block-size: var(--room, 0) !important; }
    .panel {
      position: fixed; inset: auto 0 0; display: flex; flex-direction: column; max-height: 58vh; max-height: 58dvh;
      background: var(--paper); color: var(--ink); border-block-start: 3px solid var(--tone);
      box-shadow: 0 -2px 20px rgb(0 0 0 / 0.1); font: 15px/1.5 var(--sans);
    }
    .head, .list, .more { width: 100%; max-width: 76rem; margin-inline: auto; padding-inline: 18px; }
    @media (min-width: 48rem) { .head, .list, .more { padding-inline: 32px; } }
    .head { display: flex; align-items: center; gap: 12px; padding-block: 8px; }
    .count { font-weight: 650; color: var(--tone); }
    .note { flex: 1; color: var(--soft); font-size: 13px; }
    @media (max-width: 40rem) { .note { display: none; } }
    .close {
      display: grid; place-items: center; width: 32px; height: 32px; margin-inline: auto -8px; border: 0;
      border-radius: 6px; background: none; color: var(--soft); font-size: 22px; line-height: 1; cursor: pointer;
    }
    .close:hover { background: var(--code); color: var(--ink); }
    .scroll { overflow: auto; overscroll-behavior: contain; border-block-start: 1px solid var(--rule); }
    .scroll:focus-visible { outline-offset: -2px; }
    .list { list-style: none; padding-block-end: 10px; }
    .problem { padding-block: 12px 14px; content-visibility: auto; contain-intrinsic-block-size: auto 120px; }
    .problem + .problem { border-block-start: 1px solid var(--rule); }
    .where { display: flex; flex-wrap: wrap; gap: 0 12px; font: 12.5px/1.6 var(--mono); color: var(--soft); }
    .severity { color: var(--tone); font-weight: 700; }
    .path { color: var(--soft); }
    a.path { color: var(--ink); text-decoration: underline 1px var(--soft); text-underline-offset: 3px; }
    a.path:hover { text-decoration-thickness: 2px; }
    .message { margin-block-start: 2px; font-weight: 600; text-wrap: pretty; white-space: pre-line; }
    .frame {
      display: grid; grid-template-columns: auto minmax(0, 1fr); margin-block-start: 8px; border-radius: 5px;
      overflow: hidden; background: var(--code); font: 13px/1.6 var(--mono);
    }
    .line { padding: 6px 10px; border-inline-end: 1px solid var(--rule); color: var(--soft); user-select: none; }
    .source { padding: 6px 12px; white-space: pre-wrap; tab-size: 4; unicode-bidi: isolate; }
    mark {
      border-radius: 2px; background: color-mix(in srgb, var(--tone) 20%, transparent); color: inherit;
      box-shadow: 0 2px 0 var(--tone); -webkit-box-decoration-break: clone; box-decoration-break: clone;
    }
    .hint { margin-block-start: 7px; color: var(--soft); font-size: 14px; white-space: pre-line; }
    .hint b { font-weight: 600; color: var(--ink); }
    .more { padding-block: 12px 16px; border-block-start: 1px solid var(--rule); color: var(--soft); font-size: 14px; }
    .badge, .lost {
      position: fixed; inset-block-end: calc(var(--room, 0px) + 16px); border: 0; border-radius: 99px;
      background: var(--paper); box-shadow: var(--lift); font: 13px/1 var(--sans);
    }
    .badge {
      inset-inline-end: 16px; display: flex; align-items: center; gap: 8px; padding: 10px 14px 10px 12px;
      color: var(--ink); font-weight: 600; cursor: pointer;
    }
    .badge:hover { background: var(--code); }
    .badge::before { content: ""; width: 8px; height: 8px; border-radius: 50%; background: var(--tone); }
    .lost { inset-inline-start: 16px; padding: 9px 13px; color: var(--soft); }
    .quiet { position: fixed; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  `;

  const RIBBON = `
    :host { display: block !important; position: sticky !important; inset-block-start: 0 !important; }
    :host { pointer-events: none !important; }
    p {
      width: fit-content; max-width: 90%; margin-inline: auto; padding: 2px 16px 4px; border-radius: 0 0 8px 8px;
      background: light-dark(#f5dfab, #54421a); color: light-dark(#4b3500, #ffe7b3); text-align: center;
      font: 600 12.5px/18px var(--sans); pointer-events: auto;
    }
    .expired { background: light-dark(#dfe1e0, #43494b); color: light-dark(#3b3f41, #e6eaea); }
  `;

  const MARKS = `
    :host { display: block !important; position: absolute !important; inset: 0 auto auto 0 !important; }
    a {
      position: absolute; width: 30px; padding-block: 3px; border-radius: 5px; background: var(--paper);
      color: var(--soft); box-shadow: 0 0 0 1px var(--rule); font: 600 11px/13px var(--mono); text-align: center;
      text-decoration: none; white-space: nowrap; opacity: 0; pointer-events: none; transition: opacity 0.12s;
    }
    a:focus-visible, a.on, a.always { opacity: 1; pointer-events: auto; }
    a:hover { color: var(--ink); background: var(--code); }
    @media (prefers-reduced-motion: reduce) { a { transition: none; } }
  `;

  /* Only text is ever put in. */
  function made(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      element.setAttribute(key, value);
    }
    element.append(...children); /* which makes text of what is no node */
    return element;
  }

  function shadowOf(host, style) {
    const shadow = host.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(LOOK + style + PRINT);
    shadow.adoptedStyleSheets = [sheet];
    return shadow;
  }

  /* A link that runs or shows what its own text says is none to an editor. */
  function editorLink(url) {
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url || "");
    return scheme && !/^(javascript|data|vbscript|blob|about|file|filesystem)$/i.test(scheme[1]) ? url : "";
  }

  const SHOWN = 50;
  const BEFORE = 60; /* characters of a long line that are shown before the spot, and after it */
  const AFTER = 120;

  const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

  function counted(problems) {
    const count = (severity) => problems.filter((one) => one.severity === severity).length;
    return [["error", "error"], ["warning", "warning"], ["info", "note"]]
      .filter(([severity]) => count(severity))
      .map(([severity, word]) => plural(count(severity), word))
      .join(", ");
  }

  /* The source line with its spot marked; columns count characters, not units of UTF-16. */
  function sourceLine(problem) {
    const characters = [...problem.frame];
    if (problem.column < 1) {
      const cut = characters.length > BEFORE + AFTER;
      return [characters.slice(0, BEFORE + AFTER).join("") + (cut ? "…" : "")];
    }
    const start = Math.min(problem.column - 1, characters.length);
    const end = Math.min(start + Math.max(problem.length, 1), characters.length);
    const first = characters.length > BEFORE + AFTER ? Math.max(0, start - BEFORE) : 0;
    const last = Math.min(characters.length, Math.max(first + BEFORE + AFTER, start + 1));
    const marked = characters.slice(start, Math.min(end, last)).join("");
    return [
      (first ? "…" : "") + characters.slice(first, start).join(""),
      made("mark", {}, marked || "\u00a0"),
      characters.slice(Math.min(end, last), last).join("") + (last < characters.length ? "…" : ""),
    ];
  }

  function problemItem(problem) {
    const place = [problem.path, problem.line || "", (problem.line && problem.column) || ""].filter(Boolean).join(":");
    const link = editorLink(problem.editor);
    const item = made("li", { class: `problem ${problem.severity}` });
    item.append(
      made("p", { class: "where" },
        made("span", { class: "severity" }, problem.severity),
        made("span", {}, problem.code),
        made(link ? "a" : "span", { class: "path", ...(link && { href: link }) }, place)),
      made("p", { class: "message" }, problem.message)
    );
    if (problem.frame) {
      const source = made("code", { class: "source" }, ...sourceLine(problem));
      item.append(made("div", { class: "frame" }, made("span", { class: "line" }, problem.line || ""), source));
    }
    if (problem.hint) {
      item.append(made("p", { class: "hint" }, made("b", {}, "Hint: "), problem.hint));
    }
    return item;
  }

  class Overlay extends HTMLElement {
    constructor() {
      super();
      this.shown = "[]"; /* the problems that were reported last */
      this.back = null; /* what had the focus */
      this.parts = {};
      const { parts } = this;
      parts.count = made("h2", { class: "count", id: "count" });
      parts.note = made("p", { class: "note" }, "The page is the last good one.");
      parts.close = made("button", { class: "close", type: "button", "aria-label": "Close" }, "×");
      parts.scroll = made("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Problems" });
      parts.panel = made("section", { role: "alertdialog", "aria-labelledby": "count", hidden: "" },
        made("div", { class: "head" }, parts.count, parts.note, parts.close), parts.scroll);
      parts.badge = made("button", { type: "button", hidden: "" });
      parts.lost = made("p", { class: "lost", role: "status", hidden: "" }, "Connection lost, trying again");
      parts.quiet = made("p", { class: "quiet", "aria-live": "polite" });
      shadowOf(this, OVERLAY).append(parts.panel, parts.badge, parts.lost, parts.quiet);
      parts.close.addEventListener("click", () => this.open(false));
      parts.badge.addEventListener("click", () => this.open(true, true));
      addEventListener("keydown", (event) => {
        if (event.key === "Escape" && !event.defaultPrevented && !parts.panel.hidden) {
          this.open(false);
        }
      });
      if (window.ResizeObserver) {
        new ResizeObserver(() => this.style.setProperty("--room", `${this.room()}px`)).observe(parts.panel);
      }
    }

    /* The panel's height: so much is added to the page, so that its end can be scrolled out from behind. */
    room() {
      return this.parts.panel.hidden ? 0 : this.parts.panel.offsetHeight;
    }

    lost(is) {
      this.parts.lost.hidden = !is;
    }

    open(is, focus = false) {
      const { panel, badge, close } = this.parts;
      const inside = this.shadowRoot.activeElement !== null;
      panel.hidden = !is;
      badge.hidden = is || this.shown === "[]";
      if (focus) {
        this.back = badge;
        close.focus();
      } else if (!is && inside && this.back && !badge.hidden) {
        this.back.focus();
      }
    }

    report(problems) {
      const now = JSON.stringify(problems);
      if (now === this.shown) {
        return;
      }
      this.shown = now;
      const { panel, badge, scroll, count, note, quiet } = this.parts;
      const worst = ["error", "warning", "info"].find((severity) => problems.some((one) => one.severity === severity));
      count.textContent = badge.textContent = quiet.textContent = counted(problems);
      badge.className = `badge ${worst || ""}`;
      panel.className = `panel ${worst || ""}`;
      note.hidden = worst !== "error";
      scroll.replaceChildren(made("ul", { class: "list" }, ...problems.slice(0, SHOWN).map(problemItem)));
      if (problems.length > SHOWN) {
        scroll.append(made("p", { class: "more" }, `and ${problems.length - SHOWN} more: see the terminal`));
      }
      scroll.scrollTop = 0;
      this.open(worst === "error" || (Boolean(worst) && !panel.hidden));
    }
  }

  const ribbon = document.createElement("devlog-ribbon");

  function showRibbon() {
    const { state, note } = facts;
    ribbon.remove();
    if (!state) {
      return;
    }
    const shadow = ribbon.shadowRoot || shadowOf(ribbon, RIBBON);
    const joint = /^\d/.test(note) ? " " : ": ";
    const text = note.toLowerCase().startsWith(state) ? note : state + (note && joint + note);
    shadow.replaceChildren(made("p", { class: state, role: "note" }, text[0].toUpperCase() + text.slice(1)));
    root.insertBefore(ribbon, document.body); /* before the body, so that it has a place of its own */
  }

  /* -------------------------------------------------------------------------------------------- 8 source marks */

  const marks = document.createElement("devlog-marks");
  const marked = new Map(); /* block in view -> its link */
  let blocks = []; /* {element, line} in their order */
  let whole = false; /* one mark for all of the page */
  let arranging = 0;
  let pointer = -1;

  function setMarks(current) {
    const all = current ? current.document.body.querySelectorAll("*") : [];
    blocks = (current ? current.marks : []).map(([number, line]) => ({ element: twins.get(all[number]), line }))
      .filter((block) => block.element && block.element.isConnected);
    whole = !blocks.length;
    if (whole && document.body) {
      blocks = [{ element: document.querySelector("main h1, h1") || content(), line: 1 }];
    }
    marked.forEach((link) => link.remove());
    marked.clear();
    if (editorLink(facts.editor) && blocks.length) {
      if (!marks.shadowRoot) {
        shadowOf(marks, MARKS);
      }
      root.append(marks);
      arrange();
    } else {
      marks.remove();
    }
  }

  /* Links for the blocks in view only: a long post has thousands. */
  function arrange() {
    arranging = 0;
    if (!marks.isConnected) {
      return;
    }
    let [low, high] = [0, blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const above = blocks[middle].element.getBoundingClientRect().bottom < 0;
      [low, high] = above ? [middle + 1, high] : [low, middle];
    }
    const seen = new Set();
    let chosen = null;
    for (const { element, line } of blocks.slice(low)) {
      const box = element.getBoundingClientRect();
      if (box.top > innerHeight) {
        break;
      }
      seen.add(element);
      const link = marked.get(element) || sourceLink(line);
      marked.set(element, link);
      const room = box.left >= 42;
      link.style.left = `${(room ? box.left - 38 : box.right - 30) + scrollX}px`;
      link.style.top = `${box.top + scrollY + (room ? 3 : -20)}px`;
      chosen = pointer >= box.top - 8 && (pointer <= box.bottom + 8 || !chosen) ? link : chosen;
    }
    marked.forEach((link, element) => {
      link.classList.toggle("on", link === chosen);
      if (!seen.has(element) && !link.matches(":focus")) {
        link.remove();
        marked.delete(element);
      }
    });
  }

  function sourceLink(line) {
    const href = facts.editor.split("{line}").join(line);
    const link = made("a", { href, title: `Open line ${line} in the editor` }, "</>");
    link.setAttribute("aria-label", whole ? "Source of this page" : `Source, line ${line}`);
    link.classList.toggle("always", whole);
    marks.shadowRoot.append(link);
    return link;
  }

  function arrangeSoon(event) {
    if (event && event.type === "pointermove") {
      pointer = event.clientY;
    } else if (event && event.type === "focusin" && event.target.getBoundingClientRect && event.target !== marks) {
      pointer = event.target.getBoundingClientRect().top;
    }
    arranging = arranging || requestAnimationFrame(guarded(arrange));
  }

  function decorate(current) {
    showRibbon();
    setMarks(current);
  }

  /* --------------------------------------------------------------------------------------------------- 9 start */

  customElements.define("devlog-overlay", Overlay);
  const overlay = document.createElement("devlog-overlay");

  guarded(() => {
    record(root);
    base = load();
    root.append(overlay);
    showRibbon();
    base.then(guarded(decorate));
    for (const name of ["scroll", "resize", "pointermove", "focusin", "load"]) {
      addEventListener(name, arrangeSoon, { passive: true });
    }
    document.addEventListener("visibilitychange", () => {
      (document.visibilityState === "hidden" ? disconnect : connect)();
    });
    addEventListener("pagehide", disconnect);
    addEventListener("pageshow", connect);
    connect();
  })();
})();
