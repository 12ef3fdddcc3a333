/* The styles of the preview's own elements, which are outside the body, in shadow trees that the page's styles do not
 * reach. */

import { made } from "./dom.js";

/* The elements are children of <html> and inherit the theme's light or dark mode by `color-scheme`. The custom
 * properties are set inside the shadow tree, since a page may set properties of these names on any element that it can
 * reach. */
const LOOK = `
  :host {
    all: initial !important; color-scheme: inherit !important; overflow-wrap: anywhere !important;
    direction: ltr !important; display: block !important;
  }
  :host > * {
    --paper: light-dark(#fdfdfc, #1b1f21); --ink: light-dark(#1d2224, #e6eaea); --soft: light-dark(#596064, #a3adb0);
    --rule: light-dark(#dfe2e2, #363d40); --code: light-dark(#f3f4f3, #24292c);
    --error: light-dark(#b3261e, #ff9b8f); --warning: light-dark(#855300, #f0b95c); --info: light-dark(#23619e, #8fc1f5);
    --lift: 0 0 0 1px var(--rule), 0 6px 28px rgb(0 0 0 / 0.16);
    --sans: -apple-system, "Segoe UI", "Noto Sans", Roboto, Ubuntu, "Helvetica Neue", Arial, sans-serif;
    --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  }
  * { box-sizing: border-box; margin: 0; padding: 0; font: inherit; color: inherit; }
  [hidden] { display: none !important; }
  :focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
  .error { --tone: var(--error); } .warning { --tone: var(--warning); } .info { --tone: var(--info); }
  @media print { :host { display: none !important; } }
`;

/* Creates an element with a shadow tree. Its name is never registered as a custom element, so that an element of this
 * name in a post does nothing. */
export function hostOf(name, style, ...children) {
  const host = made(name);
  const shadow = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(LOOK + style);
  shadow.adoptedStyleSheets = [sheet];
  shadow.append(...children);
  return host;
}

/* The URL if it may open an editor, else "": URLs that run or show their own content are rejected. */
export function editorLink(url) {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(url) || [];
  return scheme && !/^(javascript|data|vbscript|blob|about|file|filesystem)$/i.test(scheme) ? url : "";
}
