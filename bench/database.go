package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// clusterVariable names the environment variable that holds a superuser's URL
// of the PostgreSQL server; scripts/with-postgres.sh sets it.
const clusterVariable = "PARLEY_TEST_POSTGRES"

var errNoCluster = errors.New(clusterVariable + " is not set: run `make bench`, or ask for --databases=sqlite")

// cluster is the PostgreSQL server that databases are created on.
type cluster struct {
	address string
	version string
	// durable says that the server syncs what it commits.
	durable bool
}

func openCluster(ctx context.Context) (cluster, error) {
	c := cluster{address: os.Getenv(clusterVariable)}
	if c.address == "" {
		return c, errNoCluster
	}
	var fsync, commit string
	err := c.do(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT current_setting('server_version'), current_setting('fsync'),
			current_setting('synchronous_commit')`).Scan(&c.version, &fsync, &commit)
	})
	c.durable = fsync == "on" && commit == "on"
	return c, err
}

// create makes an empty database and returns its URL. It goes with the
// throw-away server; drop is for one that stays.
func (c cluster) create(ctx context.Context) (string, error) {
	address, err := url.Parse(c.address)
	if err != nil {
		return "", fmt.Errorf("%s is not a postgres:// URL", clusterVariable)
	}
	name := "bench_" + strings.ToLower(rand.Text())
	address.Path = "/" + name
	return address.String(), c.do(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "CREATE DATABASE "+name)
		return err
	})
}

// drop deletes a database that create made.
func (c cluster) drop(address string) error {
	parsed, err := url.Parse(address)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return c.do(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "DROP DATABASE "+strings.TrimPrefix(parsed.Path, "/")+" WITH (FORCE)")
		return err
	})
}

func (c cluster) do(ctx context.Context, use func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, c.address)
	if err != nil {
		return fmt.Errorf("connect to the server that %s names: %w", clusterVariable, err)
	}
	defer conn.Close(ctx)
	return use(conn)
}
