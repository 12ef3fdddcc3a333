/* Search: “/” or Ctrl+K opens it; nothing is loaded before. The index is Pagefind's, read where it is.
 *
 * Pages are complete without this script: the links to the search then lead to the archive. What comes out of the
 * index is text that anybody may have written, so it is only ever put into the page as text.
 */
(function () {
  "use strict";

  var APART = "\u2063"; /* in an indexed text: before it is what is found but not shown */
  var JOIN = "\u2060"; /* before what was cut off the word before it */
  var RARE = "\ua66e"; /* a letter of no text, with which marks begin */
  var PAGE = 8;
  var EXCERPT = 32;
  var MANY = 400;
  var LONG = 100; /* the length of a word in an excerpt */
  var ENDS = ".,;:!?…)]}>\"'“”‘’«»";
  var SIDE_BY_SIDE = 12;
  var TRACE = Math.pow(2, -40); /* by how much the weights of bundles differ: enough to tell them, and too little to count */
  var SPACELESS = /^(?:ja|th|zh)\b/i; /* languages whose words Pagefind cuts out of the query by itself */
  var OLD = 0.15; /* how much a text counts whose place a newer one has taken: with its title, no more than another without */
  var RANKING = { termFrequency: 0.6, pageLength: 0.5, termSaturation: 1.2, termSimilarity: 4 };

  /* ------------------------------------------------------------ files of the index */

  /* A file that could not be read is no empty one: it is asked for again the next time. */
  function once(load) {
    var found = null;
    return function () {
      if (!found) {
        found = load();
        found.catch(function () { found = null; });
      }
      return found;
    };
  }

  async function json(address, cache) {
    var answer = await fetch(address, { cache: cache || "default" });
    if (!answer.ok) { throw new Error(address); }
    return answer.json();
  }

  /* Pagefind takes a part of the index that it could not load for an empty one, and tells nobody: so its requests are
   * watched. */
  var lost = 0;
  var isWatched = false;

  function watch() {
    if (isWatched) { return; }
    isWatched = true;
    var asked = window.fetch;
    window.fetch = function (address) {
      var answer = asked.apply(window, arguments);
      if (/\.pf_index$/.test(address)) {
        answer.then(function (part) {
          lost += Number(!part.ok || /html/.test(part.headers.get("content-type")));
        }, function () { lost += 1; });
      }
      return answer;
    };
  }

  /* ------------------------------------------------------------ words: what a misspelled one was meant to be */

  function vocabulary(base, names, cache) {
    var shelves = new Map();

    async function shelf(word) {
      var name = /^[a-z]/.test(word) ? word[0] : "other";
      if (!(await names()).includes(name)) { return []; }
      if (!shelves.has(name)) {
        shelves.set(name, once(async function () {
          return (await json(base + "words/" + name + ".json", cache)).join(" ").split(" ").filter(Boolean);
        }));
      }
      return shelves.get(name)();
    }

    async function knows(word) {
      return (await shelf(word)).some(function (other) { return other.startsWith(word); });
    }

    /* Words that differ in one letter, or in two that have changed places: the most frequent first. A letter is left
     * out, typed twice or swapped more often than a wrong one is typed, so others count only where there are none. */
    async function near(word) {
      var found = (await shelf(word)).filter(function (other) { return differsByOne(word, other); });
      if (!found.length && /^[a-z]/.test(word)) {
        var others = (await names()).filter(function (name) { return name !== word[0] && name !== "other"; });
        var lists = await Promise.all(others.map(shelf));
        found = lists.flat().filter(function (other) { return differsByOne(word, other); });
      }
      var likely = found.filter(function (other) { return other.length !== word.length || sorted(other) === sorted(word); });
      return likely.length ? likely : found;
    }

    /* Whether a word may be another form of one that the site has. */
    async function resembles(word) {
      var stem = word.slice(0, Math.max(3, word.length - 4));
      return !/^[a-z]/.test(word) || (await shelf(word)).some(function (other) { return other.startsWith(stem); });
    }

    return { knows: knows, near: near, resembles: resembles };
  }

  function sorted(word) {
    return Array.from(word).sort().join("");
  }

  function differsByOne(a, b) {
    var longer = a.length >= b.length ? a : b;
    var shorter = longer === a ? b : a;
    if (longer.length - shorter.length > 1) { return false; }
    var at = 0;
    while (at < shorter.length && shorter[at] === longer[at]) { at += 1; }
    var rest = longer.slice(at + 1);
    if (longer.length > shorter.length) { return rest === shorter.slice(at); }
    return rest === shorter.slice(at + 1) ||
      (longer[at] === shorter[at + 1] && longer[at + 1] === shorter[at] && longer.slice(at + 2) === shorter.slice(at + 2));
  }

  /* ------------------------------------------------------------ the index */

  function engine(base, cache) {
    var choices = once(function () { return json(base + "facets.json", cache); });
    var words = vocabulary(base, async function () { return (await choices()).words || []; }, cache);
    var before = lost;

    watch();

    var ready = once(async function () {
      var module = await import(base + "pagefind.js");
      /* A worker would send each of thousands of results over, which takes several times as long as finding them. */
      var whole = module.createInstance({ basePath: base, ranking: RANKING, noWorker: true });
      await whole.init();
      /* Each bundle of texts has an index of its own, in a folder of this one; they are searched as one. */
      await Promise.all(((await choices()).bundles || []).map(function (name, index) {
        return whole.mergeIndex(base + name + "/", { ranking: RANKING, indexWeight: 1 + (index + 1) * TRACE });
      }));
      return whole;
    });

    async function search(query) {
      var found = query ? (await (await ready()).search(query)).results : [];
      if (lost !== before) { throw new Error(base); }
      return found;
    }

    /* Texts that have a word. A bundle with no word that begins like it takes the longest one that it begins with:
     * there, as nowhere else, the same is found for the word with another letter behind it. Parts of a name may also be
     * found like this, so the best texts of such bundles are looked at. */
    async function having(word) {
      var found = await search(word);
      if (!found.length || SPACELESS.test(document.documentElement.lang)) { return found; }
      var exact = idsOf(await search('"' + word + '"'));
      var sure = new Set(found.filter(function (result) { return exact.has(result.id); }).map(bundleOf));
      var rest = found.filter(function (result) { return !sure.has(bundleOf(result)); });
      if (!rest.length) { return found; }
      var longer = new Map((await search(word + RARE)).map(function (result) { return [result.id, String(result.words)]; }));
      rest.forEach(function (result) {
        if (longer.get(result.id) !== String(result.words)) { sure.add(bundleOf(result)); }
      });
      var best = new Map(rest.filter(function (result) { return !sure.has(bundleOf(result)); }).reverse().map(function (result) {
        return [bundleOf(result), result];
      }));
      await Promise.all(Array.from(best.values()).slice(-PAGE).map(async function (result) {
        if (shows(await result.data(), word)) { sure.add(bundleOf(result)); }
      }));
      return found.filter(function (result) { return sure.has(bundleOf(result)); });
    }

    /* The texts that have each word. One after the other: what is loaded for one word may change what another finds. */
    async function havingEach(list) {
      var found = [];
      for (var word of list) { found.push(await having(word)); }
      return found;
    }

    /* The query with each word that the site does not know replaced by the nearest that it knows; one that is like
     * none is left out, for the index would take the longest word that it begins with. */
    async function corrected(query) {
      var parts = query.split(/([\p{L}\p{N}]+)/u);
      for (var index = 1; index < parts.length; index += 2) {
        var word = parts[index].toLowerCase();
        if (!/^\p{L}[\p{L}\p{N}]{3,31}$/u.test(word) || /\d{3}/.test(word) || await words.knows(word)) { continue; }
        var best = "";
        var score = -1;
        for (var other of (await words.near(word)).slice(0, 4)) {
          var tried = parts.slice();
          tried[index] = other;
          var first = (await search(tried.join("")))[0];
          if (first && first.score > score) {
            best = other;
            score = first.score;
          }
        }
        if (best || !(await words.resembles(word))) { parts[index] = best; }
      }
      return parts.join("").replace(/\s+/g, " ").trim();
    }

    /* Identifiers that stand nowhere as they are, in their parts. */
    async function inParts(query) {
      var found = [];
      for (var word of query.split(/\s+/)) {
        var isName = /^_|[\p{L}\p{N}][^\p{L}\p{N}\s]+[\p{L}\p{N}]/u.test(word);
        found.push(isName && !(await having(word)).length ? word.replace(/[^\p{L}\p{N}]+/gu, " ").trim() : word);
      }
      return found.join(" ");
    }

    /* Texts that have all of the words. A bundle takes no notice of a word that it does not have; where very many texts
     * are found, those with all of the words come first anyway. */
    async function complete(query) {
      var list = wordsOf(query);
      if (list.length < 2) { return having(query); }
      var results = await search(query);
      if (results.length > MANY) { return results; }
      var sets = (await havingEach(list)).map(idsOf);
      return results.filter(function (result) { return sets.every(function (ids) { return ids.has(result.id); }); });
    }

    /* Texts that have many of the words, when none has all; each says which it lacks. */
    async function some(query, old) {
      var list = wordsOf(query).filter(function (word) { return word.length > 2; }).slice(0, 8);
      var sums = new Map();
      (await havingEach(list)).forEach(function (results, index) {
        results.forEach(function (result) {
          var sum = sums.get(result.id) || { result: result, missing: new Set(list), score: 0 };
          sum.missing.delete(list[index]);
          sum.score += result.score / Math.sqrt(results.length) * (old.has(result.id) ? OLD : 1);
          sums.set(result.id, sum);
        });
      });
      return Array.from(sums.values())
        .sort(function (a, b) { return a.missing.size - b.missing.size || b.score - a.score; })
        .map(function (sum) { return Object.assign(sum.result, { missing: Array.from(sum.missing) }); });
    }

    async function narrowed(results, marks) {
      for (var mark of marks) {
        var ids = idsOf(await search(mark));
        results = results.filter(function (result) { return ids.has(result.id); });
      }
      return results;
    }

    /* What is found: texts with the words side by side first. */
    async function find(query, marks) {
      query = query.trim().replace(/\s+/g, " ").slice(0, 200);
      if (!query) { return { query: query, results: marks.length ? await narrowed(await search(marks[0]), marks) : [] }; }
      if (/["“”]/.test(query)) {
        return { query: query, results: await narrowed(await search('"' + query.replace(/["“”]/g, "").trim() + '"'), marks) };
      }
      var asked = await corrected(query);
      if (!/[\p{L}\p{N}]/u.test(asked)) { return { query: query, results: [] }; }
      var whole = await inParts(asked);
      var exact = await search('"' + whole + '"');
      var results = await complete(whole);
      var old = await superseded();
      return { query: asked, results: await narrowed(results.length ? ranked(results, exact, old, !whole.includes(" ")) : await some(whole, old), marks) };
    }

    /* The texts whose place a newer one has taken. */
    async function superseded() {
      var found = (await choices()).status || [];
      return idsOf(found.length ? await search(found[0][1]) : []);
    }

    /* Texts in which the words stand side by side count more, the fewer these are; superseded ones count less. Those
     * that have a single word as it is come before those with a longer one. */
    function ranked(results, exact, old, isWord) {
      var sides = new Map(exact.map(function (result) { return [result.id, result]; }));
      var scored = results.map(function (result) {
        var side = isWord ? undefined : sides.get(result.id);
        var worth = (side ? 1 + SIDE_BY_SIDE / sides.size : 1) * (old.has(result.id) ? OLD : 1);
        return { result: side || result, score: result.score * worth, isFirst: Number(isWord && sides.has(result.id)) };
      });
      return scored.sort(function (a, b) { return b.isFirst - a.isFirst || b.score - a.score; })
        .map(function (item) { return item.result; });
    }

    return { choices: choices, find: find, ready: ready };
  }

  function idsOf(results) {
    return new Set(results.map(function (result) { return result.id; }));
  }

  /* What a result shows; for a text with very many places Pagefind needs a while, each time that it is asked. */
  function dataOf(result) {
    result.loaded = result.loaded || result.data();
    return result.loaded;
  }

  function wordsOf(query) {
    return query.split(/\s+/).filter(function (word) { return /[\p{L}\p{N}]/u.test(word); });
  }

  /* The number of the bundle of a result, from its score: that is a number of 32 bits times the weight of the bundle. */
  function bundleOf(result) {
    return Math.round((result.score / Math.fround(result.score) - 1) / TRACE);
  }

  /* ------------------------------------------------------------ what a result shows */

  function plain(word) {
    return word.toLowerCase().replace(/[^\p{L}\p{N}_]/gu, "");
  }

  /* Whether a word that was found has another in it, whatever signs and accents either has. */
  function shows(data, word) {
    var words = data.content.split(" ");
    var bare = function (text) { return plain(text.normalize("NFD")); };
    return data.weighted_locations.some(function (hit) { return bare(words[hit.location] || "").includes(bare(word)); });
  }

  /* The part of a text that has the most of what was asked for: the section, and words with those that are marked. */
  function view(data, title, query) {
    var words = data.content.split(" ");
    var titleEnd = title.split(/\s+/).length;
    var start = words.indexOf(APART) + 1;
    var stems = query.split(/[^\p{L}\p{N}_]+/u).filter(Boolean).map(function (word) {
      return plain(word).slice(0, Math.max(3, word.length - 3));
    });
    var places = data.weighted_locations.map(function (hit) { return hit.location; });
    var hits = places.filter(function (place) { return place >= start; }).sort(function (a, b) { return a - b; });
    /* Headings, and where somebody begins to speak. */
    var headings = data.anchors.filter(function (anchor) {
      return /^(?:h[1-6]|time)$/i.test(anchor.element) && anchor.location >= start;
    });
    var from = start;
    var best = 0;

    /* What each word is a form of. A long text may have a word a hundred thousand times: it is compared once. */
    var known = new Map();
    function kind(place) {
      var word = words[place];
      if (!known.has(word)) {
        var bare = plain(word);
        known.set(word, stems.findIndex(function (stem) { return bare.includes(stem); }));
      }
      return known.get(word);
    }

    var near = new Map(); /* what is within an excerpt from `place`: how many of each kind */
    var end = 0;
    hits.forEach(function (place, index) {
      for (; end < hits.length && hits[end] < place + EXCERPT; end += 1) {
        near.set(kind(hits[end]), (near.get(kind(hits[end])) || 0) + 1);
      }
      var score = near.size * 2 * EXCERPT + Math.min(end - index, EXCERPT);
      if (score > best) {
        best = score;
        from = place;
      }
      if (near.get(kind(place)) > 1) { near.set(kind(place), near.get(kind(place)) - 1); } else { near.delete(kind(place)); }
    });
    /* What the title has too is not about one of its sections. */
    var inTitle = new Set(places.filter(function (place) { return place < titleEnd; }).map(kind));
    var isInTitle = inTitle.size * 2 * EXCERPT > best - 2 * EXCERPT;
    var section = best && !isInTitle ? headings.filter(function (anchor) { return anchor.location <= from; }).pop() : null;
    from = best ? Math.max(from - 5, section ? section.location : start, start) : start;
    var marked = new Set(hits);
    return {
      section: section,
      cut: from > start,
      more: from + EXCERPT < words.length,
      words: words.slice(from, from + EXCERPT).map(function (word, index) {
        var joined = word.startsWith(JOIN);
        var text = joined ? word.slice(1) : word;
        if (text.length > LONG) { text = text.slice(0, LONG) + "…"; }
        return { text: text, joined: joined, marked: marked.has(from + index) };
      })
    };
  }

  function grouped(number) {
    return String(number).replace(/\B(?=(?:\d{3})+$)/g, __t("thousands_separator"));
  }

  function element(name, css, text) {
    var made = document.createElement(name);
    if (css) { made.className = css; }
    if (text) { made.textContent = text; }
    return made;
  }

  /* A word that was found, marked without the signs around it. */
  function marked(text) {
    var start = /^["'“”‘’«»([{<]*/.exec(text)[0].length;
    var end = text.length;
    while (end > start && ENDS.includes(text[end - 1])) { end -= 1; }
    if (end === start) { return [element("mark", "", text)]; }
    return [text.slice(0, start), element("mark", "", text.slice(start, end)), text.slice(end)];
  }

  /* What somebody says has a time in place of a title: that of t72 is 1:12. */
  function sectionName(section) {
    var second = /^t(\d+)/.exec(section.id);
    if (!/^time$/i.test(section.element) || !second) { return (section.text || "").split(JOIN).join("").trim(); }
    var time = Number(second[1]);
    var parts = [time / 3600, time / 60 % 60, time % 60].map(Math.floor).slice(time < 3600 ? 1 : 0);
    return parts.map(function (part, index) { return String(part).padStart(index && 2, "0"); }).join(":");
  }

  function pathOf(data) {
    return (data.raw_url || data.url).replace(/^\/+/, "");
  }

  function item(root, data, query, missing) {
    var path = pathOf(data);
    var title = data.meta.title || path;
    var shown = view(data, title, query);
    var row = element("li", "search-result");
    var link = element("a", "search-link");
    link.href = root + path + (shown.section ? "#" + encodeURIComponent(shown.section.id) : "");
    var heading = element("span", "search-title", title);
    link.append(heading);
    var name = shown.section && sectionName(shown.section);
    if (name) { link.append(" ", element("span", "search-section", name)); }
    var status = data.meta.status === "current" ? "" : data.meta.status;
    var facts = [data.meta.topic, data.meta.date, status].filter(Boolean).join(" · ");
    var excerpt = element("p", "search-excerpt", shown.cut ? "… " : "");
    shown.words.forEach(function (word, index) {
      if (index && !word.joined) { excerpt.append(" "); }
      if (word.marked) {
        excerpt.append.apply(excerpt, marked(word.text));
      } else {
        excerpt.append(word.text);
      }
    });
    if (shown.more) { excerpt.append(" …"); }
    if (data.meta.language) {
      [heading, excerpt].forEach(function (part) {
        part.lang = data.meta.language;
        part.dir = "auto";
      });
    }
    var lacks = missing && missing.length ? (facts ? " · " : "") + __t("result_without", { words: missing.join(", ") }) : "";
    row.append(link, element("p", "search-facts", facts + lacks), excerpt);
    return row;
  }

  /* One text that cannot be shown as it should be hides no other. */
  function itemOrLink(root, data, query, missing) {
    try {
      return item(root, data, query, missing);
    } catch (error) {
      var row = element("li", "search-result");
      var link = element("a", "search-link", pathOf(data));
      link.href = root + pathOf(data);
      row.append(link);
      return row;
    }
  }

  /* ------------------------------------------------------------ the panel: a field, filters and results */

  var panels = new WeakMap();

  function panel(box) {
    if (!panels.has(box)) { panels.set(box, startPanel(box)); }
    return panels.get(box);
  }

  function startPanel(box) {
    var field = box.querySelector(".search-field");
    var list = box.querySelector(".search-results");
    var status = box.querySelector(".search-status");
    var more = box.querySelector(".search-more");
    var filters = Array.from(box.querySelectorAll(".search-filter select"));
    var base = new URL(box.dataset.index, document.baseURI).href;
    var index = engine(base);
    var current = { number: 0, query: "", results: [], shown: 0 };
    var timer = 0;
    var isOpened = false;
    var hasChoices = false;
    var done = ""; /* what the results are for */

    async function show() {
      var number = current.number;
      var some = current.results.slice(current.shown, current.shown + PAGE);
      current.shown += some.length;
      var loaded = await Promise.all(some.map(dataOf));
      if (number !== current.number) { return []; }
      var rows = loaded.map(function (data, index) { return itemOrLink(box.dataset.root, data, current.query, some[index].missing); });
      list.append.apply(list, rows);
      more.hidden = current.shown >= current.results.length;
      return rows;
    }

    function summary(query, found) {
      var count = found.results.length;
      var text = count === 0 ? __t("no_results") : __t("results", { count: count });
      if (count && found.results[0].missing && found.results[0].missing.length) {
        text = __t("results_without_all", { results: text });
      }
      return found.query.toLowerCase() === query.toLowerCase() ? text : __t("results_for", { results: text, query: found.query });
    }

    /* What is found, with all that the first results show: some of it may be gone. */
    async function foundBy(query, marks) {
      var found = await index.find(query, marks);
      await Promise.all(found.results.slice(0, PAGE).map(dataOf));
      return found;
    }

    function renew() {
      index = engine(base, "reload");
      done = "";
      hasChoices = false;
      if (isOpened) { offer(); }
    }

    async function run() {
      var query = field.value.trim().replace(/\s+/g, " ").slice(0, 200);
      var marks = filters.map(function (filter) { return filter.value; }).filter(Boolean);
      var wanted = [query].concat(marks).join("\n");
      var number = current.number += 1;
      window.clearTimeout(timer);
      if (wanted === done) {
        box.dataset.state = query || marks.length ? "done" : "empty";
        return;
      }
      if (!query && !marks.length) {
        done = "";
        list.replaceChildren();
        more.hidden = true;
        status.textContent = "";
        box.dataset.state = "empty";
        return;
      }
      box.dataset.state = "busy";
      try {
        var found = await foundBy(query, marks).catch(function () {
          renew(); /* the site may have been built anew since, with other bundles */
          return foundBy(query, marks);
        });
        if (number !== current.number) { return; }
        current = { number: number, query: found.query, results: found.results, shown: 0 };
        var before = Array.from(list.children);
        await show();
        if (number !== current.number) { return; }
        before.forEach(function (row) { row.remove(); });
        more.hidden = current.shown >= current.results.length;
        status.textContent = summary(query, found);
        done = wanted;
        offer();
        box.dataset.state = "done";
        box.dispatchEvent(new CustomEvent("devlog:searched", { bubbles: true, detail: query }));
      } catch (error) {
        if (number !== current.number) { return; }
        done = "";
        list.replaceChildren();
        more.hidden = true;
        status.textContent = __t("search_failed");
        box.dataset.state = "failed";
      }
    }

    function soon() {
      window.clearTimeout(timer);
      box.dataset.state = "busy";
      timer = window.setTimeout(run, 120);
    }

    async function offer() {
      var own = index;
      var known = await own.choices().catch(function () { return null; }); /* reported by the first search */
      if (hasChoices || !known || own !== index) { return; }
      hasChoices = true;
      filters.forEach(function (filter) {
        var chosen = filter.value; /* stays if the site has changed, but still has it */
        filter.length = 1;
        (known[filter.name] || []).forEach(function (choice) {
          var option = element("option", "", choice[0] + " (" + grouped(choice[2]) + ")");
          option.value = choice[1];
          option.selected = choice[1] === chosen;
          filter.append(option);
        });
        filter.closest(".search-filter").hidden = filter.options.length < 3;
      });
    }

    function links() {
      return Array.from(list.querySelectorAll(".search-link"));
    }

    function step(event) {
      var all = links();
      var place = all.indexOf(document.activeElement);
      var inField = document.activeElement === field;
      var dialog = box.closest("dialog");
      if (event.key === "Escape" && inField && dialog && !event.isComposing) {
        field.blur(); /* or it takes what is typed until the next frame, such as the next "/" */
        dialog.close(); /* browsers would empty the field, and some stop at that */
      } else if (event.key === "ArrowDown" && (inField || place >= 0) && all[place + 1]) {
        all[place + 1].focus();
      } else if (event.key === "ArrowUp" && place >= 0) {
        (all[place - 1] || field).focus();
      } else {
        return;
      }
      event.preventDefault();
    }

    field.addEventListener("input", soon);
    document.addEventListener("devlog:change", renew); /* in the preview */
    filters.forEach(function (filter) { filter.addEventListener("change", run); });
    box.addEventListener("keydown", step);
    more.addEventListener("click", async function () {
      var rows = await show();
      if (rows.length) { rows[0].querySelector(".search-link").focus(); }
    });
    box.querySelector(".search-form").addEventListener("submit", async function (event) {
      event.preventDefault();
      await run();
      var first = box.dataset.state === "done" && links()[0];
      if (first && box.closest("dialog")) { first.click(); }
    });

    return {
      start: function (query, isShown) {
        isOpened = true;
        if (query !== undefined) { field.value = query; }
        index.ready().catch(function () { /* reported by the first search */ });
        offer();
        if (field.value) { run(); }
        if (!isShown) {
          field.focus();
          field.select();
        }
      }
    };
  }

  /* ------------------------------------------------------------ opening it */

  function style(box) {
    var href = box.dataset.style;
    if (!href || document.head.querySelector('link[data-search]')) { return Promise.resolve(); }
    return new Promise(function (done) {
      var link = element("link");
      link.rel = "stylesheet";
      link.href = href;
      link.dataset.search = "";
      link.onload = link.onerror = done;
      document.head.append(link);
    });
  }

  async function open(query) {
    var own = document.querySelector(".search-page .search");
    if (own) {
      panel(own).start(query);
      return;
    }
    var dialog = document.querySelector("dialog.search-dialog");
    if (!dialog) { return; }
    var box = dialog.querySelector(".search");
    await style(box);
    if (!dialog.open) { dialog.showModal(); }
    panel(box).start(query);
  }

  function isTyping(target) {
    return target instanceof HTMLElement &&
      (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
  }

  document.addEventListener("keydown", function (event) {
    var slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
    var k = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (event.defaultPrevented || !(slash || k) || !document.querySelector(".search")) { return; }
    event.preventDefault();
    open();
  });

  document.addEventListener("click", function (event) {
    if (!(event.target instanceof Element)) { return; }
    var opener = event.target.closest(".search-open");
    if (opener && !event.ctrlKey && !event.metaKey && !event.shiftKey && document.querySelector(".search")) {
      event.preventDefault();
      open(opener.dataset.query);
      return;
    }
    var dialog = event.target.closest("dialog.search-dialog");
    if (dialog && (event.target === dialog || event.target.closest(".search-close, .search-link"))) { dialog.close(); }
  });

  /* The page that searches: what is asked stands in its address. */
  function startPage() {
    var box = document.querySelector(".search-page .search");
    if (!box) { return; }
    style(box);
    box.addEventListener("devlog:searched", function (event) {
      var address = new URL(window.location.href);
      if (event.detail) { address.searchParams.set("q", event.detail); } else { address.searchParams.delete("q"); }
      window.history.replaceState(window.history.state, "", address);
    });
    var query = new URL(window.location.href).searchParams.get("q");
    if (query) { panel(box).start(query, true); } else { box.addEventListener("focusin", function () { panel(box).start(undefined, true); }, { once: true }); }
  }

  if (document.querySelector("dialog.search-dialog")) { /* what is a link without this script opens a dialog */
    document.querySelectorAll(".search-open").forEach(function (opener) { opener.setAttribute("aria-haspopup", "dialog"); });
  }
  startPage();
})();
