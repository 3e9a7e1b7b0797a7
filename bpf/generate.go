package bpf

//go:generate go tool bpf2go -go-package bpf -target amd64,arm64 -type op -type rec -type rec_task -type dump -type span -type count -type other_call -type plan -type command -type cpu -type task_state -type plan_flags -type rec_kind -type rec_flags -type task_flags -type batch_limits -type image_limits trace progs/trace.bpf.c -- -O2 -g -Wall -Wextra -Werror -Wno-unused-parameter -Wno-unused-function
