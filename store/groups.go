package store

// groups are the statements of a turn that many turns share on PostgreSQL, which has one
// round trip and one commit for them: see [store.Group].
type groups struct {
	conversations *Group[openingOf, begunTurn]
	turns         *Group[openingOf, begunTurn]
	answers       *Group[endOf, struct{}]
}

// newGroups returns the groups of turns. On SQLite there are none.
func newGroups(s *Turns) groups {
	of := func(row *openingOf) string { return row.workspaceID }
	g := groups{
		conversations: NewGroup(s.store, of, s.beginConversationAlone, beginConversationsTogether),
		turns:         NewGroup(s.store, of, s.beginTurnAlone, beginTurnsTogether),
		answers:       NewGroup(s.store, func(row *endOf) string { return row.workspaceID }, s.finishAlone, finishTogether),
	}
	if g.answers != nil {
		g.answers.Ends = true
	}
	return g
}
