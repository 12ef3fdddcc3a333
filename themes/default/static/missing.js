/* For the page for what is not there: shows what was asked for, ready to be searched for. */
(() => {
  "use strict";

  function start() {
    const line = document.querySelector(".kind-404 .requested");
    if (!line) {
      return;
    }
    let path = window.location.pathname;
    try {
      path = decodeURI(path);
    } catch (error) {
      /* shown as it came */
    }
    line.querySelector("code").textContent = path;
    const field = document.querySelector(".kind-404 .ask input");
    if (field && !field.value) {
      const last = path.split("/").filter(Boolean).pop() || "";
      field.value = last.replace(/\.html?$|^\d{4}-\d\d-\d\d-/g, "").replace(/[-_+\s]+/g, " ").trim().slice(0, 200);
    }
  }

  start();
  document.addEventListener("devlog:update", start);
})();
