package app

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// firstPause and lastPause are the pauses before a task that ended begins again. The
	// first one comes again once a task has run for longer than the last.
	firstPause = time.Second
	lastPause  = time.Minute
)

// keeper runs what a server does besides answering requests, until ctx ends. A task that
// fails, or panics, begins again: it works on what the database says, so nothing of it is
// lost, while the end of the process would cut off the answers of every workspace, and come
// again after each start.
type keeper struct {
	ctx   context.Context
	log   *slog.Logger
	tasks sync.WaitGroup
	// pause is the first pause.
	pause time.Duration
}

func newKeeper(ctx context.Context, log *slog.Logger) *keeper {
	return &keeper{ctx: ctx, log: log, pause: firstPause}
}

// keep runs a task until it is done, which it says by returning nil.
func (k *keeper) keep(name string, run func(ctx context.Context) error) {
	k.tasks.Go(func() {
		for pause := k.pause; k.ctx.Err() == nil; pause = min(2*pause, lastPause) {
			began := time.Now()
			err := k.attempt(run)
			if err == nil || k.ctx.Err() != nil {
				return
			}
			if time.Since(began) > lastPause {
				pause = k.pause
			}
			k.log.Error("a background task stopped, and begins again", "task", name, "pause", pause, "error", err)
			select {
			case <-time.After(pause):
			case <-k.ctx.Done():
			}
		}
	})
}

// attempt runs a task once. A panic is an error.
func (k *keeper) attempt(run func(ctx context.Context) error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return run(k.ctx)
}

// every does a job at each interval. What fails is logged, and tried again at the next.
func (k *keeper) every(interval time.Duration, name string, job func(ctx context.Context) error) {
	k.keep(name, func(ctx context.Context) error {
		every(ctx, interval, func() { logUnlessStopped(ctx, k.log, "could not "+name, job(ctx)) })
		return nil
	})
}

// atOnceAndEvery does a job at once, and then at each interval.
func (k *keeper) atOnceAndEvery(interval time.Duration, name string, job func(ctx context.Context) error) {
	k.keep(name, func(ctx context.Context) error {
		logUnlessStopped(ctx, k.log, "could not "+name, job(ctx))
		every(ctx, interval, func() { logUnlessStopped(ctx, k.log, "could not "+name, job(ctx)) })
		return nil
	})
}
