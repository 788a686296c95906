package store_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	entsql "entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/schema"

	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/migrate"
	"parley/ent/plain"
	"parley/ent/scope"
)

// TestPrivacy holds every table that has a workspace to the policy that keeps
// workspaces apart: the types come from the generated client, so a new one
// without the policy fails.
func TestPrivacy(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, other := b.fill("a"), b.fill("b")
		b.fillLimits(a)
		b.fillLimits(other)
		b.unguard() // the audit log refuses what ent would allow
		types := tenantTypes(b.Client(b.Context()))
		wantEveryTable(b, types)
		for _, owned := range types {
			b.Run(owned.name, func(t *testing.T) {
				owned.b, owned.a, owned.other = b, a, other
				t.Run("nothing is possible without a scope", owned.deniedWithoutScope)
				t.Run("nothing of another workspace is read", owned.readsOwnOnly)
				t.Run("nothing of another workspace is changed or deleted", owned.changesOwnOnly)
				t.Run("a row of another workspace is not created", owned.createsOwnOnly)
			})
		}
	})
}

// fillLimits adds what no method of the other packages' ports writes alone.
func (b *bundle) fillLimits(w tenancy) {
	b.Helper()
	b.must(b.InTx(scope.Workspace(b.Context(), w.id), func(ctx context.Context) error {
		db := b.Client(ctx)
		for _, row := range []*entsql.InsertBuilder{
			b.Into("request_minutes").Set("minute", []byte(w.secret)).Set("revision", 1).Set("changed_at", epoch),
			b.Into("token_months").Set("token_id", w.token).Set("month", thisMonth).Set("messages", 1),
			b.Into("usage_sums").Set("month", "2026-02").Set("chatbot_id", w.chatbot).Set("model", w.secret).Set("status", "complete"),
			b.Into("quota_notices").Set("month", thisMonth).Set("percent", 80).Set("created_at", epoch),
			b.Into("message_holds").Set("month", thisMonth).Set("holder", 1).Set("granted", 1).Set("lease_until", epoch),
		} {
			if err := b.Exec(ctx, row.Set("workspace_id", w.id)); err != nil {
				return err
			}
		}
		return fillWebhooks(ctx, db, w)
	}))
}

func fillWebhooks(ctx context.Context, db *ent.Client, w tenancy) error {
	id := "webhook_of_" + w.id
	err := db.WebhookEndpoint.Create().SetID(id).SetWorkspaceID(w.id).SetURL(w.secret).SetEvents([]string{}).
		SetSealedSecret([]byte(w.secret)).SetCreatedBy(w.secret).SetUpdatedAt(epoch).Exec(ctx)
	if err != nil {
		return err
	}
	if err := db.WebhookMessage.Create().SetID(id).SetWorkspaceID(w.id).SetKind("message.completed").SetPayload(w.secret).Exec(ctx); err != nil {
		return err
	}
	return db.WebhookDelivery.Create().SetWorkspaceID(w.id).SetEndpointID(id).SetMessageID(id).Exec(ctx)
}

// tenantType is a type whose rows belong to a workspace.
type tenantType struct {
	name     string
	client   reflect.Value
	b        *bundle
	a, other tenancy
}

// tenantTypes are the types of the client that have a workspace, and the
// workspace itself.
func tenantTypes(client *ent.Client) []*tenantType {
	var types []*tenantType
	fields := reflect.ValueOf(client).Elem()
	for i := range fields.NumField() {
		name, field := fields.Type().Field(i).Name, fields.Field(i)
		get, is := field.Type().MethodByName("Get")
		if !is {
			continue
		}
		if _, owned := get.Type.Out(0).Elem().FieldByName("WorkspaceID"); owned || name == "Workspace" {
			types = append(types, &tenantType{name: name, client: field})
		}
	}
	return types
}

// wantEveryTable compares with the tables that the migrations make, and with
// those that this package's tests look into.
func wantEveryTable(b *bundle, types []*tenantType) {
	b.Helper()
	of := func(all []*schema.Table) (owned []string) {
		for _, table := range all {
			if table.HasColumn("workspace_id") {
				owned = append(owned, table.Name)
			}
		}
		return owned
	}
	owned, byHand := append(of(migrate.Tables), "workspaces"), of(plain.Tables)
	if len(types) != len(owned) {
		b.Errorf("%d types belong to a workspace, but %d tables: %v", len(types), len(owned), owned)
	}
	owned = append(owned, byHand...)
	for _, name := range owned {
		if _, known := tables[name]; !known {
			b.Errorf("the table %s belongs to a workspace: add it to tables, and a row of it to fill", name)
		}
	}
}

// call calls a method of a client or builder by its name.
func call(on reflect.Value, method string, args ...any) []reflect.Value {
	in := make([]reflect.Value, len(args))
	for i, arg := range args {
		in[i] = reflect.ValueOf(arg)
	}
	return on.MethodByName(method).Call(in)
}

// run calls Count, Exec or Save of a builder.
func run(builder reflect.Value, method string, ctx context.Context) (any, error) {
	out := call(builder, method, ctx)
	err, _ := out[1].Interface().(error)
	return out[0].Interface(), err
}

