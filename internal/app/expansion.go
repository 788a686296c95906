package app

import (
	"context"
	"fmt"
	"time"

	"parley/core/knowledge/expanding"
	"parley/llm/splade"
	"parley/store"
)

// openExpansion has passages expanded and ranked by that, if the configuration says so.
func openExpansion(p *Program) {
	if !p.Config.Expands() {
		return
	}
	expansions := store.NewExpansions(p.Store)
	p.Searcher.ExpandWith(expansions)
	p.Expansion = expanding.New(expansions, splade.Expander{}, p.now, rest)
}

// rest waits, or until ctx ends.
func rest(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// expand expands passages for a while, and tells the metrics how many are left.
func expand(ctx context.Context, p *Program) error {
	left, err := p.Expansion.Left(ctx)
	if err != nil {
		return err
	}
	p.metrics.Unexpanded(left)
	if left == 0 {
		return nil
	}
	failed := p.Expansion.Work(ctx)
	if left, err = p.Expansion.Left(ctx); err == nil {
		p.metrics.Unexpanded(left)
		p.Log.Info("passages expanded", "left", left)
	}
	return failed
}

// diagnoseExpansion says how many passages are still to be expanded.
func diagnoseExpansion(ctx context.Context, p *Program) Diagnosis {
	if p.Expansion == nil {
		return Diagnosis{Part: "expansion", OK: true, Detail: "off, as EXPAND_PASSAGES says"}
	}
	left, err := p.Expansion.Left(ctx)
	detail := "all passages are expanded"
	if left > 0 {
		detail = fmt.Sprintf("%d passages are still to be expanded, in the background of a running server", left)
	}
	return diagnosed("expansion", err, detail, "Check the database.")
}
