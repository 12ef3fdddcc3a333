/* Comments in the page: without it, a link leads to them. Nothing is asked of anybody else before a reader wants it. */
(function () {
  "use strict";

  const SESSION = "giscus-session"; /* where giscus's own script keeps it too */
  const REFUSED = /Bad credentials|Invalid state value|State has expired/;
  const TALLEST = 100000;

  /* Wherever a theme has it, but never what a post brings itself. */
  const box = [...document.querySelectorAll(".comments[data-frame]")].find((found) => !found.closest(".prose"));
  if (!box) {
    return;
  }
  const { provider, origin, load } = box.dataset;
  const isGiscus = provider === "giscus";
  const root = document.documentElement;
  const darkSystem = window.matchMedia("(prefers-color-scheme: dark)");
  let frame = null;
  let isLoaded = false;

  const theme = () => root.dataset.theme || (darkSystem.matches ? "dark" : "light");

  /* ---- who has signed in: storage may be forbidden, then it lasts for this page */

  let session = "";

  function keep(value) {
    session = value;
    try {
      if (value) {
        localStorage.setItem(SESSION, JSON.stringify(value));
      } else {
        localStorage.removeItem(SESSION);
      }
    } catch { /* as said */ }
  }

  function kept() {
    try {
      const value = JSON.parse(localStorage.getItem(SESSION) || '""');
      return typeof value === "string" ? value : "";
    } catch {
      return "";
    }
  }

  /* The address of this page, to which giscus comes back with a session after signing in. */
  function takeSession() {
    const here = new URL(location.href);
    const fresh = here.searchParams.get("giscus") || "";
    if (here.searchParams.has("giscus")) {
      here.searchParams.delete("giscus");
      history.replaceState(history.state, "", here.href);
    }
    if (fresh) {
      keep(fresh);
    } else {
      session = kept();
    }
    return fresh !== "";
  }

  /* ---- the frame */

  function source() {
    const url = new URL(box.dataset.frame);
    if (isGiscus) {
      const here = new URL(location.href);
      here.hash = "";
      const description = document.querySelector('meta[name="description"]');
      url.searchParams.set("origin", here.href);
      url.searchParams.set("backLink", here.href);
      url.searchParams.set("description", description ? description.content : "");
      url.searchParams.set("session", session);
      url.searchParams.set("theme", theme());
    }
    return url.href;
  }

  function show() {
    if (frame) {
      return;
    }
    frame = document.createElement("iframe");
    frame.className = "comments-frame";
    frame.title = __t("comments");
    frame.referrerPolicy = "strict-origin-when-cross-origin";
    frame.src = source();
    frame.addEventListener("load", () => {
      isLoaded = true;
      follow(); /* the choice may have changed meanwhile */
    });
    box.append(frame);
  }

  function follow() {
    if (isLoaded && isGiscus) {
      frame.contentWindow.postMessage({ giscus: { setConfig: { theme: theme() } } }, origin);
    }
  }

  function resize(height) {
    if (typeof height === "number" && height > 0 && height < TALLEST) {
      frame.style.height = `${Math.ceil(height)}px`;
    }
  }

  function fromGiscus(said) {
    resize(said.resizeHeight);
    const isRefused = typeof said.error === "string" && REFUSED.test(said.error) && session !== "";
    if (said.signOut || isRefused) {
      keep("");
      isLoaded = false;
      frame.src = source();
    }
  }

  function fromDiscourse(said) {
    if (said.type === "discourse-resize") {
      resize(said.height);
    } else if (said.type === "discourse-scroll" && typeof said.top === "number") {
      window.scrollTo({ top: window.scrollY + frame.getBoundingClientRect().top + said.top });
    }
  }

  window.addEventListener("message", (event) => {
    if (!frame || event.origin !== origin || event.source !== frame.contentWindow || !event.data) {
      return;
    }
    if (!isGiscus) {
      fromDiscourse(event.data);
    } else if (event.data.giscus) {
      fromGiscus(event.data.giscus);
    }
  });

  /* ---- when it is wanted */

  /* The button stands in the page from the beginning, so that nothing moves when this script comes. */
  function offer() {
    box.addEventListener("click", (event) => {
      const ask = event.target.closest(".comments-ask");
      if (ask && event.target.closest("button")) {
        show();
        ask.remove();
        frame.focus();
      }
    });
  }

  function showWhenSeen() {
    const seen = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) {
        seen.disconnect();
        show();
      }
    }, { rootMargin: "200px" });
    seen.observe(box);
  }

  if (isGiscus && takeSession()) {
    box.querySelector(".comments-ask")?.remove();
    show();
  } else if (load === "scroll") {
    showWhenSeen();
  } else {
    offer();
  }
  document.addEventListener("devlog:theme", follow);
})();
