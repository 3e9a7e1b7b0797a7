GO ?= go
PACKAGES = ./...

.PHONY: build run test generate check bench fmt

build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o bin/perftrace ./cmd/perftrace

run: build
	bin/perftrace ls /

# As root the privileged tests run too; what the machine lacks is named in
# SKIP-NEED lines and counted at the end.
test: build
	$(GO) test -count=1 -p 1 -timeout 15m $(PACKAGES)

generate:
	$(GO) generate $(PACKAGES)

# Static checks, the race detector, and generated files that are up to date.
check:
	$(GO) vet $(PACKAGES)
	$(GO) tool staticcheck $(PACKAGES)
	test -z "$$($(GO) tool gofumpt -l . | tee /dev/stderr)"
	$(GO) test -race -short -count=1 -timeout 15m ./event ./filter ./decode/... ./perf/mmap/... ./cmd/...
	$(MAKE) generate
	git diff --exit-code

bench:
	$(GO) run ./bench

fmt:
	$(GO) tool gofumpt -w .
