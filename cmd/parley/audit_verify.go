package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"parley/app"
	"parley/core/audit"
	"parley/core/audit/export"
	"parley/core/fault"
)

type auditVerifyCmd struct {
	Workspace string `placeholder:"ID" help:"Verify only the entries of this workspace, even if it was deleted; - for those of none. Default: all."`
	Against   string `placeholder:"FILE" help:"Compare with what parley audit heads --json, parley audit list --jsonl, an export of the page Audit as JSON Lines or AUDIT_STDOUT wrote; - reads standard input."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

type auditVerdict struct {
	Chains    int   `json:"chains"`
	Entries   int64 `json:"entries"`
	Unchained int64 `json:"unchained"`
	Deleted   int64 `json:"deleted_for_age"`
	// Unaddressed is how many entries had a network address that was removed for its age.
	Unaddressed int64          `json:"addresses_removed_for_age"`
	Compared    int64          `json:"compared"`
	Forgotten   int64          `json:"compared_not_kept"`
	Problems    []auditProblem `json:"problems"`
}

type auditProblem struct {
	Chain   string `json:"chain"`
	Seq     int64  `json:"seq"`
	Problem string `json:"problem"`
}

// Run verifies, prints what it found, and fails if that is a problem.
func (cmd *auditVerifyCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	anchors, err := cmd.anchors(io.in)
	if err != nil {
		return err
	}
	return withProgram(ctx, config, func(p *app.Program) error {
		total := auditVerdict{Problems: []auditProblem{}}
		for verdict, err := range cmd.verdicts(ctx, p.AuditVerifier(), anchors) {
			if err != nil {
				return err
			}
			total.add(verdict)
		}
		if cmd.Workspace != "" && total.Entries+total.Deleted == 0 && len(total.Problems) == 0 {
			return fault.New(fault.NotFound, "There is no chain of entries named %q. parley audit heads lists them.", cmd.Workspace)
		}
		if err := total.show(io.out, cmd.JSON); err != nil {
			return err
		}
		if len(total.Problems) > 0 {
			return fault.New(fault.Invalid, "The audit log does not verify: %s", counted(len(total.Problems), "chain has a problem.", "chains have problems."))
		}
		return nil
	})
}

// anchors are what the file has.
func (cmd *auditVerifyCmd) anchors(in io.Reader) (map[string][]audit.Anchor, error) {
	if cmd.Against == "" {
		return nil, nil
	}
	if cmd.Against != "-" {
		file, err := os.Open(cmd.Against)
		if err != nil {
			return nil, fault.New(fault.Invalid, "Cannot read the file: %v.", err)
		}
		defer file.Close()
		in = file
	}
	anchors, err := export.ReadAnchors(in)
	if err != nil {
		return nil, fault.New(fault.Invalid, "Cannot compare with the file: %v.", err)
	}
	return anchors, nil
}

func (cmd *auditVerifyCmd) verdicts(ctx context.Context, v *audit.Verifier, anchors map[string][]audit.Anchor) iter.Seq2[audit.Verdict, error] {
	if cmd.Workspace == "" {
		return v.All(ctx, anchors)
	}
	return func(yield func(audit.Verdict, error) bool) {
		yield(v.Chain(ctx, cmd.Workspace, anchors[cmd.Workspace]))
	}
}

func (t *auditVerdict) add(v audit.Verdict) {
	t.Chains++
	t.Entries += v.Checked
	t.Unchained += v.Unchained
	t.Deleted += v.KeptSeq
	t.Unaddressed += v.Unaddressed
	t.Compared += v.Compared
	t.Forgotten += v.Forgotten
	if v.Problem != "" {
		t.Problems = append(t.Problems, auditProblem{v.Chain, v.Seq, v.Problem})
	}
}

func (t *auditVerdict) show(out io.Writer, asJSON bool) error {
	if asJSON {
		return showJSON(out, t)
	}
	for _, p := range t.Problems {
		fmt.Fprintf(out, "%s: %s\n", p.Chain, p.Problem)
	}
	fmt.Fprintf(out, "Checked %s in %s", counted(int(t.Entries), "entry", "entries"), counted(t.Chains, "chain", "chains"))
	if t.Deleted > 0 {
		fmt.Fprintf(out, "; %d more were deleted for their age", t.Deleted)
	}
	if t.Unaddressed > 0 {
		fmt.Fprintf(out, "; the network addresses of %d were removed after 30 days", t.Unaddressed)
	}
	if t.Unchained > 0 {
		fmt.Fprintf(out, "; %d are from before entries were chained", t.Unchained)
	}
	if t.Compared+t.Forgotten > 0 {
		fmt.Fprintf(out, "; compared %d with the file, and %d of the file are not kept any more", t.Compared, t.Forgotten)
	}
	verdict := ". None was changed, added or taken away."
	if len(t.Problems) > 0 {
		verdict = "."
	}
	_, err := fmt.Fprintln(out, verdict)
	return err
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

type auditHeadsCmd struct {
	JSON bool `name:"json" help:"Print JSON, which parley audit verify --against takes."`
}

// Run prints the heads as it reads them.
func (cmd *auditHeadsCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		return showList(io.out, cmd.JSON, p.AuditVerifier().Heads(ctx), export.HeadOf, []string{"chain", "seq", "hash", "at"}, func(h export.Head) []string {
			at := "deleted for its age"
			if h.At != nil {
				at = h.At.Format(time.RFC3339)
			}
			return []string{h.Chain, fmt.Sprint(h.Seq), h.Hash, at}
		})
	})
}
