package main

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
	"parley/core/fault"
	"parley/core/tenant"
	"parley/internal/bodies"
	"parley/internal/requestid"
	"parley/internal/socket"
	"parley/web"
)

// closeTimeout is for connections after their answers have ended.
const closeTimeout = 3 * time.Second

// server is a program that listens.
type server struct {
	*program
	app      *fiber.App
	api      *api.API
	listener net.Listener
	// measured is where the figures are served, or nil.
	measured net.Listener
	// endTurns ends the answers that are running.
	endTurns context.CancelCauseFunc
	lifetime context.Context
	// pace bounds the requests of people.
	pace *tenant.Pace
	// https says that people reach the server by HTTPS.
	https bool
}

// newServer listens, and builds the app of a program.
func newServer(p *program) (*server, error) {
	proxies, err := p.config.proxies()
	if err != nil {
		return nil, err
	}
	address := p.config.listenAddress()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w. Is another server running? Choose another address with --listen", address, err)
	}
	s := &server{program: p, listener: socket.Listen(listener, p.config.connections(proxies, p.log))}
	if s.measured, err = listenForMetrics(p.config); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	s.lifetime, s.endTurns = context.WithCancelCause(context.Background())
	base := s.baseURL()
	s.https = strings.HasPrefix(base, "https://")
	s.pace = tenant.NewPace(time.Now)
	sessions := web.NewSessions(p.tenants, s.https, base).Paced(s.pace, proxies.Of)
	forPrograms := api.Deps{
		Chat: p.chat, Chatbots: p.chatbots, Knowledge: p.knowledge, Evaluator: p.evaluator, IDs: p.ids,
		Person: sessions.Person, Lifetime: s.lifetime, Log: p.log, Parts: p.parts(),
		Pace: s.pace, Requests: p.requests(), MaxAnswers: p.config.MaxAnswers,
	}
	forPeople := web.Deps{
		Tenants: p.tenants, Chatbots: p.chatbots, Knowledge: p.knowledge, Evaluator: p.evaluator, Chat: p.chat, IDs: p.ids, Sessions: sessions, Pace: s.pace,
		Proxies: proxies, BaseURL: base, SignUp: p.config.SignUp, Log: p.log, Now: now,
		Security:  web.Security{Contact: p.config.SecurityContact, Policy: parley.SecurityPolicy},
		StripeURL: p.config.StripeURL, TrialDays: p.config.TrialDays, TaxInclusive: p.config.TaxBehavior == taxInclusive, PlanChanges: p.config.ownersChangePlans(),
	}
	if p.billing != nil { // an interface that holds a nil pointer would not be nil
		forPrograms.Billing, forPeople.Billing = p.billing, p.billing
	}
	s.api = api.New(forPrograms)
	s.app = newApp(s.fail)
	received := bodies.New(p.config.bodyMemory(), proxies.Of)
	s.app.Use(requestid.Middleware, web.Origin(proxies), s.logRequest, s.recover, s.secure, received.Middleware, refuseSurplus, noTokenPages(sessions.SameOrigin))
	s.api.Register(s.app)
	web.Register(s.app, forPeople)
	return s, nil
}

func (s *server) baseURL() string { return s.config.baseURL(s.listener.Addr().String()) }

// parts are what /readyz looks at.
func (p *program) parts() []api.Part {
	return []api.Part{
		{Name: "database", Vital: true, Check: p.store.Check},
		{Name: "index", Vital: true, Check: p.searcher.Check},
		{Name: "model", Check: p.chat.CheckModel},
	}
}

// run serves until ctx ends, and then drains.
func (s *server) run(ctx context.Context) error {
	housekeeping, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.keepHouse(housekeeping)
	}()
	served := make(chan error, 1)
	go func() { served <- s.app.Listener(s.listener) }()
	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
		s.drain()
		err = s.app.ShutdownWithTimeout(closeTimeout)
		if errors.Is(err, context.DeadlineExceeded) {
			err = nil // idle connections do not fail a stop
		}
	}
	s.endTurns(nil)
	s.chat.EndAll(nil)
	s.chat.Wait()
	stop()
	<-done
	releasing, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	s.logUnlessStopped(releasing, "reserved messages not given back", s.chat.Release(releasing))
	return err
}

// drain lets running answers go on for a while and then ends them, each with
// a terminal event.
func (s *server) drain() {
	s.log.Info("stopping", "drain", s.config.DrainTimeout)
	timer := time.AfterFunc(s.config.DrainTimeout, func() {
		restarting := &fault.Error{
			Kind: fault.Unavailable, RetryAfter: 5 * time.Second,
			Message: "The server is restarting. Send the message again.",
		}
		s.endTurns(restarting)
		s.chat.EndAll(restarting)
	})
	defer timer.Stop()
	s.api.Drain()
	s.chat.Wait()
}
