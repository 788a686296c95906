package crash

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"parley/core/plan"
	"parley/e2e/harness"
	"parley/internal/smalldisk"
	"parley/llm/llmtest"
)

// A server on a full disk is read from, starts, and recovers by itself.
func TestFullDisk(t *testing.T) {
	smalldisk.Run(t, "size=64m,nr_inodes=2000", func(d *smalldisk.Disk) {
		s := &harness.Installation{T: d.T, Dir: d.Dir}
		upstream := llmtest.NewServer(d.T, llmtest.Reply{Pieces: []string{"Yes."}})
		s.AnsweredBy(upstream)
		var tn harness.Tenant
		s.Inside(func(w *harness.Instance) { tn = w.NewTenant("baker", plan.Standard, harness.Opening) })

		p := s.Serve()
		owner := p.SignedIn(tn.Email, tn.Password)
		conversation := p.NewConversation(tn.Token, "")
		f := &fullDisk{tn: tn, conversation: harness.Written(conversation), cookies: owner.Cookies, days: 300}
		f.works(p)
		token, _ := owner.CreateToken(tn.Chatbot, `{"name":"of the disk","scopes":["chat"]}`)

		t.Run("it becomes full while the server runs", func(t *testing.T) {
			free := d.Fill()
			f.isReadOnly(p.In(t))
			free()
			f.recovers(p.In(t))
		})
		t.Run("it becomes full while an answer runs", func(t *testing.T) {
			p := p.In(t)
			gate := llmtest.NewGate()
			upstream.Next(llmtest.Reply{Pieces: []string{"At nine."}, Hold: gate, HoldAt: llmtest.BeforeHeaders})
			stream := p.Stream(harness.OpeningQuestion, harness.Bearer(tn.Token))
			stream.Until("conversation")
			free := d.Fill()
			gate.Release()
			stream.Rest()
			free()
			f.recovers(p)
		})
		t.Run("it has no inodes left", func(t *testing.T) {
			free := d.TakeInodes()
			f.isReadOnly(p.In(t))
			free()
			f.recovers(p.In(t))
		})
		for name, fill := range map[string]func() func(){"full": d.Fill, "without inodes": d.TakeInodes} {
			for _, stop := range []string{"stopped", "killed"} {
				t.Run("the server is "+stop+" and starts on a disk that is "+name, func(t *testing.T) {
					fill()
					if stop == "killed" {
						p.Kill()
					} else {
						p.Terminate()
						<-p.Ended
					}
					free := fill() // what the end of the server left
					p = s.Serve()
					f.isReadOnly(p.In(t))
					free()
					f.recovers(p.In(t))
					p.Kill()
					p = s.Serve()
				})
			}
		}
		t.Run("what only takes away works as long as there is a little room", func(t *testing.T) {
			free := d.Fill()
			f.leaves(t, d, 600<<10)
			v := f.owner(p.In(t))
			v.Expect(v.Ask("DELETE", harness.TokensPath(tn.Chatbot)+"/"+token, "", harness.Header{Name: "Sec-Fetch-Site", Value: "same-origin"}), http.StatusOK)
			free()
			f.recovers(p.In(t))
		})
		t.Run("the doctor says so", func(t *testing.T) {
			free := d.Fill()
			p := p.In(t)
			p.Shows(harness.Fault{Part: "storage", Vital: true, Says: "full", Remedy: "Free space"}, s.Command(&harness.Buffer{}, "doctor"))
			free()
			p.Mended("storage")
		})
		t.Run("the file system is read-only", func(t *testing.T) {
			p.Terminate()
			<-p.Ended
			free := d.ReadOnly()
			p = s.Serve()
			f.isReadOnly(p.In(t))
			p.Kill()
			free()
			p = s.Serve()
			f.works(p.In(t))
		})
	})
}

type fullDisk struct {
	tn           harness.Tenant
	conversation string
	cookies      map[string]string
	asked        int
	// days is how long messages are kept: longer with each change.
	days int
}

// owner is the person who signed in before.
func (f *fullDisk) owner(p *harness.Process) *harness.Visitor {
	v := p.NewVisitor()
	v.Cookies = f.cookies
	return v
}

