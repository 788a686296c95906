# Parley's tasks. `make` lists them.

SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO ?= go
TOOL := $(GO) tool -modfile=tools/go.mod
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 10s
# Tests wait for other processes, so more of them run than there are cores.
PARALLEL ?= 4
PACKAGES ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
GOTEST := $(GO) test -vet=off -p $(PACKAGES) -parallel $(PARALLEL) -timeout 60m
# Without cgo, as the program is built: so tests, linters and program share what the
# compiler made. The race detector needs cgo.
TEST := env CGO_ENABLED=0 $(GOTEST)
# The whole program runs five times slower and more under the race detector. In `make test`
# it watches what happens at the same time: of the whole program e2e/turns (groups,
# idempotency, resumed answers, streams, shutdown, quotas), of the store the tests with
# such names, and every other package but those that read texts and files, or make pages,
# one after the other. `make test-race` watches all.
UNWATCHED := $(addprefix ./e2e/,servers crash pages api) $(patsubst %,./%/...,store text extract web views static cmd)
AT_ONCE := Group|Share|AtOnce|SameTime|Concurren|While
# What begins first, so that nothing waits for it in the end.
LONGEST := ./e2e/turns ./index/weaviate ./billing ./core/knowledge ./jobs
# What parts of `make test-all` run, and `make test` does not: clients and libraries of
# other languages, an operator's commands as the documentation has them, backups that are
# killed or made under load, three servers of which one after the other is killed, ten
# thousand documents that an index lost, the memory that encodings take, an attack on a server that has a gibibyte, the plans of a
# question's statements among a million messages, and the check of the walls between
# workspaces once more, by its command, with several servers and in a Weaviate; bench/cmd,
# which runs whole benchmarks; and SAVED, files that others made.
SAVED := TestDocumentsThatLibreOfficeSavesLoseNothing|TestDocumentationOfDebianLosesNothing
LATER := ^($(SAVED)|TestClients|TestOpenAISDKs|TestOperationsPage|TestBackupUnderLoad|TestKilled(Restore|Backup)|TestUpgradeCheckCommand|TestThreeServers|TestManyDocumentsComeBack|TestStatementsOfAQuestionAmongAMillionMessages|TestServesWithinAGibibyte|TestMemoryWithEncodings|TestDoctorIsolation(Command|OfSeveralServers|WithWeaviate))$$
# SQLite as Go code, the hash of passwords and the compression of assets are
# nothing but computation, and take three to six times as long under the race
# detector. Only packages without generic functions can be left out: the linker
# keeps one copy of those. A test that has passed need not wait a second for late reports.
UNRACED := modernc.org/sqlite/lib golang.org/x/crypto/argon2 golang.org/x/crypto/blake2b github.com/andybalholm/brotli
RACE = env CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 GOFLAGS='$(GOFLAGS) $(UNRACED:%=-gcflags=%=-race=false)' $(GOTEST) -race
# The scripts that single pages have. Each is a file with all that it imports, but
# for what it shares with the script of every page, so that browsers ask twice
# and not twenty times.
PAGE_SCRIPTS := ask-again join knowledge model-picker passkey playground proposal provider-test reference tokens
BUNDLE := $(TOOL) esbuild --bundle --format=esm --minify --target=es2022 --log-level=warning --outdir=static/bundles
# Without the paths of this checkout in what is built, another checkout finds it in go's
# caches, and so does the one that continuous integration makes.
export GOFLAGS := $(filter-out -trimpath,$(or $(GOFLAGS),-buildvcs=false)) -trimpath

.PHONY: help
help: ## list the tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-22s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The packages with assembly for ARM.
ARM := ./text/encode/bge ./index/embedded/segment

.PHONY: run
run: build ## build, and serve a demonstration from ./data
	bin/parley serve --demo

