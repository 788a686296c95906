package ui

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Chart is numbers over time or over something else, drawn by the server.
type Chart struct {
	// ID is the element's id.
	ID string
	// Title says what is shown, and About what the reader should see in it.
	Title, About string
	// Labels are below the values, one for each.
	Labels []string
	Series []Series
	// Lines draws lines, for what has no sum such as a time or a share. Bars
	// otherwise.
	Lines bool
	// Stacked draws bars on one another, for what adds up.
	Stacked bool
	// Format writes a value; as a whole number when nil.
	Format func(float64) string
}

// Series is one row of values. A second one, such as the period before, is drawn
// paler. A value of [NoValue] is not drawn.
type Series struct {
	Name   string
	Values []float64
}

// NoValue stands for a value that is missing, such as the value of a day to come. It is not
// zero, which is a value.
func NoValue() float64 { return math.NaN() }

// What a chart is drawn in. The width fits a card, and scales with it.
const (
	chartWidth  = 640
	chartHeight = 200
	chartLeft   = 44
	chartBottom = 24
	chartTop    = 8
)

type bar struct{ X, Y, Width, Height, Class, Title string }

type mark struct{ X, Y, Text, Anchor string }

func (c Chart) format(value float64) string {
	if math.IsNaN(value) {
		return "–"
	}
	if c.Format != nil {
		return c.Format(value)
	}
	return strconv.FormatFloat(value, 'f', -1, 64)
}

// top is the end of the axis: a round number from the highest value on, and an even
// one where the middle of the axis counts something.
func (c Chart) top() float64 {
	top := c.roundTop()
	if c.Format == nil && math.Mod(top, 2) == 1 {
		return top + 1
	}
	return top
}

func (c Chart) roundTop() float64 {
	highest, sums := 0.0, make([]float64, len(c.Labels))
	for _, s := range c.Series {
		for j, v := range s.Values[:min(len(s.Values), len(c.Labels))] {
			if math.IsNaN(v) {
				continue
			}
			sums[j] += v
			if c.Stacked {
				v = sums[j]
			}
			highest = max(highest, v)
		}
	}
	if highest == 0 {
		return 1
	}
	step := 1.0
	for step*10 < highest {
		step *= 10
	}
	for step >= highest && step > 1e-6 {
		step /= 10
	}
	for _, factor := range []float64{1, 2, 4, 5, 10} {
		if highest <= step*factor {
			return step * factor
		}
	}
	return highest
}

func (c Chart) y(value float64) float64 {
	return chartHeight - chartBottom - value/c.top()*(chartHeight-chartBottom-chartTop)
}

func (c Chart) slot() float64 { return float64(chartWidth-chartLeft) / float64(max(1, len(c.Labels))) }

func class(series int, name string) string {
	if series > 0 {
		return name + " second"
	}
	return name
}

func px(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

func (c Chart) bars() []bar {
	var all []bar
	beside, below := max(1, len(c.Series)), make([]float64, len(c.Labels))
	if c.Stacked {
		beside = 1
	}
	width := c.slot() * 0.72 / float64(beside)
	for i, s := range c.Series {
		for j, v := range s.Values {
			if j >= len(c.Labels) || !(v > 0) {
				continue
			}
			x, y, foot := chartLeft+c.slot()*(float64(j)+0.14), c.y(below[j]+v), c.y(below[j])
			if c.Stacked {
				below[j] += v
			} else {
				x += width * float64(beside-1-i)
			}
			title := c.Labels[j] + ": " + c.format(v)
			if len(c.Series) > 1 {
				title = s.Name + ", " + title
			}
			all = append(all, bar{px(x), px(y), px(max(1, width-1)), px(foot - y), class(i, "bar"), title})
		}
	}
	return all
}

// stretch is a part of a line between missing values. One of a single point is
// drawn as a dot.
type stretch struct {
	Points string
	X, Y   string
	Dot    bool
}

// stretches returns the stretches of a series' line.
func (c Chart) stretches(s Series) (all []stretch) {
	var points []string
	var x, y string
	end := func() {
		if len(points) > 0 {
			all = append(all, stretch{strings.Join(points, " "), x, y, len(points) == 1})
		}
		points = nil
	}
	for j, v := range s.Values[:min(len(s.Values), len(c.Labels))] {
		if math.IsNaN(v) {
			end()
			continue
		}
		x, y = px(chartLeft+c.slot()*(float64(j)+0.5)), px(c.y(v))
		points = append(points, x+","+y)
	}
	end()
	return all
}

// rules are the lines across, with what they stand for.
func (c Chart) rules() []mark {
	var all []mark
	for _, share := range []float64{0, 0.5, 1} {
		value := c.top() * share
		if c.top() == 1 && share == 0.5 && c.Format == nil {
			continue
		}
		all = append(all, mark{px(chartLeft - 8), px(c.y(value)), c.format(value), "end"})
	}
	return all
}

// marks are the labels that there is room for, the first and the last among them.
func (c Chart) marks() []mark {
	every := max(1, (len(c.Labels)+6)/7)
	var all []mark
	for i, text := range c.Labels {
		if i%every == 0 {
			all = append(all, mark{px(chartLeft + c.slot()*(float64(i)+0.5)), px(chartHeight - 6), text, "middle"})
		}
	}
	return all
}

func (c Chart) box() string { return fmt.Sprintf("0 0 %d %d", chartWidth, chartHeight) }
