/* The error overlay: a panel for errors, a badge for less urgent problems, and a note if the connection is lost. */

import { all, made } from "./dom.js";
import { editorLink, hostOf } from "./look.js";
import { root } from "./page.js";

const STYLE = `
  :host { block-size: var(--room, 0) !important; position: relative !important; z-index: 2147483001 !important; }
  .panel {
    position: fixed; inset: auto 0 0; display: flex; flex-direction: column; max-height: 58vh; max-height: 58dvh;
    background: var(--paper); color: var(--ink); border-block-start: 3px solid var(--tone);
    box-shadow: 0 -2px 20px rgb(0 0 0 / 0.1); font: 15px/1.5 var(--sans);
  }
  .head, .list, .more { width: 100%; max-width: 76rem; margin-inline: auto; padding-inline: 18px; }
  @media (min-width: 48rem) { .head, .list, .more { padding-inline: 32px; } }
  .head { display: flex; align-items: center; gap: 12px; padding-block: 8px; }
  .count { font-weight: 650; color: var(--tone); }
  .note { flex: 1; color: var(--soft); font-size: 13px; }
  @media (max-width: 40rem) { .note { display: none; } }
  .close {
    display: grid; place-items: center; width: 32px; height: 32px; margin-inline: auto -8px; border: 0;
    border-radius: 6px; background: none; color: var(--soft); font-size: 22px; line-height: 1; cursor: pointer;
  }
  .close:hover { background: var(--code); color: var(--ink); }
  .scroll { overflow: auto; overscroll-behavior: contain; border-block-start: 1px solid var(--rule); }
  .scroll:focus-visible { outline-offset: -2px; }
  .list { list-style: none; padding-block-end: 10px; }
  .problem { padding-block: 12px 14px; }
  .problem + .problem { border-block-start: 1px solid var(--rule); }
  .where { display: flex; flex-wrap: wrap; gap: 0 12px; font: 12.5px/1.6 var(--mono); color: var(--soft); }
  .severity { color: var(--tone); font-weight: 700; }
  .path { color: var(--soft); unicode-bidi: isolate; }
  a.path { color: var(--ink); text-decoration: underline; text-decoration-color: var(--soft); text-decoration-thickness: 1px; text-underline-offset: 3px; }
  a.path:hover { text-decoration-thickness: 2px; }
  .message { margin-block-start: 2px; font-weight: 600; text-wrap: pretty; white-space: pre-line; }
  .frame {
    display: grid; grid-template-columns: auto minmax(0, 1fr); margin-block-start: 8px; border-radius: 5px;
    overflow: hidden; background: var(--code); font: 13px/1.6 var(--mono);
  }
  .line { padding: 6px 10px; border-inline-end: 1px solid var(--rule); color: var(--soft); user-select: none; }
  .source { padding: 6px 12px; white-space: pre-wrap; tab-size: 4; unicode-bidi: isolate; }
  mark {
    border-radius: 2px; background: color-mix(in srgb, var(--tone) 20%, transparent); color: inherit;
    box-shadow: 0 2px 0 var(--tone); -webkit-box-decoration-break: clone; box-decoration-break: clone;
  }
  .hint { margin-block-start: 7px; color: var(--soft); font-size: 14px; white-space: pre-line; }
  .hint b { font-weight: 600; color: var(--ink); }
  .more { padding-block: 12px 16px; border-block-start: 1px solid var(--rule); color: var(--soft); font-size: 14px; }
  .badge, .lost {
    position: fixed; inset-block-end: calc(var(--room, 0px) + 16px); border: 0; border-radius: 99px;
    background: var(--paper); box-shadow: var(--lift); font: 13px/1 var(--sans);
  }
  .badge {
    inset-inline-end: 16px; display: flex; align-items: center; gap: 8px; padding: 10px 14px 10px 12px;
    color: var(--ink); font-weight: 600; cursor: pointer;
  }
  .badge:hover { background: var(--code); }
  .badge::before { content: ""; width: 8px; height: 8px; border-radius: 50%; background: var(--tone); }
  .lost { inset-inline-start: 16px; padding: 9px 13px; color: var(--soft); }
  .quiet { position: fixed; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;

const SHOWN = 50; /* the maximum number of problems */
const BEFORE = 60; /* how many characters of a long line are shown before the problem, and from it on */
const AFTER = 120;
const WORDS = { error: "error", warning: "warning", info: "note" }; /* the worst first */

const parts = {
  count: made("h2", { class: "count", id: "count" }),
  note: made("p", { class: "note" }, "Showing the last successful build."),
  close: made("button", { class: "close", type: "button", "aria-label": "Close" }, "×"),
  scroll: made("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Problems" }),
  badge: made("button", { type: "button", hidden: "" }),
  lost: made("p", { class: "lost", role: "status", hidden: "" }, "Connection lost, trying again"),
  quiet: made("p", { class: "quiet", "aria-live": "polite" }),
};
const head = made("div", { class: "head" }, parts.count, parts.note, parts.close);
const panel = made("section", { role: "alertdialog", "aria-labelledby": "count", hidden: "" }, head, parts.scroll);
const host = hostOf("devlog-overlay", STYLE, panel, parts.badge, parts.lost, parts.quiet);

let shown = "[]"; /* the last reported problems and their counts, as JSON; this without any */

export function start() {
  root.append(host);
  parts.close.addEventListener("click", () => open(false));
  parts.badge.addEventListener("click", () => {
    open(true);
    parts.close.focus();
  });
  /* A dialog that is open above the panel takes the key: browsers close it only after this event. */
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && !panel.hidden && !all(root, "dialog:modal").length) {
      open(false);
    }
  });
  new ResizeObserver(() => host.style.setProperty("--room", `${room()}px`)).observe(panel);
}

/* The panel's height, which is added to the page, so that its end can be scrolled into view above the panel. */
export const room = () => panel.offsetHeight;

export const setLost = (is) => {
  parts.lost.hidden = !is;
};

/* Closing the panel moves the focus from inside it to the badge. */
function open(is) {
  const wasInside = panel.contains(host.shadowRoot.activeElement);
  panel.hidden = !is;
  parts.badge.hidden = is || shown === "[]";
  if (wasInside && !is) {
    parts.badge.focus();
  }
}

/* The first problems, and how many there are of each severity. */
export function report(problems, counts) {
  const now = problems.length ? JSON.stringify([problems, counts]) : "[]";
  if (now === shown) {
    return;
  }
  shown = now;
  const { count, note, scroll, badge, quiet } = parts;
  const worst = Object.keys(WORDS).find((severity) => problems.some((one) => one.severity === severity)) || "";
  count.textContent = badge.textContent = quiet.textContent = counted(counts);
  badge.className = `badge ${worst}`;
  panel.className = `panel ${worst}`;
  note.hidden = worst !== "error";
  scroll.replaceChildren(made("ul", { class: "list" }, ...problems.slice(0, SHOWN).map(problemItem)));
  const more = Object.values(counts).reduce((sum, count) => sum + count, 0) - SHOWN;
  if (more > 0) {
    scroll.append(made("p", { class: "more" }, `and ${more} more: run “devlog build”`));
  }
  scroll.scrollTop = 0;
  open(worst === "error" || (Boolean(worst) && !panel.hidden));
}

function counted(counts) {
  return Object.entries(WORDS)
    .map(([severity, word]) => [counts[severity], word])
    .filter(([count]) => count)
    .map(([count, word]) => `${count} ${word}${count === 1 ? "" : "s"}`)
    .join(", ");
}

function problemItem({ severity, code, message, path, line, column, hint, frame, length, editor }) {
  const place = [path, ...(line ? [line] : []), ...(line && column ? [column] : [])].join(":");
  const link = editorLink(editor);
  const item = made("li", { class: `problem ${severity}` },
    made("p", { class: "where" },
      made("span", { class: "severity" }, severity),
      made("span", {}, code),
      made(link ? "a" : "span", { class: "path", ...(link && { href: link }) }, place)),
    made("p", { class: "message" }, message));
  if (frame) {
    const source = made("code", { class: "source" }, ...sourceLine([...frame], column, length));
    item.append(made("div", { class: "frame" }, made("span", { class: "line" }, line || ""), source));
  }
  if (hint) {
    item.append(made("p", { class: "hint" }, made("b", {}, "Hint: "), hint));
  }
  return item;
}

/* The source line with the problem marked. Columns count characters, not UTF-16 code units. */
function sourceLine(characters, column, length) {
  const cut = (from, to) => characters.slice(from, to).join("");
  const all = characters.length;
  const start = Math.min(Math.max(column - 1, 0), all);
  const first = all > BEFORE + AFTER ? Math.max(0, start - BEFORE) : 0;
  const last = Math.min(all, Math.max(first + BEFORE + AFTER, start + 1));
  const end = Math.min(start + Math.max(length, 1), last);
  const [before, after] = [first ? "…" : "", last < all ? "…" : ""];
  if (column < 1) {
    return [cut(first, last) + after];
  }
  return [before + cut(first, start), made("mark", {}, cut(start, end) || "\u00a0"), cut(end, last) + after];
}
