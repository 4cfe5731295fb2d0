# Every target prints what it does, can be run twice, and needs no network the second time.

PREFIX ?= /usr/local

.DEFAULT_GOAL := help
# The parts share .deps and .build; each uses all processors by itself.
.NOTPARALLEL:
.PHONY: help deps model build build-tests demo test soak golden lint bench bench-peer bench-plot eval install clean \
  distclean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | \
	  awk -F '\t' '{printf "  make %-11s%s\n", $$1, $$2}'

deps: ## libllama, static, into .deps (INKLING_SYSTEM_LLAMA=1: check the system's own instead)
	@scripts/deps.sh

model: ## the default model into the model directory (INKLING_MODEL_DIR)
	@scripts/model.sh

build: deps model ## the program, .build/release/inkling, and the default model, prepared for this machine
	@scripts/build.sh --product inkling
	@scripts/prepare.sh

# The tests and the program they spawn, from one compilation.
build-tests: deps model
	@scripts/test-environment.sh
	@scripts/build.sh --build-tests

demo: build ## a short text in three tones, streamed to the terminal
	@scripts/demo.sh

test: build-tests ## every test
	@scripts/test.sh

soak: build-tests ## the long versions of the hostile tests
	@INKLING_SOAK=1 scripts/test.sh

golden: build-tests ## rewrites golden files and the generated parts of protocol.md, then shows what changed
	@scripts/golden.sh

lint: build-tests ## formatting rules and the tidy tests
	@scripts/lint.sh

bench: deps model ## the measurements of the program alone (BENCH_ALL=1: five pairs of each instead of three)
	@scripts/bench.sh

bench-peer: build ## the daemon beside llama-server of the same source (BENCH="--quick --only a,c"; -h says more)
	@scripts/peer.sh
	@scripts/bench-peer.py --json .build/bench/peer.json --plots .build/bench $(BENCH)

bench-plot: build ## how cost grows with length, sequences and sessions, as pictures in .build/bench
	@scripts/peer.sh
	@scripts/bench-peer.py --curves --json .build/bench/curves.json --plots .build/bench $(BENCH)

eval: build ## what it writes, measured beside a plain prompt (EVAL_LIMIT=40 is quick; EVAL_MODEL, EVAL_TONES, …)
	@scripts/eval.py

install: build ## the program, its manual page and the completions of shells into $(DESTDIR)$(PREFIX)
	@scripts/install.sh "$(DESTDIR)$(PREFIX)"

clean: ## removes what was compiled, keeps .deps
	@echo "==> removing .build"
	@rm -rf .build

distclean: clean ## removes .deps too (libllama and the downloads)
	@echo "==> removing .deps"
	@rm -rf .deps
