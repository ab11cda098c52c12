// The page: the lab, its experiment in the address; or a lesson, if the file holds one.

import { lesson } from "./lesson.js";
import { mount } from "./mount.js";

// A wrong line to begin with.
const BEGINNING = {
  classes: ["−1", "+1"],
  points: [[3, 1, 1], [1.5, -3, 1], [1.5, 4, 1], [-1.5, 4.5, 0], [-1.5, -1, 0], [2.5, 2.5, 1], [-1, -4, 0], [-3.5, -3.5, 0]],
  settings: { start: [1, -2, 2] },
};

// Where an address bar holds what the page shows.
export const addressBar = {
  get: () => location.hash,
  set: (text) => history.replaceState(null, "", `#${text}`),
  link: (text) => `${location.href.split("#")[0]}#${text}`,
  changed: (listener) => addEventListener("hashchange", listener),
};

export function begin(page) {
  const root = page.getElementById("lab");
  const { content, broken } = read(page);
  if (content) lesson(page, root, content);
  else mount(root, { points: BEGINNING, fragment: addressBar, demo: !location.hash, notice: broken });
}

// The lesson of the file, if it holds one that can be shown: files are edited by hand, too.
function read(page) {
  try {
    const content = JSON.parse(page.getElementById("content").textContent);
    const texts = page.querySelectorAll("template").length;
    const isText = (value) => value === undefined || typeof value === "string";
    const whole = content === null || (Array.isArray(content.pages) && content.pages.length > 0 && content.pages.length === texts
      && content.pages.every((one) => isText(one?.title) && isText(one?.fragment)));
    if (whole) return { content };
  } catch { /* said below */ }
  return { content: null, broken: "The lesson in this file could not be read: its list of pages is damaged. Here is the lab without it." };
}