.PHONY: build
build: ## build bin/parley, which needs no library of the system
	CGO_ENABLED=0 $(GO) build -ldflags '-s -w -X main.version=$(VERSION)' -o bin/parley ./cmd/parley

.PHONY: test
test: ## everything that a change has to keep: setup, check, and all tests; see docs/development.md
	scripts/setup.sh
	$(MAKE) --no-print-directory check
	scripts/with-services.sh $(MAKE) --no-print-directory test-here

# What `make test` runs beside the services.
.PHONY: test-here
test-here:
	$(TEST) -short -skip '$(LATER)' $(UNWATCHED)
	packages=$$($(GO) list ./... | grep -vxF "$$($(GO) list $(UNWATCHED) $(LONGEST))") && $(RACE) -short $(LONGEST) $$packages
	$(RACE) -short -run '$(AT_ONCE)' ./store ./store/chat
	cd bench && $(TEST) $$($(GO) list ./... | grep -vx parley/bench/cmd)
	cd lab && $(TEST) ./...
	cd tools/conformance && $(TEST) ./...

# `make test-all` is what a release has to keep. Its parts also run alone; a part that has
# passed on a commit does not run on it again.
ALL := race browsers clients deploy long
.PHONY: test-all
test-all: test $(ALL:%=test-%) ## make test, and the parts below: at most an hour
	@scripts/part.sh report test $(ALL)

.PHONY: test-race
test-race: ## all tests with the race detector, the whole program on both databases included
	@scripts/part.sh race scripts/with-services.sh $(MAKE) --no-print-directory race-here

.PHONY: race-here
race-here:
	$(RACE) -skip '^($(SAVED))$$' ./...
	cd bench && $(RACE) ./...
	cd lab && $(RACE) ./...

.PHONY: test-browsers
test-browsers: ## every page in a browser, each checked for accessibility
	@scripts/part.sh browsers scripts/with-services.sh $(TEST) ./e2e/pages

.PHONY: test-clients
test-clients: ## the clients in Go, TypeScript and Python, and the libraries of OpenAI, Anthropic and others, against real servers
	@scripts/part.sh clients $(MAKE) --no-print-directory clients-here

.PHONY: clients-here
clients-here:
	scripts/with-services.sh $(TEST) -count=1 -run 'Client|SDK|OpenAI|MCP|LangChain' ./e2e/api
	cd tools/conformance && $(TEST) -count=1 ./...

.PHONY: test-deploy
test-deploy: ## docs/operations.md as typed, backups, upgrades, and builds for other systems
	@scripts/part.sh deploy $(MAKE) --no-print-directory deploy-here

.PHONY: deploy-here
deploy-here:
	for target in linux/arm64 darwin/arm64 windows/amd64; do \
	  echo "building for $$target"; CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) build -o /dev/null ./cmd/parley; done
	scripts/with-services.sh $(TEST) -count=1 -run 'Operations|Backup|Restore|Upgrade|Migrate|DoctorCommand|DoctorWithout|RelativeDataFolder|FilesArePrivate' ./e2e/...

.PHONY: test-long
test-long: ## properties with ten times as many cases, files that LibreOffice and Debian made, and every fuzz test for FUZZTIME
	@scripts/part.sh long $(MAKE) --no-print-directory long-here

