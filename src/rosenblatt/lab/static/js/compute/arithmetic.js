// Two arithmetics under one source: JavaScript's + − · and > mean the same of floats and of BigInts.
// An exact number is a whole multiple of a power of two, so that no sum or product ever rounds.

const POINT = 20; // bits after the point of a coordinate: 10 of x₁ and x₂, 20 of their products
const GRAIN = 10; // of step size, threshold and start

// A float as a BigInt, in units of 2^−bits; of a float that is no such multiple, what is below is lost.
export function inUnits(value, bits) {
  if (Number.isInteger(value)) return BigInt(value) << BigInt(bits);
  let scaled = value;
  let twos = 0;
  while (!Number.isInteger(scaled)) { scaled *= 2; twos += 1; }
  return twos <= bits ? BigInt(scaled) << BigInt(bits - twos) : BigInt(scaled) >> BigInt(twos - bits);
}

// How many bits after the point a float has.
export function bitsOf(value) {
  let scaled = value;
  let twos = 0;
  while (!Number.isInteger(scaled)) { scaled *= 2; twos += 1; }
  return twos;
}

// The float nearest to a quotient of BigInts.
export function quotient(above, below) {
  if (below < 0n) return quotient(-above, -below);
  if (above < 0n) return -quotient(-above, below);
  if (above === 0n) return 0;
  const size = (value) => value.toString(16).length * 4;
  const shift = Math.max(0, 64 + size(below) - size(above));
  const whole = (above << BigInt(shift)) / below;
  const sticky = whole * below === above << BigInt(shift) ? whole : whole | 1n; // rounds as the quotient does
  return scaleDown(Number(sticky), shift);
}

// value · 2^−bits, in two steps where 2^bits is no float.
function scaleDown(value, bits) {
  return bits > 1000 ? value / 2 ** 1000 / 2 ** (bits - 1000) : value / 2 ** bits;
}

// A float as Python's "%.6g" writes it; a tie goes to the even digit.
export function general(value, digits = 6) {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [mantissa, exponent] = rounded(Math.abs(value), digits).split("e");
  const power = Number(exponent);
  const sign = value < 0 ? "-" : "";
  const short = (text) => (text.includes(".") ? text.replace(/\.?0*$/, "") : text);
  const plain = mantissa.replace(".", "");
  if (power < -4 || power >= digits) {
    return `${sign}${short(mantissa)}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  if (power < 0) return sign + short(`0.${"0".repeat(-power - 1)}${plain}`);
  return sign + short(`${plain.slice(0, power + 1)}.${plain.slice(power + 1)}`);
}

// JavaScript rounds a tie up; down is right where the digit before it is even.
function rounded(value, digits) {
  const text = value.toExponential(digits - 1);
  const [mantissa, exponent] = value.toExponential(100).split("e");
  const all = mantissa.replace(".", "");
  const tie = /^50*$/.test(all.slice(digits)) && Number(all[digits - 1]) % 2 === 0;
  return tie ? `${mantissa.slice(0, digits === 1 ? 1 : digits + 1)}e${exponent}` : text;
}

// of*: a float as such a number; float, text: such a number as a float, and written.
export const FLOATS = {
  exact: false,
  ofPoint: (value) => value,
  ofWeight: (value) => value,
  ofStep: (value) => value,
  ofScore: (value) => value,
  ofSign: (value) => value,
  weight: { float: (value) => value, text: (value) => general(value) },
  score: { float: (value) => value, text: (value) => general(value) },
  point: { text: (value) => general(value) },
};

const WEIGHT = POINT + GRAIN; // step · point
const SCORE = WEIGHT + POINT; // weight · point

export const FRACTIONS = {
  exact: true,
  ofPoint: (value) => inUnits(value, POINT),
  ofWeight: (value) => inUnits(value, WEIGHT),
  ofStep: (value) => inUnits(value, GRAIN),
  ofScore: (value) => inUnits(value, SCORE),
  ofSign: (value) => BigInt(value),
  weight: inPlaces(WEIGHT),
  score: inPlaces(SCORE),
  point: inPlaces(POINT),
};

function inPlaces(bits) {
  const unit = 2 ** bits;
  return {
    float: (value) => Number(value) / unit,
    text: (value) => {
      let [above, left] = [value, bits];
      while (left && !(above & 1n)) { above >>= 1n; left -= 1; }
      return left ? `${above}/${1n << BigInt(left)}` : String(above);
    },
  };
}

// Whether all are short fractions: the run is then exact, and notices when it comes back.
export function short(numbers) {
  return numbers.every((value) => Number.isInteger(value * 2 ** GRAIN));
}
