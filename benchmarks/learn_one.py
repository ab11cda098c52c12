"""How fast is `learn_one` on dicts of 75 features, against river's Perceptron?

Both learn the same stream, in turns, several times; prints microseconds an example, the ratio of
the medians, and the same for predict-then-learn. Run with river installed:

    python benchmarks/learn_one.py [examples] [repeats]
"""

import random
import statistics
import sys
import time

from river import linear_model

from rosenblatt import online


def make_stream(examples: int, features: int = 75, seed: int = 0) -> list[tuple[dict, bool]]:
    rng = random.Random(seed)
    names = [f"feature_{j}" for j in range(features)]
    truth = [rng.gauss(0, 1) for _ in names]
    rows = ([rng.gauss(0, 1) for _ in names] for _ in range(examples))
    return [
        (dict(zip(names, row, strict=True)), sum(map(lambda u, x: u * x, truth, row)) > 0)
        for row in rows
    ]


def learn(model, stream) -> float:
    learn_one = model.learn_one
    began = time.process_time()
    for x, y in stream:
        learn_one(x, y)
    model.predict_one(stream[0][0])  # whatever was put off is done now
    return (time.process_time() - began) / len(stream) * 1e6


def play(model, stream) -> float:
    learn_one, predict_one = model.learn_one, model.predict_one
    began = time.process_time()
    for x, y in stream:
        predict_one(x)
        learn_one(x, y)
    return (time.process_time() - began) / len(stream) * 1e6


def main(examples: int = 5_000, repeats: int = 9) -> None:
    stream = make_stream(examples)
    for name, run in (("learn_one", learn), ("predict_one, learn_one", play)):
        times = [
            (run(linear_model.Perceptron(), stream), run(online.Perceptron(), stream))
            for _ in range(repeats)
        ]
        theirs, ours = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"{name}: river {theirs:.2f} µs, ours {ours:.2f} µs, ratio {theirs / ours:.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
