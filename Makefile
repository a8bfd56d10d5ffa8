# Two commands do everything on a fresh machine: `make book` and `make test`. Both need git, make and Python 3.11+.
#
#   DATA=auto|real|simulated   real data where available (auto), real data only, or simulated data without the network
#   DATA_MIRROR=FOLDER         read pinned files from FOLDER/OWNER/REPO/COMMIT/PATH first
#   JOBS=N                     notebooks at a time

PYTHON ?= python3
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
DATA   ?= auto
VENV   := .venv
BIN    := $(VENV)/bin
# notebooks run in another folder than make, so these paths have to hold from anywhere
absolute = $(if $(filter /%,$(firstword $(1))),$(1),$(CURDIR)/$(1))
ifneq ($(DATA_MIRROR),)
override DATA_MIRROR := $(call absolute,$(DATA_MIRROR))
endif
ifneq ($(META_EVALUATION_CACHE),)
override META_EVALUATION_CACHE := $(call absolute,$(META_EVALUATION_CACHE))
export META_EVALUATION_CACHE
endif
export DATA DATA_MIRROR NOTEBOOK PARAMS
# dozens of kernels and of test runs would each compile the package again
unexport PYTHONDONTWRITEBYTECODE

.PHONY: book record reseed quick test test-slow test-sweep test-install test-processes test-browser test-pages test-lab bench bench-verdicts newest-sphinx mutants lab rerun check lock clean
.DEFAULT_GOAL := book

book: $(VENV)/installed
	$(BIN)/python -m bookbuild build --jobs $(JOBS)

# Keep the results of the last book on real data, for books that are built without them.
record: $(VENV)/installed
	$(BIN)/python -m bookbuild record

# Run every notebook with another seed; fails where a recorded result moved by more than its Monte-Carlo error.
reseed: $(VENV)/installed
	$(BIN)/python -m bookbuild reseed --jobs $(JOBS)

# Run every notebook with small settings other than its defaults.
quick: $(VENV)/installed
	$(BIN)/python -m bookbuild quick --jobs $(JOBS)

# A worker a processor, each with one thread for its linear algebra; beyond four they mostly import.
test: $(VENV)/installed
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal --ignore=tests/browser -m "not browser and not slow and not sweep and not install and not processes"

test-slow: $(VENV)/installed
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m slow -n 2 --dist worksteal

# A sweep as in the README, of few draws, and whether its table holds what it should; then others, a worker a processor.
test-sweep: NOTEBOOK = topk
test-sweep: PARAMS = k=4,6,8 dataset=realsumm,summeval n_resamples=99
test-sweep: rerun
	$(BIN)/python -m pytest tests/bookbuild/runs -m sweep -n auto --maxprocesses 4 --dist worksteal

# The wheel alone in a fresh environment: the light core, and the extras that it names.
test-install: $(VENV)/installed
	$(BIN)/python -m pytest -m install

# What starts kernels, Sphinx or Python anew, or computes what a whole notebook, live block or neural model does: seconds each.
test-processes: $(VENV)/installed
	$(BIN)/python -m pytest -m "processes and not slow" -n 2 --dist worksteal

test-browser: test-pages test-lab

# Two browsers, each with pages and modules of its own.
test-pages: $(VENV)/installed
	$(BIN)/python -m pytest tests/browser -m browser -n 2 --dist loadscope --ignore=tests/browser/test_lab.py

# Notebooks of the checkout in JupyterLab; needs no site.
test-lab: $(VENV)/installed
	$(BIN)/python -m pytest tests/browser/test_lab.py -m browser

# The peer is installed beside the virtual environment, for this target only.
bench: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target _build/bench nlpstats==0.0.1
	PYTHONPATH=_build/bench:. $(BIN)/python -m benchmarks.resampling
	$(BIN)/python -m benchmarks.measures
	$(BIN)/python -m benchmarks.judges
	$(BIN)/python -m benchmarks.scoring
	$(BIN)/python -m benchmarks.bertscore
	$(BIN)/python -m benchmarks.bench_sera --largest --output data/recorded
	$(BIN)/python -m benchmarks.book --jobs $(JOBS) --site _build/bench/site
	SITE=_build/bench/site $(BIN)/python -m benchmarks.paint

# The executed book by the newest Sphinx, MyST-NB and theme, which jupyter-book 1 holds back: see bookbuild/README.md.
SPHINX := _build/sphinx
newest-sphinx: book
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade --target $(SPHINX)/packages \
	  sphinx myst-nb sphinx-book-theme sphinx-external-toc sphinx-design sphinx-copybutton sphinx-togglebutton sphinxcontrib-bibtex
	trap 'rm -rf conf.py' EXIT; $(BIN)/jupyter-book config sphinx . && PYTHONPATH=$(SPHINX)/packages \
	  $(BIN)/python -m sphinx -b html -W --keep-going -q . $(SPHINX)/site
	SITE=$(SPHINX)/site $(MAKE) test-pages

