package store

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// listenToAccess names the channel on which the trigger note_access_change tells of changes. What
	// it sends is a workspace, or nothing for all.
	listenToAccess = "LISTEN parley_access"
	// A connection is asked for an answer when it was silent for quietFor, and taken
	// for lost after answerWithin: so nothing is missed for longer than both.
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
type Access struct{ store *Store }

// NewAccess returns what tells of changes in a database.
func NewAccess(db *Store) *Access { return &Access{db} }

// Listen tells a listener of changes until ctx ends, on a connection of its own. On SQLite
// it returns at once, and nothing is heard of.
func (s *Access) Listen(ctx context.Context, to AccessListener, log *slog.Logger) {
	if s.store.listening == nil {
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
	conn, err := pgx.ConnectConfig(connecting, s.store.listening)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(connecting) }()
	if _, err := conn.Exec(connecting, listenToAccess); err != nil {
		return err
	}
	to.Listening(true)
	for {
		told, err := waitFor(ctx, conn)
		if err != nil {
			return err
		}
		if told != nil {
			to.Changed(told.Payload)
		}
	}
}

// waitFor returns the next notification, or nil after a silence in which the connection
// has answered.
func waitFor(ctx context.Context, conn *pgx.Conn) (*pgconn.Notification, error) {
	quiet, cancel := context.WithTimeout(ctx, quietFor)
	defer cancel()
	told, err := conn.WaitForNotification(quiet)
	if err == nil || !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return told, err
	}
	asking, stop := context.WithTimeout(ctx, answerWithin)
	defer stop()
	_, err = conn.Exec(asking, listenToAccess) // once more changes nothing
	return nil, err
}
