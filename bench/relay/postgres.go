package relay

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
)

// postgresConnections is enough: of 8 to 128, all from 16 on gave the same
// requests a second.
const postgresConnections = 32

type postgres struct{ pool *pgxpool.Pool }

// Postgres returns a ledger in an empty PostgreSQL database.
func Postgres(ctx context.Context, address string) (Ledger, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	config.MaxConns = postgresConnections
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	_, err = pool.Exec(ctx, `
		CREATE TABLE tokens (token text PRIMARY KEY, chatbot text NOT NULL);
		CREATE TABLE messages (
			id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
			chatbot text NOT NULL, role text NOT NULL, content text NOT NULL,
			created_at timestamptz NOT NULL DEFAULT now());
		INSERT INTO tokens VALUES ('`+Token+`', 'cb_bench')`)
	if err != nil {
		pool.Close()
		return nil, err
	}
	return &postgres{pool}, nil
}

func (p *postgres) Chatbot(ctx context.Context, token string) (chatbot string, err error) {
	err = p.pool.QueryRow(ctx, "SELECT chatbot FROM tokens WHERE token = $1", token).Scan(&chatbot)
	return chatbot, err
}

func (p *postgres) Append(ctx context.Context, chatbot, role, text string) error {
	_, err := p.pool.Exec(ctx, "INSERT INTO messages (chatbot, role, content) VALUES ($1, $2, $3)", chatbot, role, text)
	return err
}

func (p *postgres) Close() error {
	p.pool.Close()
	return nil
}
