/* Players of other sites: nothing is asked of them before a reader does. Without this, a link leads there. */
(function () {
  "use strict";

  function play(link) {
    const frame = document.createElement("iframe");
    frame.src = link.dataset.frame;
    frame.title = link.textContent.trim();
    frame.allow = ["autoplay", "encrypted-media", "fullscreen", "picture-in-picture"].join(";");
    frame.allowFullscreen = true;
    frame.referrerPolicy = "strict-origin-when-cross-origin";
    link.parentElement.classList.add("playing");
    link.replaceWith(frame);
    frame.focus();
    return frame;
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest(".embed a[data-frame]");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) {
      return;
    }
    event.preventDefault();
    const frame = play(link);
    /* A policy of the site's own may forbid the frame. */
    document.addEventListener("securitypolicyviolation", (found) => {
      if (found.effectiveDirective === "frame-src" && frame.isConnected) {
        frame.parentElement.classList.remove("playing");
        frame.replaceWith(link);
        location.assign(link.href);
      }
    }, { once: true });
  });
})();
