package config

import (
	"errors"
	"runtime"
	"time"

	"parley/core/knowledge"
	"parley/fetch"
)

// Reading configures how documents are fetched and read.
type Reading struct {
	FetchAllow []string      `name:"fetch-allow" env:"FETCH_ALLOW" placeholder:"TARGET" help:"Private hosts and networks from which Parley may read pages, each with a port, such as wiki.internal:8080, 10.0.0.0/8:443 or [fd00::/8]:443, separated by commas. Without a port, an entry opens 80 and 443; the port * opens all. Default: none."`
	FetchPorts []int         `name:"fetch-ports" env:"FETCH_PORTS" range:"1-65535" placeholder:"PORT" help:"Ports of public sites from which Parley may read pages. Default: 80 and 443."`
	FetchDelay time.Duration `name:"fetch-delay" env:"FETCH_DELAY" range:"1ms-1h" default:"1s" help:"Pause between two requests to one host."`
	Unconfined bool          `name:"extract-unconfined" env:"EXTRACT_UNCONFINED" help:"Whether Parley reads files although this system cannot confine the processes that read them. Only Linux can. Without this setting, Parley on other systems refuses PDF, Office, EPUB and HTML files and web pages. On Linux it always confines these processes."`
	Encode     string        `name:"encode-passages" env:"ENCODE_PASSAGES" default:"on" placeholder:"WHEN" help:"Whether Parley encodes English passages in the background, by a small sentence encoder in the program, and ranks by that instead of by word vectors: on or off. It takes up to 0.1 s of one processor for each passage, once, and Parley answers from documents before. With EMBED_MODEL, or on a processor without AVX2 or Arm's dot product, nothing is encoded."`
	Workers    int           `name:"workers" env:"WORKERS" range:"1-256" placeholder:"N" help:"Number of workspaces for which this process fetches pages at once. It updates the index for the same number. Files have workers of their own, at most two for each processor. Default: 16."`
	JobLease   time.Duration `name:"job-lease" env:"JOB_LEASE" range:"1s-24h" default:"5m" help:"How long the documents that a dead server was working on wait until another server takes over. On SQLite the next start takes over at once."`
}

// CrawlTargets returns the private hosts and networks to which the addresses of
// documents may lead.
func (c *Reading) CrawlTargets() ([]fetch.Target, error) { return targets("FETCH_ALLOW", c.FetchAllow) }

// defaultWorkers exceeds the number of processors, because workers mostly wait for
// sites, models and the index.
const defaultWorkers = 16

// JobWorkers returns the number of workers for each kind of work. For extracting
// files it is at most two per processor, because each holds a file in memory.
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
	if c.Encode != "" && c.Encode != toolsOn && c.Encode != toolsOff {
		return errors.New("ENCODE_PASSAGES must be on or off")
	}
	_, err := c.CrawlTargets()
	return err
}
