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

// failed returns err as a fault for the caller. If ctx has ended, the fault
// wraps the error of ctx.
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
	return fault.Wrap(fault.Upstream, err, "The chatbot's knowledge is not available right now. Try again in a moment.")
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
		strings.Contains(text, "does not exist in schema"), strings.Contains(text, "class not found"):
		return fmt.Errorf("%w: %w", errNoCollection, err)
	case strings.Contains(text, "vector lengths don't match"):
		return fmt.Errorf("%w: %w", errOtherDimension, err)
	}
	return err
}

// The most attempts at one call. Without a server it fails soon; servers that elect
// a leader, or learn of a new collection, need some seconds.
const attempts, attemptsOfCluster = 4, 6

// worth returns how often a call is attempted that fails with err: once, unless it
// may succeed a moment later.
func worth(err error) int {
	has := func(text string) bool { return strings.Contains(err.Error(), text) }
	if slices.ContainsFunc(agreeing, has) {
		return attemptsOfCluster
	}
	if answer := (*statusError)(nil); errors.As(err, &answer) {
		switch answer.status {
		case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return attempts
		}
	}
	if lost := net.Error(nil); errors.As(err, &lost) || status.Code(err) == codes.Unavailable {
		return attempts
	}
	if slices.ContainsFunc(passing, has) || slices.ContainsFunc(unreachable, has) {
		return attempts
	}
	return 1
}

// agreeing has the words of the nodes of a cluster that do not agree yet: they
// elect a leader, or one of them has not learned of a collection or a tenant.
var agreeing = []string{"leader not found", "could not find index", "deadline exceeded for waiting for update"}

// unreachable has the words of a node that asked another one for its part of an answer,
// and found it dead. Soon it knows, and asks one that lives.
var unreachable = []string{"connection refused", "connection reset", "broken pipe", "EOF"}

// passing has the server's words for states that pass: it is starting, stopping,
// or a tenant is being activated or deactivated.
var passing = []string{
	"shutting down", "shut down", "already shutdown", "not loaded", "tenant not active", "is being", "closed", notDeleted,
}

const notDeleted = "objects were not deleted"

// again makes a call as often as its failures are [worth], each time within limit.
// Every call of this package may be repeated: it writes objects under fixed
// names, deletes, or reads.
func again(ctx context.Context, limit time.Duration, call func(ctx context.Context) error) error {
	pause := 50 * time.Millisecond
	for attempt := 1; ; attempt++ {
		err := once(ctx, limit, call)
		if err == nil || ctx.Err() != nil || attempt >= worth(err) {
			return named(err)
		}
		if sleep(ctx, pause) != nil {
			return named(err)
		}
		pause *= 3
	}
}

func once(ctx context.Context, limit time.Duration, call func(ctx context.Context) error) error {
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
