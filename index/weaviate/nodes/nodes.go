// Package nodes spreads the calls to a Weaviate cluster over its nodes.
//
// It owns which node a call goes to, which nodes are down, and that a call whose
// connection fails goes to another node. It does not own what the calls say, how
// long they may take, nor how often they are repeated when all nodes fail or one
// answers with an error: see [Skip].
//
// A process keeps to one node, so that it reads what it has just written: a node
// may learn of a new tenant a moment after the node that made it. Different
// processes begin with different nodes.
package nodes

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
)

// Address says where a node is: the hosts and ports of its two interfaces.
type Address struct{ REST, GRPC string }

// Nodes are the nodes of a cluster. It is an [http.RoundTripper] for requests to
// any host, and a [grpc.ClientConnInterface]. Every call must be one that may be
// repeated: it may reach a node that fails before it answers.
type Nodes struct {
	http   http.RoundTripper
	scheme string
	nodes  []*node

	// ended ends the probes, which probes counts.
	ended  context.Context
	end    context.CancelFunc
	probes sync.WaitGroup

	mutex sync.Mutex
	// at is the index of the node that calls go to.
	at int
}

// node is one node.
type node struct {
	Address
	grpc *grpc.ClientConn
	// down says that a call to the node has failed and that it has not said since
	// that it is ready. The mutex of Nodes guards it.
	down bool
}

const (
	// connectTime bounds the time to connect, and the pause before the next
	// attempt to reach a node that was down.
	connectTime = 2 * time.Second
	// answerSize bounds the bytes that are read of one answer.
	answerSize = 256 << 20
)

// Dial prepares the connections to nodes, of which there is at least one. It does not wait
// for them. The scheme is the REST interface's, http or https.
func Dial(addresses []Address, transport http.RoundTripper, scheme string, options ...grpc.DialOption) (*Nodes, error) {
	pause := backoff.DefaultConfig
	pause.BaseDelay, pause.MaxDelay = 50*time.Millisecond, connectTime
	options = append(options,
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: pause, MinConnectTimeout: connectTime}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(answerSize)),
		grpc.WithNoProxy(),
		grpc.WithDisableServiceConfig(),
	)
	n := &Nodes{http: bounded{transport}, scheme: scheme, at: rand.IntN(len(addresses))}
	n.ended, n.end = context.WithCancel(context.Background())
	for _, address := range addresses {
		connection, err := grpc.NewClient("passthrough:///"+address.GRPC, options...)
		if err != nil {
			return nil, errors.Join(err, n.Close())
		}
		n.nodes = append(n.nodes, &node{Address: address, grpc: connection})
	}
	return n, nil
}

// Len returns the number of nodes.
func (n *Nodes) Len() int { return len(n.nodes) }

// Close ends the connections, and waits for what runs in the background.
func (n *Nodes) Close() error {
	n.end()
	n.probes.Wait()
	var failures []error
	for _, node := range n.nodes {
		failures = append(failures, node.grpc.Close())
	}
	return errors.Join(failures...)
}

// pinned is the key of the context's node; see [On].
type pinned struct{}

// PinTo returns a context whose calls go to one node, counted from zero, and to no
// other when it is down.
func PinTo(ctx context.Context, node int) context.Context {
	return context.WithValue(ctx, pinned{}, node)
}

// skipKey is the context key of the number of nodes to pass over; see [Skip].
type skipKey struct{}

// Skip returns a context whose calls pass over so many of the nodes that are up. It
// is for a call that was answered with an error which another node may not give.
func Skip(ctx context.Context, passed int) context.Context {
	return context.WithValue(ctx, skipKey{}, passed)
}

// do makes a call to the current node, and to each other one while the call reports
// that its node is gone.
func (n *Nodes) do(ctx context.Context, call func(*node) (gone bool)) {
	if only, ok := ctx.Value(pinned{}).(int); ok {
		call(n.nodes[only])
		return
	}
	passed, _ := ctx.Value(skipKey{}).(int)
	tried := make(map[*node]bool, len(n.nodes))
	for range n.nodes {
		node := n.choose(tried, passed)
		passed = 0
		if !call(node) {
			return
		}
		tried[node] = true
		if len(tried) > 1 && isOver(ctx) {
			return // the node before took its time
		}
		n.markDown(node)
		if isOver(ctx) {
			return
		}
	}
}

// isOver reports whether a call has no time left. A server may say so before the context does.
func isOver(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return ctx.Err() != nil || limited && !time.Now().Before(deadline)
}

// choose returns a node that was not tried, from the current one on, and one that is
// down only if all others are, or were tried.
func (n *Nodes) choose(tried map[*node]bool, passed int) *node {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	var up, down []*node
	for i := range n.nodes {
		candidate := n.nodes[(n.at+i)%len(n.nodes)]
		switch {
		case tried[candidate]:
		case candidate.down:
			down = append(down, candidate)
		default:
			up = append(up, candidate)
		}
	}
	if len(up) == 0 {
		return down[0]
	}
	return up[passed%len(up)]
}

// markDown notes that a node is down, and moves on to the next one that is not, or
// to the next one if all are. The only node is never down: there is no other.
func (n *Nodes) markDown(from *node) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if len(n.nodes) == 1 || n.ended.Err() != nil {
		return
	}
	if !from.down {
		from.down = true
		n.probes.Go(func() { n.probe(from) })
	}
	if n.nodes[n.at] != from {
		return // another call has moved on
	}
	next := (n.at + 1) % len(n.nodes)
	for i := range n.nodes {
		if candidate := (n.at + 1 + i) % len(n.nodes); !n.nodes[candidate].down {
			next = candidate
			break
		}
	}
	n.at = next
}

const (
	// The pause between two probes of a node that is down.
	firstPause, longestPause = 50 * time.Millisecond, time.Second
	// probeTime bounds one probe.
	probeTime = 2 * time.Second
)

// probe asks a node that is down until it is ready.
func (n *Nodes) probe(of *node) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		select {
		case <-time.After(pause):
		case <-n.ended.Done():
			return
		}
		if !n.ready(of) {
			continue
		}
		of.grpc.ResetConnectBackoff()
		n.mutex.Lock()
		defer n.mutex.Unlock()
		of.down = false
		if n.nodes[n.at].down { // all others are
			for i := range n.nodes {
				if n.nodes[i] == of {
					n.at = i
				}
			}
		}
		return
	}
}

// ready asks a node whether it is ready, for which it needs no API key.
func (n *Nodes) ready(of *node) bool {
	ctx, cancel := context.WithTimeout(n.ended, probeTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, n.scheme+"://"+of.REST+"/v1/.well-known/ready", nil)
	if err != nil {
		return false
	}
	response, err := n.http.RoundTrip(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}
