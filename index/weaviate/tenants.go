package weaviate

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/weaviate/weaviate/entities/models"
	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
)

// restAtOnce bounds how many tenants one call puts to rest.
const restAtOnce = 100

// useKey is the UUID of the object that says when a tenant was last used.
func useKey(tenant string) string {
	return uuid.NewSHA1(space, []byte("use\x00"+tenant)).String()
}

func (x *Index) touch(tenant string) {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	x.used[tenant] = struct{}{}
}

// Rest makes those tenants inactive that no process has used for a while,
// which frees their memory and files on the server, and returns how many. Any
// call wakes a tenant up. Every process calls it from time to time, at least
// twice in idle: it also tells the others what this process has used since its
// last call. A change that comes at the very moment may be lost by the server;
// its count shows that, so it fails.
func (x *Index) Rest(ctx context.Context, idle time.Duration) (int, error) {
	count := 0
	err := x.inServing(ctx, func(collection string) error {
		active, err := x.active(ctx, collection)
		if err != nil {
			return err
		}
		for len(active) > 0 {
			n := min(len(active), restAtOnce)
			rested, err := x.restIdle(ctx, collection, active[:n], idle)
			if err != nil {
				return err
			}
			count += rested
			active = active[n:]
		}
		return nil
	})
	return count, failed(ctx, err)
}

// active returns the names of the tenants that are awake.
func (x *Index) active(ctx context.Context, collection string) ([]string, error) {
	var names []string
	err := x.server.repeat(ctx, schemaTime, func(ctx context.Context) error {
		reply, err := x.server.data.TenantsGet(ctx, &pb.TenantsGetRequest{Collection: collection})
		names = nil
		for _, tenant := range reply.GetTenants() {
			switch tenant.GetActivityStatus() {
			case pb.TenantActivityStatus_TENANT_ACTIVITY_STATUS_HOT, pb.TenantActivityStatus_TENANT_ACTIVITY_STATUS_ACTIVE:
				names = append(names, tenant.GetName())
			}
		}
		return err
	})
	return names, err
}

// restIdle puts those of some tenants to rest that were not used for a while.
// One of which nobody has said anything yet counts as used now.
func (x *Index) restIdle(ctx context.Context, collection string, tenants []string, idle time.Duration) (int, error) {
	last, err := x.lastUse(ctx, collection, tenants)
	if err != nil {
		return 0, err
	}
	now := time.Now()
	var resting []models.Tenant
	var uses []*pb.BatchObject
	for _, name := range tenants {
		at, known := last[name]
		if x.wasUsed(name) || !known {
			at = now
			uses = append(uses, object(useKey(name), x.names.heads(collection), "", map[string]string{
				propScope: name, propAt: strconv.FormatInt(now.UnixMilli(), 10),
			}))
		}
		if now.Sub(at) >= idle {
			resting = append(resting, models.Tenant{Name: name, ActivityStatus: models.TenantActivityStatusCOLD})
		}
	}
	if err := x.server.put(ctx, uses); err != nil || len(resting) == 0 {
		return 0, err
	}
	err = again(ctx, schemaTime, func(ctx context.Context) error {
		return x.server.schema.TenantsUpdater().WithClassName(collection).WithTenants(resting...).Do(ctx)
	})
	return len(resting), err
}

// wasUsed reports whether this process has used a tenant since it last asked.
func (x *Index) wasUsed(tenant string) bool {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	_, used := x.used[tenant]
	delete(x.used, tenant)
	return used
}

// lastUse returns when the processes have last said that tenants were used.
func (x *Index) lastUse(ctx context.Context, collection string, tenants []string) (map[string]time.Time, error) {
	found, err := x.server.search(ctx, &pb.SearchRequest{
		Collection: x.names.heads(collection), Limit: uint32(len(tenants)), Filters: isOneOf(propID, keys(tenants, useKey)),
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
