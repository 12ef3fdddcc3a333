/* Links to lines of code: #page.py-L10 in the block with that title, #code-2-L10-L14 in the second block. */
(function () {
  "use strict";

  const MOST_LINES = 10000; /* an element for each line of a longer text takes browsers seconds: it has no links to lines */

  const textOf = (block) => block.querySelector("code").textContent;
  const isLong = (block) => textOf(block).split("\n").length > MOST_LINES + 1; /* it ends with a line break */

  /* A title stays the name of its block when others come before it. */
  function blocksByName() {
    const blocks = new Map();
    document.querySelectorAll(".prose .code:has(pre code)").forEach((block, index) => {
      const title = block.querySelector(":scope > .code-title");
      const file = title?.textContent.trim().replace(/^.*\//, "").replace(/\s+/g, "-");
      if (!isLong(block)) {
        blocks.set(file && !blocks.has(file) ? file : `code-${index + 1}`, block);
      }
    });
    return blocks;
  }

  /* What is in a node, divided after line breaks: each part is in a copy of the elements around it. */
  function partsOf(node) {
    if (node.nodeType === Node.TEXT_NODE) {
      return (node.data.match(/.*\n|.+/g) || []).map((text) => new Text(text));
    }
    return [...node.childNodes].flatMap(partsOf).map((part) => {
      const copy = node.cloneNode();
      copy.append(part);
      return copy;
    });
  }

  /* The lines of a block; one without numbers and marks has none before they are asked for. */
  function linesOf(block) {
    const code = block.querySelector("code");
    if (!code.querySelector(".line")) {
      const parts = [...code.childNodes].flatMap(partsOf);
      let line = null;
      code.textContent = "";
      parts.forEach((part) => {
        if (!line) {
          line = document.createElement("span");
          line.className = "line";
          code.append(line);
        }
        line.append(part);
        line = part.textContent.endsWith("\n") ? null : line;
      });
    }
    return [...code.querySelectorAll(".line")];
  }

  function numberOf(line, index) {
    const shown = line.querySelector(".line-number");
    return shown ? Number(shown.textContent) : index + 1;
  }

  function decoded(name) {
    try {
      return decodeURIComponent(name);
    } catch {
      return name;
    }
  }

  /* What the address names: a block, and the first and the last of its lines. */
  function named() {
    const found = /^#(.+?)-L(\d+)(?:-L?(\d+))?$/.exec(location.hash);
    const block = found && !document.getElementById(location.hash.slice(1)) && blocksByName().get(decoded(found[1]));
    return block ? { block, ends: [found[2], found[3] || found[2]].map(Number).sort((a, b) => a - b) } : null;
  }

  function markLines() {
    document.querySelectorAll(".line.target").forEach((line) => line.classList.remove("target"));
    const link = named();
    if (!link) {
      return null;
    }
    const [from, to] = link.ends;
    const marked = linesOf(link.block).filter((line, index) => numberOf(line, index) >= from && numberOf(line, index) <= to);
    marked.forEach((line) => line.classList.add("target"));
    return marked[0];
  }

  function goToLines() {
    const line = markLines();
    if (line) {
      line.dispatchEvent(new Event("beforematch", { bubbles: true })); /* it may be in a tab that is not shown */
      line.scrollIntoView({ block: "center" });
      line.closest("pre").scrollLeft = 0; /* a long line begins at its beginning */
    }
  }

  /* The line that was picked last: its block, its place there, and the number of the line that several are picked from. */
  let picked = {};

  /* Puts a line into the address, or all lines from another one. */
  function choose(block, at, from) {
    const line = linesOf(block)[at];
    const end = numberOf(line, at);
    const [first, last] = [from || end, end].sort((a, b) => a - b);
    const name = [...blocksByName()].find(([, one]) => one === block)[0];
    picked = { block, at, from: from || end };
    history.replaceState(history.state, "", `#${encodeURIComponent(name)}-L${first}${last > first ? `-L${last}` : ""}`);
    markLines();
    block.querySelectorAll(".picked").forEach((status) => {
      status.textContent = last > first ? __t("lines_picked", { first, last }) : __t("line_picked", { first });
    });
    return line;
  }

  const isPicking = (block) => block.querySelector(".pick[aria-pressed=true]");

  /* A click on a number, or with Alt on a line, picks the line, and so does any while the block's button is pressed. */
  function pick(event) {
    const [number, code] = [event.target.closest(".line-number"), event.target.closest(".prose .code code")];
    const block = code?.closest(".code");
    if (!code || !(number || event.altKey || isPicking(block)) || event.target.closest("a") || isLong(block)) {
      return;
    }
    const lines = linesOf(block);
    const at = number
      ? lines.indexOf(number.closest(".line"))
      : lines.findLastIndex((line) => line.getBoundingClientRect().top <= event.clientY);
    const [index, last] = [Math.max(at, 0), named()];
    const more = event.shiftKey && last?.block === block;
    choose(block, index, more && last.ends[numberOf(lines[index], index) < last.ends[0] ? 1 : 0]);
  }

  /* While the button is pressed, arrow keys move the line, with Shift the end of several. */
  function move(event) {
    const [{ block, at, from }, step] = [picked, { ArrowUp: -1, ArrowDown: 1 }[event.key]];
    const line = step && block && isPicking(block) && block.contains(event.target) && linesOf(block)[at + step];
    if (line) {
      event.preventDefault();
      choose(block, at + step, event.shiftKey && from).scrollIntoView({ block: "nearest" });
    }
  }

  /* One button for all lines of a block, so that no line stops who goes on with Tab. */
  function addButtons() {
    blocksByName().forEach((block) => {
      const tools = block.querySelector(".code-tools");
      if (!tools || tools.querySelector(".pick") || !/\n./.test(textOf(block))) {
        return;
      }
      const [button, status] = ["button", "span"].map((tag) => document.createElement(tag));
      button.className = "pick";
      button.textContent = __t("pick_line");
      button.title = __t("pick_line_keys");
      button.ariaPressed = "false";
      status.className = "picked";
      status.role = "status";
      button.addEventListener("click", () => {
        button.ariaPressed = !isPicking(block);
        if (isPicking(block) && picked.block !== block) {
          choose(block, 0);
        }
      });
      button.addEventListener("keydown", move);
      tools.prepend(button, status);
    });
  }

  goToLines();
  addButtons();
  addEventListener("hashchange", goToLines);
  document.addEventListener("click", pick);
  document.addEventListener("mousedown", (event) => {
    if (event.shiftKey && event.target.closest(".line-number")) {
      event.preventDefault(); /* nothing is selected up to it */
    }
  });
  /* The preview changes pages in place. */
  document.addEventListener("devlog:update", () => {
    picked = {};
    addButtons();
    markLines();
  });
})();
