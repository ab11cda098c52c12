// How numbers are written.

export function number(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return String(value);
  const shown = Number(value.toPrecision(digits));
  const text = Math.abs(shown) >= 1e6 || (shown !== 0 && Math.abs(shown) < 1e-4)
    ? shown.toExponential() : String(shown);
  return text.replace("-", "−");
}

export function vector(values, digits = 4) {
  return `(${values.map((value) => number(value, digits)).join(", ")})`;
}

// A text with numbers as it is shown; a zero has no sign.
export function minus(text) {
  return text.replace(/-0(?![\d.])/g, "0").replaceAll("-", "−");
}

export function plural(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : noun.endsWith("s") ? "es" : "s"}`;
}

// Why a view is empty; words: the reason where all else is known.
export function silence(model, words) {
  if (!model.answer) return "Not computed.";
  return model.experiment.points.length ? words : "No points yet.";
}
