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

  function checkbox(text, name, change) {
    var label = document.createElement("label");
    var box = document.createElement("input");
    box.type = "checkbox";
    box.setAttribute("aria-label", name);
    box.addEventListener("change", function () { change(box.checked); });
    label.append(box, text);
    return label;
  }

  /* The page of a path: a box for each step, how many are read, and a button that forgets all of them. */
  function pathPage(section) {
    var path = section.getAttribute("data-path");
    var steps = Array.from(section.querySelectorAll("[data-post]"));
    var progress = section.querySelector(".path-progress");
    var status = document.createElement("span");
    var reset = document.createElement("button");
    status.setAttribute("role", "status");
    reset.type = "button";
    reset.textContent = __t("start_over");
    progress.append(status, reset);

    function show() {
      var count = 0;
      steps.forEach(function (step) {
        var box = step.querySelector(".path-time input");
        count += box.checked ? 1 : 0;
        step.classList.toggle("is-read", box.checked);
      });
      status.textContent = __t("steps_read", { count: count, total: steps.length });
      reset.hidden = !count;
    }

    function load() {
      steps.forEach(function (step) {
        step.querySelector(".path-time input").checked = isRead(path, step.getAttribute("data-post"));
      });
      show();
    }

    steps.forEach(function (step) {
      var title = step.querySelector("h3 a").textContent;
      step.querySelector(".path-time").append(checkbox(__t("read"), __t("read_named", { post: title }), function (read) {
        setRead(path, step.getAttribute("data-post"), read);
        show();
      }));
    });
    reset.addEventListener("click", function () {
      steps.forEach(function (step) {
        step.querySelector(".path-time input").checked = false;
      });
      store(path, []);
      show();
      steps[0].querySelector(".path-time input").focus(); /* the button goes */
    });
    return load;
  }

  /* A post of a path: a box, which the link to the next step checks, too. */
  function postPage(place) {
    var path = place.getAttribute("data-path");
    var post = place.getAttribute("data-post");
    var next = place.querySelector(".path-next");
    var title = place.querySelector("p a").textContent;
    var line = place.querySelector(".path-read") || place.appendChild(document.createElement("p"));
    var text = __t("mark_as_read");
    line.className = "path-read";
    line.append(checkbox(text, text + ": " + title, function (read) { setRead(path, post, read); }));
    if (next) {
      next.addEventListener("click", function () { setRead(path, post, true); });
    }
    return function () {
      line.querySelector("input").checked = isRead(path, post);
    };
  }

  var loads = Array.from(document.querySelectorAll(".path[data-path]")).map(pathPage)
    .concat(Array.from(document.querySelectorAll(".path-place[data-path]")).map(postPage));

  function loadAll() {
    loads.forEach(function (load) { load(); });
  }

  loadAll();
  window.addEventListener("storage", loadAll);
  window.addEventListener("pageshow", loadAll); /* a page that the browser has kept shows what was read since */
}());
