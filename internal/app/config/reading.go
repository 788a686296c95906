package config

import (
	"runtime"
	"time"

	"parley/core/knowledge"
	"parley/fetch"
)

// Reading is how documents are fetched and read.
type Reading struct {
	FetchAllow []string      `name:"fetch-allow" env:"FETCH_ALLOW" placeholder:"TARGET" help:"Private hosts and networks that pages may be read from, each with a port, such as wiki.internal:8080, 10.0.0.0/8:443 or [fd00::/8]:443, separated by commas. Without a port, 80 and 443 are open; the port * opens all. Default: none."`
	FetchPorts []int         `name:"fetch-ports" env:"FETCH_PORTS" range:"1-65535" placeholder:"PORT" help:"Ports of public sites that pages may be read from. Default: 80 and 443."`
	FetchDelay time.Duration `name:"fetch-delay" env:"FETCH_DELAY" range:"1ms-1h" default:"1s" help:"Pause between two requests to one host."`
	Unconfined bool          `name:"extract-unconfined" env:"EXTRACT_UNCONFINED" help:"Whether files are read on a system that cannot confine their readers, which is every one but Linux. Without it PDF, Office, EPUB and HTML files and web pages are refused there. On Linux readers are always confined."`
	Workers    int           `name:"workers" env:"WORKERS" range:"1-256" placeholder:"N" help:"Number of workspaces for which this process fetches pages at once, and as many for which it fills the index. Files are read by workers of their own, at most two for each processor. Default: 16."`
	JobLease   time.Duration `name:"job-lease" env:"JOB_LEASE" range:"1s-24h" default:"5m" help:"How long a server that has died may hold a workspace's documents before another takes them over. On SQLite the next start does so at once."`
}

// CrawlTargets are the private hosts and networks that the addresses of
// documents may lead to.
func (c *Reading) CrawlTargets() ([]fetch.Target, error) { return targets("FETCH_ALLOW", c.FetchAllow) }

// defaultWorkers is more than there are processors: most of what workers do is
// to wait for sites, models and the index.
const defaultWorkers = 16

// JobWorkers are as many for each kind of work. Files are extracted by as many as
// there is use for: each holds a file in memory.
func (c *Reading) JobWorkers() map[string]int {
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

func (c *Reading) check() error {
	_, err := c.CrawlTargets()
	return err
}
