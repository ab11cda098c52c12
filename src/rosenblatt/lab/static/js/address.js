// The address follows the lab, and the lab a changed address.

import { fromFragment, toFragment } from "./url.js";

export const linkOf = (model) => toFragment(model.experiment, model.place, model);

export function follow(model, fragment, { say, tour }) {
  const load = () => {
    try {
      const found = fromFragment(fragment.get());
      if (found?.ignored.length) say(`The link asks for ${found.ignored.join(", ").slice(0, 80)}, which the lab does not know; the rest is here.`);
      if (!found || toFragment(found.experiment, found.at, found.view) === linkOf(model)) return;
      const { layers, seen, twice, projector, station } = found.view;
      if (station !== null) tour.open(station);
      model.load(found.experiment, found.at);
      Object.assign(model, { twice, projector });
      model.show(layers);
      model.see(seen);
      model.emit("view");
    } catch (error) { say(error.message); }
  };
  let waiting = null;
  const write = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => fragment.set(linkOf(model)), 250);
  };
  load();
  model.past = [];
  model.on("experiment at answer layers seen view", write);
  fragment.changed(load);
}
