// Package isolation checks that an installation that runs keeps workspaces apart. It has two
// throw-away workspaces planted, whose every text is a canary: a word that nobody can guess.
// With all credentials of the one it calls every route with every object of the other, and
// searches for the other's words; then the other way round. What it has planted it takes away.
//
// It does not own how rows are written, read and erased ([Store]), how a request is sent
// ([Server]), nor what a route needs (package api/route): [Calls] only says what to send.
package isolation

import (
	"context"
	"time"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/system"
)

// Lasts bounds a check. What an earlier one has left behind for longer than that belongs to
// nobody any more.
const Lasts = 30 * time.Minute

// Store is the port to the database of the installation.
type Store interface {
	// PlantThrowAway adds a workspace with a row in every table that workspaces have.
	PlantThrowAway(ctx context.Context, workspaceID string, seed *Seed) (Objects, error)
	// ThrowAways returns the throw-away workspaces, even if only a workspace's accounts are left.
	ThrowAways(ctx context.Context, access system.Access) ([]Found, error)
	// ThrowAwayDocuments returns the chatbots of a throw-away workspace, each with its documents.
	ThrowAwayDocuments(ctx context.Context, workspaceID string) (map[string][]string, error)
	// Fingerprint returns a hash of the rows of a workspace for each table, and of its people.
	// It leaves out what changes by itself.
	Fingerprint(ctx context.Context, workspaceID string) (map[string]string, error)
	// EraseThrowAway deletes a throw-away workspace and its people. It refuses any other.
	EraseThrowAway(ctx context.Context, workspaceID string) error
	// RemainingOf counts what the tables still hold of a workspace, without those that hold
	// nothing.
	RemainingOf(ctx context.Context, workspaceID string) (map[string]int64, error)
	// ProbeWall has PostgreSQL, in the role of the server confined to a workspace, read and
	// change the rows of another. It is empty where there is no such wall.
	ProbeWall(ctx context.Context, workspaceID, otherID string) ([]Probe, error)
}

// Found is a throw-away workspace that was found in the database.
type Found struct {
	ID        string
	CreatedAt time.Time
}

// Probe is what happened to a statement that forgets the condition on the workspace.
type Probe struct {
	Table string
	// Rows is how many the other workspace has there. Without any, only adding one proves
	// something.
	Rows int64
	// Crossed says what the statement reached, and is empty if that was nothing.
	Crossed string
}

// Server is the port to the server that runs.
type Server interface {
	// Send sends a request and reads the whole answer. It waits where the server says that it
	// has had enough for now. An error is a server that does not answer.
	Send(ctx context.Context, request Request) (Answer, error)
	// Check fails if no server answers.
	Check(ctx context.Context) error
}

// Request is a request to the server.
type Request struct {
	Method, Path, Body string
	Credential         Credential
}

// Answer is what the server answered. Head is what it says in headers that can tell something.
type Answer struct {
	Status     int
	Head, Body string
}

// Kind is what a credential is.
type Kind string

// The kinds of credentials.
const (
	Session     Kind = "session"
	Bearer      Kind = "token"
	Publishable Kind = "publishable token"
)

// Credential is what a request identifies its sender with.
type Credential struct {
	Name   string
	Kind   Kind
	Secret string
}

// Numbers makes the public identifiers of what the database numbers.
type Numbers interface {
	Conversation(sequence int64) int64
	Message(sequence int64) int64
	Delivery(sequence int64) int64
}

// Index is the port to the installation's own retrieval, beside the server.
type Index interface {
	// Fill puts a planted document into the index.
	Fill(ctx context.Context, workspaceID, chatbotID, documentID string) error
	// Drop takes all of a chatbot out of the index.
	Drop(ctx context.Context, workspaceID, chatbotID string) error
	// Count counts what the index holds of a document.
	Count(ctx context.Context, workspaceID, chatbotID, documentID string) (int, error)
	// Search returns what a chatbot finds for a question, as one text.
	Search(ctx context.Context, workspaceID, chatbotID, question string) (string, error)
	// Hits returns the documents that the index itself finds for a question.
	Hits(ctx context.Context, workspaceID, chatbotID, question string) ([]string, error)
}

// Settings are how a workspace is planted.
type Settings struct {
	// Model is one that answers without asking anybody else.
	Model string
	Plan  plan.Name
	// WallOff says why there is no row-level security, where there is none.
	WallOff string
	// Mint makes the secret of an API token.
	Mint func(kind chatbot.TokenKind) (secret, hash, hint string)
}
