package openai

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley/core/answer/prompt"
	"parley/core/chat/turn"
	"parley/core/fault"
)

// message is one of a chat completion's messages, or an item of a response's input.
type message struct {
	// Type is an item's. It is empty or "message" for one that says something.
	Type string `json:"type"`
	Role string `json:"role"`
	// Content is a string, a list of parts, or null.
	Content jsontext.Value `json:"content"`
}

// part is a piece of a message's content.
type part struct {
	Type    *string `json:"type"`
	Text    string  `json:"text"`
	Refusal string  `json:"refusal"`
}

// dialog reads what a request says: the last message of a user is the question.
type dialog struct {
	field    string
	history  []prompt.Message
	context  []string
	question string
	asked    bool
}

// add takes the next message.
func (d *dialog) add(m message) error {
	if m.Type != "" && m.Type != "message" {
		return nil // a call of a tool, its result, or a reference
	}
	switch m.Role {
	case "user":
		text, err := d.text(m.Content)
		if err != nil {
			return err
		}
		if d.asked {
			d.addMessage(prompt.UserRole, d.question)
		}
		d.question, d.asked = text, true
	case "assistant":
		text, err := d.text(m.Content)
		if err != nil || text == "" { // it called a tool
			return err
		}
		if d.asked {
			d.addMessage(prompt.UserRole, d.question)
			d.asked = false
		}
		d.addMessage(prompt.AssistantRole, text)
	case "system", "developer":
		text, err := d.text(m.Content)
		if err != nil {
			return err
		}
		d.addContext(text)
	case "tool", "function": // the chatbot called none
	default:
		return fault.InField(d.field, "The role of a message must be system, developer, user, assistant or tool.")
	}
	return nil
}

func (d *dialog) addMessage(role prompt.Role, text string) {
	if strings.TrimSpace(text) != "" {
		d.history = append(d.history, prompt.Message{Role: role, Text: text})
	}
}

// addContext adds what the calling program says about the question.
func (d *dialog) addContext(text string) {
	if strings.TrimSpace(text) != "" {
		d.context = append(d.context, text)
	}
}

// end returns the question, and what was said besides it.
func (d *dialog) end() (question string, given turn.CallerContext, err error) {
	if !d.asked {
		return "", given, fault.InField(d.field, "The last message must be a question: one of the role user.")
	}
	return d.question, turn.CallerContext{History: d.history, Context: strings.Join(d.context, "\n\n")}, nil
}

// text is the text of a message's content.
func (d *dialog) text(content jsontext.Value) (string, error) {
	switch content.Kind() {
	case 0, 'n':
		return "", nil
	case '"':
		text, err := jsontext.AppendUnquote(nil, content)
		return string(text), err
	case '[':
	default:
		return "", fault.InField(d.field, "The content of a message must be text, or a list of parts.")
	}
	var parts []part
	if err := json.Unmarshal(content, &parts); err != nil {
		return "", fault.InField(d.field, "Each part of a message's content must be an object with a type.")
	}
	var texts []string
	for _, p := range parts {
		if p.Type == nil {
			return "", fault.InField(d.field, "Each part of a message's content must be an object with a type.")
		}
		switch *p.Type {
		case "text", "input_text", "output_text":
			texts = append(texts, p.Text)
		case "refusal":
			texts = append(texts, p.Refusal)
		case "image_url", "input_image":
			return "", fault.InField(d.field, "A chatbot reads text only. Send the message without its images.")
		default:
			return "", fault.InField(d.field, "A chatbot reads text only. Send parts of the type text or input_text.")
		}
	}
	return strings.Join(texts, "\n"), nil
}
