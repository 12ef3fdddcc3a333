/* Buttons of code blocks, one for the whole text, and alternatives as tabs: without it, all of them are shown. */
(function () {
  "use strict";

  const MOST_TABS = 100; /* more are no choice, and take browsers the square of the time */
  const MARK = "\u0000"; /* no text of a page can hold it */

  function made(tag, name) {
    const element = document.createElement(tag);
    element.className = name;
    return element;
  }

  function button(name, text) {
    const element = made("button", name);
    element.type = "button";
    element.textContent = text;
    return element;
  }

  /* ---- what is copied */

  const removeAll = (root, selector) => root.querySelectorAll(selector).forEach((found) => found.remove());

  /* Of a session, what was typed: lines behind a prompt, and those that a backslash goes on with. */
  function typed(code) {
    code.querySelectorAll(".gp").forEach((prompt) => {
      prompt.textContent = prompt.textContent.replace(/[^\n]+/g, MARK);
    });
    let goesOn = false;
    const lines = code.textContent.split("\n").filter((line) => {
      const kept = goesOn || line.includes(MARK);
      goesOn = kept && /\\$/.test(line);
      return kept;
    });
    return lines.map((line) => line.slice(line.lastIndexOf(MARK) + 1)).join("\n");
  }

  /* Of changed code, what it is now: a patch, which has no language of its own, is copied whole. */
  function codeText(block) {
    const code = block.querySelector("pre code").cloneNode(true);
    removeAll(code, ".line-number, .sign");
    if (block.matches(".diff")) {
      removeAll(code, ".line.deleted, .line.meta");
    }
    return code.querySelector(".gp") ? typed(code) : code.textContent.replace(/\n$/, "");
  }

  /* ---- buttons */

  function copies(copy, write) {
    const label = copy.textContent;
    let timer = 0;
    function say(text) {
      copy.textContent = text;
      clearTimeout(timer);
      timer = setTimeout(() => { copy.textContent = label; }, 2000);
    }
    copy.ariaLive = "polite";
    copy.addEventListener("click", () => {
      write().then(() => say(__t("copied")), () => say(__t("not_copied")));
    });
    return copy;
  }

  /* The text is on its way while the clipboard waits: one that is written later is refused by some browsers. */
  async function copyTwin(url) {
    const text = fetch(url).then((answer) => (answer.ok ? answer.text() : Promise.reject()));
    const item = new ClipboardItem({ "text/plain": text.then((made) => new Blob([made], { type: "text/plain" })) });
    return Promise.all([text, navigator.clipboard.write([item])]);
  }

  /* The button stands in the page from the beginning, so that nothing moves when this script comes. */
  function startTwin() {
    const copy = document.querySelector(".copy-all:not([aria-live])");
    if (copy && navigator.clipboard) {
      copies(copy, () => copyTwin(copy.previousElementSibling.href));
    } else if (copy) {
      copy.style.visibility = "hidden";
    }
  }

  const isLong = (pre) => pre.scrollWidth > pre.clientWidth;

  /* All are measured before any changes: else the page would be laid out once for each. */
  const sizes = new ResizeObserver((entries) => entries
    .map(({ target }) => [target.closest(".code:has(.wrap-lines)"), isLong(target)])
    .forEach(([block, long]) => block && fit(block, long))); /* the preview may have taken a text out of its block */

  /* The button is there where a line is too long, and as long as lines are broken. */
  function fit(block, long) {
    const wrap = block.querySelector(".wrap-lines");
    const wraps = block.classList.contains("wrap");
    wrap.hidden = !wraps && !long;
    wrap.ariaPressed = wraps;
  }

  function wrapButton(block, pre) {
    const wrap = button("wrap-lines", __t("wrap"));
    wrap.hidden = true;
    wrap.addEventListener("click", () => {
      block.classList.toggle("wrap");
      fit(block, isLong(pre));
    });
    sizes.observe(pre);
    return wrap;
  }

  function startCode() {
    document.querySelectorAll(".prose .code").forEach((block) => {
      const pre = block.querySelector("pre");
      if (!pre?.querySelector("code") || block.querySelector(".code-tools")) {
        return;
      }
      const tools = made("div", "code-tools");
      tools.append(wrapButton(block, pre));
      if (navigator.clipboard) {
        tools.append(copies(button("copy", __t("copy")), () => navigator.clipboard.writeText(codeText(block))));
      }
      block.append(tools);
    });
  }

  /* ---- tabs */

  const groups = [];
  let count = 0;

  function show(group, index) {
    group.panels.forEach((panel, at) => {
      const chosen = at === index;
      const tab = group.tabs[at];
      tab.ariaSelected = chosen;
      tab.tabIndex = chosen ? 0 : -1;
      panel.hidden = !chosen && "until-found"; /* what is searched for on the page is found all the same */
    });
  }

  /* Who has chosen once has chosen for every group that has this alternative; what was pressed stays where it is. */
  function choose(tab) {
    const top = tab.getBoundingClientRect().top;
    groups.forEach((group) => {
      const own = group.tabs.indexOf(tab);
      const index = own >= 0 ? own : group.tabs.findIndex((other) => other.textContent === tab.textContent);
      if (index >= 0) {
        show(group, index);
      }
    });
    scrollBy(0, tab.getBoundingClientRect().top - top);
  }

  function move(group, event) {
    const all = group.tabs.length;
    const at = group.tabs.indexOf(event.target);
    const step = getComputedStyle(event.target).direction === "rtl" ? -1 : 1;
    const to = { ArrowRight: (at + all + step) % all, ArrowLeft: (at + all - step) % all, Home: 0, End: all - 1 }[event.key];
    if (to !== undefined && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      group.tabs[to].focus();
      choose(group.tabs[to]);
    }
  }

  function addTab(group, list, panel) {
    const tab = button("tab-button", panel.querySelector(":scope > .tab-title").textContent);
    tab.id = "devlog:tab-" + (count += 1);
    panel.id = panel.id || tab.id + "-panel";
    tab.role = "tab";
    tab.setAttribute("aria-controls", panel.id);
    tab.addEventListener("click", () => choose(tab));
    panel.role = "tabpanel";
    panel.setAttribute("aria-labelledby", tab.id);
    group.tabs.push(tab);
    list.append(tab);
  }

  function startTabs() {
    groups.length = 0; /* the preview may have changed some: what is shown stays */
    document.querySelectorAll(".prose .tabs").forEach((box) => {
      removeAll(box, ":scope > .tab-list");
      const panels = [...box.children].filter((kid) => kid.matches(".tab") && kid.querySelector(":scope > .tab-title"));
      const whole = panels.length > 1 && panels.length === box.children.length && panels.length < MOST_TABS;
      box.classList.toggle("ready", whole);
      box.classList.toggle("apart", !whole);
      if (!whole) {
        return;
      }
      const list = made("div", "tab-list");
      const group = { panels, tabs: [] };
      list.role = "tablist";
      panels.forEach((panel) => addTab(group, list, panel));
      list.addEventListener("keydown", (event) => move(group, event));
      groups.push(group);
      box.prepend(list);
      show(group, Math.max(0, panels.findIndex((panel) => !panel.hidden)));
    });
    reveal();
  }

  /* A link may lead into an alternative that is not shown, and a search on the page as well. */
  function reveal(event) {
    const target = event?.type === "beforematch" ? event.target : document.querySelector(".tab[hidden] :target");
    const panel = target?.closest(".tab[hidden]");
    const group = groups.find((one) => one.panels.includes(panel));
    if (group) {
      choose(group.tabs[group.panels.indexOf(panel)]);
      target.scrollIntoView();
    }
  }

  function start() {
    startCode();
    startTwin();
    startTabs();
  }

  start();
  addEventListener("hashchange", reveal);
  addEventListener("beforematch", reveal);
  /* The preview changes pages in place: new code wants its buttons. */
  document.addEventListener("devlog:update", start);
})();
