package weaviate

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	client "github.com/weaviate/weaviate-go-client/v4/weaviate/fault"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"parley/core/fault"
	"parley/index/weaviate/nodes"
)

var (
	// errNoTenant means that a scope holds nothing: it never did, or it was
	// dropped.
	errNoTenant = errors.New("weaviate: no such tenant")
	// errNoCollection means that another process has switched to a rebuilt
	// collection since this one asked, or that no collection exists yet.
	errNoCollection = errors.New("weaviate: no such collection")
	// errOtherDimension means that a vector is not as long as the vectors that the
	// server compares it with.
	errOtherDimension = errors.New("weaviate: a vector of another dimension")
	errRefused        = errors.New("weaviate refuses the API key; check WEAVIATE_API_KEY")
)

// statusError is an answer of the REST interface with another status than 2xx.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("weaviate: status %d: %.500s", e.status, e.text)
}

// failed returns err as a fault for the caller: Unavailable if the same call may
// succeed in a moment, and Upstream if somebody has to act. If ctx has ended, the
// fault wraps the error of ctx.
func failed(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if own := (*fault.Error)(nil); errors.As(err, &own) {
		return err
	}
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	failure := fault.Wrap(fault.Upstream, err, "The chatbot's knowledge is not available right now, and the operator of this server has been told. Try again in a moment.").ForOperator()
	if isTransient(err) {
		failure.Kind, failure.RetryAfter = fault.Unavailable, electionTime
	}
	return failure
}

// named wraps err in this package's error for it, if there is one. Both
// interfaces of Weaviate describe most failures in words only.
func named(err error) error {
	if err == nil {
		return nil
	}
	var rest *client.WeaviateClientError
	if errors.As(err, &rest) && rest.IsUnexpectedStatusCode {
		err = &statusError{rest.StatusCode, rest.Msg}
	}
	answer, text := (*statusError)(nil), err.Error()
	code := status.Code(err)
	switch {
	case code == codes.Unauthenticated, code == codes.PermissionDenied,
		errors.As(err, &answer) && (answer.status == http.StatusUnauthorized || answer.status == http.StatusForbidden):
		return fmt.Errorf("%w: %w", errRefused, err)
	case strings.Contains(text, "tenant not found"):
		return fmt.Errorf("%w: %w", errNoTenant, err)
	case strings.Contains(text, "could not find class"), strings.Contains(text, "not present in schema"),
		strings.Contains(text, "does not exist in schema"), strings.Contains(text, "not found in schema"), strings.Contains(text, "class not found"):
		return fmt.Errorf("%w: %w", errNoCollection, err)
	case strings.Contains(text, "vector lengths don't match"):
		return fmt.Errorf("%w: %w", errOtherDimension, err)
	}
	return err
}

// The most attempts at one call. Without a server it fails soon; servers that elect
// a leader, or learn of a new collection, need some seconds.
const attempts, attemptsOfCluster = 4, 6

const (
	// The pause before a call is repeated.
	firstPause, longestPause = 50 * time.Millisecond, 500 * time.Millisecond
	// readWithin bounds a read of a cluster with all its repetitions.
	readWithin = searchTime
)

// electionTime is about how long a cluster takes to notice that a node is dead, and
// to elect another leader. A caller who gets an error tries again after it.
const electionTime = 2 * time.Second

// attemptsFor returns how often a call is attempted that fails with err: once, unless it
// may succeed a moment later.
func attemptsFor(err error) int {
	switch {
	case status.Code(err) == codes.DeadlineExceeded:
		return 1 // it took long enough
	case containsAny(err, agreeing):
		return attemptsOfCluster
	case isUnreached(err), containsAny(err, passing), containsAny(err, unreachable):
		return attempts
	}
	return 1
}

// isTransient reports whether a call that failed with err may succeed a moment later,
// although some of these calls are not repeated at once.
func isTransient(err error) bool {
	switch {
	case errors.Is(err, errRefused), errors.Is(err, errNoTenant), errors.Is(err, errOtherDimension):
		return false
	case errors.Is(err, errNoCollection), errors.Is(err, errChanging), errors.Is(err, context.DeadlineExceeded):
		return true
	}
	code := status.Code(err)
	return attemptsFor(err) > 1 || code == codes.DeadlineExceeded || code == codes.Canceled || containsAny(err, waiting)
}

