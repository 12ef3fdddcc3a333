/* Light, dark, or as the system says: loaded in the head, and blocking, since the stored choice must be known before the
 * first paint.
 *
 * Everything else that scripts do waits for the document, and stands in files of its own. Pages are complete without.
 */
(function () {
  "use strict";

  var KEY = "devlog-theme";
  var root = document.documentElement;
  var darkSystem = window.matchMedia("(prefers-color-scheme: dark)");

  function stored() {
    var only = root.getAttribute("data-only");
    if (only) {
      return only; /* the site has one mode */
    }
    try {
      var value = window.localStorage.getItem(KEY);
      return value === "dark" || value === "light" ? value : "";
    } catch (error) {
      return ""; /* storage may be forbidden */
    }
  }

  function store(value) {
    try {
      if (value) {
        window.localStorage.setItem(KEY, value);
      } else {
        window.localStorage.removeItem(KEY);
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

  /* An empty choice means: as the system says. Others are told by an event what is shown now. */
  function apply(choice) {
    var shown = choice || system();
    if (choice) {
      root.setAttribute("data-theme", choice);
    } else {
      root.removeAttribute("data-theme");
    }
    document.head.querySelectorAll('meta[name="theme-color"]').forEach(function (meta, index) {
      var own = index === 0 ? "light" : "dark";
      meta.media = choice ? (choice === own ? "all" : "not all") : "(prefers-color-scheme: " + own + ")";
    });
    buttons().forEach(function (button) {
      button.querySelectorAll("[data-mode]").forEach(function (name) {
        name.hidden = name.getAttribute("data-mode") !== choice;
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

  function start() {
    apply(stored());
    buttons().forEach(function (button) {
      button.addEventListener("click", function () {
        var choice = after(root.getAttribute("data-theme") || "");
        store(choice);
        apply(choice);
      });
    });
    darkSystem.addEventListener("change", function () {
      apply(stored());
    });
    window.addEventListener("storage", function (event) {
      if (event.key === KEY) {
        apply(stored());
      }
    });
  }

  root.classList.add("js");
  apply(stored());
  document.addEventListener("DOMContentLoaded", start);
})();
