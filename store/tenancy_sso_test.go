package store_test

import (
	"context"

	"parley/core/sso"
)

func (w *tenancy) newConnection(id string) sso.SealedConnection {
	return sso.SealedConnection{
		Connection: sso.Connection{
			ID: id, Issuer: "https://" + w.secret + ".example", ClientID: w.secret, Domain: w.secret + ".example", DomainCode: w.secret, CreatedAt: epoch,
		},
		SealedSecret: []byte(w.secret),
	}
}

// methodsOfSSO are about the identity provider of a workspace.
var methodsOfSSO = []confined{
	{"Connection", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.Connection(ctx, as)
	}},
	{"UpdateConnection", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		changed := a.newConnection("sso_" + a.id[len("ws_"):])
		changed.ClientID = "changed"
		return nil, s.UpdateConnection(ctx, as, changed)
	}},
	{"DeleteConnection", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.DeleteConnection(ctx, as)
	}},
	{"CreateConnection", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.CreateConnection(ctx, as, a.newConnection("sso_new_"+as))
	}},
}
