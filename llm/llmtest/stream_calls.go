package llmtest

import "fmt"

// calls sends the calls of tools: each starts with its id and name, followed by
// its arguments.
func (s *stream) calls() bool {
	if s.reply.CallBytes > 0 {
		return s.alternate()
	}
	for i, call := range s.reply.ToolCalls {
		if !s.beginCall(i, call) || !s.arguments(i, call.Arguments) {
			return false
		}
	}
	return true
}

// alternate starts all calls and sends a few bytes of each by turns.
func (s *stream) alternate() bool {
	rest := make([]string, len(s.reply.ToolCalls))
	for i, call := range s.reply.ToolCalls {
		if rest[i] = call.Arguments; !s.beginCall(i, call) {
			return false
		}
	}
	for more := true; more; {
		more = false
		for i := range rest {
			if rest[i] == "" {
				continue
			}
			n := min(s.reply.CallBytes, len(rest[i]))
			if !s.arguments(i, rest[i][:n]) {
				return false
			}
			rest[i], more = rest[i][n:], true
		}
	}
	return true
}

func (s *stream) beginCall(i int, call ToolCall) bool {
	return s.delta(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":""}}]}`,
		i, quote(call.ID), quote(call.Name)))
}

func (s *stream) arguments(i int, piece string) bool {
	return s.delta(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, quote(piece)))
}
