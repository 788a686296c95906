package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"parley/app"
	"parley/core/fault"
	"parley/core/isolation"
)

type doctorIsolationCmd struct {
	URL   string `name:"url" placeholder:"URL" help:"Address of a server on this database. Default: BASE_URL, or where the server listens."`
	Clean bool   `help:"Only take away what an earlier check left behind, also if it began just now."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

// Run checks, prints the report, and fails if it is not in order.
func (cmd *doctorIsolationCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		tell := func(step string) { fmt.Fprintln(io.err, step) }
		checker, err := p.IsolationChecker(ctx, cmp.Or(cmd.URL, config.PublicURL(config.ListenAddress())), tell)
		if err != nil {
			return err
		}
		if cmd.Clean {
			return cmd.clean(ctx, checker, io)
		}
		report, err := checker.Run(ctx)
		if err != nil {
			return errorOf(ctx, report, err)
		}
		if err := showIsolation(io.out, cmd.JSON, report); err != nil {
			return err
		}
		return verdictOf(report)
	})
}

func (cmd *doctorIsolationCmd) clean(ctx context.Context, checker *isolation.Checker, io streams) error {
	removed, err := checker.Clean(ctx)
	if err != nil {
		return err
	}
	sentence := "There is nothing to take away."
	if len(removed) > 0 {
		sentence = "Took away " + strings.Join(removed, " and ") + "."
	}
	return show1(io.out, cmd.JSON, map[string]any{"removed": append([]string{}, removed...)}, sentence)
}

// errorOf says of a check that did not come to its end what became of what it had planted.
func errorOf(ctx context.Context, report *isolation.Report, err error) error {
	switch {
	case len(report.Left) > 0:
		return fault.Wrap(fault.Unavailable, err, "The check did not come to its end, and left behind: %s.", strings.Join(report.Left, ", "))
	case ctx.Err() != nil:
		return fault.New(fault.Unavailable, "The check was interrupted. What it had planted is taken away.")
	}
	return err
}

func verdictOf(r *isolation.Report) error {
	switch {
	case len(r.Crossings) > 0:
		return fault.New(fault.Invalid, "Workspaces are not kept apart: see above.")
	case len(r.Left) > 0:
		return fault.New(fault.Unavailable, "Something of the throw-away workspaces is left: see above.")
	case len(r.Unproven) > 0:
		return fault.New(fault.Unavailable, "Nothing crossed, but not all was proven: see above.")
	}
	return nil
}

// showIsolation prints a report.
func showIsolation(out io.Writer, asJSON bool, r *isolation.Report) error {
	if asJSON {
		return showJSON(out, isolationToView(r))
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(what, format string, args ...any) { fmt.Fprintf(w, what+"\t"+format+"\n", args...) }
	if len(r.Earlier) > 0 {
		row("earlier checks", "took away what they left behind: %s", strings.Join(r.Earlier, ", "))
	}
	row("workspaces", "%s", strings.Join(r.Workspaces, " and "))
	row("canaries", "%d planted; their own workspaces were shown %d", r.Planted, r.Seen)
	row("objects", "%d of each workspace", r.Objects)
	row("routes", "%d tried, in both directions; %d not:", r.Routes, len(r.NotTried))
	for _, line := range notTried(r) {
		row("", "%s", line)
	}
	row("requests", "%d:", r.Total())
	for _, name := range slices.Sorted(maps.Keys(r.Requests)) {
		row("", "%5d with %s", r.Requests[name], name)
	}
	row("searches", "%d at the server, %d in the index, for words of the other workspace", r.AtServer, r.AtIndex)
	row("row-level security", "%s", wallOf(r))
	for _, p := range r.Wall.Tables {
		row("", "%s", probeOf(p))
	}
	showFindings(row, r)
	return w.Flush()
}

func showFindings(row func(what, format string, args ...any), r *isolation.Report) {
	row("crossings", "%s", orNone(len(r.Crossings)))
	for _, c := range r.Crossings {
		row("", "%s, with %s, for %s: %s", c.Route, c.Credential, c.Object, c.Reached)
	}
	if len(r.Unproven) > 0 {
		row("not proven", "%d", len(r.Unproven))
		for _, line := range r.Unproven {
			row("", "%s", line)
		}
	}
	row("left behind", "%s", cmp.Or(strings.Join(r.Left, ", "), "nothing"))
}

func orNone(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

// notTried counts the routes by the reason why they were not tried.
func notTried(r *isolation.Report) (lines []string) {
	counts := map[string]int{}
	for _, route := range r.NotTried {
		counts[route.Reason]++
	}
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		lines = append(lines, fmt.Sprintf("%5d  %s", counts[reason], reason))
	}
	return lines
}

func wallOf(r *isolation.Report) string {
	if r.Wall.Off != "" {
		return "off: " + r.Wall.Off
	}
	return fmt.Sprintf("on: %d tables, each asked in both directions to read, change, delete, add and move rows of the other workspace", len(r.Wall.Tables))
}

func probeOf(p isolation.Probe) string {
	if p.Crossed != "" {
		return p.Table + ": " + p.Crossed
	}
	return fmt.Sprintf("%s: nothing reached (%d rows there)", p.Table, p.Rows)
}
