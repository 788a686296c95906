package chat

import "parley/store"

// groups are the statements of a turn that many turns share on PostgreSQL, which has one
// round trip and one commit for them: see [store.Group].
type groups struct {
	conversations *store.Group[openingOf, begunTurn]
	turns         *store.Group[openingOf, begunTurn]
	answers       *store.Group[endOf, struct{}]
}

// newGroups returns the groups of turns. On SQLite there are none.
func newGroups(s *Turns) groups {
	of := func(row *openingOf) string { return row.workspaceID }
	g := groups{
		conversations: store.NewGroup(s.store, of, s.beginConversationAlone, beginConversationsTogether),
		turns:         store.NewGroup(s.store, of, s.beginTurnAlone, beginTurnsTogether),
		answers:       store.NewGroup(s.store, func(row *endOf) string { return row.workspaceID }, s.finishAlone, finishTogether),
	}
	if g.answers != nil {
		g.answers.Ends = true
	}
	return g
}
