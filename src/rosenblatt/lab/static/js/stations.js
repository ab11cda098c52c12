// The stations of the tour. After the equals sign this is JSON, and the library reads it too: a lesson
// that is saved as a file holds the answers to all that a station asks. `at` 5000 is the end of a run;
// a try is its name, what it changes (null: nothing), and the step to go to.

export const STATIONS = [
  {
    "title": "What a line is",
    "points": [[1, 1, 0], [3, 2, 1], [2, 4, 1], [3, 4, 1], [2, 3, 0]],
    "settings": {"start": [-1, 0.5, -0.25], "max_passes": 1},
    "at": 0,
    "look": ["xspace", "wspace"],
    "text": "A line is two numbers and a bias: the points where w₁x₁ + w₂x₂ + b = 0. The arrow w stands at a right angle to it and points to the side called +1; the bias b moves the line along it. In w-space the same line is a single dot.",
    "tries": [["Turn the arrow", {"start": [-1, 0.25, 0.25]}], ["Change the bias", {"start": [-0.25, 0.5, -0.25]}], ["As it was", {}]]
  },
  {
    "title": "A mistake",
    "points": [[1, 1, 0], [3, 2, 1], [2, 4, 1], [3, 4, 1], [2, 3, 0]],
    "settings": {"start": [-1, 0, 0], "max_passes": 1},
    "at": 1.5,
    "look": ["xspace", "trace"],
    "text": "The perceptron looks at one point at a time and takes its score, b·1 + w₁x₁ + w₂x₂: the bias is a weight too, of a 1 that every point carries, and the table writes it first. Point 1 is of class +1, but its score is −1: a mistake. Only then do the weights change; at a point on its right side nothing happens.",
    "tries": [["A point that is right", null, 1], ["The mistake", null, 1.5], ["The next mistake", null, 4.5]]
  },
  {
    "title": "Why adding x helps",
    "points": [[1, 1, 0], [3, 2, 1], [2, 4, 1], [3, 4, 1], [2, 3, 0]],
    "settings": {"start": [-1, 0, 0], "max_passes": 1},
    "at": 2,
    "look": ["xspace", "proof"],
    "text": "The update adds the point itself to the weights: with its 1 first, (1, 3, 2). Its own score then rises by the square of its length, which is never negative: here by 1² + 3² + 2² = 14, from −1 to 13. A point of class −1 is subtracted, and its score falls. In w-space it is a step at a right angle to the point's line, towards its allowed side.",
    "tries": [["Before", null, 1.5], ["After", null, 2]]
  },
  {
    "title": "The bias",
    "points": [[1, 1, 0], [1.5, 2, 0], [2, 1.5, 0], [3, 3.5, 1], [4, 3, 1], [3.5, 4.5, 1]],
    "settings": {"bias": false},
    "at": 5000,
    "look": ["xspace", "settings"],
    "place": "right",
    "text": "What is that 1 good for? Without it there is no bias: the line must pass through the origin, and these two groups lie one behind the other, so no such line separates them. The bias, the weight of the 1, sets the line free.",
    "tries": [["With a bias", {"bias": true}, 5000], ["Without", {"bias": false}, 5000]]
  },
  {
    "title": "The bound",
    "points": [[3, 3, 1], [2.5, 3.25, 1], [-2.5, 3.25, 1], [1.5, -3, 0], [2.5, 1.5, 1], [1.5, 1.25, 1], [-1, -0.25, 0], [-1, -3.25, 0], [4, -3, 0], [-1, -3.5, 0], [-1.25, 0.5, 0], [0, 2.25, 1], [3.75, -0.75, 1], [-0.25, 2.5, 1]],
    "settings": {},
    "at": 5000,
    "look": ["sandwich", "proof"],
    "text": "R is the length of the longest point, γ the margin: by how much the best weights of length 1 have every point right. Each mistake moves w by at least γ towards those, but after k of them w is no longer than √k·R. A straight line overtakes a square root: after R²/γ² mistakes there is no room left. That is Novikoff's proof, with your numbers in it.",
    "tries": [["A narrower gap", {"points": [[-2, -2, 0], [-1, -1.25, 0], [0, -0.25, 0], [1, 0.75, 0], [2, 1.75, 0], [-2, -1.5, 1], [-1, -0.75, 1], [0, 0.25, 1], [1, 1.25, 1], [2, 2.5, 1]]}, 5000], ["The wider one", {"points": [[3, 3, 1], [2.5, 3.25, 1], [-2.5, 3.25, 1], [1.5, -3, 0], [2.5, 1.5, 1], [1.5, 1.25, 1], [-1, -0.25, 0], [-1, -3.25, 0], [4, -3, 0], [-1, -3.5, 0], [-1.25, 0.5, 0], [0, 2.25, 1], [3.75, -0.75, 1], [-0.25, 2.5, 1]]}, 5000]]
  },
  {
    "title": "Order and step size",
    "points": [[-2, -2, 0], [-1, -1.25, 0], [0, -0.25, 0], [1, 0.75, 0], [2, 1.75, 0], [-2, -1.5, 1], [-1, -0.75, 1], [0, 0.25, 1], [1, 1.25, 1], [2, 2.5, 1]],
    "settings": {},
    "at": 5000,
    "look": ["passes", "settings"],
    "place": "middle",
    "text": "The bound does not ask in which order points come. Going back to the points that were mistaken before takes 350 operations here instead of 1,008; finding the worst point each time takes a look at all of them, 4,795 operations. Started at 0, a step size η only scales w: the line, and so every mistake, stays the same.",
    "tries": [["Active order", {"order": "active"}, 5000], ["Worst first", {"order": "worst"}, 5000], ["η = ½", {"eta": 0.5}, 5000]]
  },
  {
    "title": "Inseparable",
    "points": [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]],
    "settings": {},
    "at": 5000,
    "look": ["xspace", "proof"],
    "text": "Exclusive or: no line separates these. The two hulls cross, and the cross marks a point of both: the marked points, weighted equally, cancel. The weights come back to where they were and go round for ever. One more feature, x₁x₂, opens them up.",
    "tries": [["Add x₁x₂", {"product": true}, 5000], ["Without it", {"product": false}, 5000]]
  },
  {
    "title": "The maximum margin",
    "points": [[1, 4, 1], [-5, -3, 0], [3, -5, 0]],
    "settings": {},
    "at": 5000,
    "look": ["xspace", "wspace"],
    "layers": {"slab": true},
    "text": "The perceptron stops at any line that separates. Of all of them one keeps the widest slab free: its edges touch the ringed points, and those alone hold it in place. The dashed lines show it. Drag a point and watch which ones matter.",
    "tries": [["More points", {"points": [[3, 3, 1], [2.5, 3.25, 1], [-2.5, 3.25, 1], [1.5, -3, 0], [2.5, 1.5, 1], [1.5, 1.25, 1], [-1, -0.25, 0], [-1, -3.25, 0], [4, -3, 0], [-1, -3.5, 0], [-1.25, 0.5, 0], [0, 2.25, 1], [3.75, -0.75, 1], [-0.25, 2.5, 1]]}, 5000], ["Three samples", {"points": [[1, 4, 1], [-5, -3, 0], [3, -5, 0]]}, 5000]]
  }
];
