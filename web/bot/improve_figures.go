package bot

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/core/insight/testrun"
	"parley/core/plan"
	views "parley/views/bot"
	"parley/views/ui"
)

// shareOf is a share of a number, or a dash of none.
func shareOf(n, all int) string {
	if all == 0 {
		return "–"
	}
	return strconv.Itoa(n) + " of " + strconv.Itoa(all)
}

func f1Of(f testrun.Figures) string {
	if f.References == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", f.F1)
}

func spentOf(in, out int, took time.Duration) string {
	return plan.Thousands(in) + " tokens in, " + plan.Thousands(out) + " out, " + tookOf(took)
}

func tookOf(d time.Duration) string {
	if d < time.Millisecond {
		return "under 1 ms"
	}
	if d < time.Second {
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// figuresToView are the figures of both runs.
func figuresToView(c testrun.Comparison) []views.TestFigure {
	after := c.After.Figures
	var before testrun.Figures
	if c.Before != nil {
		before = c.Before.Figures
	}
	share := func(name string, n, all func(testrun.Figures) int) views.TestFigure {
		f := views.TestFigure{Name: name, Before: shareOf(n(before), all(before)), After: shareOf(n(after), all(after))}
		if c.Before != nil && all(before) > 0 && all(after) > 0 {
			points := 100*float64(n(after))/float64(all(after)) - 100*float64(n(before))/float64(all(before))
			f.Change, f.Tone = movedBy(points, "%.0f", " points"), toneOfMove(points)
		}
		return f
	}
	all := []views.TestFigure{
		share("Passed", func(f testrun.Figures) int { return f.Passed }, testrun.Figures.Judged),
		share("Answered", func(f testrun.Figures) int { return f.Answered }, testrun.Figures.Judged),
		share("Correct", func(f testrun.Figures) int { return f.Right }, testrun.Figures.Judged),
		share("Citations right", func(f testrun.Figures) int { return f.Cited }, func(f testrun.Figures) int { return f.Documents }),
		{Name: "Match with expected answer", Before: f1Of(before), After: f1Of(after)},
		{Name: "Tokens in", Before: plan.Thousands(before.Usage.PromptTokens), After: plan.Thousands(after.Usage.PromptTokens)},
		{Name: "Tokens out", Before: plan.Thousands(before.Usage.CompletionTokens), After: plan.Thousands(after.Usage.CompletionTokens)},
		{Name: "Time of an answer", Before: tookOf(before.Mean()), After: tookOf(after.Mean())},
	}
	all[1].Tone = "" // more answers are not better in themselves
	if before.References > 0 && after.References > 0 {
		all[4].Change, all[4].Tone = movedBy(after.F1-before.F1, "%.2f", ""), toneOfMove(after.F1-before.F1)
	}
	if before.Failed+after.Failed > 0 {
		all = append(all, views.TestFigure{Name: "Errors", Before: strconv.Itoa(before.Failed), After: strconv.Itoa(after.Failed)})
	}
	if c.Before == nil {
		for i := range all {
			all[i].Before = "–"
		}
	}
	return all
}

func movedBy(by float64, form, unit string) string {
	text := fmt.Sprintf(form, max(by, -by))
	switch {
	case strings.Trim(text, "0.") == "":
		return "±0"
	case by < 0:
		return "−" + text + unit
	}
	return "+" + text + unit
}

func toneOfMove(by float64) ui.Tone {
	switch {
	case by > 0.004:
		return ui.Good
	case by < -0.004:
		return ui.Bad
	}
	return ui.Neutral
}

// tilesOf are the figures that matter most.
func tilesOf(c testrun.Comparison) []ui.Stat {
	var tiles []ui.Stat
	for _, f := range figuresToView(c) {
		switch f.Name {
		case "Passed", "Correct", "Citations right", "Match with expected answer":
			tiles = append(tiles, ui.Stat{Name: f.Name, Value: f.After, Change: f.Change, Tone: f.Tone})
		}
	}
	return tiles
}

// differencesOf says what has changed since the earlier run.
func differencesOf(c testrun.Comparison) []string {
	if c.Before == nil {
		return nil
	}
	var all []string
	switch {
	case !c.Knowledge():
		all = append(all, "The knowledge is the same: "+counted(c.After.KnownDocuments, "document", "documents")+".")
	default:
		all = append(all, fmt.Sprintf("The knowledge changed: %s before, %d after.", counted(c.Before.KnownDocuments, "document", "documents"), c.After.KnownDocuments))
	}
	if c.Models() {
		all = append(all, "Model: "+strings.Join(c.Before.Models, ", ")+" → "+strings.Join(c.After.Models, ", "))
	}
	if c.Program() {
		all = append(all, "Parley itself was updated.")
	}
	changed := c.Settings()
	for _, d := range changed {
		name := strings.ReplaceAll(d.Field, "_", " ")
		if len(d.Old)+len(d.New) > 120 {
			all = append(all, "Setting “"+name+"” changed.")
		} else {
			all = append(all, "Setting “"+name+"”: "+cmp.Or(d.Old, "none")+" → "+cmp.Or(d.New, "none"))
		}
	}
	if len(changed) == 0 {
		all = append(all, "The settings are the same.")
	}
	return all
}
