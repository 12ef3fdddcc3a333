/* Links to lines of code: #page.py-L10 in the block with that title, #code-2-L10-L14 in the second block. */
(function () {
  "use strict";

  /* A title stays the name of its block when others come before it. */
  function blocksByName() {
    const blocks = new Map();
    document.querySelectorAll(".prose .code:has(pre code)").forEach((block, index) => {
      const title = block.querySelector(":scope > .code-title");
      const file = title && encodeURIComponent(title.textContent.trim().replace(/^.*\//, "").replace(/\s+/g, "-"));
      blocks.set(file && !blocks.has(file) ? file : `code-${index + 1}`, block);
    });
    return blocks;
  }

  /* The lines of a block; one without numbers and marks has none before they are asked for. From the last to the first,
   * since all that is before a line stays where it is when the line is taken out. */
  function linesOf(block) {
    const code = block.querySelector("code");
    if (!code.querySelector(".line")) {
      const starts = [[code, 0]];
      const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        for (const { index } of texts.currentNode.data.matchAll(/\n/g)) {
          starts.push([texts.currentNode, index + 1]);
        }
      }
      if (code.textContent.endsWith("\n")) {
        starts.pop();
      }
      const lines = starts.reverse().map((start) => {
        const [range, line] = [document.createRange(), document.createElement("span")];
        line.className = "line";
        range.selectNodeContents(code);
        range.setStart(...start);
        line.append(range.extractContents());
        return line;
      });
      code.append(...lines.reverse());
    }
    return [...code.querySelectorAll(".line")];
  }

  function numberOf(line, index) {
    const shown = line.querySelector(".line-number");
    return shown ? Number(shown.textContent) : index + 1;
  }

  /* What the address names: a block, and the first and the last of its lines. */
  function named() {
    const found = /^#(.+?)-L(\d+)(?:-L?(\d+))?$/.exec(location.hash);
    const block = found && !document.getElementById(location.hash.slice(1)) && blocksByName().get(found[1]);
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

  /* A click on a number, or with Alt on a line, puts the line into the address; with Shift, all from the one before. */
  function pick(event) {
    const [number, code] = [event.target.closest(".line-number"), event.target.closest(".prose .code code")];
    if (!code || !(number || event.altKey) || event.target.closest("a")) {
      return;
    }
    const block = code.closest(".code");
    const lines = linesOf(block);
    const at = number
      ? lines.indexOf(number.closest(".line"))
      : lines.findLastIndex((line) => line.getBoundingClientRect().top <= event.clientY);
    const [last, end] = [named(), numberOf(lines[Math.max(at, 0)], Math.max(at, 0))];
    const from = event.shiftKey && last && last.block === block ? last.ends[end < last.ends[0] ? 1 : 0] : end;
    const name = [...blocksByName()].find(([, one]) => one === block)[0];
    const [first, second] = [from, end].sort((a, b) => a - b);
    history.replaceState(history.state, "", `#${name}-L${first}${second > first ? `-L${second}` : ""}`);
    markLines();
  }

  goToLines();
  addEventListener("hashchange", goToLines);
  document.addEventListener("click", pick);
  document.addEventListener("mousedown", (event) => {
    if (event.shiftKey && event.target.closest(".line-number")) {
      event.preventDefault(); /* nothing is selected up to it */
    }
  });
  document.addEventListener("devlog:update", markLines); /* the preview changes pages in place */
})();
