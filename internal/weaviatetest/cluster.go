package weaviatetest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// clusterSize is the number of nodes: with three, any one may be down.
const clusterSize = 3

// Cluster is a test's own cluster of three nodes on this machine, each with ports
// and data of its own.
type Cluster struct {
	Nodes []*Process
}

// StartCluster starts a cluster that is killed, and whose data is deleted, when the
// test ends.
func StartCluster(t testing.TB) *Cluster {
	t.Helper()
	dir := folder(t)
	c := &Cluster{}
	for number := 1; number <= clusterSize; number++ {
		name := strconv.Itoa(number)
		node := &Process{args: []string{"node", dir, name}, keys: dir, dir: filepath.Join(dir, "node"+name)}
		c.Nodes = append(c.Nodes, node)
		t.Cleanup(func() { node.end(t) })
	}
	// Another process may take a port between the check and the start.
	for attempt := 1; !c.start(t); attempt++ {
		if attempt == 3 || !c.said("address already in use") {
			t.Fatalf("The Weaviate cluster did not start. Its first node said:\n%s", c.Nodes[0].output)
		}
		for _, node := range c.Nodes {
			if err := os.RemoveAll(node.dir); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Remove(filepath.Join(dir, "ports")); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// start reports whether all nodes became ready. They start together, because none
// is ready before they have elected a leader.
func (c *Cluster) start(t testing.TB) bool {
	t.Helper()
	for _, node := range c.Nodes {
		node.launch(t)
	}
	ready := true
	for _, node := range c.Nodes {
		ready = node.started() && ready
	}
	if !ready {
		for _, node := range c.Nodes {
			node.Kill()
		}
	}
	return ready
}

func (c *Cluster) said(text string) bool {
	for _, node := range c.Nodes {
		if bytes.Contains(node.output.Bytes(), []byte(text)) {
			return true
		}
	}
	return false
}

// Server returns the addresses of all nodes, with commas between them.
func (c *Cluster) Server() Server {
	var urls, interfaces []string
	for _, node := range c.Nodes {
		urls, interfaces = append(urls, node.URL), append(interfaces, node.GRPC)
	}
	return Server{URL: strings.Join(urls, ","), GRPC: strings.Join(interfaces, ","), Key: c.Nodes[0].Key}
}
