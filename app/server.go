package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley"
	"parley/api"
	"parley/api/bodies"
	"parley/api/route"
	"parley/app/status"
	"parley/core/fault"
	"parley/core/find"
	"parley/core/rate"
	"parley/internal/health"
	"parley/internal/metrics"
	"parley/internal/requestid"
	"parley/internal/socket"
	"parley/internal/telemetry"
	"parley/internal/trace"
	"parley/store"
	insightstore "parley/store/insight"
	"parley/web"
	"parley/web/page"
)

// closeTimeout is how long connections may stay open after their answers have
// ended.
const closeTimeout = 3 * time.Second

// StreamTimes are the intervals and time limits of streams.
type StreamTimes = api.StreamTimes

// Server is a program that listens for requests.
type Server struct {
	*Program
	App *fiber.App
	API *api.API
	// Routes holds the declarations of all routes.
	Routes   route.Table
	listener net.Listener
	// measured is where Prometheus reads the metrics, or nil.
	measured net.Listener
	// telemetry is nil unless traces or metrics are sent.
	telemetry *telemetry.Telemetry
	// measuredBefore says that the listener was served already, and is closed then.
	measuredBefore bool
	// endTurns ends the running answers.
	endTurns context.CancelCauseFunc
	lifetime context.Context
	// Pace limits how often people may send requests.
	Pace *rate.Pace
	// https says that people reach the server by HTTPS.
	https bool
	old   oldClients
	// health watches the parts, and status tells the doctor of them.
	health *health.Watch
	status *status.Listener
	checks announced
}

// Listen opens the server's ports and registers its routes. The caller serves.
func Listen(p *Program) (*Server, error) {
	proxies, err := p.Config.TrustedProxies()
	if err != nil {
		return nil, err
	}
	address := p.Config.ListenAddress()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w. Is another server running? Choose another address with --listen", address, err)
	}
	s := &Server{Program: p, listener: socket.Listen(listener, p.Config.Connections(proxies, p.Log))}
	if s.measured, err = listenForMetrics(p.Config); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	s.Routes.Storage = p.folders.Check
	s.health = health.New(p.Log, s.parts()...)
	s.lifetime, s.endTurns = context.WithCancelCause(context.Background())
	base := s.BaseURL()
	s.https = strings.HasPrefix(base, "https://")
	s.Pace = rate.NewPace(time.Now)
	sessions := page.NewSessions(p.Tenants.Sessions, p.Tenants.People, s.https, base).Paced(s.Pace, proxies.Of)
	forPrograms := api.Deps{
		Chat: p.Chat, Turns: p.Turns, Chatbots: p.Chatbots, Knowledge: p.Knowledge, Browser: p.Browser, Evaluator: p.Evaluator, Tests: p.Insight.Tests, Searcher: p.Searcher, Feedback: p.Insight.Feedback, History: p.Insight.History, Finder: find.New(insightstore.NewFinds(p.Store)), IDs: p.IDs, Privacy: p.Privacy,
		Person: sessions.Caller, Again: sessions.Again, Lifetime: s.lifetime, Log: p.Log, Health: s.health,
		Pace: s.Pace, Requests: p.requests(), MaxAnswers: p.Config.MaxAnswers, Description: parley.Description, BaseURL: base,
	}
	forPeople := page.Deps{
		Accounts: p.Tenants.Accounts, Factors: p.Tenants.Factors, Tenants: p.Tenants.Tenants, Team: p.Tenants.Team, Subscriptions: p.Tenants.Subscriptions, Audit: p.Tenants.Audit, Letters: p.Tenants.Letters,
		Chatbots: p.Chatbots, Knowledge: p.Knowledge, Browser: p.Browser, Evaluator: p.Evaluator, Chat: p.Chat, Insight: p.Insight.Insight, Webhooks: p.Webhooks.Endpoints, Deliveries: p.Webhooks.Deliveries, SSO: p.SSO, Privacy: p.Privacy, IDs: p.IDs, Sessions: sessions, Pace: s.Pace,
		Proxies: proxies, BaseURL: base, SignUp: p.Config.SignUp, Log: p.Log, Now: p.now,
		Security:    page.Security{Contact: p.Config.SecurityContact, Policy: parley.SecurityPolicy},
		Description: parley.Description,
		StripeURL:   p.Config.StripeURL, TrialDays: p.Config.TrialDays, TaxInclusive: p.Config.TaxInclusive(), PlanChanges: p.Config.OwnersChangePlans(),
	}
	if p.Billing != nil { // an interface that holds a nil pointer would not be nil
		forPrograms.Billing, forPeople.Billing = p.Billing, p.Billing
	}
	s.API = api.New(forPrograms)
	s.metrics.Read(func(set metrics.Set) {
		set(metrics.StreamsOpen, float64(s.API.StreamsOpen()))
		set(metrics.DocumentsBehind, float64(s.IndexLag().Behind))
	})
	s.old.log = p.Log
	s.App = newApp(s.fail, &s.old)
	received, sent := bodies.New(p.Config.BodyBytes(), proxies.Of), bodies.NewAnswers(p.Config.BodyBytes(), proxies.Of)
	s.App.Use(requestid.Middleware, page.Origin(proxies), s.traceRequest, s.logRequests(), s.recover, s.secure, sent.Middleware, received.Middleware, refuseSurplus, noTokenPages(sessions.SameOrigin))
	s.API.Register(s.App, &s.Routes)
	web.Register(s.App, &s.Routes, forPeople)
	s.startTelemetry()
	s.Backlog.Expect()
	s.health.CheckVital(s.lifetime)
	s.listenForDoctor()
	return s, nil
}

