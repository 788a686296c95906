package embedded

import (
	"context"
	"fmt"
	"strings"

	"parley/core/fault"
	"parley/core/knowledge"
)

// candidates is how many passages each of the two expressions of a search
// brings to the sum of scores.
const candidates = 100

// contextWeight is what terms of earlier questions count. As much as the
// question's own they would drown it.
const contextWeight = "0.1"

// ranked selects the best passages for an expression, lowest score first. The
// weights of bm25 are those of title, heading and body.
//
// Limits are never a bare parameter: SQLite plans by its value, and so would
// prepare the statement anew for each search.
func ranked(table int64, expression, limit string) string {
	return fmt.Sprintf(`SELECT rowid AS id, bm25(fts_%[1]d, 1.0, 1.5, 1.0) AS score FROM fts_%[1]d
		WHERE fts_%[1]d MATCH %[2]s ORDER BY score, rowid LIMIT %[3]s`, table, expression, limit)
}

// questionSQL searches for a question without earlier ones.
func questionSQL(table int64) string {
	return withDocuments(table, ranked(table, "?1", "max(?2, 1)"))
}

// conversationSQL searches for a question and earlier ones. It is one
// statement, and so sees one state of the index.
func conversationSQL(table int64) string {
	limit := fmt.Sprintf("max(?2, %d)", candidates)
	return withDocuments(table, fmt.Sprintf(`SELECT id, sum(score) AS score FROM (
		SELECT id, score FROM (%s) UNION ALL SELECT id, %s * score FROM (%s))
		GROUP BY id ORDER BY score, id LIMIT max(?2, 1)`,
		ranked(table, "?1", limit), contextWeight, ranked(table, "?3", limit)))
}

func withDocuments(table int64, best string) string {
	return fmt.Sprintf(`SELECT best.id, passage.document, -best.score FROM (%s) AS best
		CROSS JOIN passage ON passage.scope = %d AND passage.id = best.id ORDER BY best.score, best.id`, best, table)
}

// Search returns the best hits, best first. A failure is a fault of kind
// Upstream; that of a ctx that is done has its error as the cause.
func (x *Index) Search(ctx context.Context, scope knowledge.Scope, query knowledge.Query) ([]knowledge.Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, failed(err)
	}
	expressions := buildMatches(query.Text, query.Context)
	if expressions == (matches{nothing, nothing}) {
		return nil, nil
	}
	hits, err := x.search(ctx, scope, expressions, max(1, query.Limit))
	if err != nil && isStale(err) {
		// Another process dropped the scope, and perhaps made it again.
		x.cache.forget(scope)
		hits, err = x.search(ctx, scope, expressions, max(1, query.Limit))
	}
	if err != nil {
		return nil, failed(explain(err, x.path))
	}
	return hits, nil
}

func (x *Index) search(ctx context.Context, scope knowledge.Scope, m matches, limit int) ([]knowledge.Hit, error) {
	p, err := x.cache.acquire(ctx, scope)
	if err != nil || p == nil {
		return nil, err
	}
	defer x.cache.release(p)
	found, err := p.query(ctx, m, limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = found.Close() }()
	var hits []knowledge.Hit
	for found.Next() {
		var hit knowledge.Hit
		if err := found.Scan(&hit.PassageID, &hit.DocumentID, &hit.Score); err != nil {
			return nil, err
		}
		hits = append(hits, hit)
	}
	return hits, found.Err()
}

// isStale reports the error of a statement whose table has gone.
func isStale(err error) bool { return strings.Contains(err.Error(), "no such table") }

func failed(cause error) error {
	return fault.Wrap(fault.Upstream, cause, "The knowledge of this chatbot cannot be searched just now. Try again in a moment.")
}
