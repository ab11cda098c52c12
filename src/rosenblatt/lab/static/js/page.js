// The page: the lab over HTTP, and its experiment in the address.

import { mount } from "./mount.js";

async function ask(path, body) {
  const response = await fetch(path, body && {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  });
  if (response.ok) return response;
  const said = await response.json().catch(() => ({}));
  throw new Error(said.error ?? `The lab answered ${response.status}.`);
}

const transport = {
  compute: async (experiment) => (await ask("api/experiment", experiment)).json(),
  presets: async () => (await ask("api/presets")).json(),
  gif: async (experiment) => (await ask("api/gif", experiment)).blob(),
  fragment: {
    get: () => location.hash,
    set: (text) => history.replaceState(null, "", `#${text}`),
    link: (text) => `${location.origin}${location.pathname}#${text}`,
    changed: (listener) => addEventListener("hashchange", listener),
  },
};

const BEGINNING = {
  classes: ["−1", "+1"],
  points: [
    [3, 3, 1], [2.5, 3.25, 1], [-2.5, 3.25, 1], [1.5, -3, 0], [2.5, 1.5, 1], [1.5, 1.25, 1], [-1, -0.25, 0],
    [-1, -3.25, 0], [4, -3, 0], [-1, -3.5, 0], [-1.25, 0.5, 0], [0, 2.25, 1], [3.75, -0.75, 1], [-0.25, 2.5, 1],
  ],
  settings: {},
};

mount(document.getElementById("lab"), { points: BEGINNING, transport });
