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

	"parley/bench/proc"
)

// clusterVariable names the environment variable that holds a superuser's URL
// of the PostgreSQL server; scripts/with-postgres.sh sets it.
const clusterVariable = "PARLEY_TEST_POSTGRES"

var errElsewhere = errors.New("the PostgreSQL server is on another machine, so nobody can read its CPU time")

var errNoCluster = errors.New(clusterVariable + " is not set: run `make bench`, or ask for --databases=sqlite")

// cluster is the PostgreSQL server that databases are created on.
type cluster struct {
	address string
	version string
	// durable says that the server syncs what it commits.
	durable bool
	// postmaster is the server's first process, or 0 if it is on another machine.
	postmaster int
}

// parentOnThisMachine returns the process that started a backend, or 0 if the
// backend is none of this machine.
func parentOnThisMachine(backend uint32) int {
	pid := int(backend)
	if !proc.Is(pid, "postgres") {
		return 0
	}
	parent, err := proc.Parent(pid)
	if err != nil {
		return 0
	}
	return parent
}

func openCluster(ctx context.Context) (cluster, error) {
	c := cluster{address: os.Getenv(clusterVariable)}
	if c.address == "" {
		return c, errNoCluster
	}
	var fsync, commit string
	err := c.do(ctx, func(conn *pgx.Conn) error {
		c.postmaster = parentOnThisMachine(conn.PgConn().PID())
		return conn.QueryRow(ctx, `SELECT current_setting('server_version'), current_setting('fsync'),
			current_setting('synchronous_commit')`).Scan(&c.version, &fsync, &commit)
	})
	c.durable = fsync == "on" && commit == "on"
	return c, err
}

// cpu returns the CPU time that all processes of the server have used. The server
// must run on this machine.
func (c cluster) cpu() (time.Duration, error) {
	if c.postmaster == 0 {
		return 0, errElsewhere
	}
	return proc.FamilyCPU(c.postmaster)
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
