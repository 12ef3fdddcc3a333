/* Light or dark, copy buttons, and what was asked for on the 404 page. The pages are complete without it.
 *
 * It is loaded in the head and blocks: the stored choice must be known before the first paint. The rest waits
 * for the document. Elements are found by classes inside containers of the theme, never by ids, which a post
 * could define too, and text is only ever written with textContent.
 */
(function () {
  "use strict";

  var KEY = "devlog-theme";
  var root = document.documentElement;
  var darkSystem = window.matchMedia("(prefers-color-scheme: dark)");

  function stored() {
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

  /* An empty choice means: as the system says. */
  function apply(choice) {
    if (choice) {
      root.setAttribute("data-theme", choice);
    } else {
      root.removeAttribute("data-theme");
    }
    document.head.querySelectorAll('meta[name="theme-color"]').forEach(function (meta, index) {
      var own = index === 0 ? "light" : "dark";
      meta.media = choice ? (choice === own ? "all" : "not all") : "(prefers-color-scheme: " + own + ")";
    });
    document.querySelectorAll(".site-header .theme-switch").forEach(function (button) {
      button.setAttribute("aria-pressed", String((choice || system()) === "dark"));
    });
  }

  function startSwitch() {
    apply(stored());
    document.querySelectorAll(".site-header .theme-switch").forEach(function (button) {
      button.addEventListener("click", function () {
        var shown = root.getAttribute("data-theme") || system();
        var wanted = shown === "dark" ? "light" : "dark";
        var choice = wanted === system() ? "" : wanted;
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

  function codeText(block) {
    var copy = block.querySelector("pre code").cloneNode(true);
    copy.querySelectorAll(".line-number").forEach(function (number) {
      number.remove();
    });
    return copy.textContent.replace(/\n$/, "");
  }

  function startCopy() {
    if (!navigator.clipboard) {
      return;
    }
    document.querySelectorAll(".prose .code").forEach(function (block) {
      if (!block.querySelector("pre code") || block.querySelector(".copy")) {
        return;
      }
      var button = document.createElement("button");
      var timer = 0;
      function say(text) {
        button.textContent = text;
        window.clearTimeout(timer);
        timer = window.setTimeout(function () {
          button.textContent = "Copy";
        }, 2000);
      }
      button.type = "button";
      button.className = "copy";
      button.setAttribute("aria-live", "polite");
      button.textContent = "Copy";
      button.addEventListener("click", function () {
        navigator.clipboard.writeText(codeText(block)).then(
          function () { say("Copied"); },
          function () { say("Not copied"); }
        );
      });
      block.appendChild(button);
    });
  }

  /* Browsers that cannot hold a closed <details> open by style get it opened on wide screens. */
  function startContents() {
    var wide = window.matchMedia("(min-width: 64rem)");
    document.querySelectorAll(".post > .toc > details").forEach(function (details) {
      function fit() {
        details.open = wide.matches;
      }
      fit();
      wide.addEventListener("change", fit);
    });
  }

  function startRequested() {
    var line = document.querySelector(".kind-404 .requested");
    if (!line) {
      return;
    }
    var path = window.location.pathname;
    try {
      path = decodeURI(path);
    } catch (error) {
      /* shown as it came */
    }
    line.querySelector("code").textContent = path;
    line.hidden = false;
  }

  root.classList.add("js");
  apply(stored());
  document.addEventListener("DOMContentLoaded", function () {
    startSwitch();
    startCopy();
    startContents();
    startRequested();
  });
  /* The preview changes pages in place: new code wants its button. */
  document.addEventListener("devlog:update", startCopy);
})();
