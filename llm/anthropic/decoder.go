package anthropic

import (
	"io"

	"parley/core/answer"
	"parley/llm/upstream"
)

// decoder holds the part of an answer that has arrived so far.
type decoder struct {
	call *upstream.Call
	text upstream.Text
	// mayCall says that the prompt offered tools. Otherwise calls are ignored.
	mayCall  bool
	calls    calls
	stop     string
	finished bool
	reported reported
	// sent is the request, for as long as its tokens may have to be counted.
	sent []byte
}

// read reads a stream to its end and emits its text.
func (a *decoder) read(body io.Reader) error {
	lines := upstream.NewLines(body)
	defer lines.Free()
	for {
		data, err := lines.NextData()
		if err != nil {
			return a.ended(err)
		}
		found, err := decodeEvent(data)
		if err != nil {
			return err
		}
		had := a.finished
		if err := a.add(found); err != nil {
			return err
		}
		if found.ended {
			a.call.Drain(body)
			return a.ended(io.EOF)
		}
		if a.finished && !had {
			a.call.Finished()
		}
	}
}

func (a *decoder) add(found event) error {
	a.reported.add(found.usage)
	if a.reported.prompt > 0 {
		a.sent = nil // an open stream need not keep it
	}
	if found.stop != "" {
		a.stop = found.stop
	}
	a.finished = a.finished || found.stop != "" || found.ended
	if found.thinking {
		a.text.ThinksElsewhere()
	}
	if found.thinking || found.call != nil {
		a.call.Started()
	}
	if a.mayCall && found.call != nil {
		return a.calls.begin(found.index, found.call)
	}
	if a.mayCall && found.arguments != "" {
		return a.calls.add(found.index, found.arguments)
	}
	return a.text.Add(found.text)
}

// reasonOf translates a stop_reason.
func reasonOf(stop string) answer.FinishReason {
	switch upstream.EndingOf(stop) {
	case upstream.Complete:
		return answer.FinishStop
	case upstream.CutByLength:
		return answer.FinishLength
	case upstream.Filtered:
		return answer.FinishContentFilter
	}
	return ""
}

// ended judges the end of a stream. A complete answer stays complete, even when
// the connection breaks before the server announces the end.
func (a *decoder) ended(err error) error {
	if cut := a.call.Cut(err, a.finished); cut != nil {
		return cut
	}
	reason := reasonOf(a.stop)
	if reason == answer.FinishLength {
		a.calls = calls{} // The last one may be cut off.
	}
	err = a.text.End(len(a.calls.found(0)) > 0) // which emits what was held back
	if a.stop == "refusal" || reason == answer.FinishContentFilter && a.text.Len() == 0 {
		return upstream.ErrDeclined
	}
	return err
}
