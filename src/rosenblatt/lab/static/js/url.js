// The whole experiment as the fragment of an address, and back.

import { MOST_POINTS } from "./csv.js";
import { SETTINGS } from "./controls/settings.js";
import { DEFAULTS } from "./model.js";

const MOST_STEPS = 6000; // further the library does not look
const KNOWN = new Set(["c", "p", "at", ...Object.keys(DEFAULTS)]);

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

// Throws where the fragment is no experiment; an empty one is null. What it holds beside an
// experiment, or a setting that there is not, is left out and named in ignored.
export function fromFragment(text) {
  const words = new URLSearchParams(text.replace(/^#/, ""));
  if (![...words.keys()].length) return null;
  if (!words.has("p")) throw new Error("The link could not be read: it holds no points.");
  const points = words.get("p").split(";").filter(Boolean).map((point) =>
    point.split(",").map(asNumber));
  const classes = words.getAll("c");
  if (!classes.length) classes.push("−1", "+1");
  check(points, classes.length);
  const settings = {};
  const ignored = [...words.keys()].filter((name) => !KNOWN.has(name));
  for (const setting of SETTINGS.filter(({ name }) => words.has(name))) {
    const value = settingFrom(setting, words.get(setting.name));
    if (value === undefined) ignored.push(`${setting.name}=${words.get(setting.name)}`);
    else settings[setting.name] = value;
  }
  return {
    experiment: { classes, points, settings },
    at: words.has("at") ? Math.min(MOST_STEPS, Math.max(0, Math.round(asNumber(words.get("at"))))) : 0,
    ignored,
  };
}

// The value of a setting, undefined where it can have no such value.
function settingFrom(setting, text) {
  if (setting.text) return text.split(",").map(asNumber);
  if (setting.flag) return ["true", "false"].includes(text) ? text === "true" : undefined;
  if (setting.options) return setting.options.some(([value]) => value === text) ? text : undefined;
  const value = asNumber(text);
  const whole = setting.step !== 1 || Number.isInteger(value);
  return whole && value >= setting.min && value <= setting.max ? value : undefined;
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
