// Orders: which point is looked at next. Each makes one pass by look(points, laps), which returns how
// many mistakes its last lap met, and returns the same of the pass: 0 means that all are right.

const EFFORT = 4; // times n looks at most go to the doubtful points of the active order

export const ORDERS = {
  cyclic: ({ look, everyone }) => look(everyone),

  shuffled: ({ look, everyone, random }) => look(random().permutation(everyone)),

  // All points, then those ever mistaken over and over until they are clean; in a random order where
  // points come class by class.
  active: ({ look, everyone, mistaken, random, inClasses }) => {
    const arrange = (points) => (inClasses ? random().permutation(points) : points);
    const found = look(arrange(everyone));
    if (found) {
      const doubtful = arrange(mistaken());
      look(doubtful, Math.max(1, Math.floor((EFFORT * everyone.length) / doubtful.length)));
    }
    return found;
  },

  // The most violated of all points; where that is no mistake, a tie may hide one, so all are looked at.
  worst: ({ look, everyone, mostViolated }) => look([mostViolated()]) || look(everyone),
};

// Whether the label changes from point to point less than half as often as by chance.
export function comeInClasses(codes) {
  const n = codes.length;
  const counts = new Map();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  const changes = codes.slice(1).filter((code, k) => code !== codes[k]).length;
  const alike = [...counts.values()].reduce((sum, count) => sum + (count / n) ** 2, 0);
  return changes < ((n - 1) * (1 - alike)) / 2;
}
