package relay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"

	"github.com/tidwall/gjson"
	"github.com/valyala/fasthttp"
)

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type completionRequest struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
	Stream   bool      `json:"stream"`
}

// prepare makes request one for an answer to the question.
func (r *relay) prepare(request *fasthttp.Request, question string, stream bool) error {
	body, err := json.Marshal(completionRequest{
		Model: "bench", Stream: stream,
		Messages: []message{{Role: "system", Content: "Answer the question."}, {Role: "user", Content: question}},
	})
	if err != nil {
		return err
	}
	request.SetRequestURI("http://" + r.Upstream + "/v1/chat/completions")
	request.Header.SetMethod(fasthttp.MethodPost)
	request.Header.SetContentType("application/json")
	request.SetBody(body)
	return nil
}

// ask returns the whole answer to a question.
func (r *relay) ask(question string) (string, error) {
	if r.StreamChat {
		var answer bytes.Buffer
		err := r.askStream(question, func(text gjson.Result) error {
			answer.WriteString(text.Str)
			return nil
		})
		return answer.String(), err
	}
	request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(response)
	if err := r.prepare(request, question, false); err != nil {
		return "", err
	}
	if err := r.whole.Do(request, response); err != nil {
		return "", err
	}
	text := gjson.GetBytes(response.Body(), "choices.0.message.content")
	if response.StatusCode() != fasthttp.StatusOK || text.Str == "" {
		return "", errUpstream
	}
	return text.String(), nil
}

// askStream calls emit with each piece of an answer as it comes.
func (r *relay) askStream(question string, emit func(text gjson.Result) error) error {
	request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(response)
	if err := r.prepare(request, question, true); err != nil {
		return err
	}
	if err := r.streamed.Do(request, response); err != nil {
		return err
	}
	defer func() { _ = response.CloseBodyStream() }()
	if response.StatusCode() != fasthttp.StatusOK {
		return errUpstream
	}
	return pieces(response.BodyStream(), emit)
}

// pieces reads a stream to its end.
func pieces(stream io.Reader, emit func(text gjson.Result) error) error {
	lines := bufio.NewReaderSize(stream, 2<<10)
	done := false
	for {
		line, err := lines.ReadSlice('\n')
		if err == io.EOF && done {
			return nil
		}
		if err != nil {
			return err
		}
		event, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok {
			continue
		}
		if bytes.HasPrefix(event, []byte("[DONE]")) {
			done = true
			continue
		}
		if text := gjson.GetBytes(event, "choices.0.delta.content"); text.Str != "" {
			if err := emit(text); err != nil {
				return err
			}
		}
	}
}
