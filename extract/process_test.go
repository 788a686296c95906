package extract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
)

// badChild is a child that misbehaves; TestMain runs it for "bad-child".
func badChild(what string) {
	if reply, ok := strings.CutPrefix(what, "replies:"); ok {
		replyWith(reply)
		return
	}
	switch what {
	case "misbehaves":
		misbehave()
	case "hangs":
		time.Sleep(time.Hour)
	case "eats":
		var kept [][]byte
		for {
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = 1
			}
			kept = append(kept, b)
			if len(kept) > 8<<10 {
				os.Exit(0) // 8 GB: nobody stopped it
			}
		}
	case "talks":
		for {
			if _, err := os.Stdout.Write(make([]byte, 1<<20)); err != nil {
				os.Exit(0)
			}
		}
	case "panics", "is killed", "is terminated":
		if isProbe() {
			fmt.Print("{}")
			return
		}
		end(what)
	case "always panics", "is always killed":
		end(strings.Replace(what, "always ", "", 1))
	case "says nothing":
	case "is filtered":
		filtered()
	case "lies":
		fmt.Print(`{"result":{"Markdown":"short","Places":[{"offset":400}]}}`)
	}
}

// isProbe reports whether the child is asked to read nothing.
func isProbe() bool {
	var r request
	return json.NewDecoder(os.Stdin).Decode(&r) == nil && r.Probe
}

// end ends the child in one way.
func end(how string) {
	if how == "panics" {
		panic("the document's text")
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		panic(err)
	}
	_ = self.Signal(map[string]os.Signal{"is killed": os.Kill, "is terminated": syscall.SIGTERM}[how])
	time.Sleep(time.Hour)
}

func TestBadChild(t *testing.T) {
	page := Input{Kind: knowledge.HTML, Body: []byte("<p>x")}
	for what, want := range map[string]string{
		"hangs":  "took longer than 2 seconds",
		"eats":   "needed more memory than allowed",
		"talks":  "could not read this file",
		"panics": "could not read this file",
		"lies":   "could not read this file",
	} {
		t.Run("a child that "+what+" becomes a fault", func(t *testing.T) {
			t.Parallel()
			limit := 2 * time.Second
			if what != "hangs" {
				limit = time.Minute
			}
			e := newExtractor(t, Limits{Time: limit, Memory: 200 << 20})
			e.beBad(what)
			_, err := e.Extract(t.Context(), page)
			if !strings.Contains(fault.As(err).Message, want) {
				t.Fatalf("got %v, want a fault with %q", err, want)
			}
			if strings.Contains(err.Error(), "document's text") {
				t.Fatalf("the cause %q quotes the document", err)
			}
		})
	}
	t.Run("when the context ends, the child is killed and the context's error returned", func(t *testing.T) {
		e := newExtractor(t, Limits{})
		e.beBad("hangs")
		ended := make(chan bool, 1)
		e.ended = func(state *os.ProcessState) { ended <- !state.Success() }
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if _, err := e.Extract(ctx, page); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v, want the context's error", err)
		}
		if !<-ended {
			t.Fatal("the child exited on its own")
		}
	})
}

func TestOthersGoOn(t *testing.T) {
	t.Run("a hostile document does not stop a good one beside it", func(t *testing.T) {
		t.Parallel()
		bad := newExtractor(t, Limits{Time: 30 * time.Second, Memory: 200 << 20})
		bad.beBad("eats")
		failed := make(chan error, 1)
		go func() {
			_, err := bad.Extract(context.Background(), Input{Kind: knowledge.HTML, Body: []byte("<p>x")})
			failed <- err
		}()
		good := newExtractor(t, Limits{})
		for _, kind := range []knowledge.Kind{knowledge.DOCX, knowledge.EPUB} {
			body := map[knowledge.Kind]func() []byte{knowledge.DOCX: contract, knowledge.EPUB: novel}[kind]()
			if _, err := good.Extract(t.Context(), Input{Kind: kind, Body: body}); err != nil {
				t.Errorf("the good %s failed: %v", kind, err)
			}
		}
		if err := <-failed; !fault.Is(err, fault.TooLarge) {
			t.Errorf("the hostile document ended with %v", err)
		}
	})
}

func TestWhoseFailure(t *testing.T) {
	page := Input{Kind: knowledge.HTML, Body: []byte("<p>x")}
	text := Input{Kind: knowledge.Text, Body: []byte(strings.Repeat("words ", small))}
	for _, what := range []string{"always panics", "is always killed", "says nothing"} {
		t.Run("where each child "+what+", the operator must act and the file is read later", func(t *testing.T) {
			t.Parallel()
			e := newExtractor(t, Limits{})
			e.beBad(what)
			wantOperators(t, e, page)
			if _, err := e.Extract(t.Context(), text); err != nil {
				t.Errorf("a text, which needs no child, gets %v", err)
			}
		})
	}
	t.Run("where no child can be started, too", func(t *testing.T) {
		t.Parallel()
		e := newExtractor(t, Limits{})
		e.program = []string{"/no/such/program"}
		wantOperators(t, e, page)
	})
	t.Run("where the PDF reader cannot be compiled, too", func(t *testing.T) {
		t.Parallel()
		e := newExtractor(t, Limits{})
		e.CacheDir = "/dev/null/cache"
		wantOperators(t, e, Input{Kind: knowledge.PDF, Body: manualPDF(1)})
	})
	for _, what := range []string{"is killed", "is terminated"} {
		t.Run("a child that "+what+" while others work is not its document's fault, and the document gets other tries", func(t *testing.T) {
			t.Parallel()
			e := newExtractor(t, Limits{})
			e.beBad(what)
			if _, err := e.Extract(t.Context(), page); !fault.Is(err, fault.Internal) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// wantOperators fails unless the operator must act before a file is read, and nobody blames it.
func wantOperators(t *testing.T, e *Extractor, in Input) {
	t.Helper()
	_, err := e.Extract(t.Context(), in)
	if f := fault.As(err); f.Kind != fault.Unavailable || !f.OperatorMustAct() || strings.Contains(f.Message, "damaged") || f.Cause == nil {
		t.Errorf("got %v", err)
	}
}
