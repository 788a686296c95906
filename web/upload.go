package web

import (
	"io"
	"mime/multipart"
	"path"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/knowledge"
)

// kinds of document by the end of a file's name.
var kinds = map[string]knowledge.Kind{
	".md": knowledge.Markdown, ".markdown": knowledge.Markdown, ".txt": knowledge.Text,
}

// addTyped adds the text that was typed, or the file.
func (s *site) addTyped(c *fiber.Ctx, v visit, typed form, file *multipart.FileHeader) error {
	request := knowledge.NewDocument{Title: typed["title"], Kind: knowledge.Kind(typed["kind"]), Content: typed["content"]}
	if file != nil {
		var err error
		if request, err = uploaded(typed, file); err != nil {
			return err
		}
	}
	_, err := s.Knowledge.Add(c.UserContext(), v.workspaceID(), v.chatbot.ID, request)
	if failure := fault.As(err); err != nil && file != nil && failure.Field == "content" {
		ofFile := *failure
		ofFile.Field = "file"
		return &ofFile
	}
	return err
}

// uploaded makes a document of a file. Without a title it has the file's name.
func uploaded(typed form, file *multipart.FileHeader) (knowledge.NewDocument, error) {
	end := path.Ext(file.Filename)
	kind, known := kinds[strings.ToLower(end)]
	switch {
	case !known:
		return knowledge.NewDocument{}, fault.InField("file", "Choose a file whose name ends with .md or .txt.")
	case strings.TrimSpace(typed["content"]) != "":
		return knowledge.NewDocument{}, fault.InField("file", "Give the text or a file, not both.")
	case file.Size > knowledge.MaxContent:
		return knowledge.NewDocument{}, &fault.Error{Kind: fault.TooLarge, Field: "file", Message: "The file is larger than 5 MiB. Split it."}
	}
	content, err := readFile(file)
	if err != nil {
		return knowledge.NewDocument{}, err
	}
	title := typed["title"]
	if strings.TrimSpace(title) == "" {
		title = strings.TrimSuffix(file.Filename, end)
	}
	return knowledge.NewDocument{Title: title, Kind: kind, Content: content}, nil
}

// readFile leaves out the mark that some editors begin UTF-8 with.
func readFile(header *multipart.FileHeader) (string, error) {
	file, err := header.Open()
	if err != nil {
		return "", err
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	return strings.TrimPrefix(string(content), "\ufeff"), err
}
