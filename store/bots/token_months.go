package bots

import (
	"context"

	"parley/ent/scope"
)

const (
	countMessage = `INSERT INTO token_months (workspace_id, token_id, month, messages)
	SELECT workspace_id, id, $3, 1 FROM tokens WHERE workspace_id = $1 AND id = $2
	ON CONFLICT (token_id, month) DO UPDATE SET messages = token_months.messages + 1 WHERE token_months.messages < $4`
	uncountMessage = `UPDATE token_months SET messages = messages - 1 WHERE workspace_id = $1 AND token_id = $2 AND month = $3 AND messages > 0`
)

// CountMessage counts a question of a month, and reports false if the token has
// asked as many as its limit, which is at least one. One statement does both, so
// that processes need not agree first.
func (s *Tokens) CountMessage(ctx context.Context, workspaceID, tokenID, month string, limit int) (counted bool, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	err = s.store.WriteRaw(ctx, func(ctx context.Context) error {
		counted, err = s.store.Changes(ctx, countMessage, workspaceID, tokenID, month, limit)
		return err
	})
	return counted, err
}

// UncountMessage takes a question of a month back.
func (s *Tokens) UncountMessage(ctx context.Context, workspaceID, tokenID, month string) error {
	return s.store.WriteRaw(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		_, err := s.store.Changes(ctx, uncountMessage, workspaceID, tokenID, month)
		return err
	})
}
