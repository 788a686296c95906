package nodes_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"parley/index/weaviate/nodes"
)

// double is a node at the network's edge: it answers with its number, over both
// interfaces, unless it is down.
type double struct {
	nodes.Address
	down atomic.Bool
	// ends says that it cancels calls, as a node does that stops.
	ends atomic.Bool
	// late says that it finds no time left for a call, and hangs that it does not answer.
	late, hangs atomic.Bool
	calls       atomic.Int32
	rest        *httptest.Server
	grpc        *grpc.Server
}

func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if d.down.Load() {
		panic(http.ErrAbortHandler) // the connection ends without an answer
	}
	if strings.HasSuffix(r.URL.Path, "/ready") {
		return
	}
	d.calls.Add(1)
	body, _ := io.ReadAll(r.Body)
	fmt.Fprintf(w, "%s %s", d.REST, body)
}

func (d *double) invoked(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	if err := decode(&emptypb.Empty{}); err != nil {
		return nil, err
	}
	if d.late.Load() {
		return nil, status.Error(codes.DeadlineExceeded, "no time is left")
	}
	if d.hangs.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if d.down.Load() {
		return nil, status.Error(codes.Unavailable, "down")
	}
	if d.ends.Load() {
		return nil, status.Error(codes.Canceled, "the stream was canceled")
	}
	d.calls.Add(1)
	return &emptypb.Empty{}, nil
}

// cluster starts doubles and dials them.
func cluster(t *testing.T, count int) (*nodes.Nodes, []*double) {
	t.Helper()
	var doubles []*double
	var addresses []nodes.Address
	for range count {
		d := &double{grpc: grpc.NewServer()}
		d.rest = httptest.NewServer(d)
		t.Cleanup(d.rest.Close)
		d.grpc.RegisterService(&grpc.ServiceDesc{
			ServiceName: "test", HandlerType: (*any)(nil),
			Methods: []grpc.MethodDesc{{MethodName: "Call", Handler: d.invoked}},
		}, d)
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() { _ = d.grpc.Serve(listener) }()
		t.Cleanup(d.grpc.Stop)
		d.Address = nodes.Address{REST: d.rest.Listener.Addr().String(), GRPC: listener.Addr().String()}
		doubles, addresses = append(doubles, d), append(addresses, d.Address)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	dialed, err := nodes.Dial(addresses, transport, "http", grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dialed.Close(); err != nil {
			t.Error(err)
		}
	})
	return dialed, doubles
}

