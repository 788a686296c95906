package api

import (
	"context"
	"io"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
	"parley/api/wire"
	"parley/core/privacy"
	"parley/core/tenant"
)

// privacies are the handlers of what people may ask for about their data.
type privacies struct{ *API }

type erasuresData struct {
	Erasures []wire.Erasure `json:"erasures"`
}

// erase erases what a workspace stores of an end user.
func (h privacies) erase(c *fiber.Ctx, at tenant.Membership, _ tenant.Person) error {
	receipt, err := h.Privacy.EndUsers.Erase(c.UserContext(), at.Workspace.ID, pathID(c, "external_user_id"))
	if err != nil {
		return err
	}
	return succeed(c, wire.ErasureToWire(receipt))
}

// export sends what a workspace stores of an end user.
func (h privacies) export(c *fiber.Ctx, at tenant.Membership, _ tenant.Person) error {
	endUser, workspaceID, again := pathID(c, "external_user_id"), at.Workspace.ID, h.Again(c)
	if err := h.Privacy.Exports.HasEndUser(c.UserContext(), workspaceID, endUser); err != nil {
		return err
	}
	err := h.Privacy.Exports.Record(c.UserContext(), workspaceID, privacy.EndUserObject(workspaceID, endUser), "Everything that is stored of one end user.")
	if err != nil {
		return err
	}
	valid := func(ctx context.Context) error {
		person, err := again(ctx)
		if err == nil {
			_, err = person.May(tenant.ManageChatbots, workspaceID)
		}
		return err
	}
	return bodies.ZIP(c, h.Log, "end-user-"+time.Now().UTC().Format(time.DateOnly), valid, func(ctx context.Context, into io.Writer) error {
		return h.Privacy.Exports.EndUser(ctx, workspaceID, endUser, into)
	})
}

// erasures lists the receipts of a workspace.
func (h privacies) erasures(c *fiber.Ctx, at tenant.Membership, _ tenant.Person) error {
	receipts, err := h.Privacy.Receipts.Of(c.UserContext(), at.Workspace.ID)
	if err != nil {
		return err
	}
	return succeed(c, erasuresData{wire.MapSlice(receipts, wire.ErasureToWire)})
}
