/* Light, dark, or as the system says: loaded in the head, and blocking, since the stored choice must be known before the
 * first paint.
 *
 * Everything else that scripts do waits for the document, and stands in files of its own. Pages are complete without.
 */
(function () {
  "use strict";

  var KEY = "devlog-theme";
  var root = document.documentElement;
  var darkSystem = matchMedia("(prefers-color-scheme: dark)");

  function stored() {
    var only = root.dataset.only;
    if (only) {
      return only; /* the site has one mode */
    }
    try {
      var value = localStorage.getItem(KEY);
      return value === "dark" || value === "light" ? value : "";
    } catch (error) {
      return ""; /* storage may be forbidden */
    }
  }

  function store(value) {
    try {
      if (value) {
        localStorage.setItem(KEY, value);
      } else {
        localStorage.removeItem(KEY);
      }
    } catch (error) {
      /* the choice then lasts for this page */
    }
  }

  function system() {
    return darkSystem.matches ? "dark" : "light";
  }

  function buttons() {
    return document.querySelectorAll(".site-header .theme-switch");
  }

  /* An empty choice means: as the system says. An event tells others what is shown now. */
  function apply(choice) {
    var shown = choice || system();
    if (choice) {
      root.dataset.theme = choice;
    } else {
      delete root.dataset.theme;
    }
    document.head.querySelectorAll('meta[name="theme-color"]').forEach(function (meta, index) {
      var own = index === 0 ? "light" : "dark";
      meta.media = choice ? (choice === own ? "all" : "not all") : "(prefers-color-scheme: " + own + ")";
    });
    buttons().forEach(function (button) {
      button.onclick = press;
      button.querySelectorAll("[data-mode]").forEach(function (name) {
        name.hidden = name.dataset.mode !== choice;
        if (!name.hidden) {
          button.title = name.textContent;
        }
      });
    });
    document.dispatchEvent(new CustomEvent("devlog:theme", { detail: shown }));
  }

  /* The first step from the system's mode is to the other one, so that each press shows that something happens. */
  function after(choice) {
    var other = system() === "dark" ? "light" : "dark";
    return choice === "" ? other : choice === other ? system() : "";
  }

  function follow() {
    apply(stored());
  }

  function press() {
    var choice = after(root.dataset.theme || "");
    store(choice);
    apply(choice);
  }

  function start() {
    follow();
    darkSystem.addEventListener("change", follow);
    addEventListener("storage", function (event) {
      if (event.key === KEY) {
        follow();
      }
    });
    document.addEventListener("devlog:update", follow); /* the preview changes pages in place */
  }

  root.classList.add("js");
  follow();
  document.addEventListener("DOMContentLoaded", start);
})();
