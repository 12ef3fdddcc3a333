/* For those who read a text: contents that follow, notes beside their marks, pictures at their full size.
 *
 * A page is complete without it. It is deferred, begins again when the preview has changed the page, finds elements by
 * classes inside containers of the theme, and writes text with textContent. What it shows of a text are copies of what
 * stands there.
 */
(() => {
  "use strict";

  const NOTE = "devlog:note";

  /* ---- contents: closed above the text on narrow screens, in the margin and open on wide ones */

  function startContents(signal) {
    const details = document.querySelector(".post > .toc > details");
    if (!details) {
      return;
    }
    const wide = matchMedia("(min-width: 64rem)");
    const summary = details.querySelector("summary");
    const fit = () => {
      details.open = wide.matches;
      summary.tabIndex = wide.matches ? -1 : 0; /* it does nothing where the list is always open */
    };
    if (wide.matches) {
      fit();
    }
    wide.addEventListener("change", fit, { signal });
    details.addEventListener("click", (event) => {
      if (event.target.closest("a") && !wide.matches) {
        details.open = false; /* before the browser goes there, so that it arrives at the right place */
      }
    }, { signal });
    follow(details, signal);
  }

  /* The heading that was passed last is the one being read: passed is what stands in the upper third of the window. */
  function follow(details, signal) {
    const links = [...details.querySelectorAll("a")];
    const headings = links.map((link) => document.getElementById(link.getAttribute("href").slice(1)));
    const footer = document.querySelector(".site-footer");
    let current = null;

    const shown = (heading) => {
      const { top, bottom } = heading.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    };
    const reading = () => {
      const atEnd = footer?.getBoundingClientRect().bottom <= innerHeight + 2;
      const asked = headings.findIndex((heading) => heading?.matches(":target"));
      if (atEnd && asked >= 0 && shown(headings[asked])) {
        return asked; /* the last sections are too short to come up to the top */
      }
      const limit = atEnd ? innerHeight : innerHeight / 3;
      return headings.findLastIndex((heading) => heading?.getBoundingClientRect().top <= limit);
    };
    const mark = () => {
      const link = links[reading()] || null;
      if (link === current) {
        return;
      }
      if (current) {
        current.removeAttribute("aria-current");
      }
      current = link;
      if (link) {
        link.setAttribute("aria-current", "location");
        keepInView(details.parentElement, link);
      }
    };
    const lines = new IntersectionObserver(mark, { rootMargin: "0px 0px -66% 0px" });
    headings.forEach((heading) => heading && lines.observe(heading));
    const end = new IntersectionObserver(mark, { threshold: [0, 1] });
    if (footer) {
      end.observe(footer);
    }
    addEventListener("hashchange", mark, { signal });
    signal.addEventListener("abort", () => {
      lines.disconnect();
      end.disconnect();
      if (current) {
        current.removeAttribute("aria-current");
      }
    });
  }

  /* Only the list scrolls; scrollIntoView could move the page as well. */
  function keepInView(list, link) {
    const outer = list.getBoundingClientRect();
    const inner = link.getBoundingClientRect();
    if (inner.top < outer.top || inner.bottom > outer.bottom) {
      list.scrollTop += inner.top - outer.top - outer.height / 2;
    }
  }

  /* ---- footnotes: shown when their mark is pointed at or focused, or all along in the margin where there is room */

  function startNotes(signal) {
    const post = document.querySelector(".post");
    const marks = post ? [...post.querySelectorAll(".prose .footnote-ref a[href^='#']")] : [];
    if (!marks.length) {
      return;
    }
    const preview = document.createElement("div");
    preview.className = "note-preview";
    preview.id = NOTE;
    preview.setAttribute("role", "tooltip");
    preview.hidden = true;
    document.body.append(preview);
    const margin = startMargin(post, marks, signal);
    let current = null;
    let timer = 0;

    const hide = () => {
      clearTimeout(timer);
      preview.hidden = true;
      if (current) {
        current.removeAttribute("aria-describedby");
        margin.point(current, false);
        current = null;
      }
    };
    const hideSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(hide, 250); /* time to move into the preview */
    };
    const show = (mark) => {
      clearTimeout(timer);
      if (mark === current) {
        return;
      }
      hide();
      const copy = copyOf(mark);
      if (!copy) {
        return;
      }
      current = mark;
      preview.replaceChildren(copy);
      mark.setAttribute("aria-describedby", NOTE);
      if (!margin.point(mark, true)) {
        preview.hidden = false;
        place(preview, mark);
      }
    };

    let tapped = null;
    for (const mark of marks) {
      mark.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && show(mark), { signal });
      mark.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hideSoon(), { signal });
      mark.addEventListener("focus", () => show(mark), { signal });
      mark.addEventListener("blur", hideSoon, { signal });
      mark.addEventListener("pointerdown", () => { tapped = mark === current ? null : mark; }, { signal });
      mark.addEventListener("click", (event) => {
        if (event.pointerType === "touch" && tapped === mark && !margin.has(mark)) {
          event.preventDefault(); /* the first tap shows the note, the second one goes there */
          show(mark);
        } else {
          hide();
        }
      }, { signal });
    }
    preview.addEventListener("pointerenter", () => clearTimeout(timer), { signal });
    preview.addEventListener("pointerleave", hideSoon, { signal });
    document.addEventListener("keydown", (event) => event.key === "Escape" && hide(), { signal });
    document.addEventListener("pointerdown", (event) => {
      if (current && !preview.contains(event.target) && !current.contains(event.target)) {
        hide();
      }
    }, { signal });
    signal.addEventListener("abort", () => {
      hide();
      preview.remove();
    });
  }

  /* What a note says, without the way back and without ids, which are the original's. Keys reach the original only.
     A note that has been copied for another mark, whose link may be spelled in another way, is not copied again. */
  function copyOf(mark, seen = new Set()) {
    const note = document.getElementById(mark.getAttribute("href").slice(1));
    if (!note || seen.has(note) || !note.matches(".footnotes li:not(li li)")) {
      return null;
    }
    seen.add(note);
    const copy = document.createDocumentFragment();
    note.childNodes.forEach((node) => copy.append(node.cloneNode(true)));
    copy.querySelectorAll(".footnote-backref, .code-tools").forEach((element) => element.remove());
    copy.querySelectorAll("[id]").forEach((element) => element.removeAttribute("id"));
    copy.querySelectorAll("a, [tabindex]").forEach((element) => { element.tabIndex = -1; });
    return copy;
  }

  function place(preview, mark) {
    const at = mark.getBoundingClientRect();
    const { width, height } = preview.getBoundingClientRect();
    const page = document.documentElement.clientWidth;
    const left = Math.max(12, Math.min(at.left - 24, page - width - 12));
    const above = at.bottom + 8 + height > innerHeight && at.top > height + 8;
    preview.style.left = `${left + scrollX}px`;
    preview.style.top = `${(above ? at.top - height - 8 : at.bottom + 8) + scrollY}px`;
  }

  /* Notes in the margin: each beside its mark or a little below, never beside code or tables that reach so far. */
  function startMargin(post, marks, signal) {
    const FAR = 480; /* so that several marks in one line have their notes below each other */
    const GAP = 20;
    const room = matchMedia("(min-width: 80rem)");
    const prose = post.querySelector(".prose");
    const notes = new Map();

    const clear = () => {
      notes.forEach((note) => note.remove());
      notes.clear();
    };
    const lay = () => {
      clear();
      if (!room.matches) {
        return;
      }
      const seen = new Set();
      const made = [];
      for (const mark of marks.slice(0, 500)) { /* not more, or a post of footnotes would stop the browser */
        const copy = copyOf(mark, seen);
        if (!copy) {
          continue;
        }
        const note = document.createElement("div");
        note.className = "margin-note";
        note.setAttribute("aria-hidden", "true");
        const number = document.createElement("span");
        number.className = "margin-note-number";
        number.textContent = mark.textContent;
        note.append(number, copy);
        post.append(note);
        made.push([mark, note]);
      }
      /* All is measured before any moves: else the page would be laid out once for each. */
      const { top: base, height: end } = prose.getBoundingClientRect();
      const boxes = made.map((pair) => pair.map((element) => element.getBoundingClientRect()));
      const taken = boxes.length ? blocks(prose, boxes[0][1], base) : [];
      let free = 0;
      made.forEach(([mark, note], index) => {
        const [at, { height }] = boxes[index];
        const wanted = at.top - base;
        const top = clearOf(taken, Math.max(wanted, free), height);
        if (top - wanted > FAR || top + height > end) {
          note.remove(); /* the preview shows it */
          return;
        }
        note.style.cssText = `top:${top}px;max-height:${height}px`; /* what it shows may come later, and be higher */
        free = top + height + GAP;
        notes.set(mark, note);
      });
    };
    const blocks = (parent, box, base) => [...parent.children]
      .map((child) => child.getBoundingClientRect())
      .filter((rect) => rect.right > box.left && rect.left < box.right)
      .map((rect) => [rect.top - base - GAP, rect.bottom - base + GAP]);
    const clearOf = (taken, from, height) => taken.reduce(
      (top, [start, stop]) => (top + height > start && top < stop ? stop : top), from);

    const sizes = new ResizeObserver(lay);
    sizes.observe(prose);
    room.addEventListener("change", lay, { signal });
    signal.addEventListener("abort", () => {
      sizes.disconnect();
      clear();
    });
    return {
      has: (mark) => notes.has(mark),
      point: (mark, on) => {
        notes.get(mark)?.classList.toggle("pointed", on);
        return notes.has(mark);
      },
    };
  }

  /* ---- pictures: those that are larger than they are shown open in a dialog, which keeps the focus by itself */

  function startPictures(signal) {
    for (const image of document.querySelectorAll(".post > .prose img")) {
      if (image.closest("a, button, summary")) {
        continue;
      }
      const offer = () => {
        const full = Math.max(Number(image.getAttribute("width")) || 0, image.naturalWidth);
        if (image.clientWidth < 64 || full < 1.25 * image.clientWidth) {
          return;
        }
        image.classList.add("enlarges");
        image.tabIndex = 0;
        image.setAttribute("role", "button");
        image.setAttribute("aria-haspopup", "dialog");
        image.setAttribute("aria-label", image.alt ? __t("enlarge_named", { image: image.alt }) : __t("enlarge"));
      };
      offer(); /* pictures that tell their size need not be loaded for it */
      image.addEventListener("load", offer, { signal });
    }
    const opened = (event) => event.target.closest && event.target.closest(".post > .prose img.enlarges");
    document.addEventListener("click", (event) => {
      const image = opened(event);
      if (image) {
        enlarge(image);
      }
    }, { signal });
    document.addEventListener("keydown", (event) => {
      const image = opened(event);
      if (image && (event.key === "Enter" || event.key === " ")) {
        event.preventDefault();
        enlarge(image);
      }
    }, { signal });
  }

  function enlarge(image) {
    const dialog = document.createElement("dialog");
    const close = document.createElement("button");
    const picture = (image.closest("picture") || image).cloneNode(true);
    const copy = picture.matches("img") ? picture : picture.querySelector("img");
    const caption = image.closest("figure") && image.closest("figure").querySelector("figcaption");
    dialog.className = "picture";
    dialog.setAttribute("aria-label", image.alt || __t("image"));
    close.type = "button";
    close.textContent = __t("close");
    copy.className = "";
    ["id", "role", "tabindex", "aria-label", "aria-haspopup", "loading"].forEach((name) => copy.removeAttribute(name));
    [copy, ...picture.querySelectorAll("source")].forEach((source) => {
      if (source.srcset) {
        source.sizes = "100vw";
      }
    });
    dialog.append(close, picture);
    const text = caption ? [...caption.childNodes].map((node) => (node.matches?.("details") ? "" : node.textContent)).join("") : image.title;
    if (text) {
      const line = document.createElement("p");
      line.textContent = text;
      dialog.append(line);
    }
    dialog.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }

  let running = null;
  function start() {
    if (running) {
      running.abort();
    }
    running = new AbortController();
    startContents(running.signal);
    startNotes(running.signal);
    startPictures(running.signal);
  }
  start();
  document.addEventListener("devlog:update", start);
})();
