package servers

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"parley/store"
)

const (
	// tellMyself sends a notification to a channel that only one connection listens to.
	tellMyself = "SELECT pg_notify($1, NULL)"
	// A connection sends itself a notification when it was silent for quietFor, and is
	// taken for lost when that does not arrive within answerWithin: so nothing is
	// missed for longer than both. A pooler that gives each transaction another
	// connection answers every statement, and delivers no notification.
	quietFor, answerWithin = 2 * time.Second, 2 * time.Second
	connectWithin          = 10 * time.Second
	// A lost connection is opened again after a pause from firstPause to lastPause.
	firstPause, lastPause = 100 * time.Millisecond, 5 * time.Second
)

// AccessListener hears of what other processes change in what a process remembers of
// tokens, chatbots and plans.
type AccessListener interface {
	// Listening says whether changes are heard of from now on. What was changed
	// before, while it was not so, was missed.
	Listening(bool)
	// Changed tells of a change in a workspace, or in all when it is empty.
	Changed(workspaceID string)
}

// Access tells of changes of tokens, chatbots and plans.
type Access struct{ store *store.Store }

// NewAccess returns what tells of changes in a database.
func NewAccess(db *store.Store) *Access { return &Access{db} }

// Listen tells a listener of changes until ctx ends, on a connection of its own. On SQLite
// it returns at once, and nothing is heard of.
func (s *Access) Listen(ctx context.Context, to AccessListener, log *slog.Logger) {
	if s.store.IsSQLite() {
		return
	}
	for pause := firstPause; ctx.Err() == nil; {
		began := time.Now()
		err := s.listen(ctx, to)
		to.Listening(false)
		if ctx.Err() != nil {
			return
		}
		log.Warn("the database tells nothing of changes just now; tokens are looked up more often", "error", err)
		if time.Since(began) > lastPause {
			pause = firstPause
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		pause = min(2*pause, lastPause)
	}
}

// listen is Listen on one connection, until that is lost.
func (s *Access) listen(ctx context.Context, to AccessListener) error {
	connecting, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	conn, err := s.store.Connect(connecting)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(connecting) }()
	l := &listening{conn: conn, to: to, own: store.AccessChannel + "_" + strings.ToLower(rand.Text())}
	if _, err := conn.Exec(connecting, "LISTEN "+store.AccessChannel+"; LISTEN "+l.own); err != nil {
		return err
	}
	if err := l.prove(ctx); err != nil {
		return err
	}
	to.Listening(true)
	for {
		if err := l.hear(ctx, quietFor); err == nil {
			continue
		} else if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return err
		}
		if err := l.prove(ctx); err != nil {
			return err
		}
	}
}

// listening is a connection that listens.
type listening struct {
	conn *pgx.Conn
	to   AccessListener
	// own is a channel that only this connection knows, and proven whether a
	// notification came on it.
	own    string
	proven bool
}

var errNotDelivered = errors.New("the database delivers no notifications: connect to PostgreSQL directly, or by a pooler that keeps sessions")

// prove waits for a notification that it sends itself, and tells of all that arrive before.
func (l *listening) prove(ctx context.Context) error {
	l.proven = false
	asking, stop := context.WithTimeout(ctx, answerWithin)
	defer stop()
	if _, err := l.conn.Exec(asking, tellMyself, l.own); err != nil {
		return err
	}
	for until := time.Now().Add(answerWithin); !l.proven; {
		err := l.hear(ctx, time.Until(until))
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			return errNotDelivered
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hear waits for one notification, and tells what it says.
func (l *listening) hear(ctx context.Context, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	told, err := l.conn.WaitForNotification(ctx)
	if err != nil {
		return err
	}
	if told.Channel == l.own {
		l.proven = true
		return nil
	}
	l.to.Changed(told.Payload)
	return nil
}
