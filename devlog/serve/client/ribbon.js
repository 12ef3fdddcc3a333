/* A ribbon above an unpublished page that says why it is not published. */

import { bodyOf, made } from "./dom.js";
import { hostOf } from "./look.js";
import { facts, root } from "./page.js";

const STYLE = `
  :host { position: relative !important; z-index: 2147483000 !important; }
  p {
    padding: 5px 16px; background: light-dark(#f7e6bd, #453611); color: light-dark(#4b3500, #ffe2a0);
    text-align: center; font: 600 13px/18px var(--sans);
  }
  .expired { background: light-dark(#e3e5e4, #363c3e); color: light-dark(#3b3f41, #dfe4e4); }
`;

const line = made("p", { role: "note" });
const ribbon = hostOf("devlog-ribbon", STYLE, line);

export function showRibbon() {
  const { state, note } = facts;
  if (!state) {
    ribbon.remove();
    return;
  }
  const joint = /^\d/.test(note) ? " " : ": ";
  const text = note.toLowerCase().startsWith(state) ? note : state + (note && joint + note);
  line.className = state;
  line.textContent = text[0].toUpperCase() + text.slice(1);
  root.insertBefore(ribbon, bodyOf(document)); /* before the body, it takes its own space and covers nothing */
}
