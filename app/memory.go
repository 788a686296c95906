package app

import (
	"log/slog"
	"math"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// memoryShare is the part of a container's memory that the server may use before Go
// collects garbage harder. The processes that read files, and the buffers of the kernel,
// need the rest.
const memoryShare = 0.6

// LimitMemory keeps the server within the memory that its cgroup allows, unless GOMEMLIMIT
// says otherwise.
func LimitMemory(log *slog.Logger) {
	limit, err := memlimit.Set(memlimit.WithRatio(memoryShare))
	switch {
	case err != nil: // not Linux, or no cgroup
		log.Info("no memory limit was found", "error", err)
	case limit == math.MaxInt64:
		log.Info("the memory is not limited")
	default:
		log.Info("the memory is limited", "bytes", limit)
	}
}
