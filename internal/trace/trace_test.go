package trace_test

import (
	"context"
	"strings"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"parley/internal/trace"
)

// recorder returns a tracer, and what it has recorded.
func recorder(sampler sdk.Sampler) (*trace.Tracer, *tracetest.SpanRecorder) {
	recorder := tracetest.NewSpanRecorder()
	return trace.New(sdk.NewTracerProvider(sdk.WithSampler(sampler), sdk.WithSpanProcessor(recorder))), recorder
}

func TestNothingIsRecordedAtNoCost(t *testing.T) {
	var none *trace.Tracer
	ctx := trace.With(t.Context(), none)
	allocations := testing.AllocsPerRun(100, func() {
		in, request := none.Request(ctx, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
		if request != nil {
			t.Fatal("a request is recorded")
		}
		release := trace.Hold(trace.Carry(in, ctx))
		part, span := trace.Start(in, "retrieve")
		span.Number(trace.Passages, 5)
		span.Text(trace.RequestID, "req_1")
		span.Fail("internal_error")
		span.End()
		_, call := trace.Call(part, "chat")
		call.Event("first token")
		call.End()
		_, job := trace.Begin(part, "job")
		job.End()
		trace.Of(part).Rename("x")
		release()
	})
	if allocations != 0 {
		t.Errorf("what is not recorded allocates %v times", allocations)
	}
}

const (
	callersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	callersSpan  = "00f067aa0ba902b7"
)

func TestTraceparent(t *testing.T) {
	valid := "00-" + callersTrace + "-" + callersSpan
	for what, c := range map[string]struct {
		header          string
		follows, record bool
	}{
		"one that is sampled is followed, and recorded": {valid + "-01", true, true},
		"one that is not sampled is not recorded":       {valid + "-00", false, false},
		"none begins a trace":                           {"", false, true},
		"one of 10 KB is ignored":                       {valid + "-01-" + strings.Repeat("a", 10<<10), false, true},
		"one of a later version is followed":            {"cc" + valid[2:] + "-01-what-comes", true, true},
		"one of a version that never comes is ignored":  {"ff" + valid[2:] + "-01", false, true},
		"zeros are ignored":                             {"00-" + strings.Repeat("0", 32) + "-" + callersSpan + "-01", false, true},
		"capital letters are ignored":                   {strings.ToUpper(valid) + "-01", false, true},
		"a short one is ignored":                        {valid[:40], false, true},
		"one with more than its version has is ignored": {valid + "-01-00", false, true},
		"other bytes are ignored":                       {"\xff\x00\u202e" + valid, false, true},
	} {
		t.Run(what, func(t *testing.T) {
			tracer, recorder := recorder(sdk.ParentBased(sdk.AlwaysSample()))
			ctx, request := tracer.Request(t.Context(), c.header)
			if (request != nil) != c.record || trace.IsRecorded(ctx) != c.record {
				t.Fatalf("it is recorded: %v", request != nil)
			}
			_, part := trace.Start(ctx, "retrieve")
			part.End()
			if request == nil {
				if n := len(recorder.Started()); n != 0 {
					t.Errorf("%d spans are recorded", n)
				}
				return
			}
			request.Release()
			ended := recorder.Ended()
			if len(ended) != 2 || ended[0].Parent().SpanID() != ended[1].SpanContext().SpanID() {
				t.Fatalf("%d spans have ended", len(ended))
			}
			root := ended[1]
			follows := root.SpanContext().TraceID().String() == callersTrace && root.Parent().SpanID().String() == callersSpan
			if follows != c.follows || root.Parent().IsValid() != c.follows {
				t.Errorf("its parent is %s", root.Parent().SpanID())
			}
		})
	}
	t.Run("a caller decides nothing where the operator's sampler does not ask", func(t *testing.T) {
		tracer, _ := recorder(sdk.NeverSample())
		if _, request := tracer.Request(t.Context(), valid+"-01"); request != nil {
			t.Error("it is recorded")
		}
	})
}

func TestRequestEndsWithItsLastHolder(t *testing.T) {
	tracer, recorder := recorder(sdk.AlwaysSample())
	ctx, request := tracer.Request(t.Context(), "")
	release := trace.Hold(ctx)
	request.Release()
	if n := len(recorder.Ended()); n != 0 {
		t.Fatal("the span of a stream ends with the handler")
	}
	release()
	if n := len(recorder.Ended()); n != 1 {
		t.Fatalf("%d have ended with the stream", n)
	}
	t.Run("what goes on after it is still a part of it", func(t *testing.T) {
		_, commit := trace.Start(context.WithoutCancel(ctx), "commit")
		commit.End()
		ended := recorder.Ended()
		if len(ended) != 2 || ended[1].Parent().SpanID() != ended[0].SpanContext().SpanID() {
			t.Errorf("%d have ended", len(ended))
		}
	})
}

func TestPanicIsNotRecorded(t *testing.T) {
	tracer, recorder := recorder(sdk.AlwaysSample())
	func() {
		defer func() { _ = recover() }()
		_, span := trace.Begin(trace.With(t.Context(), tracer), "job")
		defer span.End()
		panic("what a tenant wrote")
	}()
	ended := recorder.Ended()
	if len(ended) != 1 || len(ended[0].Events()) != 0 {
		t.Errorf("what is recorded is %v", ended)
	}
}

// BenchmarkRequest measures what a request costs that is not sampled, as 99 of 100 are with a
// ratio of 0.01, and one that is.
func BenchmarkRequest(b *testing.B) {
	for name, sampler := range map[string]sdk.Sampler{"not sampled": sdk.ParentBased(sdk.NeverSample()), "sampled": sdk.AlwaysSample()} {
		b.Run(name, func(b *testing.B) {
			tracer := trace.New(sdk.NewTracerProvider(sdk.WithSampler(sampler)))
			b.ReportAllocs()
			for b.Loop() {
				ctx, request := tracer.Request(context.Background(), "")
				for range 5 {
					_, part := trace.Start(ctx, "retrieve")
					part.Number(trace.Passages, 5)
					part.End()
				}
				if request != nil {
					request.Release()
				}
			}
		})
	}
}
