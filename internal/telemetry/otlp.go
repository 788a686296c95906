package telemetry

import (
	"math"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"google.golang.org/protobuf/encoding/protowire"
)

// message is a message of OTLP: https://github.com/open-telemetry/opentelemetry-proto. It is
// written field by field, because the generated types take 0.2 MB of the program.
type message []byte

func (m message) text(field protowire.Number, text string) message {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), text)
}

// in writes a message within the message, or bytes.
func (m message) in(field protowire.Number, inner []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), inner)
}

func (m message) number(field protowire.Number, n uint64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), n)
}

func (m message) fixed(field protowire.Number, n uint64) message {
	return protowire.AppendFixed64(protowire.AppendTag(m, field, protowire.Fixed64Type), n)
}

func (m message) float(field protowire.Number, f float64) message {
	return m.fixed(field, math.Float64bits(f))
}

func (m message) moment(field protowire.Number, at time.Time) message {
	return m.fixed(field, uint64(at.UnixNano()))
}

// pair writes a name with a text.
func (m message) pair(field protowire.Number, key, value string) message {
	return m.in(field, message{}.text(1, key).in(2, anyText(value)))
}

// attributes writes names with values of the types that package trace has.
func (m message) attributes(field protowire.Number, all []attribute.KeyValue) message {
	for _, one := range all {
		var value message
		switch one.Value.Type() {
		case attribute.INT64:
			value = value.number(3, uint64(one.Value.AsInt64()))
		case attribute.STRINGSLICE:
			var list message
			for _, text := range one.Value.AsStringSlice() {
				list = list.in(1, anyText(text))
			}
			value = value.in(5, list)
		default:
			value = anyText(one.Value.AsString())
		}
		m = m.in(field, message{}.text(1, string(one.Key)).in(2, value))
	}
	return m
}

// anyText is a text as one of the types that a value can have.
func anyText(text string) message { return message{}.text(1, text) }

// request is a request with spans or metrics, each written in field 2. Both signals are
// alike in the rest.
func request(resource map[string]string, items message) message {
	var from message
	for key, value := range resource {
		from = from.pair(1, key, value)
	}
	scope := append(message{}.in(1, message{}.text(1, "parley")), items...)
	return message{}.in(1, message{}.in(1, from).in(2, scope))
}
