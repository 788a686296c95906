package weaviate

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/google/uuid"

	"parley/core/retrieval"
)

// names makes the names of collections.
type names struct {
	prefix   string
	replicas int
}

// alias names the collection of passages that serves.
func (n names) alias() string { return n.prefix + "Passage" }

func (n names) passages(suffix string) string  { return n.prefix + "Passage_" + suffix }
func (n names) documents(suffix string) string { return n.prefix + "Document_" + suffix }

// heads is the collection of heads beside a collection of passages.
func (n names) heads(passages string) string {
	return n.documents(strings.TrimPrefix(passages, n.passages("")))
}

// owns reports whether a collection is one of this index.
func (n names) owns(collection string) bool {
	return strings.HasPrefix(collection, n.passages("")) || strings.HasPrefix(collection, n.documents(""))
}

// tenant returns the name of a scope's tenant: for people a part of the
// chatbot's ID, and for certainty a hash of the scope. Tenants' names have up
// to 64 letters, digits, _ and -.
func tenant(scope retrieval.Scope) string {
	readable := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return -1
	}, scope.ChatbotID)
	sum := sha256.Sum256([]byte(scope.WorkspaceID + "\x00" + scope.ChatbotID))
	return readable[:min(len(readable), 31)] + "-" + hex.EncodeToString(sum[:16])
}

// space is the name space of all UUIDs that this package makes (RFC 9562,
// version 5).
var space = uuid.MustParse("5b0b7a53-8d2e-4f0a-9d3c-2f1f7d1c6a55")

// key is the UUID of a document's head. Passages have it as a property, too,
// because it needs no quoting in any query.
func key(tenant, document string) string {
	return uuid.NewSHA1(space, []byte("document\x00"+tenant+"\x00"+document)).String()
}

// sourceKey stands for a source in filters.
func sourceKey(source string) string {
	return uuid.NewSHA1(space, []byte("source\x00"+source)).String()
}

// dimensionKey is the UUID of the object that holds the length of a
// collection's vectors.
var dimensionKey = uuid.NewSHA1(space, []byte("dimension")).String()
