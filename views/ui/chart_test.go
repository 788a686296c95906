package ui

import (
	"strings"
	"testing"
)

func TestChartLeavesOutWhatThereIsNot(t *testing.T) {
	none := NoValue()
	c := Chart{
		Title: "Times", Lines: true, Labels: []string{"Mon", "Tue", "Wed", "Thu", "Fri"},
		Series: []Series{{Name: "Median", Values: []float64{1, 3, none, 2, none}}, {Name: "None", Values: []float64{none, none, none, none, none}}},
	}
	if got := c.top(); got != 4 {
		t.Errorf("the axis ends at %v", got)
	}
	parts := c.stretches(c.Series[0])
	if len(parts) != 2 || parts[0].Dot || strings.Count(parts[0].Points, ",") != 2 || !parts[1].Dot {
		t.Errorf("the line is %+v", parts)
	}
	if got := c.stretches(c.Series[1]); got != nil {
		t.Errorf("a line without values is %+v", got)
	}
	if n := len(c.bars()); n != 3 {
		t.Errorf("there are %d bars", n)
	}
	var page strings.Builder
	if err := Graph(c).Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page.String(), "NaN") || strings.Count(page.String(), "–") != 7 {
		t.Errorf("the chart is %s", page.String())
	}
}

func TestStackedBarsAddUp(t *testing.T) {
	c := Chart{Stacked: true, Labels: []string{"Mon"}, Series: []Series{{Name: "Answered", Values: []float64{3, 9}}, {Name: "Not answered", Values: []float64{1}}}}
	bars := c.bars()
	if c.top() != 4 || len(bars) != 2 {
		t.Fatalf("they are %+v up to %v", bars, c.top())
	}
	if bars[0].X != bars[1].X || bars[1].Y != px(chartTop) || bars[1].Title != "Not answered, Mon: 1" {
		t.Errorf("they are %+v", bars)
	}
}

func TestTheMiddleOfTheAxisIsAWholeNumber(t *testing.T) {
	for highest, want := range map[float64]float64{0: 2, 1: 2, 5: 6, 8: 10, 45: 50} {
		c := Chart{Labels: []string{"Mon"}, Series: []Series{{Name: "Questions", Values: []float64{highest}}}}
		if got := c.top(); got != want {
			t.Errorf("up to %v it ends at %v, want %v", highest, got, want)
		}
	}
	times := Chart{Labels: []string{"Mon"}, Series: []Series{{Name: "Time", Values: []float64{5}}}, Format: func(float64) string { return "" }}
	if got := times.top(); got != 5 {
		t.Errorf("an axis of times ends at %v", got)
	}
}
