// Package statsplot draws the histograms of statistics. It is apart from them so that only programs
// that draw carry fonts and formats of pictures.
package statsplot

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"ooc/engine/newfile"
	"ooc/engine/stats"
)

// errNoFormat is wrapped by the error for a file whose extension is no format of pictures.
var errNoFormat = errors.New("no picture format")

const (
	width, height = 20 * vg.Centimeter, 20 * vg.Centimeter
	dpi           = 150
)

// canvases are the formats, by extension.
var canvases = map[string]func() vg.CanvasWriterTo{
	".png": func() vg.CanvasWriterTo {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))}
	},
	".svg": func() vg.CanvasWriterTo { return vgsvg.New(width, height) },
}

// Check says whether the extension of a file is that of a format, .png or .svg.
func Check(file string) error {
	ext := strings.ToLower(filepath.Ext(file))
	if canvases[ext] == nil {
		return fmt.Errorf("%w is called %q; there are .png and .svg", errNoFormat, ext)
	}
	return nil
}

// Write draws the histogram of distances and below it that of eccentricities, both of which stats must have
// asked for, to a file that appears only once it is whole. The file is begun before stats is called, so that
// a folder that cannot be written fails at once; it fails with fs.ErrExist where the file is there and not to
// be overwritten, and for a file whose extension is no format.
func Write(file string, overwrite bool, stats func() (*stats.Result, error)) error {
	if err := Check(file); err != nil {
		return err
	}
	return newfile.File{Path: file, Overwrite: overwrite}.Write(func(w io.Writer) error {
		s, err := stats()
		if err != nil {
			return err
		}
		canvas := canvases[strings.ToLower(filepath.Ext(file))]()
		render(canvas, s)
		_, err = canvas.WriteTo(w)
		return err
	})
}

func render(canvas vg.CanvasSizer, s *stats.Result) {
	plots := [][]*plot.Plot{
		{histogram("Distances", "distance", "pairs", s.DistanceHistogram)},
		{histogram("Eccentricities", "eccentricity", "vertices", s.EccentricityHistogram)},
	}
	const edge = 4 * vg.Millimeter
	areas := plot.Align(plots, draw.Tiles{
		Rows: 2, Cols: 1, PadTop: edge, PadBottom: edge, PadLeft: edge, PadRight: 2 * edge, PadY: 2 * edge,
	}, draw.New(canvas))
	for i := range plots {
		plots[i][0].Draw(areas[i][0])
	}
}

func histogram(title, x, y string, h *stats.Histogram) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(ticks), plot.TickerFunc(ticks)
	bars := &plotter.Histogram{
		FillColor: color.RGBA{R: 0x5b, G: 0x8d, B: 0xc9, A: 0xff},
		LineStyle: draw.LineStyle{Color: color.White, Width: vg.Points(0.3)},
	}
	for i, count := range h.Counts {
		bars.Bins = append(bars.Bins, plotter.HistogramBin{Min: h.Edges[i], Max: h.Edges[i+1], Weight: float64(count)})
	}
	p.Add(bars)
	p.Y.Min = 0
	return p
}

// ticks are the usual ones, without zeros behind the point.
func ticks(low, high float64) []plot.Tick {
	all := plot.DefaultTicks{}.Ticks(low, high)
	for i := range all {
		if !all[i].IsMinor() {
			all[i].Label = strconv.FormatFloat(all[i].Value, 'g', 7, 64)
		}
	}
	return all
}
