// The page: the lab over HTTP, and its experiment in the address.

import { mount } from "./mount.js";
import { server } from "./server.js";

const transport = {
  ...server,
  fragment: {
    get: () => location.hash,
    set: (text) => history.replaceState(null, "", `#${text}`),
    link: (text) => `${location.origin}${location.pathname}#${text}`,
    changed: (listener) => addEventListener("hashchange", listener),
  },
};

const BEGINNING = {
  classes: ["−1", "+1"], points: [[3, 0.5, 1], [-1, 3, 1], [1.5, 2, 1], [0.5, -3, 0], [-3, 2.5, 0]], settings: {},
};

mount(document.getElementById("lab"), { points: BEGINNING, transport });
