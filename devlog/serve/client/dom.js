/* The DOM's properties and methods as functions that no post can shadow (DOM clobbering).
 *
 * `form.children` may be a form field of that name, and `document.body` may be an image named "body". So properties of
 * nodes that posts can contain are never read directly. */

const free = (method) => Function.prototype.call.bind(method);
const method = (type, name) => free(type.prototype[name]);
const getter = (type, name) => free(Object.getOwnPropertyDescriptor(type.prototype, name).get);

export const parentOf = getter(Node, "parentNode");
export const firstOf = getter(Node, "firstChild");
export const nextOf = getter(Node, "nextSibling");
export const previousOf = getter(Node, "previousSibling");
export const nameOf = getter(Node, "nodeName");
export const textOf = getter(Node, "textContent");
export const isConnected = getter(Node, "isConnected");
export const contains = method(Node, "contains");
export const isEqual = method(Node, "isEqualNode");
export const insert = method(Node, "insertBefore");

const childNodes = getter(Node, "childNodes");
const removeChild = method(Node, "removeChild");
export const kidsOf = (node) => [...childNodes(node)];
export const remove = (node) => parentOf(node) && removeChild(parentOf(node), node);

/* The child of `parent` that is or contains a node, which a script may have wrapped. */
export function within(parent, node) {
  let at = node;
  while (at && parentOf(at) !== parent) {
    at = parentOf(at);
  }
  return at;
}

export const elementsOf = getter(Element, "children");
export const htmlOf = getter(Element, "outerHTML");
const elementBox = method(Element, "getBoundingClientRect");
export const matches = method(Element, "matches");
export const attribute = method(Element, "getAttribute");
export const attributeNames = method(Element, "getAttributeNames");
export const setAttribute = method(Element, "setAttribute");
export const removeAttribute = method(Element, "removeAttribute");
const attributeNode = method(Element, "getAttributeNode");
const setAttributeNode = method(Element, "setAttributeNode");
const querySelectorAll = method(Element, "querySelectorAll");
export const all = (element, selector) => [...querySelectorAll(element, selector)];

export const rootOf = getter(Document, "documentElement");
export const bodyOf = getter(Document, "body");
const createElement = method(Document, "createElement");
const createRange = method(Document, "createRange");
const createTreeWalker = method(Document, "createTreeWalker");
const importNode = method(Document, "importNode");
export const imported = (node) => importNode(document, node, true);

export function commentsOf(node) {
  const found = [];
  for (const walk = createTreeWalker(document, node, NodeFilter.SHOW_COMMENT); walk.nextNode();) {
    found.push(walk.currentNode);
  }
  return found;
}

export const isElement = (node) => node instanceof Element;
export const isText = (node) => node instanceof Text;
export const isComment = (node) => node instanceof Comment;
export const isBlank = (node) => isText(node) && !node.data.trim();

export function boxOf(node) {
  if (isElement(node)) {
    return elementBox(node);
  }
  const range = createRange(document);
  range.selectNodeContents(node);
  return range.getBoundingClientRect();
}

/* Copies the attribute node, since parsers allow names that `setAttribute` rejects. */
export function copyAttribute(to, from, name) {
  const found = attributeNode(from, name);
  if (found) {
    setAttributeNode(to, found.cloneNode());
  } else {
    removeAttribute(to, name);
  }
}

/* Creates an element. Strings never become markup: `append` converts everything but nodes to text. */
export function made(name, attributes = {}, ...children) {
  const element = createElement(document, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

export const warn = (error) => console.warn("devlog:", error);

/* Wraps a function so that its errors are only logged, and do not affect the page. */
export const guarded = (action) => (...values) => {
  try {
    return action(...values);
  } catch (error) {
    return warn(error);
  }
};
