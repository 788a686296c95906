package retrieval

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/bench/proc"
	"parley/index/weaviate"
)

// The environment variables that name the server; see
// scripts/with-weaviate.sh.
const (
	ServerVariable = "PARLEY_TEST_WEAVIATE"
	KeyVariable    = "PARLEY_TEST_WEAVIATE_KEY"
)

// Server says where a Weaviate is.
type Server struct{ URL, GRPC, Key string }

var errNoServer = errors.New("there is no Weaviate to measure: run this in scripts/with-services.sh or scripts/with-weaviate.sh, or leave it out with --indexes=embedded")

// ServerOf reads the address of a server as scripts/with-weaviate.sh gives it.
func ServerOf(address, key string) (Server, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Hostname() == "" || parsed.Query().Get("grpc") == "" {
		return Server{}, errNoServer
	}
	grpc := parsed.Hostname() + ":" + parsed.Query().Get("grpc")
	parsed.RawQuery = ""
	return Server{parsed.String(), grpc, key}, nil
}

// port is the port of the REST interface.
func (s Server) port() string { return s.URL[strings.LastIndexByte(s.URL, ':')+1:] }

// openWeaviate opens Parley on Weaviate, with its own collections.
func (b *bench) openWeaviate(ctx context.Context, _ string) (*system, error) {
	prefix := fmt.Sprint("Bench", time.Now().UnixNano())
	index, err := weaviate.Open(ctx, weaviate.Config{URL: b.Server.URL, GRPC: b.Server.GRPC, APIKey: b.Server.Key, Prefix: prefix})
	if err != nil {
		return nil, err
	}
	p := newProduct(b.ports, index)
	s := &system{name: Weaviate, add: p.add, put: p.put, ask: p.ask}
	s.close = func() error {
		return errors.Join(index.Destroy(context.WithoutCancel(ctx)), index.Close())
	}
	s.server = proc.Find("weaviate-server", "--port", b.Server.port())
	s.size = func() (int64, error) { return weaviateBytes(s.server, prefix) }
	b.prefix = prefix
	return s, nil
}

// weaviateBytes adds up the files of the collections with a prefix, which are
// in folders with their names in small letters. It is zero where the server's
// files are not to be seen.
func weaviateBytes(server int, prefix string) (sum int64, err error) {
	if server == 0 {
		return 0, nil
	}
	data := filepath.Join(fmt.Sprintf("/proc/%d/cwd", server), "data")
	folders, err := os.ReadDir(data)
	if err != nil {
		return 0, nil
	}
	for _, folder := range folders {
		if !strings.HasPrefix(folder.Name(), strings.ToLower(prefix)) {
			continue
		}
		bytes, err := bytesIn(filepath.Join(data, folder.Name()))
		if err != nil {
			return 0, err
		}
		sum += bytes
	}
	return sum, nil
}
