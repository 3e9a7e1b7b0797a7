module perftrace

go 1.26.0

require (
	github.com/cilium/ebpf v0.22.0 // indirect
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/spf13/pflag v1.1.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/term v0.48.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
