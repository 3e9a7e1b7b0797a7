package main

import (
	"runtime"
	"runtime/debug"
	"strings"

	"perftrace/filter"
)

const helpWidth = 79

// helpText is what -h prints: the table by groups.
func helpText(name string) string {
	var b strings.Builder
	b.WriteString("Usage: " + name + " [OPTION]... COMMAND [ARG]...\n" +
		"   or: " + name + " [OPTION]... -p PID...\n" +
		"   or: " + name + " [OPTION]... --all\n" +
		"Trace system calls without stopping the target. Options are strace's where the\n" +
		"meaning is; the first word that is no option is the command.\n")
	table := options()
	for g, title := range groupNames {
		b.WriteString("\n" + title + ":\n")
		for i := range table {
			if o := &table[i]; o.group == group(g) && o.help != "" {
				helpOption(&b, o)
			}
		}
	}
	return b.String()
}

func helpOption(b *strings.Builder, o *option) {
	var forms []string
	if o.short != 0 {
		form := "-" + string(o.short)
		if o.letterTakes() {
			form += " " + o.arg
		}
		forms = append(forms, form)
	}
	for _, n := range o.names() {
		form := "--" + n
		switch {
		case o.optional:
			form += "[=" + o.arg + "]"
		case o.arg != "":
			form += "=" + o.arg
		}
		forms = append(forms, form)
		if len(o.also) > 0 && o.short != 0 {
			break // further spellings are for fingers, not for readers
		}
	}
	b.WriteString("  " + strings.Join(forms, ", ") + "\n")
	line := "       "
	for word := range strings.FieldsSeq(o.help) {
		if len([]rune(line))+1+len([]rune(word)) > helpWidth {
			b.WriteString(line + "\n")
			line = "       "
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}

// versionText is what -V prints.
func versionText() string {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return "perftrace " + version + " " + runtime.GOOS + "/" + runtime.GOARCH + " " + runtime.Version() + "\n"
}

// filterText is what --list-filters prints.
func filterText() string {
	var b strings.Builder
	for _, e := range filter.List(runtime.GOARCH) {
		line := e.Name
		for len(line) < 12 {
			line += " "
		}
		for _, call := range e.Calls {
			if len(line)+1+len(call) > helpWidth {
				b.WriteString(line + "\n")
				line = "            "
			}
			line += " " + call
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
