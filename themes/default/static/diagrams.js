// Has diagrams drawn by Mermaid, which the page has loaded before this. A drawing is shown as an image, in which nothing
// runs; the text stays at hand below it. Without scripts, or when Mermaid refuses a text or takes too long, the text is
// what is shown.
(() => {
  "use strict";
  const mermaid = window.mermaid;
  if (!mermaid) return;

  const LONGEST = 10000; // milliseconds in which the diagrams of a page are drawn: the others stay text

  const font = getComputedStyle(document.body).fontFamily;
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    theme: "neutral",
    fontFamily: font,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
  });

  const described = (text) => {
    const title = /^[ \t]*accTitle[ \t]*:[ \t]*(\S.*)$/m.exec(text);
    const description = /^[ \t]*accDescr[ \t]*:[ \t]*(\S.*)$/m.exec(text);
    return [title, description].filter(Boolean).map((found) => found[1].trim()).join(": ");
  };

  // What Mermaid wrote, as a picture of a known size. It is read in a document of its own, where nothing loads or runs.
  const imageOf = (written, alt) => {
    const svg = new DOMParser().parseFromString(written, "text/html").querySelector("svg");
    const view = (svg.getAttribute("viewBox") || "").trim().split(/[\s,]+/).map(Number);
    const image = new Image();
    if (view.length === 4 && view[2] > 0 && view[3] > 0) {
      image.width = Math.ceil(view[2]);
      image.height = Math.ceil(view[3]);
      svg.setAttribute("width", view[2]);
      svg.setAttribute("height", view[3]);
    }
    svg.removeAttribute("style");
    image.alt = alt;
    image.decoding = "async";
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(new XMLSerializer().serializeToString(svg));
    return image;
  };

  // The same picture for each color mode: style.css mirrors the colors of the dark one.
  const inBothModes = (image) => [["only-light"], ["only-dark", "mirrored"]].map((names) => {
    const copy = image.cloneNode();
    copy.classList.add(...names);
    return copy;
  });

  const show = (block, image) => {
    const figure = document.createElement("figure");
    figure.classList.add("diagram", "clear");
    const paper = document.createElement("div");
    paper.className = "diagram-paper";
    paper.append(...inBothModes(image));
    const details = document.createElement("details");
    const summary = document.createElement("summary");
    summary.textContent = __t("diagram_as_text");
    block.replaceWith(figure);
    details.append(summary, block);
    figure.append(paper);
    const caption = document.createElement("figcaption");
    const title = block.querySelector(".code-title");
    if (title) caption.textContent = title.textContent;
    caption.append(details);
    figure.append(caption);
  };

  const draw = async (block, number) => {
    const text = block.querySelector("code.language-mermaid").textContent;
    const title = block.querySelector(".code-title");
    try {
      const { svg } = await mermaid.render(`devlog-diagram-${number}`, text);
      show(block, imageOf(svg, described(text) || (title ? title.textContent : __t("diagram"))));
    } catch (error) {
      console.warn(error);
    }
  };

  const codes = [...document.querySelectorAll(".code code.language-mermaid")];
  const blocks = codes.map((code) => code.closest(".code"));
  const waiting = new Set(blocks.filter((block) => !block.closest("figure.diagram")));
  const near = new Set(); // the blocks in the window, or less than its height away

  // Those near the window come first, and the page answers its reader between two of them.
  const drawAll = async () => {
    const end = performance.now() + LONGEST;
    for (let number = 0; waiting.size && performance.now() < end; number += 1) {
      const [block] = near.size ? near : waiting;
      near.delete(block);
      waiting.delete(block);
      seen.unobserve(block);
      await draw(block, number);
      await new Promise((done) => setTimeout(done));
    }
    seen.disconnect();
  };

  let isDrawing = false;
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting && waiting.has(target)) near.add(target);
      else near.delete(target);
    }
    if (!isDrawing) drawAll();
    isDrawing = true;
  }, { rootMargin: "100%" });
  waiting.forEach((block) => seen.observe(block));
})();
