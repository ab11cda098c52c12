// Reading and writing CSV: the text as rows of cells, which columns may be chosen, and the points.

import { Random } from "./compute/random.js";

export const MOST_BYTES = 2_000_000;
export const MOST_POINTS = 500;
export const MOST_CLASSES = 5;
export const LARGEST = 1e6; // of a coordinate
export const LETTERS = 40; // of a class's name
const SAMPLE = 30; // lines by which the separator is guessed
const SEPARATORS = ["\t", ";", "|", ",", " "]; // a comma may be a decimal one, a blank part of a cell
const MISSING = new Set(["", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A"]); // as the library's readers

export const TOO_LARGE = "The text is larger than 2 MB. Take fewer rows; the command rosenblatt report reads files of any size.";

// Cells in quotes may hold separators, quotes (doubled) and line breaks (RFC 4180).
export function parse(text) {
  if (text.length > MOST_BYTES) throw new Error(TOO_LARGE);
  if (text.includes("\0")) throw new Error("This is no text in UTF-8. Save it as CSV in UTF-8; the command rosenblatt report reads Parquet and svmlight too.");
  const whole = text.replace(/^\uFEFF/, "");
  const source = whole.includes("\n") ? whole : whole.replaceAll("\r", "\n");
  return records(source, guess(source));
}

function records(source, separator, most = Infinity) {
  const rows = [];
  let row = [];
  let cell = "";
  let quoted = false;
  for (let k = 0; k < source.length && rows.length < most; k += 1) {
    const letter = source[k];
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (source[k + 1] === '"') { cell += '"'; k += 1; } else quoted = false;
    } else if (letter === '"' && cell === "") quoted = true;
    else if (letter === separator) { row.push(cell); cell = ""; }
    else if (letter === "\n") { rows.push([...row, cell.replace(/\r$/, "")]); row = []; cell = ""; }
    else cell += letter;
  }
  if (rows.length < most && (cell !== "" || row.length)) rows.push([...row, cell.replace(/\r$/, "")]);
  return rows.filter((cells) => cells.some((text) => text.trim() !== ""));
}

// The separator under which most lines have as many cells as the first, three at least.
function guess(source) {
  const score = (mark) => {
    const rows = records(source, mark, SAMPLE);
    const wide = rows[0]?.length ?? 0;
    return wide < 3 ? 0 : rows.filter((row) => row.length === wide).length;
  };
  const scores = SEPARATORS.map(score);
  const best = Math.max(...scores);
  return best ? SEPARATORS[scores.indexOf(best)] : ",";
}

const isMissing = (text) => MISSING.has((text ?? "").trim());

// The number in a cell, or NaN; "decimal" is what stands before its fraction.
function numberOf(text, decimal) {
  const plain = (text ?? "").trim().replace("−", "-").replace(decimal, ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
}

const isNumeric = (cells, decimal) => cells.some((text) => !isMissing(text))
  && cells.every((text) => isMissing(text) || !Number.isNaN(numberOf(text, decimal)));

// A table: its columns, each with its name and whether it holds numbers; its rows; how it is written.
export function columnsOf(rows) {
  if (rows.length < 1) throw new Error("There are no rows in this text. Paste lines such as 1.5, 2, yes.");
  const wide = Math.max(...rows.map((row) => row.length));
  if (wide < 3) {
    throw new Error(`A table needs three columns at least, two of numbers and a label; this has ${wide}. `
      + "Separate them by commas, semicolons, tabs or bars.");
  }
  const column = (list, k) => list.map((row) => row[k] ?? "");
  const commas = rows.flat().some((text) => /^\s*[+−-]?\d+,\d+\s*$/.test(text));
  const points = rows.flat().some((text) => /^\s*[+−-]?\d+\.\d+\s*$/.test(text));
  const decimal = commas && !points ? "," : ".";
  const all = Array.from({ length: wide }, (_, k) => k);
  const below = rows.slice(1);
  const named = (k) => !isMissing(rows[0][k]) && Number.isNaN(numberOf(rows[0][k], decimal));
  // A heading is a word above numbers; where there are none, words all along.
  const headed = all.some((k) => named(k) && isNumeric(column(below, k), decimal))
    || !all.some((k) => !Number.isNaN(numberOf(rows[0][k], decimal)) || isNumeric(column(below, k), decimal));
  const body = headed ? below : rows;
  if (!body.length) throw new Error("There are no rows below the heading. Paste the rows too.");
  const columns = all.map((k) => {
    const cells = column(body, k);
    const values = new Set(cells.filter((text) => !isMissing(text)).map((text) => text.trim()));
    const numeric = isNumeric(cells, decimal);
    return {
      name: (headed && rows[0][k]?.trim()) || `column ${k + 1}`, numeric, values: values.size,
      counts: numeric && body.length > 2 && cells.every((text, at) => Number(text) === at + Number(cells[0])),
    };
  });
  if (columns.filter((one) => one.numeric).length < 2) {
    const words = columns.filter((one) => !one.numeric).map((one) => one.name).join(", ").slice(0, 80);
    throw new Error(`Two columns of numbers are needed, for x₁ and x₂; there is other text in ${words}. `
      + "Write numbers as 1234.5 or 1234,5, without units.");
  }
  return { columns, body, headed, decimal };
}

// Two columns of numbers, if possible not those that just count the rows; for the label a column of
// few values, better of text, the last there is.
export function suggestion(columns) {
  const places = columns.map((_, k) => k);
  const few = (k) => columns[k].values >= 2 && columns[k].values <= MOST_CLASSES;
  const text = places.filter((k) => !columns[k].numeric);
  const label = text.filter(few).at(-1) ?? text.at(-1) ?? places.filter(few).at(-1) ?? places.at(-1);
  const numeric = places.filter((k) => columns[k].numeric && k !== label);
  const telling = numeric.filter((k) => !columns[k].counts);
  const [x1, x2] = telling.length >= 2 ? telling : numeric;
  return { x1, x2, label };
}

// The rows that lack no value in the chosen columns; and as many of them as the lab holds, drawn at
// random: at even distances a file whose labels take turns would lose a class.
export function usable(body, chosen) {
  const whole = body.filter((row) => Object.values(chosen).every((k) => !isMissing(row[k])));
  if (whole.length <= MOST_POINTS) return { rows: whole, whole };
  const drawn = new Random(0).permutation(whole.keys()).slice(0, MOST_POINTS).sort((a, b) => a - b);
  return { rows: drawn.map((k) => whole[k]), whole };
}

export function toExperiment({ columns, body, decimal }, chosen) {
  const { rows, whole } = usable(body, chosen);
  const { x1, x2, label } = chosen;
  const nameOf = (row) => row[label].trim();
  const names = [...new Set(whole.map(nameOf))].sort();
  if (names.length < 2 || names.length > MOST_CLASSES) {
    throw new Error(`The label must have 2 to ${MOST_CLASSES} values; ${columns[label].name} has ${names.length}. `
      + "Choose another column for the label, or paste rows of fewer classes.");
  }
  const points = rows.map((row) => [...[x1, x2].map((k) => coordinate(numberOf(row[k], decimal), columns[k].name)),
    names.indexOf(nameOf(row))]);
  const short = (name, k) => (name.length <= LETTERS ? name : `${name.slice(0, LETTERS - 4)}… ${k}`);
  return { classes: names.map(short), points };
}

function coordinate(value, name) {
  if (Math.abs(value) <= LARGEST) return value;
  throw new Error(`${name} has ${value}; the lab draws numbers up to ${LARGEST.toLocaleString("en")}. `
    + "Write it in larger units, or choose another column.");
}

export function toText({ classes, points }) {
  const cell = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = points.map(([x1, x2, code]) => `${x1},${x2},${cell(classes[code])}`);
  return ["x1,x2,label", ...lines, ""].join("\n");
}
