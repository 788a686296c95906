package audit

import "context"

// Actor is who acts: a person with a user id, or one of the actors below.
type Actor struct {
	// UserID is empty for an actor who is no person.
	UserID string
	// Name is a person's e-mail address at the time of the act, "API token" with the
	// token's name and hint, or one word.
	Name string
}

// The actors that are no known person.
var (
	// Visitor is somebody who has not signed in.
	Visitor = Actor{Name: "visitor"}
	// Operator uses the command line.
	Operator = Actor{Name: "operator"}
	// Stripe tells of payments.
	Stripe = Actor{Name: "stripe"}
	// Reconciliation compares subscriptions with Stripe.
	Reconciliation = Actor{Name: "reconciliation"}
	// Time ends what has an end.
	Time = Actor{Name: "time"}
	// System is this program, of its own accord.
	System = Actor{Name: "system"}
)

// Title is what people call an actor.
func (a Actor) Title() string {
	switch a {
	case Stripe:
		return "Stripe"
	case Reconciliation:
		return "Comparison with Stripe"
	case Operator:
		return "Operator of this server"
	case Time, System:
		return "By itself"
	}
	return a.Name
}

// Person is the actor of a user.
func Person(userID, email string) Actor { return Actor{UserID: userID, Name: email} }

// maxTokenName keeps the name of an actor short enough for the database.
const maxTokenName = 60

// Program is the actor with an API token, which is known by its name and by the first
// and last characters of its secret.
func Program(tokenName, hint string) Actor {
	return Actor{Name: "API token " + cut(tokenName, maxTokenName) + " (" + hint + ")"}
}

// Origin is where a request comes from.
type Origin struct {
	// Address is the client's network address, empty where there is none.
	Address   string
	RequestID string
}

type actorKey struct{}

type originKey struct{}

type workspaceKey struct{}

// As returns a context in which an actor acts.
func As(ctx context.Context, actor Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// AsPerson is [As] for someone who has just proved who they are. An operator
// who acts for them stays the actor.
func AsPerson(ctx context.Context, userID, email string) context.Context {
	if actor, known := ctx.Value(actorKey{}).(Actor); known && actor != Visitor {
		return ctx
	}
	return As(ctx, Person(userID, email))
}

// ActorOf returns who acts in a context, which is the program itself unless
// somebody was named.
func ActorOf(ctx context.Context) Actor {
	if actor, known := ctx.Value(actorKey{}).(Actor); known {
		return actor
	}
	return System
}

// From returns a context of a request with an origin.
func From(ctx context.Context, origin Origin) context.Context {
	return context.WithValue(ctx, originKey{}, origin)
}

// OriginOf returns the origin of a context's request, zero if it has none.
func OriginOf(ctx context.Context) Origin {
	origin, _ := ctx.Value(originKey{}).(Origin)
	return origin
}

// In returns a context of work that is done for a workspace.
func In(ctx context.Context, workspaceID string) context.Context {
	return context.WithValue(ctx, workspaceKey{}, workspaceID)
}

// WorkspaceOf returns the workspace that work is done for, empty if none was
// named.
func WorkspaceOf(ctx context.Context) string {
	workspaceID, _ := ctx.Value(workspaceKey{}).(string)
	return workspaceID
}
