// Package tenancytest gives a test a database with an account whose workspace is
// on the Standard plan.
package tenancytest

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/plan"
	"parley/core/system/grant"
	"parley/core/tenant"
	"parley/store"
	billingstore "parley/store/billing"
	"parley/store/bots"
	"parley/store/people"
	"parley/store/storetest"
	"parley/store/tenancy"
)

// What the account signs in with.
const (
	Email    = "owner@example.com"
	Password = "correct horse battery"
)

// Epoch is when the account was made.
var Epoch = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// Shop is the database, with its account and workspace.
type Shop struct {
	Store *store.Store
	User  account.User
	Space tenant.Workspace
}

// Services returns a server's services over a database, except that hashing a password
// costs nothing.
func Services(db *store.Store, now func() time.Time, options tenancy.Options) *tenancy.Services {
	services := tenancy.Open(db, grant.Because("a test"), now, rand.Reader, options)
	services.Passwords.WeakenForTests()
	return services
}

var filled = storetest.NewTemplate(fill)

func fill(ctx context.Context, db *store.Store) error {
	services := Services(db, func() time.Time { return Epoch }, tenancy.Options{})
	_, workspaceID, err := services.SignUps.Create(ctx, account.Account{Email: Email, Password: Password, Workspace: "Shop"})
	if err != nil {
		return err
	}
	return services.Grants.SetPlan(ctx, workspaceID, plan.Standard)
}

// Open returns a shop of the test's own.
func Open(t *testing.T) Shop {
	t.Helper()
	db := filled.Open(t)
	shop := Shop{Store: db}
	var err error
	if shop.User, err = people.NewUsers(db).UserByEmail(t.Context(), Email); err != nil {
		t.Fatal(err)
	}
	for space, err := range people.NewWorkspaces(db).Workspaces(t.Context(), grant.Because("a test")) {
		if err != nil {
			t.Fatal(err)
		}
		shop.Space = space
		break
	}
	return shop
}

// WritePlan writes a plan's row as it is, even one that nobody could set.
func WritePlan(ctx context.Context, db *store.Store, p plan.Plan) error {
	return billingstore.NewPlans(db).UpdatePlan(ctx, p)
}

// DeleteChatbot deletes a chatbot's row and what belongs to it, in the
// transaction of ctx. The index is not told.
func DeleteChatbot(ctx context.Context, db *store.Store, workspaceID, chatbotID string) error {
	return bots.NewChatbots(db).DeleteChatbot(ctx, workspaceID, chatbotID)
}
