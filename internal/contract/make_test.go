package contract

import (
	"math/rand/v2"
	"net/url"
	"os"
	"testing"
)

// tried is how many requests of each kind are made for an operation.
const tried = 100

func TestMaker(t *testing.T) {
	text, err := os.ReadFile("../../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	document := read(t, string(text))
	check := func(t *testing.T, made Made) error {
		address, err := url.Parse(made.Target)
		if err != nil {
			t.Fatal(err)
		}
		return document.CheckRequest(&Exchange{Method: made.Method, URL: address, Sent: made.Header, Asked: []byte(made.Body)})
	}
	for _, operation := range document.Operations() {
		t.Run(operation.Name(), func(t *testing.T) {
			maker := &Maker{Rand: rand.New(rand.NewPCG(3, 4)), Known: map[string][]string{"id": {"cb_1"}}}
			for range tried {
				made := maker.Right(operation)
				if err := check(t, made); err != nil || made.Wrong != "" {
					t.Fatalf("a request that should be right: %+v: %v", made, err)
				}
				made, ok := maker.Wrong(operation)
				if ok && made.Wrong != noObject && check(t, made) == nil {
					t.Fatalf("a request that should be wrong: %+v", made)
				}
			}
		})
	}
	t.Run("the same seed makes the same requests", func(t *testing.T) {
		made := func() (all []Made) {
			maker := &Maker{Rand: rand.New(rand.NewPCG(5, 6))}
			for _, operation := range document.Operations() {
				all = append(all, maker.Right(operation))
				wrong, _ := maker.Wrong(operation)
				all = append(all, wrong)
			}
			return all
		}
		first, second := made(), made()
		for i := range first {
			if first[i].Target != second[i].Target || first[i].Body != second[i].Body || first[i].Wrong != second[i].Wrong {
				t.Fatalf("%+v and %+v", first[i], second[i])
			}
		}
	})
}
