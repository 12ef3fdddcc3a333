"""What stands in for Mermaid in tests."""

from __future__ import annotations

# Stands in for Mermaid: it writes what that writes, HTML inside of SVG included, and refuses some texts. A text that is
# "endless" takes a second for each measurement: in its box, below the page, or in the page, where Mermaid has nothing.
MERMAID = """
window.calls = [];
window.drawn = [];
window.measured = { box: 0, body: 0, page: 0 };
let late = 0;
const now = performance.now.bind(performance);
performance.now = () => now() + late;
window.mermaid = {
  initialize(options) { window.calls.push(options); },
  async render(id, text, box) {
    if (text.includes("wrong")) throw new Error("Parse error on line 1");
    window.drawn.push(text.trim());
    if (text.includes("slow")) late += 4000;
    const [, place] = /endless in ([a-z]+)/.exec(text) || [];
    if (place) {
      const image = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      const line = image.appendChild(document.createElementNS(image.namespaceURI, "text"));
      ({ box, body: document.body, page: document.querySelector("main") })[place].append(image);
      try {
        for (const name of ["getBBox", "getComputedTextLength", "getBoundingClientRect"]) {
          for (let number = 0; number < 50; number += 1) {
            late += 1000;
            line[name]();
            window.measured[place] += 1;
          }
        }
      } finally {
        image.remove();
      }
    }
    const harm = "<script>window.ran = 1</script><image href='x' onerror='window.ran = 1'/>";
    const attack = text.includes("attack") ? harm : "";
    return { svg: `<svg id="${id}" width="100%" style="max-width: 120.5px" viewBox="0 0 120.5 60"
      xmlns="http://www.w3.org/2000/svg">${attack}<rect width="120" height="60" fill="#eef"/>
      <text y="20">a<br>b &nbsp; c</text></svg>` };
  },
};
"""
