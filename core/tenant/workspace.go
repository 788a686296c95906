package tenant

import (
	"context"
	"io"
	"iter"
	"strconv"
	"time"
	"unicode/utf8"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/system"
	"parley/internal/id"
	"parley/internal/plain"
)

// Workspace is the tenant: everything belongs to exactly one.
type Workspace struct {
	ID   string
	Name string
	// Plan is the plan in force: the higher of Granted and the subscription's plan.
	Plan plan.Name
	// Granted is the plan that the operator granted.
	Granted plan.Name
	// GrantedUntil is when the grant ends, nil if it does not.
	GrantedUntil *time.Time
	// DeleteAt is when a workspace that its owner deleted ends, nil for any other.
	DeleteAt *time.Time
	// SecondFactorRequired lets only members in who have shown a second factor.
	SecondFactorRequired bool
	CreatedAt            time.Time
}

// object describes a workspace as the object of an action.
func (w Workspace) object() audit.Object {
	return audit.Object{Kind: "workspace", ID: w.ID, Name: w.Name}
}

// WorkspaceStore stores workspaces.
type WorkspaceStore interface {
	CreateWorkspace(ctx context.Context, workspace Workspace) error
	Workspace(ctx context.Context, workspaceID string) (Workspace, error)
	// LockWorkspace is Workspace, and blocks others until the transaction ends.
	LockWorkspace(ctx context.Context, workspaceID string) (Workspace, error)
	// Workspaces reads all workspaces, oldest first, a portion at a time.
	Workspaces(ctx context.Context, access system.Access) iter.Seq2[Workspace, error]
	RenameWorkspace(ctx context.Context, workspaceID, name string) error
	// SetDeletion writes when a workspace ends; nil takes the deletion back.
	SetDeletion(ctx context.Context, workspaceID string, at *time.Time) error
	// EndedWorkspaces reads the workspaces whose time has come, a portion at a time.
	EndedWorkspaces(ctx context.Context, access system.Access, now time.Time) iter.Seq2[string, error]
	RequireSecondFactor(ctx context.Context, workspaceID string, required bool) error
	// DeleteWorkspace deletes a workspace with everything in it.
	DeleteWorkspace(ctx context.Context, workspaceID string) error
}

// Workspaces creates and deletes workspaces.
type Workspaces struct {
	db     Database
	now    func() time.Time
	random io.Reader
}

// Create creates a workspace on the Starter plan for a user, its owner.
func (w *Workspaces) Create(ctx context.Context, owner account.User, name string) (Workspace, error) {
	name, err := w.CheckName(name)
	if err != nil {
		return Workspace{}, err
	}
	workspace := w.prepare(name)
	return workspace, w.db.Tx.InTx(ctx, func(ctx context.Context) error { return w.insert(ctx, workspace, owner) })
}

// A person owns at most so many workspaces, and so many of them on the free
// plan: what that includes is for a workspace, and must not be had by making
// another.
const (
	MaxOwned = 20
	MaxFree  = 3
)

// CreateAnother is Create for a person who has an account. It is
// Forbidden for one who owns [MaxOwned] workspaces, or [MaxFree] on the free
// plan, also when several are asked for at once.
func (w *Workspaces) CreateAnother(ctx context.Context, owner account.User, name string) (Workspace, error) {
	name, err := checkName("name", name)
	if err != nil {
		return Workspace{}, err
	}
	workspace := w.prepare(name)
	return workspace, w.db.Tx.InTx(ctx, func(ctx context.Context) error {
		if err := w.db.Members.LockMemberships(ctx, owner.ID); err != nil {
			return err
		}
		memberships, err := w.db.Members.Memberships(ctx, w.db.System, owner.ID)
		if err != nil {
			return err
		}
		if err := admitAnother(memberships); err != nil {
			return err
		}
		return w.insert(ctx, workspace, owner)
	})
}

// admitAnother refuses one more workspace to whoever owns enough. Those that are being
// deleted count: they can be restored, and keep what they stored until then.
func admitAnother(memberships []Membership) error {
	owned, free := 0, 0
	for _, m := range memberships {
		if m.Role != RoleOwner {
			continue
		}
		owned++
		if m.Workspace.Plan == plan.Free {
			free++
		}
	}
	switch {
	case owned >= MaxOwned:
		return fault.New(fault.Forbidden, "You own %d workspaces, the most that one person can. A workspace that you delete counts for %d days more.", owned, DeletionGrace/(24*time.Hour))
	case free >= MaxFree:
		return fault.New(fault.Forbidden, "You own %d workspaces on the free plan, the most that one person can. Upgrade one. A workspace that you delete counts for %d days more.", free, DeletionGrace/(24*time.Hour))
	}
	return nil
}

