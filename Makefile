# `make demo` and `make test` are all a newcomer needs; both set up .venv themselves.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-oldest test-plain soak proofs browser lint format docs hero bench bench-scale release-check clean

demo: .venv/base
	$(BIN)/python examples/demo.py

# Neighbours are run by one worker as far as possible: what tests of a file share is made once.
# Many tests start Python: bytecode is written even where the environment says not to.
test: export PYTHONDONTWRITEBYTECODE =
test: lint browser
	MPLBACKEND=Agg $(BIN)/python -m pytest -n auto --dist worksteal --ignore tests/lab/browser
	$(BIN)/python -m pytest -n auto --dist loadscope tests/lab/browser
	@$(PYTHON) tests/lab/browser/find_chromium.py --tell

# The same package where numba is not installed: lessons, small fits, the verbs, reading.
PLAIN := .venv-plain/bin
test-plain: .venv-plain/ready
	MPLBACKEND=Agg $(PLAIN)/python -m pytest -p no:cacheprovider README.md docs/course docs/start.md \
		src/rosenblatt/engine src/rosenblatt/teaching src/rosenblatt/solve src/rosenblatt/estimators \
		src/rosenblatt/data/readers --ignore src/rosenblatt/engine/machine \
		tests/engine/test_plain.py tests/teaching/test_lecture_examples.py \
		tests/data/readers/test_readers_start.py tests/data/readers/test_readers_svmlight.py

# The oldest versions that pyproject.toml allows, of everything: README's lines, the checks of
# estimators, and a page or a test of each extra. What they warn of is theirs. Needs Python 3.11.
OLDEST := README.md docs/start.md docs/statisticians.md docs/howto/executors.md \
	docs/howto/many_machines.md tests/estimators/test_scikit_learn_checks.py \
	tests/figures/test_figures_drawn.py tests/lab/test_lab_widget.py tests/data/test_frames.py
test-oldest:
	$(PYTHON) -m venv --clear .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --constraint constraints-oldest.txt \
		".[dask,formula,lab,onnx,plot]" firthmodels hypothesis polars pytest statsmodels
	MPLBACKEND=Agg .venv-oldest/bin/python -m pytest -p no:cacheprovider -W default $(OLDEST)

# What is committed, as its users get it: built, installed where nothing else is, and tried.
# The workflows and CITATION.cff are held to their schemas.
release-check: .venv/ready
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[release]"
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	$(BIN)/python tools/release_check.py

# Nasty problems against an exact oracle for so many seconds; what is answered wrongly is kept in
# tests/found and asked again by every test from then on.
SECONDS ?= 600
soak: .venv/ready
	$(BIN)/python tests/adversarial.py $(SECONDS)

# Machine-checked proofs, and the checker extracted from them: Coq, OCaml and zarith, which are
# installed where they may be. ROSENBLATT_EXAMPLES=10000 tries that many forgeries of each kind.
proofs: .venv/ready
	sh proofs/install.sh
	$(MAKE) --directory proofs
	$(BIN)/python proofs/run.py

# The lab is tested in any Chromium or Chrome that is installed; Debian's is, where it may be.
browser:
	$(PYTHON) tests/lab/browser/find_chromium.py

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/python tools/check_docstrings.py

format: .venv/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The site, gallery included: docs/_build/html/index.html. A warning is an error. All pages are
# written each time (-a): the search forgets the index entries of those that are not.
docs: .venv/ready
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[docs]"
	MPLBACKEND=Agg $(BIN)/python -m sphinx -a -W --keep-going -n -b html docs docs/_build/html
	$(BIN)/python docs/check_site.py docs/_build/html

hero: .venv/ready
	$(BIN)/python docs/hero.py

# QUICK=1 shows in under two minutes that every question can be asked; it measures nothing.
bench: .venv/ready
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[bench]"
	QUICK=$(QUICK) $(BIN)/python benchmarks/run.py

# What is no race: many machines.
bench-scale: .venv/ready
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[bench]"
	QUICK=$(QUICK) $(BIN)/python benchmarks/run.py dask_scaling

# What users install, with figures; the demo needs no more.
.venv/base: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rosenblatt needs Python 3.11 or newer, found " + sys.version.split()[0])'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[plot]"
	touch $@

# What developers need besides: tests, linters, a type checker, the extras.
.venv/ready: .venv/base
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev]"
	touch $@

# Without numba, and with what the tests above ask for.
.venv-plain/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-plain
	$(PLAIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[formula,plot]" \
		hypothesis pandas pytest
	$(PLAIN)/python -m pip uninstall --quiet --yes numba llvmlite
	touch $@

clean:
	rm -rf .venv .venv-oldest .venv-plain build dist .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
