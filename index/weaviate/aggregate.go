package weaviate

import (
	"context"
	"errors"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
)

// The fields of AggregateRequest and AggregateReply that this package uses, in
// grpc/proto/v1/aggregate.proto of the server. The generated code that the
// vendor's client pins is older than that file.
const (
	aggregateMethod = "/weaviate.v1.Weaviate/Aggregate"

	requestCollection = 1
	requestTenant     = 10
	requestCount      = 20
	requestFilters    = 40
	replySingle       = 2
	singleCount       = 1
)

// count asks the server how many objects of a tenant the filter admits. A nil
// filter admits all. A tenant that does not exist has none.
func (s *server) count(ctx context.Context, collection, tenant string, filter *pb.Filters) (int, error) {
	request, err := aggregateRequest(collection, tenant, filter)
	if err != nil {
		return 0, err
	}
	reply := &emptypb.Empty{}
	err = s.read(ctx, func(ctx context.Context) error { return s.nodes.Invoke(ctx, aggregateMethod, request, reply) })
	if errors.Is(err, errNoTenant) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	count, ok := varintOf(bytesOf(reply.ProtoReflect().GetUnknown(), replySingle), singleCount)
	if !ok {
		return 0, errors.New("weaviate: the answer has no count")
	}
	return int(count), nil
}

// aggregateRequest returns an AggregateRequest as the unknown fields of an empty
// message, which sends them as they are.
func aggregateRequest(collection, tenant string, filter *pb.Filters) (*emptypb.Empty, error) {
	var body []byte
	body = protowire.AppendString(protowire.AppendTag(body, requestCollection, protowire.BytesType), collection)
	body = protowire.AppendString(protowire.AppendTag(body, requestTenant, protowire.BytesType), tenant)
	body = protowire.AppendVarint(protowire.AppendTag(body, requestCount, protowire.VarintType), 1)
	if filter != nil {
		part, err := proto.Marshal(filter)
		if err != nil {
			return nil, err
		}
		body = protowire.AppendBytes(protowire.AppendTag(body, requestFilters, protowire.BytesType), part)
	}
	request := &emptypb.Empty{}
	request.ProtoReflect().SetUnknown(body)
	return request, nil
}

// bytesOf returns a message's field of bytes, and nil if it has none.
func bytesOf(message []byte, field protowire.Number) []byte {
	value, _ := fieldOf(message, field, protowire.BytesType)
	found, n := protowire.ConsumeBytes(value)
	if n < 0 {
		return nil
	}
	return found
}

// varintOf returns a message's field of a number.
func varintOf(message []byte, field protowire.Number) (uint64, bool) {
	value, ok := fieldOf(message, field, protowire.VarintType)
	found, n := protowire.ConsumeVarint(value)
	return found, ok && n > 0
}

// fieldOf returns the rest of a message from the field's value on.
func fieldOf(message []byte, field protowire.Number, kind protowire.Type) ([]byte, bool) {
	for len(message) > 0 {
		number, has, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil, false
		}
		message = message[n:]
		if number == field && has == kind {
			return message, true
		}
		if n = protowire.ConsumeFieldValue(number, has, message); n < 0 {
			return nil, false
		}
		message = message[n:]
	}
	return nil, false
}
