package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"
	"unicode"

	"parley/app"
	"parley/core/audit"
	"parley/core/audit/export"
	"parley/core/fault"
)

type auditCmd struct {
	List   auditListCmd   `cmd:"" default:"withargs" help:"Print the audit log, latest entries first."`
	Verify auditVerifyCmd `cmd:"" help:"Check that no entry was changed, added or taken away."`
	Heads  auditHeadsCmd  `cmd:"" help:"Print the last entry of each chain, to keep it elsewhere and verify against it."`
}

type auditListCmd struct {
	Workspace string `placeholder:"ID" help:"Print only entries of this workspace, even if it was deleted. Default: all workspaces."`
	Since     string `placeholder:"TIME" help:"Print only entries since a time (2026-01-31 or 2026-01-31T12:00:00Z), or of a period before now (72h)."`
	Limit     *int   `placeholder:"N" help:"Maximum number of entries to print. Default: all."`
	JSON      bool   `name:"json" xor:"format" help:"Print JSON."`
	JSONL     bool   `name:"jsonl" xor:"format" help:"Print a line of JSON for each entry, which parley audit verify --against takes."`
	CSV       bool   `name:"csv" xor:"format" help:"Print CSV."`
}

// Run prints entries as it reads them, however many there are.
func (cmd *auditListCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	since, err := parseSince(cmd.Since)
	if err != nil {
		return err
	}
	if cmd.Limit != nil && *cmd.Limit < 1 {
		return fault.New(fault.Invalid, "--limit must be a number above 0.")
	}
	return withProgram(ctx, config, func(p *app.Program) error {
		entries := atMost(cmd.Limit, p.Tenants.Audit.AuditLog(ctx, cmd.Workspace, since))
		switch {
		case cmd.JSON:
			return showArray(io.out, entries, export.Of)
		case cmd.JSONL:
			return copyAudit(io.out, entries, export.JSONL)
		case cmd.CSV:
			return copyAudit(io.out, entries, export.CSV)
		}
		return writeAuditTable(io.out, entries)
	})
}

func copyAudit(to io.Writer, entries iter.Seq2[audit.Entry, error], format export.Format) error {
	from := export.NewReader(entries, format)
	defer from.Close()
	_, err := io.Copy(to, from)
	return err
}

// parseSince parses a time, a day or a duration before now. An empty text is the zero
// time.
func parseSince(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	if ago, err := time.ParseDuration(text); err == nil && ago > 0 {
		return app.Now().Add(-ago), nil
	}
	return time.Time{}, fault.New(fault.Invalid, "--since must be a day (2026-01-31), a time (2026-01-31T12:00:00Z) or a duration (72h).")
}

// atMost ends a sequence after a number of entries, if there is a limit.
func atMost(limit *int, entries iter.Seq2[audit.Entry, error]) iter.Seq2[audit.Entry, error] {
	if limit == nil {
		return entries
	}
	return func(yield func(audit.Entry, error) bool) {
		left := *limit
		for entry, err := range entries {
			left--
			if !yield(entry, err) || left == 0 {
				return
			}
		}
	}
}

const auditLine = "%-20s  %-24s  %-30s  %-32s  %-15s  %s"

// writeAuditTable writes a line for each entry, in columns of fixed width because later
// entries are not known yet.
func writeAuditTable(out io.Writer, entries iter.Seq2[audit.Entry, error]) error {
	if _, err := fmt.Fprintf(out, auditLine+"\n", "AT", "WHAT", "WHO", "OBJECT", "FROM", "DETAIL"); err != nil {
		return err
	}
	for e, err := range entries {
		if err != nil {
			return err
		}
		object := strings.TrimSpace(e.Object.ID + " " + e.Object.Name)
		line := fmt.Sprintf(auditLine, e.At.Format(time.RFC3339), e.Action, e.Actor.Name, object, e.Origin.Address, describeEntry(e))
		if _, err := fmt.Fprintln(out, strings.Map(printable, line)); err != nil {
			return err
		}
	}
	return nil
}

// printable replaces characters that would move a terminal's cursor: tenants choose names.
func printable(r rune) rune {
	if !unicode.IsPrint(r) {
		return '\uFFFD'
	}
	return r
}

// describeEntry formats an entry's detail and its changes as one line.
func describeEntry(e audit.Entry) string {
	var parts []string
	if e.Detail != "" {
		parts = append(parts, e.Detail)
	}
	for _, c := range e.Changes {
		if c.Old == "" && c.New == "" {
			parts = append(parts, c.Field+" changed.")
			continue
		}
		parts = append(parts, fmt.Sprintf("%s: %q → %q.", c.Field, c.Old, c.New))
	}
	return strings.Join(parts, " ")
}
