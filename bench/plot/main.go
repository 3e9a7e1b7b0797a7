// Plot draws what bench has measured, as SVG: the added time of a call by tracer,
// and the slowdown of all workloads by tracer. It is a program of its own, so that
// a plotting library is part of nothing else.
//
//	go run ./bench -json results.json && go run ./bench/plot -in results.json -out docs
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A row is what the plots need of bench's.
type row struct {
	Workload, Variant string
	Added             float64 // ns a call
	AddedSpread       float64
	Slowdown          float64
	SlowSpread        float64
}

func main() {
	in := flag.String("in", "results.json", "what bench -json wrote")
	out := flag.String("out", ".", "the folder for the plots")
	form := flag.String("format", "svg", "svg or png")
	flag.Parse()
	if err := drawAll(*in, *out, "."+*form); err != nil {
		fmt.Fprintln(os.Stderr, "plot:", err)
		os.Exit(1)
	}
}

func drawAll(in, out, form string) error {
	text, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	var results struct{ Rows []row }
	if err := json.Unmarshal(text, &results); err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	for _, workload := range []string{"getppid", "openat"} {
		if err := drawAdded(results.Rows, workload, filepath.Join(out, "performance-"+workload+form)); err != nil {
			return err
		}
	}
	return drawSlowdown(results.Rows, filepath.Join(out, "performance-slowdown"+form))
}

// points are values on a logarithmic axis, each with its spread, one a line.
type points struct {
	plotter.XYs
	plotter.XErrors
}

func (p *points) add(x, spread float64, line int) {
	p.XYs = append(p.XYs, plotter.XY{X: x, Y: float64(line)})
	// A bar that begins at zero or below has no place on a logarithmic axis.
	low := min(spread, x*0.9)
	p.XErrors = append(p.XErrors, struct{ Low, High float64 }{low, spread})
}

func (p *points) draw(to *plot.Plot, c color.Color, shape draw.GlyphDrawer, name string) error {
	if len(p.XYs) == 0 {
		return nil
	}
	dots, err := plotter.NewScatter(p.XYs)
	if err != nil {
		return err
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(4), Shape: shape}
	bars, err := plotter.NewXErrorBars(p)
	if err != nil {
		return err
	}
	bars.Color = c
	to.Add(bars, dots)
	if name != "" {
		to.Legend.Add(name, dots)
	}
	return nil
}

// ours, theirs are the colours: dark blue is perftrace, others are warm.
var (
	ours   = color.RGBA{R: 0x1b, G: 0x5e, B: 0x9b, A: 0xff}
	theirs = color.RGBA{R: 0xc4, G: 0x5a, B: 0x1c, A: 0xff}
)

var perftraces = []string{"bpf", "perf", "ptrace"}

func isOurs(variant string) bool {
	return slices.ContainsFunc(perftraces, func(b string) bool {
		return variant == b || len(variant) > len(b) && variant[:len(b)+1] == b+" " && !isTool(variant)
	})
}

// isTool tells perf's commands from the options of the perf backend.
func isTool(variant string) bool {
	return len(variant) >= 10 && variant[:10] == "perf trace"
}

func logarithmic(p *plot.Plot, values []float64) {
	low, high := slices.Min(values), slices.Max(values)
	p.X.Scale = plot.LogScale{}
	p.X.Tick.Marker = plot.LogTicks{Prec: -1}
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.Min = math.Pow(10, math.Floor(math.Log10(low)))
	p.X.Max = math.Pow(10, math.Ceil(math.Log10(high)+0.01))
	p.Add(plotter.NewGrid())
}

// nominal names the lines, and leaves room above and below them.
func nominal(p *plot.Plot, names []string) {
	p.NominalY(names...)
	p.Y.Min, p.Y.Max = -0.7, float64(len(names))-0.3
}

func drawAdded(rows []row, workload, file string) error {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r row) bool {
		return r.Workload != workload || r.Variant == "bare" || r.Added <= 0
	})
	if len(rows) == 0 {
		return nil // not measured
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		if a.Added > b.Added {
			return -1
		}
		return 1
	})
	p := plot.New()
	p.Title.Text = "A " + workload + " takes so much longer (ns a call, median and spread)"
	var mine, other points
	var names []string
	var values []float64
	for i, r := range rows {
		names, values = append(names, r.Variant), append(values, r.Added)
		if isOurs(r.Variant) {
			mine.add(r.Added, r.AddedSpread, i)
		} else {
			other.add(r.Added, r.AddedSpread, i)
		}
	}
	logarithmic(p, values)
	nominal(p, names)
	p.Legend.Left = true
	if err := mine.draw(p, ours, draw.CircleGlyph{}, "perftrace"); err != nil {
		return err
	}
	if err := other.draw(p, theirs, draw.BoxGlyph{}, "others"); err != nil {
		return err
	}
	return p.Save(vg.Points(640), vg.Points(float64(90+18*len(rows))), file)
}

func drawSlowdown(rows []row, file string) error {
	styles := []struct {
		variant string
		color   color.Color
		shape   draw.GlyphDrawer
	}{
		{"bpf", ours, draw.CircleGlyph{}},
		{"perf", ours, draw.TriangleGlyph{}},
		{"ptrace", ours, draw.CrossGlyph{}},
		{"perf trace record", theirs, draw.TriangleGlyph{}},
		{"perf trace", theirs, draw.SquareGlyph{}},
		{"bpftrace count", theirs, draw.RingGlyph{}},
		{"strace", theirs, draw.CrossGlyph{}},
	}
	var names []string
	var values []float64
	for _, r := range slices.Backward(rows) {
		if r.Variant == "bare" && !slices.Contains(names, r.Workload) {
			names = append(names, r.Workload)
		}
	}
	p := plot.New()
	p.Title.Text = "Times the bare time (median and spread)"
	for _, s := range styles {
		var of points
		for _, r := range rows {
			if r.Variant == s.variant && r.Slowdown > 0 {
				of.add(r.Slowdown, r.SlowSpread, slices.Index(names, r.Workload))
				values = append(values, r.Slowdown)
			}
		}
		if err := of.draw(p, s.color, s.shape, s.variant); err != nil {
			return err
		}
	}
	if len(values) == 0 {
		return nil // not measured
	}
	logarithmic(p, values)
	p.X.Max *= 10 // room for the legend
	nominal(p, names)
	p.Legend.Top = true
	return p.Save(vg.Points(640), vg.Points(float64(120+24*len(names))), file)
}