// Rename gives a workspace another name. Seen is the name that its owner has
// read: it is a Conflict when that is another by now. An empty one compares
// nothing.
func (w *Workspaces) Rename(ctx context.Context, workspaceID, seen, name string) error {
	name, err := checkName("name", name)
	if err != nil {
		return err
	}
	return w.Locked(ctx, workspaceID, func(ctx context.Context, was Workspace) error {
		if seen != "" && seen != was.Name {
			return fault.New(fault.Conflict, "Somebody renamed the workspace to “%s” after you opened this page. Save again to replace that name.", was.Name)
		}
		if name == was.Name {
			return nil
		}
		if err := w.db.Workspaces.RenameWorkspace(ctx, workspaceID, name); err != nil {
			return err
		}
		return audit.Record(ctx, w.db.Audit, workspaceID, w.now(), audit.Entry{
			Action: audit.WorkspaceRenamed, Object: was.object(), Changes: []audit.Change{{Field: "name", Old: was.Name, New: name}},
		})
	})
}

// RequireSecondFactor demands a second factor of all members, or no longer. It is a Conflict
// for an owner who has shown none in their session: they would lock themselves out.
func (w *Workspaces) RequireSecondFactor(ctx context.Context, workspaceID string, by Person, required bool) error {
	if required && !by.Session.SecondFactor {
		return fault.New(fault.Conflict, "Set up a second factor for yourself first, on the page Security of your account, and sign in with it.")
	}
	return w.Locked(ctx, workspaceID, func(ctx context.Context, was Workspace) error {
		if was.SecondFactorRequired == required {
			return nil
		}
		if err := w.db.Workspaces.RequireSecondFactor(ctx, workspaceID, required); err != nil {
			return err
		}
		return audit.Record(ctx, w.db.Audit, workspaceID, w.now(), audit.Entry{
			Action: audit.WorkspaceSecured, Object: was.object(),
			Changes: []audit.Change{{Field: "second_factor_required", Old: strconv.FormatBool(was.SecondFactorRequired), New: strconv.FormatBool(required)}},
		})
	})
}

// Found is Create for a person who signs up, with a checked name.
func (w *Workspaces) Found(ctx context.Context, owner account.User, name string) (workspaceID string, err error) {
	workspace := w.prepare(name)
	return workspace.ID, w.insert(ctx, workspace, owner)
}

func (w *Workspaces) prepare(name string) Workspace {
	return Workspace{ID: id.New(w.random, "ws"), Name: name, Plan: plan.Free, Granted: plan.Free, CreatedAt: w.now()}
}

func (w *Workspaces) insert(ctx context.Context, workspace Workspace, owner account.User) error {
	if err := w.db.Workspaces.CreateWorkspace(ctx, workspace); err != nil {
		return err
	}
	err := w.db.Members.AddMember(ctx, workspace.ID, Member{
		WorkspaceID: workspace.ID, UserID: owner.ID, Email: owner.Email, Role: RoleOwner, CreatedAt: w.now(),
	})
	if err != nil {
		return err
	}
	return audit.Record(ctx, w.db.Audit, workspace.ID, w.now(), audit.Entry{
		Action: audit.WorkspaceCreated, Object: workspace.object(), Detail: "The owner is " + owner.Email + ".",
	})
}

// Workspace returns one workspace.
func (w *Workspaces) Workspace(ctx context.Context, workspaceID string) (Workspace, error) {
	return w.db.Workspaces.Workspace(ctx, workspaceID)
}

// All reads all workspaces, oldest first, for the operator.
func (w *Workspaces) All(ctx context.Context) iter.Seq2[Workspace, error] {
	return w.db.Workspaces.Workspaces(ctx, w.db.System)
}

// Delete deletes a workspace under its lock, and records that with a sentence about what remains
// to be done, or none. Package subscription decides what that is.
func (w *Workspaces) Delete(ctx context.Context, workspace Workspace, detail string) error {
	if err := w.db.Workspaces.DeleteWorkspace(ctx, workspace.ID); err != nil {
		return err
	}
	return audit.Record(ctx, w.db.Audit, workspace.ID, w.now(), audit.Entry{
		Action: audit.WorkspaceDeleted, Object: workspace.object(), Detail: detail,
	})
}

// Locked runs fn in a transaction with exclusive access to a workspace.
func (w *Workspaces) Locked(ctx context.Context, workspaceID string, fn func(context.Context, Workspace) error) error {
	return w.db.Tx.InTx(ctx, func(ctx context.Context) error {
		workspace, err := w.db.Workspaces.LockWorkspace(ctx, workspaceID)
		if err != nil {
			return err
		}
		return fn(ctx, workspace)
	})
}

// CheckName returns the normal form of a workspace's name, or refuses it.
func (*Workspaces) CheckName(name string) (string, error) { return checkName("workspace", name) }

const maxName = 100

// checkName returns a name as it is shown everywhere, see [plain.Title], and refuses one
// that is blank, too long, or cannot be stored.
func checkName(field, name string) (string, error) {
	if !plain.Storable(name) {
		return "", fault.InField(field, "The name has characters that cannot be stored. Use plain text.")
	}
	name = plain.Title(name)
	switch {
	case name == "":
		return "", fault.InField(field, "Enter a name.")
	case utf8.RuneCountInString(name) > maxName:
		return "", fault.InField(field, "The name is longer than %d characters. Shorten it.", maxName)
	}
	return name, nil
}

// ShortName returns a name that fits into the subject of a mail.
func (w Workspace) ShortName() string {
	const most = 40
	runes := []rune(w.Name)
	if len(runes) <= most {
		return w.Name
	}
	return string(runes[:most]) + "…"
}
