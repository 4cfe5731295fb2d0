# Every target prints what it does, can be run twice, and needs no network the second time.

.DEFAULT_GOAL := help
.PHONY: help deps model

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | awk -F '\t' '{printf "  make %-10s%s\n", $$1, $$2}'

deps: ## libllama, static, into .deps (INKLING_SYSTEM_LLAMA=1: check the system's own instead)
	@scripts/deps.sh

model: ## the default model into the model directory (INKLING_MODEL_DIR)
	@scripts/model.sh
