// Has diagrams drawn by Mermaid, which the page has loaded before this. A drawing is shown as an image, in which nothing
// runs; the text stays at hand below it. Without scripts, or when Mermaid refuses a text or takes too long, the text is
// what is shown.
(() => {
  "use strict";
  const mermaid = window.mermaid;
  if (!mermaid) return;

  // Milliseconds after which a drawing ends, and no other diagram of a page is begun: the rest stays text.
  const LONGEST = 10000;
  // A drawing can be ended only where it measures something, and kinds of diagrams take the square of the time or more.
  const MOST_CHARACTERS = 20000;
  const MOST_LINES = 500;
  const MOST_EDGES = 150;
  const LONGEST_WORD = 500; // each is wrapped letter by letter, if the text says how wide lines are
  const times = (text, pattern) => text.split(pattern).length - 1;
  const breaks = (text) => times(text, "\n");
  // Every relation has one of these. Those of entities may be words: “one or more to many”. How many of each there are,
  // such as "0..*", has none.
  const RELATION = /<?[-.]{2,}>?|->|<-|={2,}|~{3,}|(?:\b(?:one|zero|more|many|1)|[+)|{}]o?)\s*(?:optionally\s+)?to\b/i;
  const relations = (text) => times(text.replace(/"\w{1,9}\.\.[\w*]{1,9}"/g, ""), RELATION);
  // What lays things out does not measure meanwhile. The time grows with how many ranks the relations span, thus with the
  // square of their number, and where places are found step by step even faster. Of flowcharts, Mermaid counts the edges.
  const LAID_OUT = [
    ["(?:class|state|er)Diagram|requirement|usecase", relations, 120],
    ["swimlane", (text) => relations(text) + times(text, "&") ** 2, 24],
    ["mindmap", breaks, 250],
    ["venn", breaks, 50],
  ];
  // Where a text says its kind: after directives, comments and settings.
  const hasKind = (text, kinds) => new RegExp(`(?:^|%%|\\})\\s*(?:${kinds})`, "m").test(text);
  // A few kinds make as many things as a number says: no such diagram needs a thousand.
  const isLarge = (text) =>
    text.length > MOST_CHARACTERS || breaks(text) >= MOST_LINES || new RegExp(`\\S{${LONGEST_WORD}}`).test(text) ||
    (hasKind(text, "block|packet") && /\d{4}/.test(text)) ||
    LAID_OUT.some(([kinds, count, most]) => hasKind(text, kinds) && count(text) > most);

  const font = getComputedStyle(document.body).fontFamily;
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    theme: "neutral",
    fontFamily: font,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    maxTextSize: MOST_CHARACTERS,
    maxEdges: MOST_EDGES,
    suppressErrorRendering: true,
    // What a text cannot set for itself: what Mermaid protects, styles, which apply where it draws, the look: by hand, a box
    // of any size is filled line by line, without a measurement; and the layout: the limits above are those of its kind.
    secure: [
      "secure", "securityLevel", "startOnLoad", "maxTextSize", "maxEdges", "suppressErrorRendering",
      "themeCSS", "fontFamily", "altFontFamily", "look", "layout",
    ],
  });

  const MEASUREMENTS = [
    [Element.prototype, "getBoundingClientRect"],
    [SVGGraphicsElement.prototype, "getBBox"],
    [SVGTextContentElement.prototype, "getComputedTextLength"],
  ];

  // Whatever a text makes a drawing do, nearly all kinds measure each thing that they draw. From its time on, that fails.
  // What Mermaid measures is in the box, or in an image of its own below the page; what others measure is not.
  const limited = async (box, work) => {
    const end = performance.now() + LONGEST;
    const isDrawn = (element) => {
      const image = element.ownerSVGElement || element;
      return box.contains(element) || (image.localName === "svg" && image.parentNode === document.body);
    };
    const originals = MEASUREMENTS.map(([owner, name]) => owner[name]);
    MEASUREMENTS.forEach(([owner, name], index) => {
      owner[name] = function (...given) {
        if (performance.now() > end && isDrawn(this)) throw new RangeError("too-long");
        return originals[index].apply(this, given);
      };
    });
    try {
      return await work();
    } finally {
      MEASUREMENTS.forEach(([owner, name], index) => { owner[name] = originals[index]; });
    }
  };

  // Mermaid draws in the page and finds what it draws by an id. Where that is, nothing is seen or laid over the page, and
  // all is removed at the end. No post has the id, which nobody can guess.
  const unguessable = `devlog-diagram-${Math.random().toString(36).slice(2)}`;
  const drawn = async (number, text) => {
    if (isLarge(text)) throw new RangeError("too-large");
    const box = document.createElement("div");
    box.inert = true;
    box.style.cssText = "position:absolute;top:0;left:0;width:100%;height:0;overflow:hidden;visibility:hidden;contain:strict";
    document.body.append(box);
    try {
      return (await limited(box, () => mermaid.render(`${unguessable}-${number}`, text, box))).svg;
    } finally {
      box.remove();
    }
  };

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

  const own = new Set(); // the figures of drawings
  const tried = new WeakMap(); // what was drawn of a block, or refused

  // The text stays at hand in the figure; a figure that is there already shows the new drawing.
  const show = (block, image) => {
    const title = block.querySelector(".code-title");
    let figure = block.closest("figure.diagram");
    if (figure) {
      figure.querySelector(".diagram-paper").replaceChildren(...inBothModes(image));
      figure.querySelector("figcaption").firstChild.data = title ? title.textContent : "";
      return;
    }
    figure = document.createElement("figure");
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
    caption.append(new Text(title ? title.textContent : ""), details);
    figure.append(caption);
    own.add(figure);
  };

  const showText = (figure, block) => {
    own.delete(figure);
    figure.replaceWith(...(block ? [block] : []));
  };

  const codeOf = (block) => block.querySelector("code.language-mermaid");
  const partsOf = (block) => [".code-title", "code.language-mermaid"].map((part) => block.querySelector(part)?.textContent);
  const keyOf = (block) => JSON.stringify(partsOf(block));

  const draw = async (block, number) => {
    const key = keyOf(block);
    const [title, text] = partsOf(block);
    const isStill = () => block.isConnected && codeOf(block) && keyOf(block) === key;
    tried.set(block, key);
    try {
      const svg = await drawn(number, text);
      if (isStill()) show(block, imageOf(svg, described(text) || title || __t("diagram")));
    } catch (error) {
      console.warn(error);
      const figure = block.closest("figure.diagram");
      if (figure && isStill()) showText(figure, block);
    }
  };

  const waiting = new Set();
  const near = new Set(); // the blocks in the window, or less than its height away
  let count = 0;
  let end = 0;
  let isDrawing = false;

  const forget = (block) => {
    near.delete(block);
    waiting.delete(block);
    seen.unobserve(block);
  };

  // Those near the window come first, and the page answers its reader between two of them.
  const drawAll = async () => {
    isDrawing = true;
    end = performance.now() + LONGEST;
    while (waiting.size && performance.now() < end) {
      const [block] = near.size ? near : waiting;
      forget(block);
      if (block.isConnected && codeOf(block)) {
        await draw(block, count);
        count += 1;
        await new Promise((done) => setTimeout(done));
      }
    }
    waiting.forEach(forget);
    isDrawing = false;
  };

  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting && waiting.has(target)) near.add(target);
      else near.delete(target);
    }
    if (waiting.size && !isDrawing) drawAll();
  }, { rootMargin: "100%" });

  // In the preview, texts change, come and go in a page that stays: only what differs is drawn again.
  const start = () => {
    for (const figure of own) {
      const block = figure.querySelector(".code");
      if (!block || !codeOf(block)) showText(figure, block);
    }
    end = performance.now() + LONGEST;
    for (const code of document.querySelectorAll(".code code.language-mermaid")) {
      const block = code.closest(".code");
      const figure = block.closest("figure.diagram");
      if ((!figure || own.has(figure)) && tried.get(block) !== keyOf(block)) {
        waiting.add(block);
        seen.observe(block);
      }
    }
  };

  start();
  document.addEventListener("devlog:update", start);
})();
