package config

import (
	"runtime"

	"parley/core/knowledge"
)

// defaultWorkers is more than there are processors: most of what workers do is
// to wait for sites, models and the index.
const defaultWorkers = 16

// JobWorkers are as many for each kind of work. Files are extracted by as many as
// there is use for: each holds a file in memory.
func (c *Config) JobWorkers() map[string]int {
	each := c.Workers
	if each == 0 {
		each = defaultWorkers
	}
	all := map[string]int{}
	for _, work := range knowledge.AllWork() {
		all[work] = each
	}
	all[knowledge.ExtractWork] = min(each, 2*runtime.GOMAXPROCS(0))
	return all
}
