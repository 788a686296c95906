package weaviate

import (
	"errors"
	"testing"
)

// A collection that is replaced goes while others search it. The texts are the server's own.
func TestACollectionThatIsGone(t *testing.T) {
	for _, text := range []string{
		"could not find class Passage_1 in schema", `class "Passage_1" not present in schema`, "class Passage_1 does not exist in schema",
		`explorer: list class: extend: class "Document_1" not found in schema`, "class not found",
	} {
		t.Run("the search begins again after “"+text+"”", func(t *testing.T) {
			if err := named(errors.New(text)); !errors.Is(err, errNoCollection) {
				t.Errorf("it is %v", err)
			}
		})
	}
}
