# Each target makes its own environment in .venv; only Python >= 3.11, make and a
# package registry are needed beforehand.
PYTHON ?= python3
BIN := .venv/bin
TOO_OLD := "consens needs Python 3.11 or newer; choose one by make PYTHON=python3.12"

# Hundreds of processes start in the tests: none compiles what another has compiled.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo lint style types test run-tests coverage test-oldest test-anndata docs clean

demo: .venv/.installed
	$(BIN)/consens demo --out demo

lint: style types

style: .venv/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.installed-dev
	$(BIN)/mypy

# types are checked while the tests run: mypy uses one processor only
test: style
	$(MAKE) --jobs=2 types run-tests

# one thread in each worker: there are as many workers as processors
run-tests: .venv/.installed-dev
	OMP_NUM_THREADS=1 $(BIN)/pytest -n auto --dist worksteal -m "not slow" $(PYTEST_ARGS)

coverage:
	$(MAKE) test PYTEST_ARGS=--cov

# What depends on versions of libraries: estimators, labels, files, plots and the shell.  Compiled
# code is kept apart, and warnings of old libraries about each other are theirs.
OLDEST_TESTS := tests/test_sklearn.py tests/test_recorded_labels.py tests/test_ensemble.py \
	$(patsubst %,tests/io/test_%.py,arrays ensembles features labels) tests/show/test_displays.py \
	$(patsubst %,tests/cli/test_%.py,cluster completion configuration help)

test-oldest: .venv-oldest/.installed
	NUMBA_CACHE_DIR=$(CURDIR)/.venv-oldest/numba OMP_NUM_THREADS=1 \
		.venv-oldest/bin/pytest -n auto --dist worksteal \
		-W ignore::DeprecationWarning -m "not slow" $(OLDEST_TESTS)

# with what people use beside AnnData; scanpy is kept out of the environment of developers
test-anndata: .venv-anndata/.installed
	.venv-anndata/bin/pytest tests/test_anndata.py tests/io/test_annotated.py \
		tests/cli/test_combine.py src/consens/anndata.py src/consens/io/annotated.py

docs: .venv/.installed-docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

clean:
	rm -rf .venv .venv-anndata .venv-oldest demo build dist docs/_build docs/api docs/gallery docs/methods docs/results

# The stamp is touched last, so an interrupted installation is taken up again.
.venv/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit($(TOO_OLD) if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/pip || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/.installed-dev: .venv/.installed
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

.venv/.installed-docs: .venv/.installed
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

.venv-anndata/.installed: pyproject.toml
	test -x $(@D)/bin/pip || $(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --editable '.[anndata]' hypothesis pytest scanpy
	touch $@

.venv-oldest/.installed: pyproject.toml
	test -x $(@D)/bin/pip || $(PYTHON) -m venv $(@D)
	$(PYTHON) .ci/oldest.py > $(@D)/constraints.txt
	$(@D)/bin/python -m pip install --quiet --constraint $(@D)/constraints.txt \
		--editable '.[scale]' hypothesis pytest pytest-xdist
	touch $@
