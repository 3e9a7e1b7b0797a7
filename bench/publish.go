package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	beginMark = "<!-- results: written by bench -write, from here -->"
	endMark   = "<!-- to here -->"
)

// publish has the plots drawn, and writes them and the tables into docs/performance.md.
func (b *bench) publish(ctx context.Context, res *results, text string) error {
	raw, docs := filepath.Join(b.dir, "results.json"), filepath.Join(b.repo, "docs")
	if err := res.save(raw); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "run", "./bench/plot", "-in", raw, "-out", docs)
	cmd.Dir = b.repo
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("draw the plots: %w\n%s", err, out)
	}
	plots, err := filepath.Glob(filepath.Join(docs, "performance-*.svg"))
	if err != nil {
		return err
	}
	text += "\n"
	for _, p := range plots {
		text += fmt.Sprintf("![%[1]s](%[1]s)\n", filepath.Base(p))
	}
	page := filepath.Join(docs, "performance.md")
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	fresh, err := between(string(old), text)
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	return os.WriteFile(page, []byte(fresh), 0o644)
}

// between puts text between the two marks.
func between(page, text string) (string, error) {
	head, rest, ok := strings.Cut(page, beginMark)
	_, tail, end := strings.Cut(rest, endMark)
	if !ok || !end {
		return "", errors.New("the marks for the results are gone; put them back: " + beginMark + " and " + endMark)
	}
	return head + beginMark + "\n\n" + strings.TrimSpace(text) + "\n\n" + endMark + tail, nil
}
