// Command sync gives files to a chatbot, or those that have changed since, and waits until answers use them:
//
//	PARLEY_URL=https://parley.example.com/api/v1 PARLEY_TOKEN=parley_… go run ./example/sync help/*.md
//
// The token needs the scopes knowledge:read and knowledge:write.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	parley "parley/clients/go"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := sync(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func sync(ctx context.Context, paths []string) error {
	client := parley.New(os.Getenv("PARLEY_URL"), os.Getenv("PARLEY_TOKEN"))
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		document, err := client.AddFile(ctx, parley.File{Name: path, Content: content, ExternalID: path})
		if err != nil {
			return err
		}
		if _, err := client.WaitUntilReady(ctx, document.ID); err != nil {
			return err
		}
		fmt.Println(document.Result, path)
	}
	return nil
}
