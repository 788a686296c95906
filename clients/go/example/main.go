// Command example asks a chatbot a question and prints the answer while it is written.
//
//	PARLEY_URL=https://parley.example.com/api/v1 PARLEY_TOKEN=parley_… go run ./example "When do you open?"
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"

	parley "parley/clients/go"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := ask(ctx, strings.Join(os.Args[1:], " ")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func ask(ctx context.Context, question string) error {
	client := parley.New(os.Getenv("PARLEY_URL"), os.Getenv("PARLEY_TOKEN"))
	for event, err := range client.Stream(ctx, parley.Question{Message: question, Include: []string{parley.IncludeSources}}) {
		if err != nil {
			return err
		}
		switch event.Type {
		case parley.EventDelta:
			fmt.Print(event.Content)
		case parley.EventRestarted:
			fmt.Print("\n\nOnce more:\n\n")
		case parley.EventSources:
			fmt.Println()
			for _, s := range event.Sources {
				if s.Cited {
					fmt.Printf("[%d] %s %s\n", s.Number, s.Title, s.URL)
				}
			}
		}
	}
	return nil
}
