package weaviate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/google/uuid"
	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"parley/core/retrieval"
	"parley/index/weaviate/terms"
)

const (
	// The limits of a batch: its objects, and the bytes of their terms and
	// vectors. One object may have more.
	batchObjects = 200
	batchBytes   = 4 << 20
	// maxResults is the server's limit (QUERY_MAXIMUM_RESULTS), of searches
	// and of deletions.
	maxResults = 10_000
)

// object makes an object of text properties. It leaves empty ones out.
func object(id, collection, tenant string, properties map[string]string) *pb.BatchObject {
	fields := make(map[string]*structpb.Value, len(properties))
	for name, text := range properties {
		if text != "" {
			fields[name] = structpb.NewStringValue(text)
		}
	}
	return &pb.BatchObject{
		Uuid: id, Collection: collection, Tenant: tenant,
		Properties: &pb.BatchObject_Properties{NonRefProperties: &structpb.Struct{Fields: fields}},
	}
}

// passages makes the objects of a document's revision. The same entries make
// the same objects, so that a batch may be sent twice.
func passages(collection, tenant, document, revision string, entries []retrieval.Entry) []*pb.BatchObject {
	documentKey := key(tenant, document)
	objects := make([]*pb.BatchObject, len(entries))
	for i, e := range entries {
		id := uuid.NewSHA1(space, []byte("passage\x00"+documentKey+revision+strconv.Itoa(i))).String()
		properties := map[string]string{
			propTerms:    terms.Encode(e.Terms),
			propPassage:  strconv.FormatInt(e.PassageID, 10),
			propDocument: document,
			propKey:      documentKey,
			propRevision: revision,
		}
		if e.SourceID != "" {
			properties[propSource] = sourceKey(e.SourceID)
		}
		objects[i] = object(id, collection, tenant, properties)
		objects[i].VectorBytes = packed(e.Vector)
	}
	return objects
}

// headOf makes the head that says that a revision is current since a time.
func headOf(collection, tenant, document, revision string, at time.Time) *pb.BatchObject {
	return object(key(tenant, document), collection, "", map[string]string{
		propScope:    tenant,
		propRevision: revision,
		propAt:       strconv.FormatInt(at.UnixMilli(), 10),
	})
}

