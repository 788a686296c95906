package privacy

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
	"parley/core/fault"
	"parley/core/plan"
	stored "parley/core/privacy"
	"parley/core/tenant"
	"parley/views/shell"
	"parley/views/ui"
	views "parley/views/workspace"
	"parley/web/page"
)

// privacyPages are the handlers of what is stored in a workspace, and of what people may
// ask for.
type privacyPages struct{ *page.Base }

// privacyForms are the forms of the page.
type privacyForms struct{ copy, erase ui.Form }

func emptyPrivacyForms() privacyForms {
	return privacyForms{page.Form{"external_user_id": ""}.View(), page.Form{"erased_user_id": "", "sure": ""}.View()}
}

func (s privacyPages) privacyPage(c *fiber.Ctx, v page.Visit) error {
	return s.show(c, v, fiber.StatusOK, emptyPrivacyForms())
}

func (s privacyPages) show(c *fiber.Ctx, v page.Visit, status int, f privacyForms) error {
	m := views.Privacy{Copy: f.copy, Erase: f.erase, MayExport: v.May(tenant.ChangePlan), MayManage: v.May(tenant.ManageChatbots)}
	if m.MayManage {
		receipts, err := s.Privacy.Receipts.Of(c.UserContext(), v.WorkspaceID())
		if err != nil {
			return err
		}
		for _, r := range receipts {
			m.Receipts = append(m.Receipts, receiptToView(r))
		}
	}
	for _, t := range stored.Tables() {
		if t.Owner != stored.OfInstallation {
			m.Stored = append(m.Stored, storedToView(t))
		}
	}
	l := v.Layout(c, shell.WorkspaceSection, "Privacy").At(shell.Crumb{Text: "Workspace settings", URL: shell.SettingsURL(v.WorkspaceID())})
	return page.Render(c, status, views.PrivacyPage(l, m))
}

func receiptToView(e stored.Erasure) views.Receipt {
	kinds := map[stored.Kind]string{stored.EndUser: "An end user", stored.Workspace: "The workspace", stored.Account: "An account"}
	return views.Receipt{
		ID: e.ID, Kind: kinds[e.Kind], At: e.CreatedAt, Done: e.DoneAt != nil,
		Erased: plan.Thousands(int(e.Erased.Total())), Remaining: plan.Thousands(int(e.Remaining.Total())),
	}
}

func storedToView(t stored.Table) views.Stored {
	personal := strings.Join(strings.Fields(t.Personal), ", ")
	if personal == "" {
		personal = "No"
	}
	return views.Stored{Name: t.Name, Holds: t.Holds, Why: t.Why, Kept: t.Kept, Personal: personal}
}

// export sends everything that the workspace has.
func (s privacyPages) export(c *fiber.Ctx, v page.Visit) error {
	w := v.Member.Workspace
	err := s.Privacy.Exports.Record(c.UserContext(), w.ID, stored.WorkspaceObject(w), "Everything in the workspace.")
	if err != nil {
		return err
	}
	return bodies.ZIP(c, s.Log, "workspace-"+s.Now().UTC().Format(time.DateOnly), v.Again(c), func(ctx context.Context, into io.Writer) error {
		return s.Privacy.Exports.Workspace(ctx, w.ID, v.Person.User.ID, into)
	})
}

// exportEndUser sends everything that the workspace has of an end user.
func (s privacyPages) exportEndUser(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, "external_user_id")
	if err != nil {
		return err
	}
	endUser := typed["external_user_id"]
	err = s.Privacy.Exports.HasEndUser(c.UserContext(), v.WorkspaceID(), endUser)
	if fault.Is(err, fault.NotFound) { // of a form that can be filled in differently
		err = fault.InField("external_user_id", "%s", fault.As(err).Message)
	}
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error {
			forms := emptyPrivacyForms()
			forms.copy = f
			return s.show(c, v, status, forms)
		})
	}
	err = s.Privacy.Exports.Record(c.UserContext(), v.WorkspaceID(), stored.EndUserObject(v.WorkspaceID(), endUser), "Everything that is stored of one end user.")
	if err != nil {
		return err
	}
	return bodies.ZIP(c, s.Log, "end-user-"+s.Now().UTC().Format(time.DateOnly), v.Again(c), func(ctx context.Context, into io.Writer) error {
		return s.Privacy.Exports.EndUser(ctx, v.WorkspaceID(), endUser, into)
	})
}

// eraseEndUser erases everything that the workspace has of an end user.
func (s privacyPages) eraseEndUser(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, "erased_user_id", "sure")
	if err != nil {
		return err
	}
	receipt, err := s.eraseSure(c, v, typed)
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error {
			forms := emptyPrivacyForms()
			forms.erase = f
			return s.show(c, v, status, forms)
		})
	}
	text := fmt.Sprintf("Erased. The receipt is %s: %s conversations, nothing remains.", receipt.ID, plan.Thousands(int(receipt.Erased["conversations"])))
	if receipt.DoneAt == nil {
		text = fmt.Sprintf("Nobody finds this end user's data any more. The rest goes within minutes; the receipt is %s.", receipt.ID)
	}
	return s.Flash(c, shell.PrivacyURL(v.WorkspaceID()), page.Message{Text: text})
}

func (s privacyPages) eraseSure(c *fiber.Ctx, v page.Visit, typed page.Form) (stored.Erasure, error) {
	if typed["sure"] == "" {
		return stored.Erasure{}, fault.InField("sure", "Check the box to erase this end user.")
	}
	endUser := typed["erased_user_id"]
	if err := stored.CheckEndUser(endUser); err != nil { // by the name that this form has for it
		return stored.Erasure{}, fault.InField("erased_user_id", "%s", fault.As(err).Message)
	}
	return s.Privacy.EndUsers.Erase(c.UserContext(), v.WorkspaceID(), endUser)
}
