// Elements, made without HTML strings: text is always textContent.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("aria-") && typeof value === "boolean") node.setAttribute(name, String(value));
    else if (value === null || value === undefined || value === false) continue;
    else if (name === "on") {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (name === "text") node.textContent = value;
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : value);
  }
  return node;
}

// A button with a name; its hint is what it does, in one line.
export function button(name, action, attributes) {
  return el("button", { type: "button", text: name, on: { click: action }, ...attributes });
}

let counter = 0;
export function freshId(prefix) {
  counter += 1;
  return `rb-${prefix}-${counter}`;
}

// A card: a section with a heading, tools beside it, and a body.
export function card(title, name, ...tools) {
  const id = freshId(name);
  const bar = el("div", { class: "tools" }, ...tools);
  const body = el("div", { class: "body" });
  const heading = el("h2", { id, text: title });
  const root = el(
    "section",
    { class: `card ${name}`, "aria-labelledby": id },
    el("div", { class: "head" }, heading, bar),
    body,
  );
  return { root, body, bar, heading };
}

// A switch that is pressed or not.
export function toggle(name, pressed, action, hint) {
  const node = button(name, () => {
    const now = node.getAttribute("aria-pressed") !== "true";
    node.setAttribute("aria-pressed", now);
    action(now);
  }, { class: "toggle", "aria-pressed": pressed, title: hint });
  return node;
}