// packed returns a vector as gRPC carries it.
func packed(vector []float32) []byte {
	var b []byte
	for _, v := range vector {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// similarity is the cosine of a vector of length one and another as gRPC
// carries it, and zero if one of them is missing.
func similarity(vector []float32, other []byte) float64 {
	if len(other) != 4*len(vector) {
		return 0
	}
	product, square := 0.0, 0.0
	for i, v := range vector {
		w := float64(math.Float32frombits(binary.LittleEndian.Uint32(other[4*i:])))
		product += float64(v) * w
		square += w * w
	}
	if square == 0 {
		return 0
	}
	return product / math.Sqrt(square)
}

// put writes objects, in their order, in batches. It fails if the server reports
// the failure of any object: with a full disk the server reports one failure and
// says that it stored the others, which it did not store either.
func (s *server) put(ctx context.Context, objects []*pb.BatchObject) error {
	for len(objects) > 0 {
		n, size := 0, 0
		for n < min(len(objects), batchObjects) && (n == 0 || size < batchBytes) {
			size += len(objects[n].VectorBytes) + len(objects[n].Properties.NonRefProperties.Fields[propTerms].GetStringValue())
			n++
		}
		request := &pb.BatchObjectsRequest{Objects: objects[:n], ConsistencyLevel: s.all()}
		err := retry(ctx, changeTime, func(ctx context.Context) error {
			reply, err := s.data.BatchObjects(ctx, request)
			if err != nil {
				return err
			}
			if failures := reply.GetErrors(); len(failures) > 0 {
				return fmt.Errorf("weaviate: %d of %d objects: %.500s", len(failures), n, failures[0].GetError())
			}
			return nil
		})
		if err != nil {
			return err
		}
		objects = objects[n:]
	}
	return nil
}

// deleteWhere deletes the objects that the filter admits. It succeeds if the
// tenant does not exist.
func (s *server) deleteWhere(ctx context.Context, collection, tenant string, filter *pb.Filters) error {
	request := &pb.BatchDeleteRequest{Collection: collection, Filters: filter, ConsistencyLevel: s.all()}
	if tenant != "" {
		request.Tenant = &tenant
	}
	for {
		var reply *pb.BatchDeleteReply
		err := retry(ctx, s.deleteTime(), func(ctx context.Context) (err error) {
			reply, err = s.data.BatchDelete(ctx, request)
			if err == nil && reply.GetFailed() > 0 {
				err = fmt.Errorf("weaviate: %d of %d "+notDeleted, reply.GetFailed(), reply.GetMatches())
			}
			return err
		})
		if errors.Is(err, errNoTenant) {
			return nil
		}
		// One call deletes at most maxResults objects.
		if err != nil || reply.GetMatches() < maxResults {
			return err
		}
	}
}

// deleteTime bounds one deletion. A cluster asks all replicas what there is to
// delete, and after 30 s goes on without those that did not answer, as if they
// held nothing. So a deletion that takes that long must fail.
func (s *server) deleteTime() time.Duration {
	if s.replicated {
		return clusterDeleteTime
	}
	return changeTime
}

// all is the consistency of changes: all replicas must confirm a change, because
// a search asks only one of them.
func (s *server) all() *pb.ConsistencyLevel {
	if !s.replicated {
		return nil
	}
	return pb.ConsistencyLevel_CONSISTENCY_LEVEL_ALL.Enum()
}

// search returns the results of one search. A tenant that does not exist has
// none.
func (s *server) search(ctx context.Context, request *pb.SearchRequest) ([]*pb.SearchResult, error) {
	request.Uses_127Api = true
	if s.replicated {
		request.ConsistencyLevel = pb.ConsistencyLevel_CONSISTENCY_LEVEL_ONE.Enum()
	}
	var results []*pb.SearchResult
	err := s.read(ctx, func(ctx context.Context) error {
		reply, err := s.data.Search(ctx, request)
		results = reply.GetResults()
		return err
	})
	if errors.Is(err, errNoTenant) {
		return nil, nil
	}
	return results, err
}

// textOf returns a result's text property, and empty if it has none.
func textOf(result *pb.SearchResult, name string) string {
	return result.GetProperties().GetNonRefProps().GetFields()[name].GetTextValue()
}

func returning(properties ...string) *pb.PropertiesRequest {
	return &pb.PropertiesRequest{NonRefProperties: properties}
}

func target(property string) *pb.FilterTarget {
	return &pb.FilterTarget{Target: &pb.FilterTarget_Property{Property: property}}
}

func is(property, value string) *pb.Filters {
	return &pb.Filters{Operator: pb.Filters_OPERATOR_EQUAL, Target: target(property), TestValue: &pb.Filters_ValueText{ValueText: value}}
}

func isNot(property, value string) *pb.Filters {
	return &pb.Filters{Operator: pb.Filters_OPERATOR_NOT_EQUAL, Target: target(property), TestValue: &pb.Filters_ValueText{ValueText: value}}
}

func isOneOf(property string, values []string) *pb.Filters {
	list := &pb.Filters_ValueTextArray{ValueTextArray: &pb.TextArray{Values: values}}
	return &pb.Filters{Operator: pb.Filters_OPERATOR_CONTAINS_ANY, Target: target(property), TestValue: list}
}

// both returns a filter that admits what all of its parts admit, and nil for
// none.
func both(parts ...*pb.Filters) *pb.Filters {
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return &pb.Filters{Operator: pb.Filters_OPERATOR_AND, Filters: parts}
}
