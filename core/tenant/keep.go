package tenant

import (
	"context"
	"fmt"
	"slices"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
)

// Keep records which of a workspace's chatbots, members or tokens an owner wants to keep
// active if there are more than the plan includes. It is Invalid for too many, and for an
// unknown id. The others are suspended; if fewer are chosen than the plan includes, the
// oldest others stay active, too. The oldest owner always stays.
func (h *Holdings) Keep(ctx context.Context, workspaceID string, resource plan.Resource, ids []string) error {
	if !slices.Contains(limitedInNumber, resource) {
		return fault.New(fault.Invalid, "Choose among chatbots, members or API tokens.")
	}
	return h.workspaces.Locked(ctx, workspaceID, func(ctx context.Context, workspace Workspace) error {
		p, err := h.db.Plans.Plan(ctx, workspace.Plan)
		if err != nil {
			return err
		}
		holdings, err := h.List(ctx, workspaceID)
		if err != nil {
			return err
		}
		groups := grouped(resource, holdings)
		if err := checkChoice(p, resource, groups, ids); err != nil {
			return err
		}
		if err := h.db.Holdings.SetKept(ctx, workspaceID, resource, ids); err != nil {
			return err
		}
		if err := h.SettleFor(ctx, workspaceID, workspace.Plan); err != nil {
			return err
		}
		detail := fmt.Sprintf("%d of %d %s were chosen to stay active.", len(ids), count(holdings, resource), called[resource])
		return audit.Record(ctx, h.db.Audit, workspaceID, h.now(), audit.Entry{
			Action: audit.LimitsChosen, Object: audit.Object{Kind: "workspace", ID: workspaceID}, Detail: detail,
		})
	})
}

// called holds the plural names of the resources.
var called = map[plan.Resource]string{plan.Chatbots: "chatbots", plan.Members: "members", plan.Tokens: "API tokens"}

// checkChoice refuses ids that are in none of the groups, and more of a group than the plan
// includes.
func checkChoice(p plan.Plan, resource plan.Resource, groups map[string][]Holding, ids []string) error {
	chosen := map[string]bool{}
	for _, id := range ids {
		chosen[id] = true
	}
	found, limit := 0, limitOf(p.Limits, resource)
	for _, group := range groups {
		stay, vital := 0, 0
		for _, h := range group {
			switch {
			case h.Vital:
				vital++
			case chosen[h.ID]:
				stay++
			}
			if chosen[h.ID] {
				found++
			}
		}
		if limit != plan.Unlimited && stay > 0 && stay+vital > limit {
			return fault.InField("keep", "The %s plan includes only %d of the %s%s. Choose fewer.", p.Title, limit, called[resource], alsoCounted(resource))
		}
	}
	if found != len(chosen) {
		return fault.InField("keep", "Something that you chose no longer exists. Reload the page and choose again.")
	}
	return nil
}

// alsoCounted says what else counts toward the limit of a resource.
func alsoCounted(resource plan.Resource) string {
	switch resource {
	case plan.Members:
		return ", the oldest owner among them"
	case plan.Tokens:
		return " of each chatbot"
	}
	return ""
}
