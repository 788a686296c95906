package tenant_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/core/plan"
	"parley/core/tenant"
	"parley/store"
)

// epoch is when each test begins.
var epoch = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// shop is a database with an account whose workspace was given Standard. It is
// made once, and each test has a copy: migrations and passwords take long.
var shop struct {
	database []byte
	user     tenant.User
	space    tenant.Workspace
}

func TestMain(m *testing.M) {
	if err := openShop(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func openShop(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "parley-shop-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "parley.db")
	if err := fillShop(ctx, file); err != nil {
		return err
	}
	shop.database, err = os.ReadFile(file)
	return err
}

func fillShop(ctx context.Context, file string) error {
	db, err := store.Open(ctx, "sqlite:"+file)
	if err != nil {
		return err
	}
	defer db.Close()
	room := tenant.New(db, func() time.Time { return epoch }, rand.Reader, tenant.Options{})
	shop.user, shop.space, err = room.SignUp(ctx, tenant.Account{Email: email, Password: password, Workspace: "Shop"})
	if err != nil {
		return err
	}
	return room.SetPlan(ctx, shop.space.ID, plan.Standard)
}
