package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"parley/app"
	"parley/lab/measure"
)

type constantsCmd struct {
	Sets []measure.Set `arg:"" name:"folder" help:"Folders with corpus.jsonl.gz, queries.jsonl.gz and qrels.tsv, as for eval retrieval."`
	JSON bool          `name:"json" help:"Print JSON."`
}

// Run measures the constants and prints the figures.
func (cmd *constantsCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	report, err := measure.Constants(ctx, config, cmd.Sets)
	if err != nil {
		return err
	}
	return cmd.show(io.out, report)
}

func (cmd *constantsCmd) show(out io.Writer, report measure.ConstantsReport) error {
	if cmd.JSON {
		return showRecord(out, true, report, nil)
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
	figure := func(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }
	head := []string{"constant", "value"}
	for _, set := range cmd.Sets {
		head = append(head, set.Name())
	}
	err := showTable(out, report.Tried, append(head, "mean"), func(t measure.Tried) []string {
		value := number(t.Value)
		if t.InUse {
			value += " in use"
		}
		cells := []string{t.Constant, value}
		for _, set := range cmd.Sets {
			cells = append(cells, figure(t.Figures[set.Name()]))
		}
		return append(cells, figure(t.Mean))
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(out)
	return showTable(out, report.LeftOut, []string{"constant", "set left out", "value", "figure", "without", "difference"}, func(l measure.LeftOut) []string {
		return []string{l.Constant, l.Set, number(l.Value), figure(l.Figure), figure(l.Without), fmt.Sprintf("%+.4f", l.Figure-l.Without)}
	})
}