// isUnreached reports whether no node has answered a call, or only a proxy before it.
func isUnreached(err error) bool {
	if answer := (*statusError)(nil); errors.As(err, &answer) {
		return answer.status == http.StatusBadGateway || answer.status == http.StatusServiceUnavailable || answer.status == http.StatusGatewayTimeout
	}
	lost := net.Error(nil)
	return errors.As(err, &lost) || status.Code(err) == codes.Unavailable
}

// containsAny reports whether an error has one of some words. Both interfaces of Weaviate
// describe most failures in words only.
func containsAny(err error, words []string) bool {
	return slices.ContainsFunc(words, func(text string) bool { return strings.Contains(err.Error(), text) })
}

// agreeing has the words of the nodes of a cluster that do not agree yet: they
// elect a leader, or one of them has not learned of a collection or a tenant.
var agreeing = []string{
	"leader not found", "node is not the leader", "leadership lost", "leadership transfer in progress", "timed out enqueuing operation",
	"store not open", "could not find index", "deadline exceeded for waiting for update",
}

// unreachable has the words of a node that asked another one for its part of an answer,
// and found it dead. Soon it knows, and asks one that lives.
var unreachable = []string{
	"connection refused", "connection reset", "broken pipe", "EOF", "no read replica found", "error while getting replicas", "resolve node name",
}

// passing has the server's words for states that pass: it is starting, stopping or
// overloaded, or a tenant is being activated or deactivated.
var passing = []string{
	"shutting down", "shut down", "already shutdown", "not loaded", "shard is not ready", "tenant not active", "is being", "closed",
	"429 Too many requests", notDeleted,
}

// waiting has the words of a node that has waited for another one, or can change
// nothing until that is back.
var waiting = []string{"context deadline exceeded", "i/o timeout", "cannot reach enough replicas", "no write replica found"}

const notDeleted = "objects were not deleted"

// retry makes a call as often as its failures are [attemptsFor], each time within limit.
// Every call of this package may be repeated: it writes objects under fixed
// names, deletes, or reads.
func retry(ctx context.Context, limit time.Duration, call func(ctx context.Context) error) error {
	pause := firstPause
	for attempt := 1; ; attempt++ {
		err := tryOnce(ctx, limit, call)
		if err == nil || ctx.Err() != nil || attempt >= attemptsFor(err) {
			return named(err)
		}
		if sleep(ctx, pause) != nil {
			return named(err)
		}
		pause *= 3
	}
}

// readAgain makes a read of a cluster until a node answers it, for as long as readWithin. A
// failure that passes is worth that: while some nodes notice that another one is dead, and
// elect a leader, one of them may answer. Any other failure may be a single node's, so it
// asks each node.
func (s *server) readAgain(ctx context.Context, call func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	unreachedBefore := 0
	for attempt, pause := 0, firstPause; ; attempt, pause = attempt+1, min(2*pause, longestPause) {
		err := tryOnce(nodes.Skip(ctx, attempt), readTime, call)
		if isUnreached(err) {
			unreachedBefore++
		}
		switch {
		case err == nil, ctx.Err() != nil, isAnswer(err):
			return named(err)
		case unreachedBefore == attempts: // there is no node
			return named(err)
		case !isTransient(err) && attempt+1 >= s.nodes.Len():
			return named(err)
		}
		if sleep(ctx, pause) != nil {
			return named(err)
		}
	}
}

// isAnswer reports whether a node has answered what any other would answer, too.
func isAnswer(err error) bool {
	known := named(err)
	for _, answer := range []error{errNoTenant, errOtherDimension, errRefused} {
		if errors.Is(known, answer) {
			return true
		}
	}
	answer := (*statusError)(nil)
	return errors.As(known, &answer) && answer.status < http.StatusInternalServerError
}

func tryOnce(ctx context.Context, limit time.Duration, call func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return call(ctx)
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
