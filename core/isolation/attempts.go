package isolation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/internal/id"
)

// readOwn has a workspace read everything of its own, which shows that the other one could
// find it.
func (r *run) readOwn(ctx context.Context, w *Workspace) error {
	ids := w.ids(w.calls()[0])
	seen := len(r.seen)
	for _, call := range Calls() {
		if call.changes() || call.Not != "" || call.leavesTraces() {
			continue
		}
		answer, _, err := r.send(ctx, call, ids, w.credential(call.kind()))
		if err != nil {
			return err
		}
		r.recordSeen(w, answer)
	}
	if len(r.seen) == seen {
		return errOtherInstallation
	}
	return nil
}

func (r *run) recordSeen(w *Workspace, answer Answer) {
	for _, word := range w.finder.In(answer.Body, "") {
		if slices.ContainsFunc(w.Canaries, func(c Canary) bool { return c.Secret == word }) {
			r.seen[word] = true
		}
	}
}

// leavesTraces reports whether a call is written into the audit log, asks Stripe or a model
// provider, or waits. A workspace does not make such a call for its own objects.
func (c Call) leavesTraces() bool {
	return slices.ContainsFunc([]string{"/export", "/billing/", "/plan/return", "/end-users/", "/stream", "/models"}, func(part string) bool { return strings.Contains(c.Route, part) })
}

// attempts tries everything of a victim with the credentials of a thief.
func (r *run) attempts(ctx context.Context, thief, victim *Workspace) error {
	before, err := r.Store.Fingerprint(ctx, victim.ID)
	if err != nil {
		return err
	}
	routes, notTried := map[string]bool{}, map[string]NotTried{}
	for _, call := range Calls() {
		if call.Not != "" {
			notTried[call.Name()] = NotTried{call.Name(), call.Not}
			continue
		}
		routes[call.Name()] = true
		if call.asks() {
			continue // see ask
		}
		if err := r.attempt(ctx, call, thief, victim); err != nil {
			return err
		}
		if !call.changes() {
			continue
		}
		after, err := r.Store.Fingerprint(ctx, victim.ID)
		if err != nil {
			return err
		}
		if changed := different(before, after); len(changed) > 0 {
			r.report.cross(Crossing{call.Name(), "one of workspace " + thief.ID, call.objectNames(victim), "it changed rows of workspace " + victim.ID + " in " + strings.Join(changed, ", ")})
			before = after
		}
	}
	r.report.Routes, r.report.NotTried = len(routes), slices.Collect(maps.Values(notTried))
	slices.SortFunc(r.report.NotTried, func(a, b NotTried) int { return strings.Compare(a.Route, b.Route) })
	return nil
}

func different(before, after map[string]string) (tables []string) {
	for _, table := range slices.Sorted(maps.Keys(before)) {
		if before[table] != after[table] {
			tables = append(tables, table)
		}
	}
	return tables
}

// attempt makes one call with every credential. Who may make such a call also makes it in their
// own workspace with one object of the other, and each time with an object that nobody has: the
// answers must be the same.
func (r *run) attempt(ctx context.Context, call Call, thief, victim *Workspace) error {
	thief.nextOwner()
	foreign := victim.ids(victim.calls()[0])
	foreign["code"] = thief.invitation
	for _, credential := range thief.Credentials {
		may := credential == thief.credential(call.kind())
		names := call.Objects()
		answer, sent, err := r.send(ctx, call, foreign, credential)
		if err != nil {
			return err
		}
		r.judge(call, credential, call.objectNames(victim), victim, answer, sent)
		if len(names) == 0 {
			continue
		}
		if !may {
			if answer.Status >= 200 && answer.Status < 300 {
				r.report.cross(Crossing{call.Name(), credential.Name, call.objectNames(victim), fmt.Sprintf("it was answered with status %d", answer.Status)})
			}
			continue
		}
		if err := r.compare(ctx, call, credential, answer, foreign, names, call.objectNames(victim)); err != nil {
			return err
		}
		if len(names) == 1 || call.Together {
			continue
		}
		for _, name := range names {
			mixed := thief.ids(foreign["asked"])
			mixed[name] = foreign[name]
			answer, sent, err := r.send(ctx, call, mixed, credential)
			if err != nil {
				return err
			}
			object := name + " " + foreign[name]
			r.judge(call, credential, object, victim, answer, sent)
			if err := r.compare(ctx, call, credential, answer, mixed, []string{name}, object); err != nil {
				return err
			}
		}
	}
	return nil
}

