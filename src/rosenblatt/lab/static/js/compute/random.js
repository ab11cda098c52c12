// NumPy's default generator, so that a seed means the same here as in Python: SeedSequence, PCG64
// (O'Neill 2014, XSL-RR) and the permutations of `numpy.random.default_rng(seed)`.

const WORD = 0xffffffffn;
const LONG = (1n << 64n) - 1n;
const HUGE = (1n << 128n) - 1n;
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;

// 128 bits each of state and stream from a whole number (NumPy's SeedSequence, pool of four words).
function seeded(seed) {
  const words = [];
  let rest = BigInt(seed);
  do { words.push(Number(rest & WORD)); rest >>= 32n; } while (rest);
  let mixer = 0x43b0d7e5;
  const hash = (value) => {
    const mixed = (value ^ mixer) >>> 0;
    mixer = Math.imul(mixer, 0x931e8875) >>> 0;
    const product = Math.imul(mixed, mixer) >>> 0;
    return (product ^ (product >>> 16)) >>> 0;
  };
  const join = (x, y) => {
    const joined = (Math.imul(x, 0xca01f9dd) - Math.imul(y, 0x4973f715)) >>> 0;
    return (joined ^ (joined >>> 16)) >>> 0;
  };
  const pool = [0, 1, 2, 3].map((k) => hash(words[k] ?? 0));
  for (let from = 0; from < 4; from += 1) {
    for (let to = 0; to < 4; to += 1) if (from !== to) pool[to] = join(pool[to], hash(pool[from]));
  }
  for (let from = 4; from < words.length; from += 1) {
    for (let to = 0; to < 4; to += 1) pool[to] = join(pool[to], hash(words[from]));
  }
  let spread = 0x8b51f9dd;
  const made = Array.from({ length: 8 }, (_, k) => {
    const mixed = (pool[k % 4] ^ spread) >>> 0;
    spread = Math.imul(spread, 0x58f38ded) >>> 0;
    const product = Math.imul(mixed, spread) >>> 0;
    return BigInt((product ^ (product >>> 16)) >>> 0);
  });
  const long = (k) => made[2 * k] | (made[2 * k + 1] << 32n);
  return [(long(0) << 64n) | long(1), (long(2) << 64n) | long(3)];
}

export class Random {
  constructor(seed) {
    const [start, stream] = seeded(seed);
    this.increment = ((stream << 1n) | 1n) & HUGE;
    this.state = 0n;
    this.#advance();
    this.state = (this.state + start) & HUGE;
    this.#advance();
    this.spare = null; // the upper half of a number of which the lower was used
  }

  #advance() {
    this.state = (this.state * MULTIPLIER + this.increment) & HUGE;
  }

  #long() {
    this.#advance();
    const folded = ((this.state >> 64n) ^ this.state) & LONG;
    const turn = this.state >> 122n;
    return ((folded >> turn) | (folded << (64n - turn))) & LONG;
  }

  #word() {
    if (this.spare !== null) {
      const word = this.spare;
      this.spare = null;
      return word;
    }
    const both = this.#long();
    this.spare = Number(both >> 32n);
    return Number(both & WORD);
  }

  // From 0 up to but not including 1.
  uniform() {
    return Number(this.#long() >> 11n) / 2 ** 53;
  }

  // A whole number from 0 to a most: as many bits as that has, drawn until they are no more.
  upTo(most) {
    const mask = 2 ** (32 - Math.clz32(most)) - 1;
    for (;;) {
      const drawn = (this.#word() & mask) >>> 0;
      if (drawn <= most) return drawn;
    }
  }

  // Those items in a random order (Fisher and Yates).
  permutation(items) {
    const found = [...items];
    for (let k = found.length - 1; k > 0; k -= 1) {
      const other = this.upTo(k);
      [found[k], found[other]] = [found[other], found[k]];
    }
    return found;
  }
}
