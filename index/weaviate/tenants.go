package weaviate

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/weaviate/weaviate/entities/models"
	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
)

// deactivatedAtOnce bounds how many tenants one call deactivates.
const deactivatedAtOnce = 100

// useKey is the UUID of the object that says when a tenant was last used.
func useKey(tenant string) string {
	return uuid.NewSHA1(space, []byte("use\x00"+tenant)).String()
}

// tenants deactivates the tenants that nobody uses.
type tenants struct {
	server *server
	names  names

	mutex sync.Mutex
	// used has the tenants that this process has used since it last told the
	// other processes; see [Index.Deactivate].
	used map[string]struct{}
}

// touch notes that this process uses a tenant.
func (t *tenants) touch(tenant string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.used[tenant] = struct{}{}
}

// deactivate deactivates those tenants of a collection that no process has used
// for a while, and returns how many.
func (t *tenants) deactivate(ctx context.Context, collection string, idle time.Duration) (int, error) {
	active, err := t.list(ctx, collection, true)
	if err != nil {
		return 0, err
	}
	count := 0
	for len(active) > 0 {
		n := min(len(active), deactivatedAtOnce)
		deactivated, err := t.deactivateIdle(ctx, collection, active[:n], idle)
		if err != nil {
			return count, err
		}
		count += deactivated
		active = active[n:]
	}
	return count, nil
}

// list returns the names of the tenants, or only of the active ones.
func (t *tenants) list(ctx context.Context, collection string, isActive bool) (names []string, err error) {
	active, err := t.active(ctx, collection)
	for name, is := range active {
		if is || !isActive {
			names = append(names, name)
		}
	}
	return names, err
}

// active returns the tenants, and which of them are active.
func (t *tenants) active(ctx context.Context, collection string) (active map[string]bool, err error) {
	err = retry(ctx, schemaTime, func(ctx context.Context) error {
		reply, err := t.server.data.TenantsGet(ctx, &pb.TenantsGetRequest{Collection: collection})
		active = make(map[string]bool, len(reply.GetTenants()))
		for _, tenant := range reply.GetTenants() {
			status := tenant.GetActivityStatus()
			active[tenant.GetName()] = status == pb.TenantActivityStatus_TENANT_ACTIVITY_STATUS_HOT || status == pb.TenantActivityStatus_TENANT_ACTIVITY_STATUS_ACTIVE
		}
		return err
	})
	return active, err
}

// drop takes a tenant away, with the heads of its documents.
func (t *tenants) drop(ctx context.Context) func(collection, tenant string) error {
	return func(collection, tenant string) error {
		if err := t.server.deleteWhere(ctx, t.names.heads(collection), "", is(propScope, tenant)); err != nil {
			return err
		}
		return t.server.deleteTenant(ctx, collection, tenant)
	}
}

// deactivateIdle deactivates the given tenants that no process has used for a while. A
// tenant without a recorded use counts as used now.
func (t *tenants) deactivateIdle(ctx context.Context, collection string, tenants []string, idle time.Duration) (int, error) {
	last, err := t.lastUse(ctx, collection, tenants)
	if err != nil {
		return 0, err
	}
	now := time.Now()
	var unused []models.Tenant
	var uses []*pb.BatchObject
	for _, name := range tenants {
		at, known := last[name]
		if t.wasUsed(name) || !known {
			at = now
			uses = append(uses, object(useKey(name), t.names.heads(collection), "", map[string]string{
				propScope: name, propAt: strconv.FormatInt(now.UnixMilli(), 10),
			}))
		}
		if now.Sub(at) >= idle {
			unused = append(unused, models.Tenant{Name: name, ActivityStatus: models.TenantActivityStatusCOLD})
		}
	}
	if err := t.server.put(ctx, uses); err != nil || len(unused) == 0 {
		return 0, err
	}
	err = retry(ctx, schemaTime, func(ctx context.Context) error {
		return t.server.schema.TenantsUpdater().WithClassName(collection).WithTenants(unused...).Do(ctx)
	})
	return len(unused), err
}

// wasUsed reports whether this process has used a tenant since it last asked.
func (t *tenants) wasUsed(tenant string) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	_, used := t.used[tenant]
	delete(t.used, tenant)
	return used
}

// lastUse returns the time of the last use that the processes have recorded of
// each tenant.
func (t *tenants) lastUse(ctx context.Context, collection string, tenants []string) (map[string]time.Time, error) {
	found, err := t.server.search(ctx, &pb.SearchRequest{
		Collection: t.names.heads(collection), Limit: uint32(len(tenants)), Filters: isOneOf(propID, keys(tenants, useKey)),
		Properties: returning(propScope, propAt),
	})
	last := map[string]time.Time{}
	for _, result := range found {
		at, err := strconv.ParseInt(textOf(result, propAt), 10, 64)
		if err == nil {
			last[textOf(result, propScope)] = time.UnixMilli(at)
		}
	}
	return last, err
}
