package llmtest

import "strings"

// The recorded answer: a streamed one with its usage, in which a character is
// split over two chunks.
const (
	// RecordedText is the text of [Recording].
	RecordedText = "To reset the Gerät, hold the **button** for ten seconds. The light blinks."

	recorded = recordedHead + `[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n" +
		recordedHead + `[{"index":0,"delta":{"content":"To reset"},"finish_reason":null}]}` + "\n\n" +
		recordedHead + `[{"index":0,"delta":{"content":" the Ger` + "\xc3" + `"},"finish_reason":null}]}` + "\n\n" +
		recordedHead + `[{"index":0,"delta":{"content":"` + "\xa4" + `t, hold"},"finish_reason":null}]}` + "\n\n" +
		recordedHead + `[{"index":0,"delta":{"content":" the **button** for"},"finish_reason":null}]}` + "\n\n" +
		recordedHead + `[{"index":0,"delta":{"content":" ten seconds. The light blinks."},"finish_reason":null}]}` + "\n\n" +
		recordedFinish + recordedHead + `[],"usage":{"prompt_tokens":21,"completion_tokens":17,"total_tokens":38}}` + "\n\n" +
		"data: [DONE]\n\n"
	recordedHead   = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"test-model","choices":`
	recordedFinish = recordedHead + `[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
)

// RecordedUsage is the usage of [Recording].
var RecordedUsage = Usage{PromptTokens: 21, CompletionTokens: 17}

// Recording is an answer as a server once streamed it. A request for a whole
// answer gets the same text.
func Recording() Reply {
	return Reply{Pieces: []string{RecordedText}, Body: recorded, Usage: &RecordedUsage}
}

// CutPositions is the number of positions at which [CutRecording] can cut.
func CutPositions() int { return len(recorded) + 1 }

// CutRecording is [Recording] with the connection cut off after a number of
// bytes, from zero to below [CutPositions]. The last position cuts after the whole
// stream.
func CutRecording(after int) Reply {
	reply := Recording()
	reply.CutAfter = after
	if after == 0 {
		reply.CutAfter = CutAtStart
	}
	return reply
}

// RecordedComplete is the first position of [CutRecording] after the whole line
// with the finish_reason, including its line break. From there on the answer is
// complete.
func RecordedComplete() int {
	return strings.Index(recorded, recordedFinish) + len(recordedFinish) - len("\n")
}
