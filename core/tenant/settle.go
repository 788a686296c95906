package tenant

import (
	"context"
	"slices"

	"parley/core/plan"
)

// List returns what counts against the limits of a workspace's plan: chatbots,
// members and active tokens, with those that are suspended. A token that was
// rolled does not count while the one that replaces it works.
func (h *Holdings) List(ctx context.Context, workspaceID string) ([]Holding, error) {
	holdings, err := h.active(ctx, workspaceID)
	successors := successorsIn(holdings)
	return slices.DeleteFunc(holdings, func(held Holding) bool { return successors[held.ID] != "" }), err
}

// active is List with the tokens that were rolled.
func (h *Holdings) active(ctx context.Context, workspaceID string) ([]Holding, error) {
	holdings, err := h.db.Holdings.Holdings(ctx, workspaceID)
	return h.withoutExpired(holdings), err
}

func (h *Holdings) withoutExpired(holdings []Holding) []Holding {
	now := h.now()
	return slices.DeleteFunc(holdings, func(held Holding) bool {
		return held.ExpiresAt != nil && !now.Before(*held.ExpiresAt)
	})
}

// successorsIn has the id of the token that replaces one, by that one's id.
func successorsIn(active []Holding) map[string]string {
	successors := map[string]string{}
	for _, held := range active {
		if held.Replaces != "" {
			successors[held.Replaces] = held.ID
		}
	}
	return successors
}

// Settle suspends what is over the limits of a workspace's plan, and ends the suspension of what
// no longer is. Functions that add or delete a chatbot, member or token call it in the same
// transaction.
func (h *Holdings) Settle(ctx context.Context, workspaceID string) error {
	return h.workspaces.Locked(ctx, workspaceID, func(ctx context.Context, workspace Workspace) error {
		return h.SettleFor(ctx, workspaceID, workspace.Plan)
	})
}

// isUnsettled reports whether [Holdings.Settle] would change something, which it hardly
// ever does in a workspace where it may. It asks the database nothing.
func (h *Holdings) isUnsettled(w Settling, limits plan.Limits) bool {
	holdings := h.withoutExpired(w.Holdings)
	return slices.ContainsFunc(limitedInNumber, func(resource plan.Resource) bool {
		_, changed := overLimit(limits, resource, holdings)
		return changed
	})
}

// limitedInNumber lists the resources of holdings.
var limitedInNumber = []plan.Resource{plan.Chatbots, plan.Members, plan.Tokens}

// SettleFor is [Holdings.Settle] for a plan, under the workspace's lock.
func (h *Holdings) SettleFor(ctx context.Context, workspaceID string, name plan.Name) error {
	p, err := h.db.Plans.Plan(ctx, name)
	if err != nil {
		return err
	}
	holdings, err := h.active(ctx, workspaceID)
	if err != nil {
		return err
	}
	for _, resource := range limitedInNumber {
		over, changed := overLimit(p.Limits, resource, holdings)
		if !changed {
			continue
		}
		if err := h.db.Holdings.SetOverLimit(ctx, workspaceID, resource, over); err != nil {
			return err
		}
	}
	return nil
}

// Preview is what another plan would do at once.
type Preview struct {
	// Suspended would be suspended, and Resumed would not be any more.
	Suspended, Resumed []Holding
}

// Previews returns what [Holdings.SettleFor] would change under each of the plans.
func (h *Holdings) Previews(ctx context.Context, workspaceID string, plans []plan.Plan) (map[plan.Name]Preview, error) {
	holdings, err := h.active(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	previews := make(map[plan.Name]Preview, len(plans))
	for _, p := range plans {
		previews[p.Name] = previewOf(p.Limits, holdings)
	}
	return previews, nil
}

func previewOf(limits plan.Limits, holdings []Holding) (preview Preview) {
	for _, resource := range limitedInNumber {
		ids, _ := overLimit(limits, resource, holdings)
		over := make(map[string]bool, len(ids))
		for _, id := range ids {
			over[id] = true
		}
		for _, held := range holdings {
			switch {
			case held.Resource != resource:
			case over[held.ID] && !held.OverLimit:
				preview.Suspended = append(preview.Suspended, held)
			case !over[held.ID] && held.OverLimit:
				preview.Resumed = append(preview.Resumed, held)
			}
		}
	}
	return preview
}

// overLimit returns the ids of what is over a plan's limit of a resource, and whether they
// differ from the stored ones.
// suspended with the one that replaces it.
func overLimit(limits plan.Limits, resource plan.Resource, holdings []Holding) (ids []string, changed bool) {
	successors := successorsIn(holdings)
	for _, group := range grouped(resource, holdings) {
		over := plan.Over(limitOf(limits, resource), ranked(group, successors))
		for _, h := range group {
			if over[successors[h.ID]] {
				over[h.ID] = true
			}
		}
		for _, h := range group {
			if over[h.ID] {
				ids = append(ids, h.ID)
			}
			changed = changed || over[h.ID] != h.OverLimit
		}
	}
	return ids, changed
}

// grouped returns the holdings of a resource by shared limit: tokens by chatbot, all others
// together.
func grouped(resource plan.Resource, holdings []Holding) map[string][]Holding {
	groups := map[string][]Holding{}
	for _, h := range holdings {
		if h.Resource == resource {
			groups[h.ChatbotID] = append(groups[h.ChatbotID], h)
		}
	}
	return groups
}

// ranked are the holdings that count.
func ranked(holdings []Holding, successors map[string]string) []plan.Holding {
	out := make([]plan.Holding, 0, len(holdings))
	for _, h := range holdings {
		if successors[h.ID] == "" {
			out = append(out, h.Holding)
		}
	}
	return out
}

func limitOf(limits plan.Limits, resource plan.Resource) int {
	switch resource {
	case plan.Chatbots:
		return limits.Chatbots
	case plan.Members:
		return limits.Members
	}
	return limits.TokensPerChatbot
}
