"""scikit-learn's checks of every estimator, for each parameter that changes what is run.

The defaults are checked, check by check, in the tests of the estimators themselves.
"""

import pytest
from sklearn.utils.estimator_checks import check_estimator

from rosenblatt import BatchPerceptron, KernelPerceptron, MaxMargin, PassiveAggressive, Perceptron
from rosenblatt.errors import NotSeparableError

pytestmark = pytest.mark.filterwarnings("ignore")

STEPS = dict.fromkeys(
    (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ),
    "the check repeats and permutes rows; a weight multiplies a step, and the order matters",
)
WHOLE = dict.fromkeys(
    (
        "check_fit_score_takes_y",
        "check_n_features_in_after_fitting",
        "check_estimators_partial_fit_n_features",
    ),
    "partial_fit refuses what needs all rows at once, as scikit-learn's estimators do",
)
HALTED = {
    "check_class_weight_classifiers": "the run ends with the proof that it would never end; of its "
    "weights only those of solution='auto' are made to predict"
}
ACCURACY = {
    "check_classifiers_train": "looks at the worst points alone say little of the others",
}
ORIGIN = {
    "check_class_weight_classifiers": "no hyperplane through the origin has all rows on one side"
}
IN_ORDER = {
    "check_class_weight_classifiers": "the last weights of unshuffled passes follow the last rows"
}
BOUNDARY = {
    "check_classifiers_train": "an exact search may end with a row on the boundary, which we take "
    "for the positive class, and the check for the negative one"
}
HELD_OUT = {
    "check_class_weight_classifiers": "the weights of fewest errors on rows held out, each of "
    "which counts once, are kept"
}
AGAIN = {
    "check_supervised_y_2d": "the check fits twice and compares, and the second fit goes on from "
    "the first; scikit-learn's Perceptron fails it, too"
}
FORGETFUL = dict.fromkeys(
    ("check_classifiers_train", "check_class_weight_classifiers"),
    "a handful of support vectors says little of what was forgotten",
)
COUNTS = {
    "check_class_weight_classifiers": "the check draws negative numbers, which counts are not"
}

CASES = [
    *((Perceptron(solution=name), STEPS) for name in ("last", "average", "pocket")),
    (Perceptron(solution="vote"), STEPS | HALTED),
    (Perceptron(multiclass="ovr"), STEPS),
    (Perceptron(multiclass="ovo"), STEPS),
    *(
        (Perceptron(solution=name, multiclass=parts), STEPS)
        for name in ("last", "average", "pocket")
        for parts in ("ovr", "ovo")
    ),
    (Perceptron(solution="vote", multiclass="ovr"), STEPS),
    (Perceptron(solution="vote", multiclass="ovo"), STEPS | HALTED),
    *((Perceptron(penalty=name), STEPS) for name in ("l1", "l2", "elasticnet")),
    (Perceptron(margin=0.5), STEPS),
    (Perceptron(threshold=1), STEPS),
    (Perceptron(threshold=1, solution="average"), STEPS),
    *((Perceptron(ties=name), STEPS) for name in ("positive", "negative")),
    (Perceptron(ties="positive", multiclass="ovr"), STEPS),
    (Perceptron(ties="correct", threshold=1), STEPS),
    (Perceptron(warm_start=True), STEPS | AGAIN),
    *((Perceptron(order=name), STEPS | HALTED) for name in ("cyclic", "shuffled", "iid")),
    (Perceptron(order="worst"), STEPS | HALTED | ACCURACY),
    *((Perceptron(shuffle=value), STEPS | HALTED) for value in (True, False)),
    (Perceptron(certify=False), STEPS),
    (Perceptron(certify=True), STEPS),
    (Perceptron(early_stopping=True), STEPS | WHOLE),
    (Perceptron(class_weight="balanced"), STEPS | WHOLE),
    (Perceptron(fit_intercept=False), STEPS | ORIGIN),
    (Perceptron(tol=1e-3), STEPS),
    (KernelPerceptron(), STEPS),
    *(
        (KernelPerceptron(kernel=name), STEPS)
        for name in ("linear", "poly", "laplacian", "sigmoid", "cosine")
    ),
    *((KernelPerceptron(kernel=name), STEPS | COUNTS) for name in ("chi2", "additive_chi2")),
    (KernelPerceptron(kernel="precomputed"), {}),
    (KernelPerceptron(budget=20), STEPS),
    (KernelPerceptron(budget=1), STEPS | FORGETFUL),
    *(
        (KernelPerceptron(budget=5, kernel=name), STEPS | FORGETFUL)
        for name in ("linear", "laplacian")
    ),
    *((KernelPerceptron(solution=name), STEPS) for name in ("last", "average", "vote")),
    (KernelPerceptron(multiclass="ovr"), STEPS),
    (KernelPerceptron(threshold=1), STEPS),
    *((KernelPerceptron(order=name), STEPS) for name in ("cyclic", "shuffled")),
    (KernelPerceptron(order="worst"), STEPS | ACCURACY),
    (KernelPerceptron(early_stopping=True), STEPS | WHOLE),
    (KernelPerceptron(class_weight="balanced"), STEPS | WHOLE),
    (KernelPerceptron(fit_intercept=False), STEPS),
    (PassiveAggressive(early_stopping=True), STEPS | WHOLE | HELD_OUT),
    (PassiveAggressive(class_weight="balanced"), STEPS | WHOLE),
    (PassiveAggressive(fit_intercept=False), STEPS | ORIGIN),
    (PassiveAggressive(shuffle=False), STEPS | IN_ORDER),
    (PassiveAggressive(average=10), STEPS),
    (PassiveAggressive(warm_start=True), STEPS | AGAIN),
    (BatchPerceptron(step="decaying"), STEPS),
    (BatchPerceptron(step="line_search"), STEPS | BOUNDARY),
    (BatchPerceptron(batch_size=10), STEPS),
    (BatchPerceptron(fit_intercept=False), STEPS),
]


@pytest.mark.parametrize(("estimator", "expected"), CASES, ids=lambda value: str(value)[:60])
def test_every_path_passes_the_checks(estimator, expected):
    if not isinstance(estimator, PassiveAggressive):
        estimator.set_params(max_iter=50)
    check_estimator(estimator, expected_failed_checks=expected, on_skip=None)


def causes(error):
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


@pytest.mark.parametrize(
    "estimator",
    [MaxMargin(), MaxMargin(bias="padded"), MaxMargin(bias="none"), MaxMargin(multiclass="ovo")],
    ids=repr,
)
def test_max_margin_fails_checks_on_inseparable_rows_alone(estimator):
    """Most checks draw rows that no hyperplane separates: these are refused, with the proof."""
    results = check_estimator(estimator, on_fail=None, on_skip=None)
    for result in results:
        if result["status"] == "failed":
            raised = list(causes(result["exception"]))
            assert any(isinstance(e, NotSeparableError) for e in raised), result["check_name"]
    assert sum(result["status"] == "passed" for result in results) > 20