// judge looks for the victim's data in an answer.
func (r *run) judge(call Call, credential Credential, object string, victim *Workspace, answer Answer, sent string) {
	if found := victim.finder.In(answer.Head+"\n"+answer.Body, sent); len(found) > 0 {
		r.report.cross(Crossing{call.Name(), credential.Name, object, fmt.Sprintf("the answer (status %d) has %s of workspace %s", answer.Status, r.named(victim, found), victim.ID)})
	}
}

// named says where words were planted, canaries first.
func (r *run) named(w *Workspace, found []string) string {
	var canaries, others []string
	for _, word := range found {
		i := slices.IndexFunc(w.Canaries, func(c Canary) bool { return c.Secret == word })
		if i < 0 {
			others = append(others, word)
			continue
		}
		if name := "the canary of " + w.Canaries[i].Place; !slices.Contains(canaries, name) {
			canaries = append(canaries, name)
		}
	}
	names := append(canaries, others...)
	if more := len(names) - mostWords; more > 0 {
		names = append(names[:mostWords], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// mostWords bounds how many words of an answer are named.
const mostWords = 3

// compare makes the same call with objects that nobody has.
func (r *run) compare(ctx context.Context, call Call, credential Credential, answer Answer, ids map[string]string, names []string, object string) error {
	unknown := maps.Clone(ids)
	for _, name := range names {
		unknown[name] = r.unknownID(ids[name])
	}
	want, _, err := r.send(ctx, call, unknown, credential)
	if err != nil {
		return err
	}
	if want.Status >= 500 || answer.Status >= 500 { // send has noted it
		return nil
	}
	if answer.Status != want.Status || answer.Body != want.Body {
		r.report.cross(Crossing{call.Name(), credential.Name, object, fmt.Sprintf("it is answered otherwise (status %d) than one that does not exist (status %d)", answer.Status, want.Status)})
	}
	return nil
}

// unknownID returns an identifier of the same form that names nothing.
func (r *run) unknownID(of string) string {
	prefix, _, named := strings.Cut(of, "_")
	switch {
	case prefix == "resp":
		return "resp_9007199254740990_9007199254740990"
	case named:
		return id.New(r.random, prefix)
	}
	return "9007199254740990"
}

// objectNames names what a call asks the victim's workspace for.
func (c Call) objectNames(victim *Workspace) string {
	var all []string
	for _, name := range c.Objects() {
		all = append(all, name+" "+victim.Objects.IDs[name])
	}
	if len(all) == 0 {
		return "none: it names no object"
	}
	return strings.Join(all, ", ")
}

// send makes a call, and returns the request, too.
func (r *run) send(ctx context.Context, call Call, ids map[string]string, credential Credential) (Answer, string, error) {
	path, body := call.fill(ids)
	return r.sendTo(ctx, call.Name(), Request{Method: call.Method, Path: path, Body: body, Credential: credential})
}

func (r *run) sendTo(ctx context.Context, name string, request Request) (Answer, string, error) {
	answer, err := r.Server.Send(ctx, request)
	if err != nil {
		return answer, "", err
	}
	r.report.Requests[request.Credential.Name]++
	if answer.Status >= 500 && answer.Status != 501 {
		r.report.unproven("%s with %s: the server failed with status %d", name, request.Credential.Name, answer.Status)
	}
	return answer, request.Path + "\n" + request.Body, nil
}
