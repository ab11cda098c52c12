// The stations of the tour. `at` 5000 is the end of a run; a try is its name, what it changes (null:
// nothing), and the step to go to; `ask` is a prediction, with the place of the right one.

export const STATIONS = [
  {
    "title": "What a line is",
    "points": [[1, 1, 0], [3, 2, 1], [2, 4, 1], [3, 4, 1], [2, 3, 0]],
    "settings": {"start": [-1, 0.5, -0.25], "max_passes": 1},
    "at": 0,
    "look": ["xspace", "wspace"],
    "text": "A line is two numbers and a bias: the points where w₁x₁ + w₂x₂ + b = 0. The arrow w stands at a right angle to it and points to the side called +1; the bias b moves the line along it. In w-space the same line is a single dot.",
    "tries": [["Turn the arrow", {"start": [-1, 0.25, 0.25]}], ["Change the bias", {"start": [-0.25, 0.5, -0.25]}], ["As it was", {}]],
    "ask": {"question": "The bias b grows. Which way does the line move?", "options": ["Along the arrow w", "Against the arrow w", "It turns"], "right": 1, "said": "Against w: where the line passes, b now has to be made up for, so more of the plane scores above 0."}
  },
  {
    "title": "A mistake",
    "points": [[1, 1, 0], [3, 2, 1], [2, 4, 1], [3, 4, 1], [2, 3, 0]],
    "settings": {"start": [-1, 0, 0], "max_passes": 1},
    "at": 1.5,
    "look": ["xspace", "trace"],
    "text": "The perceptron looks at one point at a time and takes its score, b·1 + w₁x₁ + w₂x₂: the bias is a weight too, of a 1 that every point carries, and the table writes it first. Point 1 is of class +1, but its score is −1: a mistake. Only then do the weights change; at a point on its right side nothing happens.",
    "tries": [["A point that is right", null, 1], ["The mistake", null, 1.5], ["The next mistake", null, 4.5]],
    "ask": {"question": "What happens to w at a point that is on its right side?", "options": ["Nothing", "It grows a little", "It shrinks"], "right": 0, "said": "Nothing: only mistakes teach."}
  },
  {
    "title": "Why adding x helps",
    "points": [[1, 1, 0], [3, 2, 1], [2, 4, 1], [3, 4, 1], [2, 3, 0]],
    "settings": {"start": [-1, 0, 0], "max_passes": 1},
    "at": 2,
    "look": ["xspace", "proof"],
    "text": "The update adds the point itself to the weights: with its 1 first, (1, 3, 2). Its own score then rises by the square of its length, which is never negative: here by 1² + 3² + 2² = 14, from −1 to 13. A point of class −1 is subtracted, and its score falls. In w-space it is a step at a right angle to the point's line, towards its allowed side.",
    "tries": [["Before", null, 1.5], ["After", null, 2]],
    "ask": {"question": "Does the update always put its own point right at once?", "options": ["Always", "Not always"], "right": 1, "said": "Not always: the score rises by ‖x‖² only. If it was far below 0, the point needs another turn."}
  },
  {
    "title": "The bias",
    "points": [[1, 1, 0], [1.5, 2, 0], [2, 1.5, 0], [3, 3.5, 1], [4, 3, 1], [3.5, 4.5, 1]],
    "settings": {"bias": false},
    "at": 5000,
    "look": ["xspace", "quick"],
    "text": "What is that 1 good for? Without it there is no bias: the line must pass through the origin, and these two groups lie one behind the other, so no such line separates them. The bias, the weight of the 1, sets the line free.",
    "tries": [["With a bias", {"bias": true}, 5000], ["Without", {"bias": false}, 5000]],
    "ask": {"question": "Can any line through the origin have all six right here?", "options": ["Yes", "No"], "right": 1, "said": "No: the groups lie one behind the other as seen from the origin."}
  },
  {
    "title": "The bound",
    "points": [[3, 3, 1], [2.5, 3.25, 1], [-2.5, 3.25, 1], [1.5, -3, 0], [2.5, 1.5, 1], [1.5, 1.25, 1], [-1, -0.25, 0], [-1, -3.25, 0], [4, -3, 0], [-1, -3.5, 0], [-1.25, 0.5, 0], [0, 2.25, 1], [3.75, -0.75, 1], [-0.25, 2.5, 1]],
    "settings": {},
    "at": 5000,
    "look": ["xspace", "sandwich"],
    "text": "R is the length of the longest point, γ the margin: by how much the best weights of length 1 have every point right. Each mistake moves w by at least γ towards those, but after k of them w is no longer than √k·R. A straight line overtakes a square root: after R²/γ² mistakes there is no room left. That is Novikoff's proof, with your numbers in it.",
    "tries": [["A narrower gap", {"points": [[-2, -2, 0], [-1, -1.25, 0], [0, -0.25, 0], [1, 0.75, 0], [2, 1.75, 0], [-2, -1.5, 1], [-1, -0.75, 1], [0, 0.25, 1], [1, 1.25, 1], [2, 2.5, 1]]}, 5000], ["The wider one", {"points": [[3, 3, 1], [2.5, 3.25, 1], [-2.5, 3.25, 1], [1.5, -3, 0], [2.5, 1.5, 1], [1.5, 1.25, 1], [-1, -0.25, 0], [-1, -3.25, 0], [4, -3, 0], [-1, -3.5, 0], [-1.25, 0.5, 0], [0, 2.25, 1], [3.75, -0.75, 1], [-0.25, 2.5, 1]]}, 5000]],
    "ask": {"question": "The gap between the classes is made half as wide. How does the bound change?", "options": ["It stays", "It doubles", "It grows about fourfold"], "right": 2, "said": "About fourfold: the bound is R²/γ², and γ is halved."}
  },
  {
    "title": "Order and step size",
    "points": [[-2, -2, 0], [-1, -1.25, 0], [0, -0.25, 0], [1, 0.75, 0], [2, 1.75, 0], [-2, -1.5, 1], [-1, -0.75, 1], [0, 0.25, 1], [1, 1.25, 1], [2, 2.5, 1]],
    "settings": {},
    "at": 5000,
    "look": ["passes", "quick"],
    "text": "The bound does not ask in which order points come. Going back to the points that were mistaken before takes 350 operations here instead of 1,008; finding the worst point each time takes a look at all of them, 4,795 operations. Started at 0, a step size η only scales w: the line, and so every mistake, stays the same.",
    "tries": [["Active order", {"order": "active"}, 5000], ["Worst first", {"order": "worst"}, 5000], ["η = ½", {"eta": 0.5}, 5000]],
    "ask": {"question": "Started at 0, the step size is halved. How many mistakes are made?", "options": ["Half as many", "As many as before", "Twice as many"], "right": 1, "said": "As many: all weights are halved, and every line stays where it was."}
  },
  {
    "title": "Inseparable",
    "points": [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]],
    "settings": {},
    "at": 5000,
    "look": ["xspace", "proof"],
    "text": "Exclusive or: no line separates these. The two hulls cross, and the cross marks a point of both: the marked points, weighted equally, cancel. The weights come back to where they were and go round for ever. One more feature, x₁x₂, opens them up.",
    "tries": [["Add x₁x₂", {"product": true}, 5000], ["Without it", {"product": false}, 5000]],
    "ask": {"question": "Which single point could be taken away to make these separable?", "options": ["Only the one in the middle", "Any one of the four", "None"], "right": 1, "said": "Any one: it takes all four to cancel."}
  },
  {
    "title": "The maximum margin",
    "points": [[3, 3, 1], [2.5, 3.25, 1], [-2.5, 3.25, 1], [1.5, -3, 0], [2.5, 1.5, 1], [1.5, 1.25, 1], [-1, -0.25, 0], [-1, -3.25, 0], [4, -3, 0], [-1, -3.5, 0], [-1.25, 0.5, 0], [0, 2.25, 1], [3.75, -0.75, 1], [-0.25, 2.5, 1]],
    "settings": {},
    "at": 5000,
    "look": ["xspace", "wspace"],
    "layers": {"slab": true},
    "text": "The perceptron stops at any line that separates. Of all of them one keeps the widest slab free: its edges touch the ringed points, and those alone hold it in place. The dashed lines show it. Drag a point and watch which ones matter.",
    "tries": [["Three samples", {"points": [[1, 4, 1], [-5, -3, 0], [3, -5, 0]]}, 5000], ["More points", {"points": [[3, 3, 1], [2.5, 3.25, 1], [-2.5, 3.25, 1], [1.5, -3, 0], [2.5, 1.5, 1], [1.5, 1.25, 1], [-1, -0.25, 0], [-1, -3.25, 0], [4, -3, 0], [-1, -3.5, 0], [-1.25, 0.5, 0], [0, 2.25, 1], [3.75, -0.75, 1], [-0.25, 2.5, 1]]}, 5000]],
    "ask": {"question": "A point far from the slab is moved a little. What does the slab do?", "options": ["Nothing", "It turns", "It narrows"], "right": 0, "said": "Nothing: only the ringed points hold it."}
  }
];
