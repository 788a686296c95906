package billing

import (
	"context"
	"hash/fnv"

	"parley/core/fault"
)

const laneCount = 64

// lanes let one caller of this process at a time read a workspace at Stripe, so that a
// burst of events does not make them repeatedly lose to one another. Between processes the
// subscription's revision decides.
type lanes [laneCount]chan struct{}

func newLanes() *lanes {
	var l lanes
	for i := range l {
		l[i] = make(chan struct{}, 1)
	}
	return &l
}

// enter waits for the lane of a workspace. The caller must leave.
func (l *lanes) enter(ctx context.Context, workspaceID string) (leave func(), err error) {
	hash := fnv.New32a()
	hash.Write([]byte(workspaceID))
	lane := l[hash.Sum32()%laneCount]
	select {
	case lane <- struct{}{}:
		return func() { <-lane }, nil
	case <-ctx.Done():
		return nil, fault.Wrap(fault.Unavailable, ctx.Err(), "This subscription is changing too often right now. Try again in a minute.")
	}
}