func (o *tenantType) builder(method string) reflect.Value { return call(o.client, method)[0] }

// update is an update of every row that sets some text. A type of which
// nothing can be changed has none.
func (o *tenantType) update() (reflect.Value, bool) {
	builder := o.builder("Update")
	for i := range builder.NumMethod() {
		name, method := builder.Type().Method(i).Name, builder.Method(i)
		if !strings.HasPrefix(name, "Set") || method.Type().NumIn() != 1 || method.Type().In(0).Kind() != reflect.String {
			continue
		}
		return call(builder, name, "changed")[0], true
	}
	return builder, false
}

// create is a new row of a workspace, without its other fields: the policy
// comes before they are missed.
func (o *tenantType) create(workspaceID string) reflect.Value {
	builder := o.builder("Create")
	if o.name == "Workspace" {
		return call(builder, "SetID", workspaceID)[0]
	}
	return call(builder, "SetWorkspaceID", workspaceID)[0]
}

func (o *tenantType) deniedWithoutScope(t *testing.T) {
	ctx := t.Context()
	update, _ := o.update()
	for what, attempt := range map[string]func() (any, error){
		"a query":                       func() (any, error) { return run(o.builder("Query"), "Count", ctx) },
		"a query of ids":                func() (any, error) { return run(o.builder("Query"), "IDs", ctx) },
		"an update":                     func() (any, error) { return run(update, "Save", ctx) },
		"a deletion":                    func() (any, error) { return run(o.builder("Delete"), "Exec", ctx) },
		"a creation":                    func() (any, error) { return run(o.create(o.a.id), "Save", ctx) },
		"an empty scope":                func() (any, error) { return run(o.builder("Query"), "Count", scope.Workspace(ctx, "")) },
		"an empty update":               func() (any, error) { return run(update, "Save", scope.Workspace(ctx, "")) },
		"an access that nobody granted": func() (any, error) { return run(o.builder("Query"), "Count", scope.System(ctx, system.Access{})) },
	} {
		before := o.b.rows(o.a.id)
		if _, err := attempt(); !errors.Is(err, scope.ErrNone) {
			t.Errorf("%s gives %v, want a denial", what, err)
		}
		if o.b.rows(o.a.id) != before {
			t.Errorf("%s changed rows", what)
		}
	}
}

func (o *tenantType) readsOwnOnly(t *testing.T) {
	count := func(ctx context.Context) int {
		n, err := run(o.builder("Query"), "Count", ctx)
		o.b.must(err)
		return n.(int)
	}
	a, other := count(scope.Workspace(t.Context(), o.a.id)), count(scope.Workspace(t.Context(), o.other.id))
	if a == 0 || a != other || count(scope.System(t.Context(), everywhere)) != a+other {
		t.Errorf("workspace a sees %d rows, b sees %d, the system %d", a, other, count(scope.System(t.Context(), everywhere)))
	}
	if n := count(scope.Workspace(t.Context(), "ws_nobody")); n != 0 {
		t.Errorf("a workspace without rows sees %d", n)
	}
	if n := count(scope.Unplaced(t.Context())); n != 0 {
		t.Errorf("what belongs to no workspace sees %d", n)
	}
}

func (o *tenantType) changesOwnOnly(t *testing.T) {
	before := o.b.rows(o.a.id)
	err := o.b.InTx(scope.Workspace(t.Context(), o.other.id), func(ctx context.Context) error {
		inTx := o.inTx(ctx)
		if update, can := inTx.update(); can {
			if n, err := run(update, "Save", ctx); err != nil || n.(int) == 0 {
				t.Errorf("an update of the own rows hits %v: %v", n, err)
			}
		}
		n, err := run(inTx.builder("Delete"), "Exec", ctx)
		if o.name == "AuditEntry" && !o.b.IsSQLite() { // the server's roles may delete none
			if err == nil {
				t.Errorf("%v entries of the audit log were deleted", n)
			}
			return errTest
		}
		if err != nil || n.(int) == 0 {
			t.Errorf("a deletion of the own rows hits %v: %v", n, err)
		}
		left, err := run(inTx.builder("Query"), "Count", scope.Workspace(ctx, o.a.id))
		if err != nil || left.(int) == 0 {
			t.Errorf("%v rows of the other workspace are left: %v", left, err)
		}
		return errTest // for the types that come after
	})
	if !errors.Is(err, errTest) {
		t.Fatal(err)
	}
	if o.b.rows(o.a.id) != before {
		t.Error("the rows of the other workspace changed")
	}
}

// inTx is the type with the client of a transaction.
func (o *tenantType) inTx(ctx context.Context) *tenantType {
	types := tenantTypes(o.b.Client(ctx))
	same := *types[slices.IndexFunc(types, func(other *tenantType) bool { return other.name == o.name })]
	return &same
}

func (o *tenantType) createsOwnOnly(t *testing.T) {
	if o.name == "Workspace" { // sets its own scope: see CreateWorkspace
		return
	}
	_, err := run(o.create(o.a.id), "Save", scope.Workspace(t.Context(), o.other.id))
	if !errors.Is(err, scope.ErrNone) {
		t.Errorf("it gives %v, want a denial", err)
	}
}
