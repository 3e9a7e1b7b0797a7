GO ?= go
PACKAGES = ./...

.PHONY: build run test generate check bench fmt

build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o bin/perftrace ./cmd/perftrace

run: build
	bin/perftrace ls /

# As root the privileged tests run too. What the machine lacks is named and counted.
test: build
	@rm -f bin/skips; touch bin/skips; status=0; \
	PERFTRACE_SKIPS=$(CURDIR)/bin/skips $(GO) test -count=1 -p 1 -timeout 15m $(PACKAGES) || status=$$?; \
	cat bin/skips; echo "$$(wc -l < bin/skips) skipped for what this machine lacks"; exit $$status

generate:
	$(GO) generate $(PACKAGES)

# Static checks, the binary's size, the race detector, and generated files that are up to date.
check: build
	test "$$(stat -c %s bin/perftrace)" -le 12000000 # bytes, stripped
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