// post sends a body and returns the answer, or the error's text.
func post(n *nodes.Nodes, body string) string {
	client := http.Client{Transport: n}
	response, err := client.Post("http://any.invalid/v1/objects", "text/plain", strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return string(text)
}

func invoke(ctx context.Context, n *nodes.Nodes) error {
	return n.Invoke(ctx, "/test/Call", &emptypb.Empty{}, &emptypb.Empty{})
}

func answered(doubles []*double) (total int32, by int) {
	for i, d := range doubles {
		if calls := d.calls.Swap(0); calls > 0 {
			total, by = total+calls, i
		}
	}
	return total, by
}

func TestNodes(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Run("a process keeps to one node for both interfaces", func(t *testing.T) {
		n, doubles := cluster(t, 3)
		if err := invoke(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		_, by := answered(doubles)
		for range 5 {
			if got := post(n, "x"); got != doubles[by].REST+" x" {
				t.Errorf("answer %q", got)
			}
		}
	})

	t.Run("when any node goes down no call fails, and its body arrives whole", func(t *testing.T) {
		n, doubles := cluster(t, 3)
		for _, victim := range doubles {
			victim.down.Store(true)
			var group sync.WaitGroup
			for i := range 20 {
				group.Go(func() {
					if got, body := post(n, fmt.Sprint("body ", i)), fmt.Sprint("body ", i); !strings.HasSuffix(got, body) || strings.HasPrefix(got, victim.REST) {
						t.Errorf("answer %q", got)
					}
					if err := invoke(t.Context(), n); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			victim.down.Store(false)
		}
	})

	t.Run("a node that is back answers again when the others go", func(t *testing.T) {
		n, doubles := cluster(t, 2)
		doubles[0].down.Store(true)
		if err := invoke(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		doubles[0].down.Store(false)
		doubles[1].down.Store(true)
		if err := invoke(t.Context(), n); err != nil {
			t.Errorf("the first node is back: %v", err)
		}
		if got := post(n, "x"); got != doubles[0].REST+" x" {
			t.Errorf("answer %q", got)
		}
	})

	t.Run("a call that its node cancels goes to another one", func(t *testing.T) {
		n, doubles := cluster(t, 3)
		for _, victim := range doubles {
			victim.ends.Store(true)
			if err := invoke(t.Context(), n); err != nil {
				t.Error(err)
			}
			victim.ends.Store(false)
		}
	})

	t.Run("a node that is asked when the time is over is not taken for dead", func(t *testing.T) {
		n, doubles := cluster(t, 2)
		if err := invoke(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		_, by := answered(doubles)
		first, other := doubles[by], doubles[1-by]
		first.down.Store(true) // for who asks whether it is ready
		first.late.Store(true)
		other.hangs.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := invoke(ctx, n); status.Code(err) != codes.DeadlineExceeded {
			t.Fatalf("gave %v", err)
		}
		other.hangs.Store(false)
		first.late.Store(false)
		first.hangs.Store(true)
		again, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := invoke(again, n); err != nil {
			t.Error(err)
		}
		if total, by := answered(doubles); total != 1 || doubles[by] != other {
			t.Errorf("%d calls were answered", total)
		}
	})

	t.Run("calls that pass over nodes reach each of those that are up, and the next call the same one as before", func(t *testing.T) {
		n, doubles := cluster(t, 3)
		if err := invoke(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		_, first := answered(doubles)
		reached := map[int]bool{}
		for passed := range doubles {
			if err := invoke(nodes.Skip(t.Context(), passed), n); err != nil {
				t.Error(err)
			}
			_, by := answered(doubles)
			reached[by] = true
		}
		if len(reached) != len(doubles) {
			t.Errorf("they reached %v", reached)
		}
		if err := invoke(t.Context(), n); err != nil {
			t.Error(err)
		}
		if _, by := answered(doubles); by != first {
			t.Errorf("then node %d answered, not %d", by, first)
		}
		doubles[(first+1)%3].down.Store(true)
		for passed := range 2 * len(doubles) {
			if err := invoke(nodes.Skip(t.Context(), passed), n); err != nil {
				t.Errorf("with one node down, passing over %d: %v", passed, err)
			}
		}
	})

	t.Run("a node that hangs is left after the call's time", func(t *testing.T) {
		hang, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer hang.Close()
		_, doubles := cluster(t, 1)
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		silent := nodes.Address{REST: hang.Addr().String(), GRPC: hang.Addr().String()}
		n, err := nodes.Dial([]nodes.Address{silent, doubles[0].Address}, transport, "http", grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		for range 3 { // it may begin with either
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			_ = invoke(ctx, n)
			cancel()
		}
		if err := invoke(t.Context(), n); err != nil {
			t.Error(err)
		}
	})

	t.Run("a call on one node reaches that node or fails", func(t *testing.T) {
		n, doubles := cluster(t, 3)
		for i, d := range doubles {
			if err := invoke(nodes.PinTo(t.Context(), i), n); err != nil {
				t.Error(err)
			}
			if total, by := answered(doubles); total != 1 || by != i {
				t.Errorf("node %d got it, want %d", by, i)
			}
			d.down.Store(true)
			if err := invoke(nodes.PinTo(t.Context(), i), n); status.Code(err) != codes.Unavailable {
				t.Errorf("a call on a node that is down gave %v", err)
			}
		}
	})

	t.Run("without any node a call fails, and works once one is back", func(t *testing.T) {
		n, doubles := cluster(t, 3)
		for _, d := range doubles {
			d.down.Store(true)
		}
		if err := invoke(t.Context(), n); status.Code(err) != codes.Unavailable {
			t.Errorf("gave %v", err)
		}
		for _, d := range doubles {
			d.down.Store(false)
			if err := invoke(t.Context(), n); err != nil {
				t.Error(err)
			}
			d.down.Store(true)
		}
	})

	t.Run("a caller who goes away does not mark the node", func(t *testing.T) {
		n, doubles := cluster(t, 2)
		if err := invoke(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		_, by := answered(doubles)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := invoke(gone, n); err == nil {
			t.Error("a canceled call was answered")
		}
		if err := invoke(t.Context(), n); err != nil {
			t.Error(err)
		}
		if _, after := answered(doubles); after != by {
			t.Errorf("the next call went to node %d, not %d", after, by)
		}
	})
}