.PHONY: long-here
long-here:
	scripts/office.sh
	packages=$$($(GO) list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' ./... | grep 'pgregory.net/rapid' | cut -d ' ' -f 1) && \
	  scripts/with-services.sh $(TEST) $$packages -rapid.checks=1000
	scripts/with-services.sh $(TEST) -run '^TestNothingCrossesWhenRequestsAreCanceled$$' ./e2e/turns
	scripts/fuzz.sh $(FUZZTIME)

.PHONY: check
check: check-format check-sizes check-generated vet arch ## what needs no test services: format, generated files, vet and linters, import table, sizes of files

.PHONY: check-format
check-format:
	@echo "$(TOOL) gofumpt -l ."
	@unformatted=$$($(TOOL) gofumpt -l .); \
	if [ -n "$$unformatted" ]; then \
	  echo "These files are not formatted; run make format:"; echo "$$unformatted"; exit 1; \
	fi

.PHONY: check-sizes
check-sizes:
	scripts/check-sizes.sh
	scripts/check-test-names.sh

.PHONY: check-generated
check-generated:
	scripts/check-generated.sh

# Where a CI system keeps it, beside what the scripts install.
export GOLANGCI_LINT_CACHE ?= $(or $(PARLEY_CACHE),$(CI_CACHE_DIR),$(XDG_CACHE_HOME),$(HOME)/.cache)/parley/golangci-lint

.PHONY: vet
vet:
	CGO_ENABLED=0 "$$($(TOOL) -n golangci-lint)" run ./...
	lint="$$($(TOOL) -n golangci-lint)" && for module in bench lab; do (cd $$module && CGO_ENABLED=0 "$$lint" run --config ../.golangci.yml ./...); done
	CGO_ENABLED=0 GOARCH=arm64 $(GO) vet $(ARM)

.PHONY: arch
arch:
	$(TEST) ./internal/arch

.PHONY: fuzz
fuzz: ## every fuzz test for FUZZTIME (10s)
	scripts/fuzz.sh $(FUZZTIME)

.PHONY: test-arm
test-arm: ## what is written for ARM, in an emulator (in Debian: apt-get install qemu-user-static)
	CGO_ENABLED=0 GOARCH=arm64 $(GO) test -exec 'qemu-aarch64-static -cpu max' $(ARM)

.PHONY: bench
bench: ## measure, on a Weaviate and on a PostgreSQL that syncs to disk; BENCH=--only=chat for a part
	PARLEY_PG_DURABLE=1 scripts/with-services.sh scripts/bench.sh $(BENCH)

.PHONY: eval
eval: ## measure retrieval, grounding and answers: make eval ARGS="retrieval --help"
	@$(GO) build -C lab -o ../bin/eval ./eval
	@bin/eval $(ARGS)

.PHONY: screenshots
screenshots: ## every page of a lively workspace as pictures in bin/screenshots
	scripts/setup.sh
	scripts/with-program.sh $(GO) test -tags screenshots -count 1 -timeout 10m -run '^TestScreenshots$$' ./e2e/pages

.PHONY: services
services: ## a Weaviate and a PostgreSQL on loopback for development, until Ctrl-C
	scripts/services.sh

.PHONY: format
format: ## format the Go code
	$(TOOL) gofumpt -w .

.PHONY: generate
generate: ## write the generated files: ent, the pages, their scripts, docs/config.md, .env.example
	$(GO) generate ./ent
	$(TOOL) templ generate
	cd views && $(GO) run ./once
	rm -f static/bundles/*.js
	$(BUNDLE) static/js/parley.js
	$(BUNDLE) --external:./parley.js $(PAGE_SCRIPTS:%=static/js/%.js)
	@mkdir -p bin
	CGO_ENABLED=0 $(GO) run ./cmd/parley config --docs > bin/config.md
	mv bin/config.md docs/config.md
	CGO_ENABLED=0 $(GO) run ./cmd/parley config --env > bin/env.example
	mv bin/env.example .env.example

.PHONY: tidy
tidy: ## tidy the modules of the program and of what measures it, which has the same versions
	$(GO) mod tidy
	cd bench && $(GO) mod tidy
	cd lab && $(GO) mod tidy

.PHONY: migration
migration: ## write the migrations that the schema's changes need: make migration name=add_labels
	@[ -n "$(name)" ] || { echo "Give the migration a name: make migration name=add_labels"; exit 2; }
	scripts/with-postgres.sh $(GO) run ./ent/migrate/diff $(name)

.PHONY: clean
clean: ## delete what was built; ./data stays
	rm -rf bin