func (f *fullDisk) ask(p *harness.Process) harness.Reply {
	return p.Call("POST", harness.ChatPath, `{"message":"Are you open?","conversation_id":"`+f.conversation+`"}`, harness.Bearer(f.tn.Token))
}

func (f *fullDisk) works(p *harness.Process) {
	p.Helper()
	p.Eventually("the server is ready", func() bool { return p.Call("GET", "/readyz", "").StatusCode == http.StatusOK })
	p.CheckAnswer(f.ask(p), 200, 0)
	f.asked++
	if all := p.Messages(f.tn.Token, f.conversation, ""); len(all) != 2*f.asked {
		p.Errorf("%d messages are there after %d questions", len(all), f.asked)
	}
	p.SignedIn(f.tn.Email, f.tn.Password)
}

func (f *fullDisk) recovers(p *harness.Process) {
	p.Helper()
	p.Eventually("the server is ready again", func() bool { return p.Call("GET", "/readyz", "").StatusCode == http.StatusOK })
	f.works(p)
}

func (f *fullDisk) isReadOnly(p *harness.Process) {
	p.Helper()
	p.Eventually("the server is no longer ready", func() bool { return p.Call("GET", "/readyz", "").StatusCode == http.StatusServiceUnavailable })
	p.Expect(p.Call("GET", "/healthz", ""), http.StatusOK)
	full := func(what string, r harness.Reply) {
		p.Helper()
		if r.StatusCode != 503 || r.Header.Get("X-Error-Code") != "storage_full" {
			p.Errorf("%s: it answers %d %s: %s", what, r.StatusCode, r.Header.Get("X-Error-Code"), harness.Shortened(r.Text))
		}
	}
	full("asking", f.ask(p))
	full("asking in a stream", p.Call("POST", harness.ChatPath+"/stream", `{"message":"Are you open?"}`, harness.Bearer(f.tn.Token)))
	v := f.owner(p)
	full("adding", v.Ask("POST", "/api/chatbots/"+f.tn.Chatbot+"/documents", `{"title":"More","content":"We close at six."}`))
	// A small change may still fit into the room that the database's log has already.
	f.days++
	path := "/api/chatbots/" + f.tn.Chatbot + "/retention"
	if r := v.Ask("PATCH", path, fmt.Sprintf(`{"retention_days":%d}`, f.days)); r.StatusCode != http.StatusOK {
		full("changing", r)
	} else if r := v.Ask("GET", path, ""); !strings.Contains(r.Text, fmt.Sprintf(`"retention_days":%d`, f.days)) {
		p.Errorf("a change was confirmed, and it is %s", r.Text)
	}

	signIn := p.NewVisitor().SignIn(f.tn.Email, f.tn.Password)
	if signIn.StatusCode != 503 || !strings.Contains(signIn.Text, "storage is full") || !strings.Contains(signIn.Text, signIn.Header.Get("X-Request-Id")) {
		p.Errorf("signing in answers %d: %s", signIn.StatusCode, harness.Shortened(signIn.Text))
	}
	for _, page := range []string{"", "/members", "/settings", "/billing", "/webhooks", "/models", "/audit", "/audit/export?format=csv", "/privacy"} {
		p.Expect(v.Get("/workspaces/"+f.tn.Workspace+page), http.StatusOK)
	}
	for _, page := range []string{"/playground", "/knowledge", "/conversations", "/conversations/export?format=csv", "/improve", "/improve/tests", "/analytics", "/deploy", "/tokens", "/settings"} {
		p.Expect(v.Get("/chatbots/"+f.tn.Chatbot+page), http.StatusOK)
	}
	p.Expect(v.Post("/workspaces/"+f.tn.Workspace+"/privacy/export", nil), http.StatusOK)
	if all := p.Messages(f.tn.Token, f.conversation, ""); len(all) != 2*f.asked {
		p.Errorf("%d messages are there after %d questions", len(all), f.asked)
	}
}

// leaves makes a little room.
func (f *fullDisk) leaves(t *testing.T, d *smalldisk.Disk, bytes int64) {
	t.Helper()
	info, err := os.Stat(d.Dir + "/filling")
	if err == nil {
		err = os.Truncate(d.Dir+"/filling", info.Size()-bytes)
	}
	if err != nil {
		t.Fatal(err)
	}
}
