package openai

// events writes a streamed response. Each event has the next number.
type events struct {
	question *Question
	reply    Reply
	sequence int
}

// head is what every event begins with.
type head struct {
	Type     string `json:"type"`
	Sequence int    `json:"sequence_number"`
}

// place is where an event belongs: there is one message, with one text.
type place struct {
	ItemID       string `json:"item_id"`
	OutputIndex  int    `json:"output_index"`
	ContentIndex int    `json:"content_index"`
}

type responseEvent struct {
	head
	Response response `json:"response"`
}

type itemEvent struct {
	head
	OutputIndex int        `json:"output_index"`
	Item        outputItem `json:"item"`
}

type partEvent struct {
	head
	place
	Part outputText `json:"part"`
}

type deltaEvent struct {
	head
	place
	Delta    string     `json:"delta"`
	LogProbs []struct{} `json:"logprobs"`
}

type annotationEvent struct {
	head
	place
	Index      int                `json:"annotation_index"`
	Annotation responseAnnotation `json:"annotation"`
}

type textEvent struct {
	head
	place
	Text     string     `json:"text"`
	LogProbs []struct{} `json:"logprobs"`
}

// errorEvent has its failure twice: as it is documented, and as OpenAI's clients look for
// it in every event, to throw it.
type errorEvent struct {
	head
	Code    string  `json:"code"`
	Message string  `json:"message"`
	Param   *string `json:"param"`
	Error   failure `json:"error"`
}

func (s *events) head(name string) head {
	h := head{name, s.sequence}
	s.sequence++
	return h
}

func (s *events) place() place { return place{ItemID: itemID(s.reply)} }

// Begin says that the response has begun, with a message that has no text yet.
func (s *events) Begin(b []byte) []byte {
	begun := newResponse(s.question, s.reply)
	for _, name := range []string{"response.created", "response.in_progress"} {
		b = appendNamed(b, name, responseEvent{s.head(name), begun})
	}
	b = appendNamed(b, "response.output_item.added", itemEvent{head: s.head("response.output_item.added"), Item: itemOf(s.reply, inProgress)})
	return appendNamed(b, "response.content_part.added", partEvent{s.head("response.content_part.added"), s.place(), textOf("", []responseAnnotation{})})
}

// Delta is the next piece of the text.
func (s *events) Delta(b []byte, piece string) []byte {
	return appendNamed(b, "response.output_text.delta", deltaEvent{s.head("response.output_text.delta"), s.place(), piece, []struct{}{}})
}

// End says what the answer cites, and closes what was begun.
func (s *events) End(b []byte, e Ended) []byte {
	made := wholeResponse(s.question, s.reply, e)
	item := made.Output[0]
	text := item.Content[0]
	for i, annotation := range text.Annotations {
		b = appendNamed(b, "response.output_text.annotation.added", annotationEvent{s.head("response.output_text.annotation.added"), s.place(), i, annotation})
	}
	b = appendNamed(b, "response.output_text.done", textEvent{s.head("response.output_text.done"), s.place(), text.Text, []struct{}{}})
	b = appendNamed(b, "response.content_part.done", partEvent{s.head("response.content_part.done"), s.place(), text})
	b = appendNamed(b, "response.output_item.done", itemEvent{head: s.head("response.output_item.done"), Item: item})
	last := "response." + made.Status
	return appendNamed(b, last, responseEvent{s.head(last), made})
}

// Fail says why the answer does not go on.
func (s *events) Fail(b []byte, f Failure) []byte {
	b = appendNamed(b, "error", errorEvent{s.head("error"), f.Error.Code, f.Error.Message, f.Error.Param, f.Error})
	broken := newResponse(s.question, s.reply)
	broken.Status, broken.Error = failed, &responseError{f.Error.Code, f.Error.Message}
	return appendNamed(b, "response.failed", responseEvent{s.head("response.failed"), broken})
}
