package wire

import (
	"parley/core/sso"
	"parley/core/tenant"
)

// Workspace is a workspace.
type Workspace struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Plan string `json:"plan"`
	// Granted is the plan that the operator granted, and GrantedUntil its end.
	Granted      string  `json:"granted_plan"`
	GrantedUntil *string `json:"granted_until"`
	CreatedAt    string  `json:"created_at"`
	// DeleteAt is when it ends, or null.
	DeleteAt *string `json:"delete_at"`
}

// WorkspaceToWire returns a workspace.
func WorkspaceToWire(w tenant.Workspace) Workspace {
	return Workspace{w.ID, w.Name, string(w.Plan), string(w.Granted), optionalTimestamp(w.GrantedUntil), timestamp(w.CreatedAt), optionalTimestamp(w.DeleteAt)}
}

// Connection is a workspace's single sign-on.
type Connection struct {
	WorkspaceID string  `json:"workspace_id"`
	Domain      string  `json:"domain"`
	Issuer      string  `json:"issuer"`
	ConfirmedAt *string `json:"confirmed_at"`
	Role        string  `json:"role"`
	Required    bool    `json:"required"`
}

// ConnectionToWire returns a connection without its secret.
func ConnectionToWire(c sso.Connection) Connection {
	return Connection{c.WorkspaceID, c.Domain, c.Issuer, optionalTimestamp(c.DomainConfirmedAt), string(c.Role), c.Required}
}
