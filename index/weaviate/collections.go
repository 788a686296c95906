package weaviate

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/weaviate/weaviate/entities/models"

	"parley/text/lexical"
)

// The properties of objects.
const (
	propTerms    = "terms"      // of a passage; see [terms.Encode]
	propPassage  = "passageId"  // of a passage; text, as numbers lose digits on the way
	propDocument = "documentId" // of a passage
	propKey      = "document"   // of a passage: its document's head
	propSource   = "source"     // of a passage: its sourceKey, if it has a source
	propScope    = "scope"      // of a head: its tenant
	propRevision = "revision"   // of both
	propAt       = "at"         // of a head: when it was written, in milliseconds
	propID       = "_id"        // of every object
)

// collections makes, finds and deletes the collections of an index.
type collections struct {
	server *server
	names  names
}

// serving returns the collection of passages that searches use. It creates one
// on a server that has none.
func (c *collections) serving(ctx context.Context) (string, error) {
	for range 3 {
		collection, err := c.aliased(ctx)
		if collection != "" || err != nil {
			return collection, err
		}
		if err := c.begin(ctx); err != nil {
			return "", err
		}
	}
	return "", errNoCollection
}

// aliased returns the collection that the alias names, or empty if there is no
// alias.
func (c *collections) aliased(ctx context.Context) (string, error) {
	var answer struct{ Class string }
	err := c.server.ask(ctx, http.MethodGet, "/aliases/"+c.names.alias(), nil, &answer)
	if isStatus(err, http.StatusNotFound) {
		return "", nil
	}
	return answer.Class, err
}

// begin creates the first collections. It does not fail if another process
// creates them at the same time.
func (c *collections) begin(ctx context.Context) error {
	const suffix = "1"
	if err := c.create(ctx, suffix, ""); err != nil && !isStatus(err, http.StatusUnprocessableEntity) {
		return err
	}
	alias := map[string]string{"alias": c.names.alias(), "class": c.names.passages(suffix)}
	err := c.server.ask(ctx, http.MethodPost, "/aliases", alias, nil)
	if isStatus(err, http.StatusUnprocessableEntity) {
		return nil
	}
	return err
}

// create makes the two collections of a suffix, and stores the version in the
// description.
func (c *collections) create(ctx context.Context, suffix, version string) error {
	description, err := json.Marshal(describe{version})
	if err != nil {
		return err
	}
	passages := &models.Class{
		Class:           c.names.passages(suffix),
		Description:     string(description),
		Vectorizer:      "none",
		VectorIndexType: "hnsw",
		// ef is how many candidates a search keeps, and efConstruction how
		// many an insertion does: the recall of the default ef is lower.
		VectorIndexConfig:  map[string]any{"distance": "cosine", "efConstruction": 128, "dynamicEfMin": 128},
		MultiTenancyConfig: &models.MultiTenancyConfig{Enabled: true, AutoTenantActivation: true},
		InvertedIndexConfig: &models.InvertedIndexConfig{
			Bm25:      &models.BM25Config{K1: lexical.K1, B: lexical.B},
			Stopwords: &models.StopwordConfig{Preset: "none"},
		},
		ReplicationConfig: &models.ReplicationConfig{Factor: int64(c.names.replicas)},
		Properties: []*models.Property{
			property(propTerms, models.PropertyTokenizationWhitespace, true, false),
			property(propPassage, models.PropertyTokenizationField, false, false),
			property(propDocument, models.PropertyTokenizationField, false, false),
			property(propKey, models.PropertyTokenizationField, false, true),
			property(propSource, models.PropertyTokenizationField, false, true),
			property(propRevision, models.PropertyTokenizationField, false, true),
		},
	}
	heads := &models.Class{
		Class:             c.names.documents(suffix),
		Vectorizer:        "none",
		VectorIndexType:   "hnsw",
		VectorIndexConfig: map[string]any{"skip": true},
		ReplicationConfig: passages.ReplicationConfig,
		Properties: []*models.Property{
			property(propScope, models.PropertyTokenizationField, false, true),
			property(propRevision, models.PropertyTokenizationField, false, false),
			property(propAt, models.PropertyTokenizationField, false, false),
		},
	}
	for _, class := range []*models.Class{heads, passages} {
		err := retry(ctx, schemaTime, func(ctx context.Context) error { return c.server.schema.ClassCreator().WithClass(class).Do(ctx) })
		if err != nil {
			return err
		}
	}
	return nil
}

func property(name, tokenization string, searchable, filterable bool) *models.Property {
	return &models.Property{
		Name: name, DataType: []string{"text"}, Tokenization: tokenization,
		IndexSearchable: &searchable, IndexFilterable: &filterable,
	}
}

// describe is the description of a collection of passages.
type describe struct {
	Version string `json:"version"`
}

// collection is the server's description of a collection.
type collection struct {
	Class               string
	Description         string
	InvertedIndexConfig struct{ UsingBlockMaxWAND bool }
}

// version is the version that a rebuild filled the collection for.
func (c collection) version() string {
	var description describe
	_ = json.Unmarshal([]byte(c.Description), &description)
	return description.Version
}

// served describes the collection of passages that searches use. One that is lost, though the
// alias names it, is empty.
func (c *collections) served(ctx context.Context) (collection, error) {
	var found collection
	for attempt := 0; ; attempt++ {
		name, err := c.serving(ctx)
		if err != nil {
			return found, err
		}
		err = c.server.ask(ctx, http.MethodGet, "/schema/"+name, nil, &found)
		if !isStatus(err, http.StatusNotFound) {
			return found, err
		}
		if attempt == 2 {
			return collection{}, nil
		}
	}
}

// leftovers returns the collections of this index that searches do not use.
func (c *collections) leftovers(ctx context.Context) ([]string, error) {
	serving, err := c.serving(ctx)
	if err != nil {
		return nil, err
	}
	own, err := c.own(ctx)
	return slices.DeleteFunc(own, func(name string) bool { return name == serving || name == c.names.heads(serving) }), err
}

// own returns all collections of this index.
func (c *collections) own(ctx context.Context) ([]string, error) {
	var all struct{ Classes []collection }
	if err := c.server.ask(ctx, http.MethodGet, "/schema", nil, &all); err != nil {
		return nil, err
	}
	var own []string
	for _, found := range all.Classes {
		if c.names.owns(found.Class) {
			own = append(own, found.Class)
		}
	}
	return own, nil
}

func (c *collections) delete(ctx context.Context, collections ...string) error {
	for _, name := range collections {
		err := retry(ctx, schemaTime, func(ctx context.Context) error { return c.server.schema.ClassDeleter().WithClassName(name).Do(ctx) })
		if err != nil {
			return err
		}
	}
	return nil
}

// inServing calls do with the collection that searches use, and again if
// another process has replaced that collection meanwhile.
func (c *collections) inServing(ctx context.Context, do func(collection string) error) error {
	for attempt := 0; ; attempt++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		collection, err := c.serving(ctx)
		if err != nil {
			return err
		}
		if err = do(collection); !errors.Is(err, errNoCollection) || attempt == 3 {
			return err
		}
	}
}
