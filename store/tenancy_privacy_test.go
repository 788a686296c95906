package store_test

import (
	"context"
	"slices"

	"parley/core/chat"
	"parley/core/privacy"
)

// tableOf is one of the tables that package privacy lists.
func tableOf(name string) privacy.Table {
	tables := privacy.Tables()
	return tables[slices.IndexFunc(tables, func(t privacy.Table) bool { return t.Name == name })]
}

// methodsThatCopy read what an export and a receipt need.
var methodsThatCopy = []confined{
	{"CountRows", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		n, err := s.CountRows(ctx, as, tableOf("messages"))
		return shownIf(a, int(n)), err
	}},
	{"DocumentIDs", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		n := 0
		for _, err := range s.DocumentIDs(ctx, as, a.chatbot) {
			if err != nil {
				return nil, err
			}
			n++
		}
		return shownIf(a, n), nil
	}},
	{"WorkspaceRows", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		var found []privacy.Row
		for _, table := range privacy.Erased() {
			for row, err := range s.WorkspaceRows(ctx, as, table, privacy.Selection{}) {
				if err != nil {
					return nil, err
				}
				found = append(found, row)
			}
		}
		return found, nil
	}},
	{"ColumnsOf", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		var found []privacy.Row
		for _, table := range privacy.Erased() {
			for row, err := range s.ColumnsOf(ctx, as, table, privacy.Selection{}, table.Exported()) {
				if err != nil {
					return nil, err
				}
				found = append(found, row)
			}
		}
		return found, nil
	}},
}

// methodsOfPrivacy count and erase what is stored of a workspace's end users.
var methodsOfPrivacy = []confined{
	{"Erasures", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.Erasures(ctx, as, 10)
	}},
	{"AddErasure", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.AddErasure(ctx, as, privacy.Erasure{ID: "er_of_" + as, Kind: privacy.EndUser, SubjectHash: "hash", CreatedAt: epoch})
	}},
	{"SettleErasure", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.SettleErasure(ctx, as, privacy.Erasure{ID: "er_a", Erased: privacy.Counts{"messages": 7}, Remaining: privacy.Counts{}, DoneAt: &epoch})
	}},
	{"LockErasure", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.LockErasure(ctx, as, "er_a")
	}},
	{"TakeEndUser", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		if as == a.id {
			_, err := s.CreateConversation(ctx, as, chat.Conversation{ChatbotID: a.chatbot, ExternalUserID: a.secret, Status: chat.Active, Origin: chat.API, CreatedAt: epoch})
			if err != nil {
				return nil, err
			}
		}
		return s.TakeEndUser(ctx, as, a.secret, "er_a")
	}},
	{"CountTaken", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		counts, err := s.CountTaken(ctx, as, "er_a")
		return shownIf(a, int(counts["conversations"])), err
	}},
	{"EraseTaken", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.EraseTaken(ctx, as, "er_a", 10)
	}},
}
