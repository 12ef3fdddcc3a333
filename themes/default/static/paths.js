/* What a reader has read of a reading path. It stays in the browser, and pages are complete without.
 *
 * Each path has a key in the storage, whose value is the list of the URLs of the posts that were read: steps that move
 * stay read.
 */
(function () {
  "use strict";

  var PREFIX = "devlog-path:";
  var MOST = 500;

  function stored(path) {
    try {
      var value = JSON.parse(window.localStorage.getItem(PREFIX + path));
      return Array.isArray(value) ? value.filter(function (item) { return typeof item === "string"; }).slice(0, MOST) : [];
    } catch (error) {
      return []; /* storage may be forbidden, or hold something else */
    }
  }

  function store(path, urls) {
    try {
      if (urls.length) {
        window.localStorage.setItem(PREFIX + path, JSON.stringify(urls.slice(0, MOST)));
      } else {
        window.localStorage.removeItem(PREFIX + path);
      }
    } catch (error) {
      /* what was read is then known on this page only */
    }
  }

  function isRead(path, post) {
    return stored(path).indexOf(post) >= 0;
  }

  function setRead(path, post, read) {
    var urls = stored(path).filter(function (url) { return url !== post; });
    store(path, read ? urls.concat(post) : urls);
  }

  /* Whether a step, or a post on a path, is stored as read. */
  function isStored(item) {
    return isRead(item.closest("[data-path]").dataset.path, item.dataset.post);
  }

  function keep(item, read) {
    setRead(item.closest("[data-path]").dataset.path, item.dataset.post, read);
  }

  /* The box of a step, or of a post on a path: it is added if there is none. */
  function addBox(item, place, text, name, shown) {
    var box = place.querySelector("input");
    if (!box) {
      var label = document.createElement("label");
      box = document.createElement("input");
      box.type = "checkbox";
      box.checked = isStored(item);
      box.addEventListener("change", function () {
        keep(item, box.checked);
        shown();
      });
      label.append(box, text);
      place.append(label);
    }
    box.setAttribute("aria-label", name);
  }

  function stepsOf(section) {
    return Array.from(section.querySelectorAll("[data-post]"));
  }

  function show(section) {
    var steps = stepsOf(section);
    var progress = section.querySelector(".path-progress");
    var count = 0;
    steps.forEach(function (step) {
      var box = step.querySelector(".path-time input");
      count += box.checked ? 1 : 0;
      step.classList.toggle("is-read", box.checked);
    });
    progress.querySelector("span").textContent = __t("steps_read", { count: count, total: steps.length });
    progress.querySelector("button").hidden = !count;
  }

  /* The page of a path: a box for each step, how many are read, and a button that forgets all of them. */
  function pathPage(section) {
    var progress = section.querySelector(".path-progress");
    stepsOf(section).forEach(function (step) {
      var name = __t("read_named", { post: step.querySelector("h3 a").textContent });
      addBox(step, step.querySelector(".path-time"), __t("read"), name, function () { show(section); });
    });
    if (!progress.firstChild) {
      var status = document.createElement("span");
      var reset = document.createElement("button");
      status.setAttribute("role", "status");
      reset.type = "button";
      reset.textContent = __t("start_over");
      reset.addEventListener("click", function () {
        var boxes = section.querySelectorAll(".path-time input");
        boxes.forEach(function (box) { box.checked = false; });
        store(section.dataset.path, []);
        show(section);
        boxes[0].focus(); /* the button goes */
      });
      progress.append(status, reset);
    }
    show(section);
  }

  /* A post of a path: a box, which the link to the next step checks, too. */
  function postPage(place) {
    var text = __t("mark_as_read");
    var line = place.querySelector(".path-read") || place.appendChild(document.createElement("p"));
    line.className = "path-read";
    addBox(place, line, text, text + ": " + place.querySelector("p a").textContent, function () {});
  }

  function start() {
    document.querySelectorAll(".path[data-path]").forEach(pathPage);
    document.querySelectorAll(".path-place[data-path]").forEach(postPage);
  }

  function load() {
    document.querySelectorAll(".path-time input, .path-read input").forEach(function (box) {
      box.checked = isStored(box.closest("[data-post]"));
    });
    document.querySelectorAll(".path[data-path]").forEach(show);
  }

  start();
  document.addEventListener("click", function (event) {
    var next = event.target instanceof Element && event.target.closest(".path-place[data-path] .path-next");
    if (next) {
      keep(next.closest(".path-place"), true);
    }
  });
  window.addEventListener("storage", load);
  window.addEventListener("pageshow", load); /* a page that the browser has kept shows what was read since */
  document.addEventListener("devlog:update", start); /* the preview changes pages in place, and brings new steps */
}());
