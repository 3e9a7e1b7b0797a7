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

// publish writes the tables into docs/performance.md, and has the plots drawn.
func (b *bench) publish(ctx context.Context, res *results, text string) error {
	page := filepath.Join(b.repo, "docs", "performance.md")
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	fresh, err := between(string(old), text)
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	if err := os.WriteFile(page, []byte(fresh), 0o644); err != nil {
		return err
	}
	raw := filepath.Join(b.dir, "results.json")
	if err := res.save(raw); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "run", "./bench/plot", "-in", raw, "-out", filepath.Join(b.repo, "docs"))
	cmd.Dir = b.repo
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("draw the plots: %w\n%s", err, out)
	}
	return nil
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
