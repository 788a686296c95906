package testrun

import (
	"strings"
	"testing"

	"parley/core/fault"
)

func TestFiles(t *testing.T) {
	asked := []Question{
		{Wanted: Wanted{Question: "=When?", Expects: AText, Expected: "at \"ten\"", Reference: "At ten,\nor later.", Document: "Opening hours"}},
		{Wanted: Wanted{Question: "Wer?", Expects: NoAnswer}},
	}
	for _, as := range []Format{CSV, JSONL} {
		t.Run("what is written as "+string(as)+" is read again", func(t *testing.T) {
			got, err := Read([]byte(Write(asked, as)))
			if err != nil || len(got) != 2 || got[0] != asked[0].Wanted || got[1] != asked[1].Wanted {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	t.Run("files of other programs are read", func(t *testing.T) {
		got, err := Read([]byte("\ufeffQuestion; Answer\nWhen?;At ten.\n"))
		if err != nil || len(got) != 1 || got[0] != (Wanted{Question: "When?", Expects: AnAnswer, Reference: "At ten."}) {
			t.Errorf("got %+v, %v", got, err)
		}
		for _, file := range []string{"Question\tAnswer\nWhen?\tAt ten.\n", `[{"question":"When?","answer":"At ten."}]`} {
			got, err = Read([]byte(file))
			if err != nil || len(got) != 1 || got[0] != (Wanted{Question: "When?", Expects: AnAnswer, Reference: "At ten."}) {
				t.Errorf("of %q there is %+v, %v", file, got, err)
			}
		}
		got, err = Read([]byte(`{"_id":"1","text":"When?","target":"At ten."}`))
		if err != nil || len(got) != 1 || got[0].Question != "When?" || got[0].Reference != "At ten." {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	for file, says := range map[string]string{
		"": "empty", "{\"question\":\"a\"}\nno": "Line 2", "name,age\na,b": "must name the columns", "question\n\"a": "is not CSV",
		"[5]": "is not a JSON list", "question\nWann \xf6ffnet ihr?": "not UTF-8", "PK\x03\x04\x00": "not UTF-8",
	} {
		t.Run("what is no file of questions is refused: "+says, func(t *testing.T) {
			if _, err := Read([]byte(file)); fault.As(err).Field != "file" || !strings.Contains(err.Error(), says) {
				t.Errorf("got %v", err)
			}
		})
	}
}
