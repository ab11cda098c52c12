// Reading and writing CSV: the text as rows of cells, and which columns may be chosen.

export const MOST_BYTES = 2_000_000;
export const MOST_POINTS = 500;
const MOST_CLASSES = 5;

// Cells in quotes may hold separators, quotes (doubled) and line breaks (RFC 4180).
export function parse(text) {
  if (text.length > MOST_BYTES) throw new Error("The file is larger than 2 MB.");
  const source = text.replace(/^\uFEFF/, "");
  const separator = guess(source.split(/\r?\n/, 1)[0] ?? "");
  const rows = [];
  let row = [];
  let cell = "";
  let quoted = false;
  for (let k = 0; k < source.length; k += 1) {
    const letter = source[k];
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (source[k + 1] === '"') { cell += '"'; k += 1; } else quoted = false;
    } else if (letter === '"' && cell === "") quoted = true;
    else if (letter === separator) { row.push(cell); cell = ""; }
    else if (letter === "\n") { rows.push([...row, cell.replace(/\r$/, "")]); row = []; cell = ""; }
    else cell += letter;
  }
  if (cell !== "" || row.length) rows.push([...row, cell.replace(/\r$/, "")]);
  return rows.filter((cells) => cells.some((text_) => text_.trim() !== ""));
}

function guess(line) {
  const counts = [",", ";", "\t"].map((mark) => [line.split(mark).length, mark]);
  return counts.sort((a, b) => b[0] - a[0])[0][1];
}

const isNumber = (text) => text.trim() !== "" && Number.isFinite(Number(text));

// The columns of a table: their names, and whether every cell is a number.
export function columnsOf(rows) {
  if (rows.length < 1) throw new Error("There are no rows in this text.");
  const wide = Math.max(...rows.map((row) => row.length));
  if (wide < 3) throw new Error("A table needs three columns at least: two of numbers and a label.");
  const headed = !rows[0].some(isNumber);
  const body = headed ? rows.slice(1) : rows;
  if (!body.length) throw new Error("There are no rows below the heading.");
  const columns = Array.from({ length: wide }, (_, k) => ({
    name: headed ? rows[0][k]?.trim() || `column ${k + 1}` : `column ${k + 1}`,
    numeric: body.every((row) => isNumber(row[k] ?? "")),
    values: new Set(body.map((row) => (row[k] ?? "").trim())).size,
  }));
  return { columns, body };
}

// The first two columns of numbers and the likeliest label: the last column of few values.
export function suggestion(columns) {
  const few = columns.map((column, k) => [column, k])
    .filter(([column]) => column.values >= 2 && column.values <= MOST_CLASSES);
  const label = (few.filter(([column]) => !column.numeric).at(-1) ?? few.at(-1))?.[1];
  const numeric = columns.map((column, k) => [column, k])
    .filter(([column, k]) => column.numeric && k !== label).map(([, k]) => k);
  return { x1: numeric[0], x2: numeric[1], label };
}

export function toExperiment(body, { x1, x2, label }) {
  if (body.length > MOST_POINTS) {
    throw new Error(`The lab holds ${MOST_POINTS} points at most; this table has ${body.length}.`);
  }
  const names = [...new Set(body.map((row) => (row[label] ?? "").trim() || "empty"))].sort();
  if (names.length < 2 || names.length > MOST_CLASSES) {
    throw new Error(`The label must have 2 to ${MOST_CLASSES} values; this column has ${names.length}.`);
  }
  const points = body.map((row, k) => {
    const point = [Number(row[x1]), Number(row[x2])];
    if (![row[x1], row[x2]].every((cell) => isNumber(cell ?? ""))) {
      throw new Error(`Row ${k + 1} has no number in a chosen column.`);
    }
    const name = (row[label] ?? "").trim() || "empty";
    return [...point, names.indexOf(name)];
  });
  return { classes: names.map((name) => name.slice(0, 40)), points };
}

export function toText({ classes, points }) {
  const cell = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = points.map(([x1, x2, code]) => `${x1},${x2},${cell(classes[code])}`);
  return ["x1,x2,label", ...lines, ""].join("\n");
}
