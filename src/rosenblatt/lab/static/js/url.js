// The whole experiment as the fragment of an address, and back.

import { LARGEST, LETTERS, MOST_CLASSES, MOST_POINTS } from "./csv.js";
import { startFits } from "./compute/experiment.js";
import { SETTINGS, startFrom, startText } from "./controls/settings.js";
import { DEFAULTS } from "./defaults.js";

const MOST_STEPS = 6000; // further the library does not look
const KNOWN = new Set(["c", "p", "t", "at", "show", "ask", "tour", ...Object.keys(DEFAULTS)]);
const STATIONS = 8;

// What is shown other than at first, a word each: how it is written, and read.
const VIEWS = [
  ["margins", (view) => view.layers.margins, (view) => { view.layers.margins = true; }],
  ["slab", (view) => view.layers.slab, (view) => { view.layers.slab = true; }],
  ["nohulls", (view) => !view.layers.hulls, (view) => { view.layers.hulls = false; }],
  ["numbers", (view) => view.layers.numbers, (view) => { view.layers.numbers = true; }],
  ["planes", (view) => view.seen.planes, (view) => { view.seen.planes = true; }],
  ["surface", (view) => view.seen.surface, (view) => { view.seen.surface = true; }],
  ["once", (view) => !view.twice, (view) => { view.twice = false; }],
  ["projector", (view) => view.projector, (view) => { view.projector = true; }],
];

export function firstView() {
  return {
    layers: { margins: false, slab: false, hulls: true, numbers: false, query: null },
    seen: { planes: false, surface: false }, twice: true, projector: false, station: null,
  };
}

// view: what is shown, as firstView() has it; the model has all of it.
export function toFragment(experiment, at, view = firstView()) {
  const words = new URLSearchParams();
  for (const name of experiment.classes) words.append("c", name);
  words.set("p", experiment.points.map((point) => point.join(",")).join(";"));
  if (experiment.test?.length) words.set("t", experiment.test.map((point) => point.join(",")).join(";"));
  for (const [name, value] of Object.entries(experiment.settings)) {
    if (JSON.stringify(value) === JSON.stringify(DEFAULTS[name])) continue;
    words.set(name, name === "start" ? startText(value) : String(value));
  }
  if (at) words.set("at", String(at));
  const shown = VIEWS.filter(([, on]) => on(view)).map(([name]) => name);
  if (shown.length) words.set("show", shown.join(","));
  if (view.layers.query) words.set("ask", view.layers.query.join(","));
  if (view.station !== null) words.set("tour", String(view.station + 1));
  return words.toString().replaceAll("%2C", ",").replaceAll("%3B", ";");
}

// Throws where the fragment is no experiment; an empty one is null. What it holds beside an
// experiment, or a setting that there is not, is left out and named in ignored.
export function fromFragment(text) {
  const words = new URLSearchParams(text.replace(/^#/, ""));
  if (![...words.keys()].length) return null;
  if (!words.has("p")) throw new Error("The link could not be read: it holds no points.");
  const read = (name) => (words.get(name) ?? "").split(";").filter(Boolean).map((point) => point.split(",").map(asPlace));
  const [points, test] = [read("p"), read("t")];
  const classes = words.getAll("c");
  if (!classes.length) classes.push("−1", "+1");
  checkNames(classes);
  check(points, classes.length);
  check(test, classes.length);
  const settings = {};
  const ignored = [...words.keys()].filter((name) => !KNOWN.has(name));
  for (const setting of SETTINGS.filter(({ name }) => words.has(name))) {
    const value = settingFrom(setting, words.get(setting.name));
    if (value === undefined) ignored.push(`${setting.name}=${words.get(setting.name)}`);
    else settings[setting.name] = value;
  }
  if (settings.start && !startFits({ ...DEFAULTS, ...settings }, classes.length)) ignored.push(`start=${words.get("start")}`);
  return {
    view: viewFrom(words, ignored),
    experiment: { classes, points, settings, ...(test.length && { test }) },
    at: orIgnored(words, "at", ignored, stepFrom) ?? 0,
    ignored,
  };
}

// What a word of the link says; undefined where there is none, or it says nothing that can be.
function orIgnored(words, name, ignored, read) {
  const text = words.get(name);
  if (!text) return undefined;
  try {
    return read(text);
  } catch {
    ignored.push(`${name}=${text}`);
    return undefined;
  }
}

const stepFrom = (text) => Math.min(MOST_STEPS, Math.max(0, Math.round(2 * asNumber(text)) / 2));

function stationFrom(text) {
  const station = asNumber(text);
  if (!Number.isInteger(station) || station < 1 || station > STATIONS) throw new Error("no such station.");
  return station - 1;
}

function queryFrom(text) {
  const place = text.split(",").map(asPlace);
  if (place.length !== 2) throw new Error("a point has two coordinates.");
  return place;
}

function viewFrom(words, ignored) {
  const view = firstView();
  for (const name of (words.get("show") ?? "").split(",").filter(Boolean)) {
    const known = VIEWS.find(([one]) => one === name);
    if (known) known[2](view);
    else ignored.push(name);
  }
  view.layers.query = orIgnored(words, "ask", ignored, queryFrom) ?? null;
  view.station = orIgnored(words, "tour", ignored, stationFrom) ?? null;
  return view;
}

// The value of a setting, undefined where it can have no such value.
function settingFrom(setting, text) {
  if (setting.text) {
    try { return startFrom(text) ?? undefined; } catch { return undefined; }
  }
  if (setting.flag) return ["true", "false"].includes(text) ? text === "true" : undefined;
  if (setting.options) return setting.options.some(([value]) => value === text) ? text : undefined;
  const value = text.trim() === "" ? NaN : Number(text);
  const whole = setting.step !== 1 || Number.isInteger(value);
  return whole && value >= setting.min && value <= setting.max ? value : undefined;
}

function checkNames(classes) {
  const refuse = (reason) => { throw new Error(`The link does not hold an experiment: ${reason}`); };
  if (classes.length < 2 || classes.length > MOST_CLASSES) refuse(`it names ${classes.length} of the 2 to ${MOST_CLASSES} classes.`);
  if (new Set(classes).size < classes.length) refuse("two of its classes have one name.");
  const odd = classes.find((name) => !name || name.length > LETTERS);
  if (odd !== undefined) refuse(`a class's name has 1 to ${LETTERS} letters, not “${odd.slice(0, 20)}…”.`);
}

function check(points, classes) {
  if (points.length > MOST_POINTS) throw new Error(`The lab holds ${MOST_POINTS} points at most.`);
  for (const point of points) {
    const [, , code, joined = 0] = point;
    const known = Number.isInteger(code) && code >= 0 && code < classes && Number.isInteger(joined) && joined >= 0;
    if (point.length < 3 || point.length > 4 || !known) {
      throw new Error(`The link does not hold an experiment: “${point.join(",").slice(0, 30)}” is no point of its classes.`);
    }
  }
}

function asPlace(text) {
  const value = asNumber(text);
  if (Math.abs(value) > LARGEST) throw new Error(`The link holds ${text.slice(0, 30)}; the lab draws numbers up to ${LARGEST.toLocaleString("en")}.`);
  return value;
}

function asNumber(text) {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) {
    throw new Error(`The link does not hold an experiment: “${text.slice(0, 30)}” is no number.`);
  }
  return value;
}