// Addr is the address that the server listens on.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// MetricsAddr is the address at which Prometheus reads the metrics, or nil.
func (s *Server) MetricsAddr() net.Addr {
	if s.measured == nil {
		return nil
	}
	return s.measured.Addr()
}

// BaseURL is the address under which people reach the server.
func (s *Server) BaseURL() string { return s.Config.PublicURL(s.listener.Addr().String()) }

// checkStorage fails while there is no room for what this server stores: in its folders, and
// in PostgreSQL.
func (p *Program) checkStorage(ctx context.Context) error {
	if err := p.folders.Check(); err != nil {
		return fault.OutOfStorage(err)
	}
	return p.Store.CheckStorage(ctx)
}

// Serve answers requests until ctx ends. Then it lets running answers finish
// within DRAIN_TIMEOUT.
func (s *Server) Serve(ctx context.Context) error {
	beside, stop := context.WithCancel(trace.With(store.Background(context.Background()), s.telemetry.Tracer()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.keepHouse(beside)
	}()
	served := make(chan error, 1)
	go func() { served <- s.App.Listener(s.listener) }()
	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
		s.drain()
		err = s.App.ShutdownWithTimeout(closeTimeout)
		if errors.Is(err, context.DeadlineExceeded) {
			err = nil // idle connections do not fail a stop
		}
		leaving, cancel := context.WithTimeout(context.Background(), closeTimeout)
		s.old.wait(leaving)
		cancel()
	}
	s.status.Close()
	s.endTurns(nil)
	s.Turns.EndAll(nil)
	s.Turns.Wait()
	stop()
	<-done
	releasing, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	logUnlessStopped(releasing, s.Log, "could not write when tokens were used", s.Chatbots.Uses.WriteUses(releasing))
	logUnlessStopped(releasing, s.Log, "could not release reserved messages", s.ReleaseMessages(releasing))
	s.telemetry.Stop()
	return err
}

// drain waits for running answers. After DRAIN_TIMEOUT it ends each of them with
// an error event.
func (s *Server) drain() {
	s.Log.Info("stopping", "drain_ms", s.Config.DrainTimeout.Milliseconds())
	timer := time.AfterFunc(s.Config.DrainTimeout, func() {
		restarting := (&fault.Error{
			Kind: fault.Unavailable, RetryAfter: 5 * time.Second,
			Message: "The server is restarting. Send the message again.",
		}).Named(fault.Draining)
		s.endTurns(restarting)
		s.Turns.EndAll(restarting)
	})
	defer timer.Stop()
	s.API.Drain()
	s.Turns.Wait()
}
