package api

import (
	"context"
	"io"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/privacy"
	"parley/core/tenant"
	"parley/internal/download"
)

// privacies are the handlers of what people may ask for about their data.
type privacies struct{ *API }

// erasureWire is the receipt of an erasure.
type erasureWire struct {
	ID          string           `json:"id"`
	Kind        string           `json:"kind"`
	SubjectHash string           `json:"subject_hash"`
	RequestedBy string           `json:"requested_by"`
	Erased      map[string]int64 `json:"erased"`
	Remaining   map[string]int64 `json:"remaining"`
	Exceptions  []string         `json:"exceptions"`
	CreatedAt   string           `json:"created_at"`
	DoneAt      *string          `json:"done_at"`
}

func erasureToWire(e privacy.Erasure) erasureWire {
	wire := erasureWire{
		ID: e.ID, Kind: string(e.Kind), SubjectHash: e.SubjectHash, RequestedBy: e.RequestedBy, Erased: e.Erased, Remaining: e.Remaining,
		Exceptions: privacy.Exceptions(e.Kind), CreatedAt: timestamp(e.CreatedAt),
	}
	if e.DoneAt != nil {
		at := timestamp(*e.DoneAt)
		wire.DoneAt = &at
	}
	return wire
}

type erasuresData struct {
	Erasures []erasureWire `json:"erasures"`
}

// erase erases what a workspace stores of an end user.
func (h privacies) erase(c *fiber.Ctx, at tenant.Membership, _ tenant.Person) error {
	receipt, err := h.Privacy.EndUsers.Erase(c.UserContext(), at.Workspace.ID, pathID(c, "external_user_id"))
	if err != nil {
		return err
	}
	return succeed(c, erasureToWire(receipt))
}

// export sends what a workspace stores of an end user.
func (h privacies) export(c *fiber.Ctx, at tenant.Membership, _ tenant.Person) error {
	endUser := pathID(c, "external_user_id")
	if err := h.Privacy.Exports.HasEndUser(c.UserContext(), at.Workspace.ID, endUser); err != nil {
		return err
	}
	err := h.Privacy.Exports.Record(c.UserContext(), at.Workspace.ID, privacy.EndUserObject(at.Workspace.ID, endUser), "Everything that is stored of one end user.")
	if err != nil {
		return err
	}
	download.ZIP(c, h.Log, "end-user-"+time.Now().UTC().Format(time.DateOnly), func(ctx context.Context, into io.Writer) error {
		return h.Privacy.Exports.EndUser(ctx, at.Workspace.ID, endUser, into)
	})
	return nil
}

// erasures lists the receipts of a workspace.
func (h privacies) erasures(c *fiber.Ctx, at tenant.Membership, _ tenant.Person) error {
	receipts, err := h.Privacy.Receipts.Of(c.UserContext(), at.Workspace.ID)
	if err != nil {
		return err
	}
	return succeed(c, erasuresData{mapSlice(receipts, erasureToWire)})
}
