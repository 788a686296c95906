package sso

import (
	"context"

	"parley/core/account"
	"parley/core/account/signin"
	"parley/core/fault"
	"parley/core/system"
	"parley/core/tenant"
)

// binds reports whether a member has to sign in by the connection. Owners keep their
// passwords, as the way back in when the provider fails.
func (c Connection) binds(member tenant.Member) bool {
	return c.Required && c.IsConfirmed() && member.Role != tenant.RoleOwner && domainOf(member.Email) == c.Domain
}

// RulePorts are what the rule reads.
type RulePorts struct {
	Connections interface {
		ConnectionsOf(ctx context.Context, access system.Access, domain string) ([]SealedConnection, error)
	}
	Members interface {
		Members(ctx context.Context, workspaceID string) ([]tenant.Member, error)
	}
	System system.Access
}

// Rule says who has to sign in by single sign-on.
type Rule struct{ ports RulePorts }

// NewRule returns the rule.
func NewRule(ports RulePorts) *Rule { return &Rule{ports} }

// Demanding implements [tenant.SignOnRule].
func (r *Rule) Demanding(ctx context.Context, email string) (workspaceIDs []string, err error) {
	claims, err := r.ports.Connections.ConnectionsOf(ctx, r.ports.System, domainOf(email))
	for _, connection := range claims {
		if connection.Required && connection.IsConfirmed() {
			workspaceIDs = append(workspaceIDs, connection.WorkspaceID)
		}
	}
	return workspaceIDs, err
}

// MaySignIn refuses, as Forbidden, a user who proved their identity in another way than
// by the connection that their workspace requires.
func (r *Rule) MaySignIn(ctx context.Context, user account.User, proof signin.Proof) error {
	claims, err := r.ports.Connections.ConnectionsOf(ctx, r.ports.System, domainOf(user.Email))
	if err != nil {
		return err
	}
	for _, connection := range claims {
		if !connection.Required || !connection.IsConfirmed() || connection.WorkspaceID == proof.SSOWorkspaceID {
			continue
		}
		members, err := r.ports.Members.Members(ctx, connection.WorkspaceID)
		if err != nil {
			return err
		}
		for _, member := range members {
			if member.UserID == user.ID && connection.binds(member) {
				return fault.New(fault.Forbidden, "Your workspace wants you to use single sign-on. Choose “Sign in with SSO”.")
			}
		}
	}
	return nil
}
