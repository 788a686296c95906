package app

import (
	"log/slog"
	"math"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// memoryShare is the part of the memory that the server may use before Go
// collects garbage harder. The processes that read files, and the buffers of the kernel,
// need the rest.
const memoryShare = 0.6

// LimitMemory keeps the server within the memory that its cgroup allows, or that the machine
// has, unless GOMEMLIMIT says otherwise.
func LimitMemory(log *slog.Logger) {
	limit, err := memlimit.Set(memlimit.WithRatio(memoryShare), memlimit.WithProvider(memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)))
	switch {
	case err != nil:
		log.Info("no memory limit was found", "error", err)
	case limit == math.MaxInt64: // by GOMEMLIMIT
		log.Info("the memory is not limited")
	default:
		log.Info("the memory is limited", "bytes", limit)
	}
}