# coverage and power of the intervals behind the answers, on simulated studies: hours
bench-verdicts: $(VENV)/installed
	OMP_NUM_THREADS=1 MALLOC_MMAP_THRESHOLD_=2000000000 MALLOC_TRIM_THRESHOLD_=2000000000 $(BIN)/python -m benchmarks.verdicts

# Change the code at random and see whether a test fails: 18 minutes of one processor, so not part of the CI.
mutants: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target _build/mutants/tool \
	  cosmic-ray==8.7.0 stevedore==5.10.0 coverage==7.17.3
	$(BIN)/python -m bookbuild warm
	PYTHONPATH=_build/mutants/tool:. $(BIN)/python -m benchmarks.mutants

lab: $(VENV)/installed
	DATA=$$($(BIN)/python -m bookbuild decide) $(BIN)/jupyter lab --notebook-dir=notebooks

# make rerun NOTEBOOK=topk PARAMS="k=4,6,8 dataset=realsumm,summeval".
# Quote what holds a space: PARAMS="scores='my scores.csv'". In the folder of the shell, also under make -C, so that PARAMS="scores=my.csv" finds the file that lies there.
rerun: $(VENV)/installed
	cd '$(or $(PWD),$(CURDIR))' && '$(CURDIR)'/$(BIN)/python -m bookbuild sweep "$$NOTEBOOK" "$$PARAMS" --jobs $(JOBS)

check: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m bookbuild names

step = @echo "$$(date +%T) installing, step $(1) of 5: $(2)"
# modules are compiled after all are there, by all processors and not by pip's one
install = @$(BIN)/python -m pip install --disable-pip-version-check --no-compile

$(VENV)/installed: requirements.txt requirements-torch.txt pyproject.toml bookbuild/pyproject.toml

ifndef ALONE
# Of two at once, such as `make book` and `make test` on a fresh clone, the second waits and then finds the stamp.
$(VENV)/installed:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11, 4))' || { echo "error: Python 3.11.4 or later is needed; set PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -P bookbuild/tools/install_lock.py $(VENV)/lock $(MAKE) --silent ALONE=yes $@
else
# The stamp is written last, so an interrupted installation is begun again.
$(VENV)/installed:
	$(call step,1,a Python environment in $(VENV))
	@$(PYTHON) -m venv $(VENV)
	$(call step,2,$$(grep -c == requirements.txt) packages in their locked versions)
	$(install) --no-deps --require-hashes -r requirements.txt
	$(call step,3,torch and what only this platform's build of it needs: the largest download)
	$(install) -r requirements-torch.txt
	@$(BIN)/python -m pip uninstall --quiet --yes metric-meta-evaluation 2>/dev/null || true  # its name of old
	$(install) --no-deps --editable . --editable ./bookbuild
	$(call step,4,$$(find $(VENV)/lib -name '*.py' | wc -l | tr -d ' ') modules compiled by $(JOBS) processes: about a minute on two)
	@$(BIN)/python -W ignore -m compileall -qq -j $(JOBS) $(VENV)/lib || true  # some packages carry templates
	$(call step,5,machine code of the engine)
	@$(BIN)/python -m bookbuild warm --jobs $(JOBS)
	@echo "$$(date +%T) installed in $(VENV)"
	@touch $@
endif

# The lock is made from both pyproject.toml: versions by pip-compile, which sees a build of torch that lies on disk, then the
# hashes of every platform's files by uv, from the index alone. torch has a file of its own: its builds differ by
# platform. The public name of its release is kept, without "+cpu", so that any build of that release satisfies it.
lock:
	$(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet "pip<26" pip-tools uv
	$(VENV)-lock/bin/pip-compile --quiet --upgrade --all-extras --strip-extras --allow-unsafe --no-annotate --no-header \
	  --no-emit-index-url --no-emit-find-links --output-file $(VENV)-lock/versions.txt pyproject.toml bookbuild/pyproject.toml
	sed -n -E 's/^(torch==[0-9.]+)(\+cpu)?$$/\1/p' $(VENV)-lock/versions.txt > requirements-torch.txt
	grep -v '^torch==' $(VENV)-lock/versions.txt > $(VENV)-lock/others.in
	(echo "# From pyproject.toml and bookbuild/pyproject.toml by make lock. Install this with --no-deps, then requirements-torch.txt, as make does." && \
	  $(VENV)-lock/bin/uv pip compile --quiet --no-deps --generate-hashes --no-annotate --no-header $(VENV)-lock/others.in) > requirements.txt
	rm -rf $(VENV)-lock

clean:
	rm -rf _build book/executed
