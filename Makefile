# make chat   sets up and opens the assistant        make test    sets up and runs the tests
# make check  tests, lint, types and import contracts: what decides whether a change lands
# make reference  writes again what the program itself tells: help in the README, the commands, the manual page
# A repeated command installs nothing: a stamp in the environment says what is already there.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --constraint packaging/constraints.txt
DECLARED := pyproject.toml packaging/constraints.txt

.DEFAULT_GOAL := help
.PHONY: help chat test check lint reference clean

help:
	@sed -n '1,3s/^# //p' Makefile

chat: $(VENV)/.ready-chat
	@$(BIN)/assistant

test: $(VENV)/.ready-test
	$(BIN)/python -m pytest

lint: $(VENV)/.ready-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test

reference: $(VENV)/.ready-test
	$(BIN)/python packaging/readme.py
	$(BIN)/python packaging/reference.py

clean:
	rm -rf $(VENV) .cache build dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo 'Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)'; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready-chat: $(DECLARED) | $(BIN)/python
	@echo 'Setting up: about 3 GB; llama.cpp is compiled here, which takes several minutes.'
	$(INSTALL) --editable '.[model]'
	@touch $@

$(VENV)/.ready-test: $(DECLARED) | $(BIN)/python
	$(INSTALL) --editable '.[model-small,test]'
	@touch $@
