// The whole experiment as the fragment of an address, and back.

import { MOST_POINTS } from "./csv.js";
import { DEFAULTS } from "./model.js";

const NUMBERS = ["eta", "delta", "batch", "seed", "max_passes"];
const FLAGS = ["bias", "product"];

export function toFragment(experiment, at) {
  const words = new URLSearchParams();
  for (const name of experiment.classes) words.append("c", name);
  words.set("p", experiment.points.map((point) => point.join(",")).join(";"));
  for (const [name, value] of Object.entries(experiment.settings)) {
    if (JSON.stringify(value) === JSON.stringify(DEFAULTS[name])) continue;
    words.set(name, name === "start" ? value.join(",") : String(value));
  }
  if (at) words.set("at", String(at));
  return words.toString().replaceAll("%2C", ",").replaceAll("%3B", ";");
}

// Throws where the fragment is no experiment; an empty one is null.
export function fromFragment(text) {
  const words = new URLSearchParams(text.replace(/^#/, ""));
  if (!words.has("p")) return null;
  const points = words.get("p").split(";").filter(Boolean).map((point) =>
    point.split(",").map(asNumber));
  const classes = words.getAll("c");
  if (!classes.length) classes.push("−1", "+1");
  check(points, classes.length);
  const settings = {};
  for (const [name, value] of words) {
    if (!(name in DEFAULTS)) continue;
    if (name === "start") settings[name] = value.split(",").map(asNumber);
    else if (NUMBERS.includes(name)) settings[name] = asNumber(value);
    else if (FLAGS.includes(name)) settings[name] = value === "true";
    else settings[name] = value;
  }
  return {
    experiment: { classes, points, settings },
    at: words.has("at") ? Math.max(0, Math.round(asNumber(words.get("at")))) : 0,
  };
}

// What could not even be drawn; all else the library refuses with a reason.
function check(points, classes) {
  if (points.length > MOST_POINTS) throw new Error(`The lab holds ${MOST_POINTS} points at most.`);
  for (const point of points) {
    const known = Number.isInteger(point[2]) && point[2] >= 0 && point[2] < classes;
    if (point.length < 3 || point.length > 4 || !known) {
      throw new Error(`The link does not hold an experiment: “${point.join(",").slice(0, 30)}” is no point of its classes.`);
    }
  }
}

function asNumber(text) {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) {
    throw new Error(`The link does not hold an experiment: “${text.slice(0, 30)}” is no number.`);
  }
  return value;
}
