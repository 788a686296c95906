package api

import (
	"bytes"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"parley/api/wire"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/internal/publicid"
)

// testIDs encodes and decodes identifiers with a known installation key.
var testIDs = func() *publicid.Codec {
	ids, err := publicid.New(bytes.Repeat([]byte{7}, publicid.KeySize))
	if err != nil {
		panic(err)
	}
	return ids
}()

func TestPositions(t *testing.T) {
	t.Run("what a stream gives as an id is read as the same place, of the answer's sequence number", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			p := turn.Position{
				AnswerID: rapid.Int64Range(1, publicid.Max).Draw(t, "answer"), Attempt: rapid.IntRange(0, 1000).Draw(t, "attempt"),
				Offset: rapid.IntRange(0, 1<<40).Draw(t, "offset"), Tail: turn.Tail(rapid.IntRange(0, int(turn.DoneSent)).Draw(t, "tail")),
			}
			text := string(appendPosition(nil, testIDs.Message(p.AnswerID), p))
			if got, err := parsePosition(testIDs, text); err != nil || got != p {
				t.Fatalf("%+v is written %q and read as %+v, %v", p, text, got, err)
			}
		})
	})

	for name, text := range map[string]string{
		"an empty text": "", "a number": "5", "two": "5.1", "five": "5.1.1.1.1", "a sign": "+5.1.1", "a leading zero": "05.1.1",
		"no answer": "0.1.1", "an answer from 2^53": "9007199254740992.1.1", "a negative offset": "5.1.-1", "no number": "5.x.1",
		"an unknown tail": "5.1.1.6", "a tail that is not written": "5.1.1.0", "space": "5.1.1 ",
	} {
		t.Run("not a place: "+name, func(t *testing.T) {
			if got, err := parsePosition(testIDs, text); !fault.Is(err, fault.Invalid) {
				t.Errorf("%q is read as %+v, %v", text, got, err)
			}
		})
	}
}

func TestIdentifiers(t *testing.T) {
	a := identifiers{wire.Identifiers{Codec: testIDs}}
	t.Run("the identifiers of a conversation and a message with the same number are unrelated, and not the number", func(t *testing.T) {
		for n := int64(1); n <= 100; n++ {
			conversation, message := testIDs.Conversation(n), testIDs.Message(n)
			if got, err := a.conversationID(strconv.FormatInt(conversation, 10)); err != nil || got != n || conversation == n {
				t.Errorf("conversation %d is %d, read as %d, %v", n, conversation, got, err)
			}
			if got, err := a.messageID(strconv.FormatInt(message, 10)); err != nil || got != n || message == n {
				t.Errorf("message %d is %d, read as %d, %v", n, message, got, err)
			}
			if got, err := a.conversationID(strconv.FormatInt(message, 10)); err == nil && got == n {
				t.Errorf("the identifier of message %d is one of conversation %d", n, n)
			}
		}
	})
	for _, text := range []string{"", "0", "-1", "+5", "05", " 5", "5 ", "5.0", "5e3", "0x5", "9007199254740992", "9223372036854775808", "abc", "\x00"} {
		t.Run("what can be no conversation is one that does not exist: "+strconv.Quote(text), func(t *testing.T) {
			if _, err := a.conversationID(text); err != error(chat.ErrNoConversation) {
				t.Errorf("got %v", err)
			}
		})
	}
}
